"""Definitions as dmpmqcfg writes them can be imported, and run, as the same definitions."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.feeds.observing import START, Record
from tests.laws import examples
from tests.questions.drawing import FULLY, KEPT, LEVEL, definitions, rules, some_values
from tests.sandbox import Sandbox
from twin.events import Event, ObjectObserved, QueueManagerFirstSeen, QueueManagerObserved
from twin.feeds.definitions import observe
from twin.fold.estate import Estate, NoSuchQueueManager, QueueManager
from twin.fold.replay import apply
from twin.model.attributes import HIDDEN, Value, sparse
from twin.model.instants import AsOf
from twin.model.system_objects import initial_values
from twin.mqsc.reader import LINE_LIMIT, CommandRead, read
from twin.questions.dump import dump

DUMPS: Final = Path(__file__).parents[3] / "shared" / "samples" / "reference" / "dmpmqcfg"
NOW: Final = AsOf(START, START)


def estate_of(*observed: Event, level: int = LEVEL) -> Estate:
    """Make an estate of one queue manager with these objects."""
    estate = Estate()
    first = QueueManagerFirstSeen(
        qmgr="QM1", qmid="QM1_2026-01-01_00.00.00", cmdlevel=level, platform="UNIX"
    )
    for position, event in enumerate((first, *observed), start=1):
        apply(estate, event, START, position)
    return estate


def definitions_of(qmgr: QueueManager) -> dict[tuple[str, str], tuple[str, Mapping[str, Value]]]:
    """Return every definition of a queue manager, without instants."""
    return {key: (each.type, each.values) for key, each in qmgr.definitions.items()}


def read_back(lines: list[str]) -> Record:
    """Import a dump into an empty record."""
    record = Record()
    seen = record.take("\n".join(lines), qmgr=None)
    assert seen.not_understood == ()
    return record


@examples(cost=2)
@given(
    st.lists(
        st.one_of(definitions(types=FULLY), definitions(types=KEPT), rules()),
        max_size=4,
        unique_by=lambda each: (each.kind, each.name),
    ),
    some_values("QMGR"),
)
def test_a_dump_reads_back_as_the_same_definitions(
    objects: list[ObjectObserved], own: dict[str, Value]
) -> None:
    """A dump imported into an empty estate gives the same definitions, and on its own nothing."""
    estate = estate_of(QueueManagerObserved(qmgr="QM1", values=own), *objects)
    lines = dump(estate, "QM1", NOW)
    assert observe("\n".join(lines), qmgr="QM1", estate=estate).counts["recorded"] == 0
    again = read_back(lines).estate().qmgr("QM1")
    before = estate.qmgr("QM1")
    assert definitions_of(again) == definitions_of(before)
    usual = initial_values("QM1", level=LEVEL)
    assert sparse("QMGR", usual | dict(again.values)) == sparse("QMGR", usual | dict(before.values))
    assert (again.qmid, again.cmdlevel, again.platform) == (before.qmid, LEVEL, "UNIX")


def _without_secrets(event: ObjectObserved) -> bool:
    return HIDDEN not in event.values.values()


@examples(cost=2)
@given(
    st.lists(
        st.one_of(definitions(types=FULLY).filter(_without_secrets), rules()),
        max_size=3,
        unique_by=lambda each: (each.kind, each.name),
    )
)
def test_a_dump_runs_as_commands(objects: list[ObjectObserved]) -> None:
    """A dump run at a new queue manager gives the same definitions, without errors."""
    estate = estate_of(*objects)
    sandbox = Sandbox().create("QM1")
    answers = sandbox.run("QM1", "\n".join(dump(estate, "QM1", NOW)))
    assert not [answer for answer in answers if answer.endswith("E")]
    wanted = definitions_of(estate.qmgr("QM1"))
    changed = {(each.kind, each.name) for each in objects}
    found = {
        key: (type_name, sparse(type_name, values))
        for key, (type_name, values) in definitions_of(sandbox.estate.qmgr("QM1")).items()
    }
    assert found.keys() == wanted.keys()
    assert {key: _nameless(found[key]) for key in changed} == {
        key: _nameless(wanted[key]) for key in changed
    }


def _nameless(definition: tuple[str, Mapping[str, Value]]) -> Any:
    """Leave out the profile of a rule, which is in its name."""
    type_name, values = definition
    return type_name, {key: value for key, value in values.items() if key != "CHLAUTH"}


def test_the_layout_is_that_of_dmpmqcfg() -> None:
    """Header and footer enclose the commands; attributes that cannot be set are comments."""
    estate = estate_of(
        ObjectObserved(
            qmgr="QM1",
            kind="CHANNEL",
            name="TO.QM1",
            type="CLUSRCVR",
            values={"CONNAME": "h(1414)", "CLUSTER": "CA"},
        ),
    )
    lines = dump(estate, "QM1", NOW)
    assert lines[0] == lines[-1] == "*" * 79
    assert lines[1:4] == [
        "* Script generated on 2026-01-01   at 00.00.00 ",
        f"* Script generated by twin {NOW} ",
        "* Queue manager name: QM1 ",
    ]
    own = lines.index("ALTER QMGR +")
    assert "*  QMID(QM1_2026-01-01_00.00.00) +" in lines[own:]
    assert not any("VERSION(" in line for line in lines)  # nothing says its fix pack
    start = lines.index("DEFINE CHANNEL('TO.QM1') +")
    assert lines[start + 1 : start + 8] == [
        "   CHLTYPE(CLUSRCVR) +",
        "*  ALTDATE(2026-01-01) +",
        "*  ALTTIME(00.00.00) +",
        "   BATCHHB(0) +",
        "   BATCHINT(0) +",
        "   BATCHLIM(5000)  +",
        "   BATCHSZ(50) +",
    ]
    assert "   CONNAME('h(1414)') +" in lines[start:]
    assert lines[lines.index("   USEDLQ(YES) +", start) + 1] == "   REPLACE"


def test_a_password_is_written_as_a_comment() -> None:
    """A password is dumped as a comment, so a replay does not set asterisks as a password."""
    channel = ObjectObserved(
        qmgr="QM1",
        kind="CHANNEL",
        name="C",
        type="SDR",
        values={"CONNAME": "h", "XMITQ": "X", "PASSWORD": HIDDEN},
    )
    lines = dump(estate_of(channel), "QM1", NOW)
    assert f"*  PASSWORD('{HIDDEN}') +" in lines
    assert read_back(lines).known("CHANNEL", "C").values["PASSWORD"] == HIDDEN


@pytest.mark.parametrize("text", ["x" * 5000, "a b" * 1500, "it''s; " * 900 + "*", "* +-" * 1200])
def test_a_long_string_is_broken_over_lines(text: str) -> None:
    """A long string is broken to MQSC's line length, and read back unchanged."""
    topic = ObjectObserved(
        qmgr="QM1", kind="TOPIC", name="T", type="TOPIC", values={"TOPICSTR": text}
    )
    lines = dump(estate_of(topic), "QM1", NOW)
    assert max(map(len, lines)) <= LINE_LIMIT
    read_items = [each for each in read("\n".join(lines)) if isinstance(each, CommandRead)]
    assert not any(each.too_long for each in read_items)
    assert read_back(lines).known("TOPIC", "T").values["TOPICSTR"] == text


def test_an_authority_record_that_grants_nothing_reads_back() -> None:
    """An authority record without authorities is written with AUTHADD(NONE)."""
    record = ObjectObserved(
        qmgr="QM1",
        kind="AUTHREC",
        name="Q QUEUE g",
        type="AUTHREC",
        values={"PROFILE": "Q", "OBJTYPE": "QUEUE", "GROUP": "g", "AUTHLIST": ()},
    )
    lines = dump(estate_of(record), "QM1", NOW)
    assert "   AUTHADD(NONE)" in lines
    assert read_back(lines).known("AUTHREC", "Q QUEUE g").values == record.values


def test_a_queue_manager_that_is_not_known_has_no_dump() -> None:
    """An unknown queue manager is refused as by runmqsc."""
    with pytest.raises(NoSuchQueueManager):
        dump(Estate(), "QM1", NOW)


@pytest.mark.skipif(not DUMPS.is_dir(), reason="the reference samples are not here")
@pytest.mark.parametrize("name", ["QM4", "QM5"])
def test_a_real_dump_is_written_again_line_by_line(name: str) -> None:
    """Every command of a real dump is written as it was read, except comment lines."""
    text = next(DUMPS.glob(f"*{name}.txt")).read_text(encoding="utf-8")
    record = Record()
    record.take(text, qmgr=None)
    lines = dump(record.estate(), name, NOW)
    assert sorted(_commands(lines)) == sorted(_commands(text.splitlines()))


def _commands(lines: list[str]) -> list[str]:
    """Join the lines of each command, without comment lines."""
    bare = [line.rstrip() for line in lines if not line.startswith("*")]
    joined = "\n".join(bare)
    return joined.replace(" +\n", " + ").splitlines()


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("", []),
        ("CERTLABL(' ') SSLKEYR('/k')", ["CERTLABL(' ')", "SSLKEYR('/k')"]),
    ],
)
def test_the_key_repository_is_the_one_that_was_shown(said: str, written: list[str]) -> None:
    """What a script does not set is not known of an imported one; a blank counts if it is set."""
    record = Record()
    record.take(f"ALTER QMGR DESCR('x') {said}", qmgr="QM1")
    lines = dump(record.estate(), "QM1", NOW)
    own = [line.strip(" +") for line in takewhile(lambda each: "DEFINE" not in each, lines)]
    assert [each for each in own if each.startswith(("CERTLABL", "SSLKEYR"))] == written
    again = read_back(lines).estate().qmgr("QM1")
    assert again.values == record.estate().qmgr("QM1").values
