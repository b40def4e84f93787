"""An open batch: timed events are decided instant by instant, and all are appended at the end."""

from __future__ import annotations

from typing import NamedTuple

from twin.fold.agenda import TimerKind
from twin.model.instants import Instant
from twin.rules import due_timers, lifecycle
from twin.rules.draft import Draft


class Ticked(NamedTuple):
    """How many events were recorded, the instant reached, and whether nothing is left to do."""

    events: int
    reached: Instant
    finished: bool


class OpenBatch:
    """Decisions that are not in the log yet; all of them are appended in one transaction."""

    def __init__(self, draft: Draft) -> None:
        """Decide on a draft whose estate is that of the head of a branch."""
        self._draft = draft

    @property
    def events(self) -> int:
        """The number of events decided so far."""
        return len(self._draft.events)

    def decide(self, upto: Instant, *, limit: int | None = None) -> Ticked:
        """Decide everything that is due up to and including an instant.

        With `limit`, stop once the batch has that many events, but never within an instant.
        """
        finished = lifecycle.play(self._draft, upto=upto, limit=limit)
        return Ticked(self.events, upto if finished else self._draft.at, finished)

    def wakes(self) -> dict[TimerKind, Instant]:
        """Return for each kind of timer when to check it next: see `due_timers.wakes`."""
        return due_timers.wakes(self._draft.estate)
