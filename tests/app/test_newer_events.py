"""A newer version of twin records events in a log that this version has open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from tests.app.scenes import LATER, START, build, make_twin
from twin.app.twin import Twin
from twin.events.catalogue import UnknownEvent
from twin.log import NewerLog, NewEvent
from twin.model.instants import DAY

ACTS: Final[dict[str, Callable[[Twin], Any]]] = {
    "a question": lambda twin: twin.ask("members"),
    "a question about facts": lambda twin: twin.ask("changes", since=START),
    "an earlier instant": lambda twin: twin.ask("members", as_of=START + 2 * DAY),
    "DISPLAY": lambda twin: twin.runmqsc("PR1", "DISPLAY QMGR", as_of=START + 2 * DAY),
    "a command": lambda twin: twin.runmqsc("PR1", "DEFINE QLOCAL(Q)"),
    "a control command": lambda twin: twin.crtmqm("QM5"),
    "an observation": lambda twin: twin.ingest("DEFINE QLOCAL(Q)", qmgr="PR9", at=START + DAY),
    "a tick": lambda twin: twin.tick(START + 60 * DAY),
    "the agenda": Twin.due,
    "snapshots": Twin.snapshot,
}


@pytest.mark.parametrize("what", ACTS)
def test_an_open_process_names_the_version_that_is_needed(sqlite_url: str, what: str) -> None:
    """Whatever meets the event says which version understands it, as the opening does."""
    check(sqlite_url, [what])


def test_an_open_process_names_the_version_on_every_database(log_url: str) -> None:
    """A process that read and wrote before the event names the version, too."""
    check(log_url, ["a question", "a command", "a question"], asks_before=True)


def check(url: str, acts: list[str], *, asks_before: bool = False) -> None:
    """Let a newer version append to a log that is open, and let the older one act."""
    with make_twin(url, lambda: LATER) as older, make_twin(url, lambda: LATER) as newer:
        build(newer)
        if asks_before:
            assert older.ask("members").rows
            older.runmqsc("PR1", "DEFINE QLOCAL(BEFORE)", at=START + DAY // 2)
        newer.log.append(
            [NewEvent(START + DAY, "QueueMoved", "PR1", None, "command", "1", '{"qmgr":"PR1"}')],
            recorded_at=LATER,
        )
        newer.log.append([NewEvent(START + 3 * DAY, *EVENT)], recorded_at=LATER)
        with pytest.raises(UnknownEvent):
            ACTS[acts[0]](older)
        newer.log.set_info("reader", "0.10.0")
        for what in acts:
            with pytest.raises(NewerLog, match=r"needs twin 0\.10\.0 or later; this is 0\.2\.0"):
                ACTS[what](older)


EVENT: Final = ("TimePassed", "", None, "clock", "2", '{"qmgr":""}')
