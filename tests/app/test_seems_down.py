"""What nobody saw to run, and what cannot be reached, renews nothing: not seen is not healthy."""

from __future__ import annotations

from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import START
from tests.app.test_laws import fresh
from tests.app.test_standing import PARTIAL, imported, observe, seen_channel
from tests.laws import examples
from twin import events
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR

SCRIPT: Final = PARTIAL.format(qmgr="P3", other="F1").replace("REPLACE", "REPLACE\n")
STATUSES: Final = st.sampled_from(["RUNNING", "RETRYING", "INACTIVE"])
SIGHTS: Final = st.dictionaries(
    st.integers(1, 30), st.tuples(st.sampled_from(["F1", "F2", "P1"]), STATUSES), max_size=5
)


def scene(twin: Twin, sights: dict[int, tuple[str, str]]) -> Twin:
    """Import a script of P3 beside the dumps of others, and what these saw of their channels."""
    imported(twin).ingest_files([FileText(SCRIPT, qmgr="P3")], at=START)
    for hour, (observer, status) in sights.items():
        observe(twin, START + hour * HOUR, seen_channel("CA.P3", status, observer))
    return twin


def ahead(twin: Twin, *, answers: bool = False) -> set[object]:
    """Return the states of the records of P3 at the full repositories, 45 days on.

    From an instant on P3 answers, if it does.
    """
    if answers:
        status = events.QueueManagerStatusObserved(qmgr="P3", status="RUNNING")
        observe(twin, START + 40 * HOUR, status)
    rehearsal = twin.rehearse(as_of=START + 41 * HOUR)
    rehearsal.advance(to=START + 45 * DAY)
    rows = rehearsal.ask("lifetimes").rows
    held = [row for row in rows if row["observer"] in {"F1", "F2"} and row["name"] == "P3"]
    return {row["state"] for row in held}


@examples(cost=6)
@given(SIGHTS)
def test_a_queue_manager_that_seems_down_renews_nothing(
    sights: dict[int, tuple[str, str]],
) -> None:
    """It is down if a channel to it fails and none ran since; once it answers, it renews again."""
    last = {observer: (hour, status) for hour, (observer, status) in sorted(sights.items())}
    failed = max((hour for hour, status in last.values() if status == "RETRYING"), default=0)
    ran = max((hour for hour, status in last.values() if status == "RUNNING"), default=0)
    with fresh(2) as (one, other):
        assert ahead(scene(one, sights)) == ({"expired"} if failed > ran else {"active"})
        assert ahead(scene(other, sights), answers=True) == {"active"}
