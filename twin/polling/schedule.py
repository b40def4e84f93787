"""When polls are due, and which were missed."""

from __future__ import annotations

from typing import NamedTuple

from twin.model.instants import Instant, format_instant


class DuePolls:
    """Polls at equal intervals from the first, whatever each of them takes.

    Seconds are those of a clock that only grows.
    """

    def __init__(self, every: float, now: float) -> None:
        """Begin with a poll that is due now."""
        self._every = every
        self._next = now

    def wait(self, now: float) -> float:
        """Return the seconds until the next poll; 0 if it is due."""
        return max(0.0, self._next - now)

    def done(self, now: float) -> int:
        """Plan the next poll after one that has ended; return how many are left out."""
        left_out = max(0, int((now - self._next) // self._every))
        self._next += (left_out + 1) * self._every
        return left_out


class MissedPolls(NamedTuple):
    """Polls of a queue manager that had no answer, one after the other.

    Attributes:
        since: the instant of the first.
        upto: the instant of the last.
        missed: their number.
        why: the reason of the last.
    """

    since: Instant
    upto: Instant
    missed: int
    why: str

    def goes_on(self, at: Instant, why: str) -> MissedPolls:
        """Return the outage after one more poll."""
        return MissedPolls(self.since, at, self.missed + 1, why)

    @property
    def shown(self) -> str:
        """What was missed, for people."""
        if self.missed == 1:
            return f"the poll at {format_instant(self.since)} was missed"
        since, upto = format_instant(self.since), format_instant(self.upto)
        return f"{self.missed} polls from {since} to {upto} were missed"
