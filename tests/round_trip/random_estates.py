"""Random small estates: two clusters, in which things happen for up to 200 days."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from hypothesis import strategies as st

from tests.sandbox import Sandbox
from twin.model.instants import HOUR, MINUTE

PARTIAL: Final = ("PR1", "PR2", "PR3")
"""The partial repositories; PR3 is in both clusters."""

Act: TypeAlias = tuple[int, str, str]
"""Hours to wait, a queue manager, and a command: MQSC, `open QUEUE`, `endmqm` or `strmqm`."""

_QUEUES: Final = st.sampled_from(["A", "B"])
_PARTIAL: Final = st.sampled_from(PARTIAL)
_DEFINE: Final = st.builds(
    "DEFINE QLOCAL({}) CLUSTER(CA) DEFBIND({}) CLWLPRTY({}) DESCR('{}') REPLACE".format,
    _QUEUES,
    st.sampled_from(["OPEN", "NOTFIXED"]),
    st.integers(0, 9),
    st.sampled_from(["", "x (y), z", "it''s"]),
)
_COMMANDS: Final = st.one_of(
    _DEFINE,
    st.builds("DELETE QLOCAL({})".format, _QUEUES),
    st.builds("DEFINE TOPIC(T) TOPICSTR('{}') CLUSTER(CA) REPLACE".format, st.sampled_from("ab")),
    st.builds("{} QMGR CLUSTER(CA)".format, st.sampled_from(["SUSPEND", "RESUME"])),
    st.builds("{} CHANNEL(CA.FR1)".format, st.sampled_from(["STOP", "START"])),
    st.builds("open {}".format, _QUEUES),
    st.sampled_from(["endmqm", "strmqm"]),
)
_HOURS: Final = st.sampled_from([0, 1, 30, 400])
ACTS: Final = st.lists(st.tuples(_HOURS, _PARTIAL, _COMMANDS), max_size=12)


def built() -> Sandbox:
    """Build the clusters."""
    box = Sandbox().create("FR1", "FR2", "FR3", *PARTIAL)
    box.full("FR1", "FR2").full("FR2", "FR1").full("FR3", cluster="CB")
    box.member("PR1", "FR1").member("PR2", "FR2").member("PR3", "FR1")
    box.member("PR3", "FR3", cluster="CB")
    return box.pass_time(HOUR)


def live(box: Sandbox, acts: Iterable[Act]) -> Sandbox:
    """Let things happen."""
    for hours, qmgr, command in acts:
        box.pass_time(hours * HOUR + MINUTE)
        perform(box, qmgr, command)
    return box.pass_time(MINUTE)


def perform(box: Sandbox, qmgr: str, command: str) -> None:
    """Perform an act, unless it cannot be done in the state of the queue manager."""
    running = box.estate.qmgr(qmgr).running
    if command in {"endmqm", "strmqm"}:
        if running == (command == "endmqm"):
            box.control(command, qmgr)
    elif running and command.startswith("open "):
        box.open(qmgr, command.removeprefix("open "))
    elif running:
        box.run(qmgr, command)
