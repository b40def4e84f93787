"""Queue managers and links from outside: created, started, put back, cut off."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Final

from twin import events
from twin.app.batch import COMMAND, Fact
from twin.errors import TwinError
from twin.fold.estate import Estate
from twin.fold.handlers.restoring import backup_of
from twin.model.asof import AsOf
from twin.model.instants import Instant, format_instant
from twin.rules.deriving import Outcome

LINK_ACTIONS: Final = ("cut", "heal", "delay")


class NoBackupYet(TwinError, ValueError):
    """A queue manager is to be put back to an instant that is to come."""

    def __init__(self, to: Instant, when: Instant) -> None:
        super().__init__(
            f"{format_instant(to)} lies after {format_instant(when)}: there is no backup of then"
        )


class UnknownLinkAction(TwinError, ValueError):
    """Something that cannot be done to a link."""

    def __init__(self, action: str) -> None:
        super().__init__(f"{action!r} is nothing a link can do: {', '.join(LINK_ACTIONS)}")


class Controls:
    """What is done to queue managers and links other than by MQSC, on one branch of a log."""

    @abstractmethod
    def record(self, facts: Sequence[Fact], *, at: Instant | None = None) -> list[Outcome]:
        """Record what was asked at one instant, with all that follows from it, atomically."""

    @abstractmethod
    def view(
        self, *, as_of: Instant | None = None, known_at: Instant | None = None
    ) -> tuple[Estate, AsOf]:
        """Rebuild the estate of an instant, with the point it was computed at."""

    @abstractmethod
    def _now(self) -> Instant:
        """Return now: the wall clock on main, a branch's own latest instant elsewhere."""

    def control(self, command: str, qmgr: str, *arguments: str, at: Instant | None = None) -> None:
        """Run a control command (crtmqm, strmqm, endmqm, dltmqm) with `name=value` arguments."""
        event = events.ControlCommandEntered(qmgr=qmgr, command=command, arguments=arguments)
        self.record([Fact(event, COMMAND)], at=at)

    def crtmqm(
        self,
        qmgr: str,
        *,
        cmdlevel: int = 940,
        platform: str = "UNIX",
        at: Instant | None = None,
    ) -> None:
        """Create a queue manager, with the default objects of its command level."""
        arguments = (f"cmdlevel={cmdlevel}", f"platform={platform}")
        self.control("crtmqm", qmgr, *arguments, at=at)

    def strmqm(self, qmgr: str, *, at: Instant | None = None) -> None:
        """Start a queue manager."""
        self.control("strmqm", qmgr, at=at)

    def endmqm(self, qmgr: str, *, at: Instant | None = None) -> None:
        """End a queue manager."""
        self.control("endmqm", qmgr, at=at)

    def dltmqm(self, qmgr: str, *, at: Instant | None = None) -> None:
        """Delete a queue manager that has ended."""
        self.control("dltmqm", qmgr, at=at)

    def link(
        self, action: str, one: str, other: str, *, latency: int = 0, at: Instant | None = None
    ) -> None:
        """Cut, heal or delay the network between two queue managers.

        `delay` sets the latency, in microseconds; with two empty names that of all other links.

        Raises:
            NoSuchQueueManager: for one that does not exist.
            UnknownLinkAction: for an action that is none of the three.
        """
        if action not in LINK_ACTIONS:
            raise UnknownLinkAction(action)
        event = events.LinkChanged(
            qmgr=one,
            other=other,
            cut=None if action == "delay" else action == "cut",
            latency=latency if action == "delay" else None,
        )
        self.record([Fact(event, COMMAND)], at=at)

    def restore(self, qmgr: str, *, to: Instant, at: Instant | None = None) -> None:
        """Put a queue manager back as it was at an earlier instant, as from a backup.

        One that runs is ended for it, and started again. Others keep what they believe; REFRESH
        CLUSTER at this queue manager is what brings both together again.

        Raises:
            NoBackupYet: for an instant that is to come.
            NoSuchQueueManager: when there was none then, or is none now.
            ControlRefused: when today's has only the name of that one.
        """
        when = self._now() if at is None else at
        if to > when:
            raise NoBackupYet(to, when)
        then, _ = self.view(as_of=to)
        self.record([Fact(backup_of(then.qmgr(qmgr), to=to), COMMAND)], at=at)
