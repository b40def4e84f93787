"""A batch: primary facts and what follows from them, with ids and causes, for one append."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from twin import events
from twin.app.origins import with_origin
from twin.events.catalogue import column_of, encode
from twin.log import NewEvent
from twin.model.instants import Instant
from twin.mqsc.secrets import masked
from twin.rules.deriving import Outcome, derive
from twin.rules.draft import Decided, Draft

COMMAND: Final = "command"
"""The source of what was asked, as opposed to observed."""

CLOCK: Final = "clock"
"""The source of time that was let pass."""

RULES: Final = "rules"
"""The source of what was derived."""

TICK: Final = "tick-"
"""What the cause of everything begins with that no fact caused but time."""

WITHDRAWAL: Final = column_of(events.DerivedFactsWithdrawn)
"""The type column of a withdrawal."""

_CHANCE: Final = 47
"""Of how many random bits the first id of a batch is: with room to count up in 12 digits."""


_PUT: Final = column_of(events.MessagesPut)
"""The type column of what messages are named by: by its position."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A primary fact to be recorded, with who says so and, if it has one, its own id."""

    event: events.Event
    source: str
    event_id: str | None = None

    def masked(self) -> Fact:
        """Return the fact without the secrets in its command, which the log must not keep."""
        if not isinstance(self.event, events.CommandEntered):
            return self
        text = masked(self.event.text)
        return replace(self, event=replace(self.event, text=text))


class Batch:
    """Events on their way to one append."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.events: list[NewEvent] = []
        self._numbers: Iterator[int] = itertools.count(1)
        # Chance costs more than all else of an id: it says where to begin to count.
        self._serials: Iterator[int] = itertools.count(secrets.randbits(_CHANCE))

    @property
    def names_puts(self) -> bool:
        """Whether it may name an event of its own by the position that this is to have."""
        return any(event.type == _PUT for event in self.events)

    def add(self, fact: Fact, decided: Sequence[Decided]) -> None:
        """Add a primary fact and what was derived from it; nothing, where nothing happened."""
        if not decided:
            return
        at, primary = decided[0]
        fact_id = fact.event_id or self._new_id(at)
        self.events.append(_new(with_origin(primary), at, None, fact.source, fact_id))
        self._add(decided[1:], cause=fact_id, ids=fact_id, numbers=itertools.count(1))

    def add_due(self, decided: Sequence[Decided]) -> None:
        """Add what fell due; all of one instant names the tick of that instant as its cause."""
        for at, alike in itertools.groupby(decided, key=lambda each: each.at):
            tick = f"{TICK}{self._new_id(at)}"
            self._add(alike, cause=tick, ids=tick, numbers=itertools.count(1))

    def withdraw(self, qmgr: str, at: Instant) -> str:
        """Add the withdrawal of what was derived after an instant; return its id."""
        withdrawal = self._new_id(at)
        event = events.DerivedFactsWithdrawn(qmgr=qmgr)
        self.events.append(_new(event, at, None, RULES, withdrawal))
        return withdrawal

    def add_again(self, cause: str, withdrawal: str, derived: Sequence[Decided]) -> None:
        """Add what was derived anew from a fact that stands in the log already."""
        self._add(derived, cause=cause, ids=withdrawal, numbers=self._numbers)

    def add_due_again(self, withdrawal: str, decided: Sequence[Decided]) -> None:
        """Add what falls due anew."""
        for at, alike in itertools.groupby(decided, key=lambda each: each.at):
            tick = f"{TICK}{self._new_id(at)}"
            self._add(alike, cause=tick, ids=withdrawal, numbers=self._numbers)

    def _new_id(self, at: Instant) -> str:
        """Make an id for a primary fact that sorts by its instant."""
        return f"{at:016x}-{next(self._serials):012x}"

    def _add(
        self, decided: Iterable[Decided], *, cause: str, ids: str, numbers: Iterator[int]
    ) -> None:
        for at, event in decided:
            self.events.append(_new(event, at, cause, RULES, f"{ids}.{next(numbers)}"))


def _new(
    event: events.Event, at: Instant, cause: str | None, source: str, event_id: str
) -> NewEvent:
    return NewEvent(at, column_of(type(event)), event.qmgr, cause, source, event_id, encode(event))


def derive_all(draft: Draft, facts: Sequence[Fact], batch: Batch) -> list[Outcome]:
    """Derive what follows from facts, one after the other, and add it all to a batch."""
    draft.events.clear()
    outcomes = []
    for fact in facts:
        outcomes.append(derive(draft, fact.event))
        batch.add(fact, draft.events)
        draft.events.clear()
    return outcomes
