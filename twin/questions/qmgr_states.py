"""The state of each queue manager: whether it runs, since when, and its level."""

from __future__ import annotations

from typing import NamedTuple

from twin.fold.estate import Estate, QueueManager
from twin.model.attributes import TYPES
from twin.model.instants import Instant
from twin.rules.standing import runs


class QmgrState(NamedTuple):
    """The state of a queue manager.

    Attributes:
        name: its name.
        running: whether it runs; None if nobody observed that.
        interrupted: whether it was ended by a failure, or never started; False if an observation
            says no more than that it ended.
        started: since when it runs, or when it last started; None if that is unknown.
        level: its command level.
        platform: its platform, such as UNIX.
        chinit: whether its channel initiator starts with it; None if that does not say whether it
            runs, since the queue manager is only observed.
        publishing: its PSMODE.
    """

    name: str
    running: bool | None
    interrupted: bool
    started: Instant | None
    level: int
    platform: str
    chinit: bool | None
    publishing: str


def qmgr_states(estate: Estate) -> dict[str, QmgrState]:
    """Return the state of each queue manager by name, in the order of the names."""
    return {name: _state(estate.qmgrs[name]) for name in sorted(estate.qmgrs)}


def _state(qmgr: QueueManager) -> QmgrState:
    never = qmgr.started is None
    return QmgrState(
        name=qmgr.name,
        running=runs(qmgr),
        interrupted=not qmgr.running and not qmgr.observed and (qmgr.failed or never),
        started=qmgr.known_start,
        level=qmgr.cmdlevel,
        platform=qmgr.platform,
        chinit=None if qmgr.is_only_observed else _value(qmgr, "SCHINIT") == "QMGR",
        publishing=_value(qmgr, "PSMODE"),
    )


def _value(qmgr: QueueManager, keyword: str) -> str:
    return str(qmgr.values.get(keyword, TYPES["QMGR"].by_keyword[keyword].default))
