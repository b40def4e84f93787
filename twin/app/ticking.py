"""An open batch: timed events are decided instant by instant, and all are appended at the end."""

from __future__ import annotations

import time
from typing import Final, NamedTuple

from twin.fold.agenda import TimerKind
from twin.model.instants import Instant
from twin.rules import due_timers, lifecycle
from twin.rules.draft import Draft

PIECE: Final = 4096
"""About how many timed events are appended in one transaction."""

SECONDS: Final = 1.0
"""How long timed events are decided for one transaction: other processes wait for their turn."""

_STEP: Final = 256
"""About how many events are decided between two looks at the clock."""


class Ticked(NamedTuple):
    """How many events were recorded, the instant reached, and whether nothing is left to do."""

    events: int
    reached: Instant
    finished: bool


class OpenBatch:
    """Decisions that are not in the log yet; all of them are appended in one transaction."""

    def __init__(self, draft: Draft, *, seconds: float = SECONDS) -> None:
        """Decide on a draft whose estate is that of the head of a branch.

        After `seconds` the batch should be appended.
        """
        self._draft = draft
        self._ends = time.monotonic() + seconds

    @property
    def events(self) -> int:
        """The number of events decided so far."""
        return len(self._draft.events)

    @property
    def is_late(self) -> bool:
        """Whether the batch should be appended now, because other processes may be waiting."""
        return bool(self.events) and time.monotonic() >= self._ends

    def decide(self, upto: Instant, *, limit: int | None = None) -> Ticked:
        """Decide everything that is due up to and including an instant.

        With `limit`, stop once the batch has that many events, or is late, but never within an
        instant.
        """
        finished = False
        while not finished:
            step = None if limit is None else min(limit, self.events + _STEP)
            finished = lifecycle.play(self._draft, upto=upto, limit=step)
            if limit is not None and (self.events >= limit or self.is_late):
                break
        return Ticked(self.events, upto if finished else self._draft.at, finished)

    def wakes(self) -> dict[TimerKind, Instant]:
        """Return for each kind of timer when to check it next: see `due_timers.wakes`."""
        return due_timers.wakes(self._draft.estate)
