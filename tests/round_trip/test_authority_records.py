"""Authority records that are set come back from the dump and from DISPLAY AUTHREC."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.feeds.observing import Record
from tests.laws import examples
from tests.round_trip.written import dump_text
from tests.sandbox import Sandbox
from twin.app.session import MqscSession
from twin.feeds.detect import FileFormat
from twin.feeds.observed_captures import observe_captures
from twin.fold.estate import Estate
from twin.model.instants import AsOf
from twin.model.objects import Definition
from twin.rules.messages.authority import knows_records

WORDS = st.lists(
    st.sampled_from("ALL ALLMQI ALLADM NONE PUT GET INQ SETALL DSP CTRL PUB SUB".split()),
    min_size=1,
    max_size=3,
    unique=True,
).map(",".join)
COMMANDS = st.builds(
    "SET AUTHREC PROFILE('{}') OBJTYPE({}) {} {}".format,
    st.sampled_from(("PAY.**", "PAY.?N", "*", "SYSTEM.CLUSTER.TRANSMIT.QUEUE", "HUB")),
    st.sampled_from(("QUEUE", "RQMNAME", "TOPIC", "QMGR", "CHANNEL")),
    st.sampled_from(("GROUP('apps')", "GROUP('Ops team')", "PRINCIPAL('ann')")),
    st.builds("{}({})".format, st.sampled_from(("AUTHADD", "AUTHADD", "AUTHRMV")), WORDS),
)


def records(definitions: Mapping[tuple[str, str], Definition]) -> dict[str, Mapping[str, Any]]:
    """Return the authority records among definitions, by name."""
    return {name: each.values for (kind, name), each in definitions.items() if kind == "AUTHREC"}


@examples(times=2)
@given(st.lists(COMMANDS, min_size=1, max_size=6))
def test_what_was_set_is_read_back(commands: list[str]) -> None:
    """A dump has every record, and is complete; what DISPLAY AUTHREC shows then is no news."""
    box = Sandbox().create("QM1")
    box.run("QM1", "\n".join(commands))
    expected = records(box.estate.qmgr("QM1").definitions)
    record = Record()
    record.take(dump_text(box.estate, box.as_of, "QM1"), qmgr=None)
    read = record.estate().qmgr("QM1")
    assert records(read.definitions) == expected
    assert knows_records(read)

    def look(question: Callable[[Estate, AsOf], Any]) -> Any:
        return question(box.estate, box.as_of)

    session = list(MqscSession.reading(look, "QM1").run("DISPLAY AUTHREC").lines)
    seen = observe_captures(session, FileFormat.RUNMQSC_OUTPUT, qmgr="QM1", estate=record.estate())
    (event,) = seen.events
    assert {each.name: each.values for each in event.said} == expected
