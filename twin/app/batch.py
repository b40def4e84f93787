"""A batch: primary facts and what follows from them, with ids and causes, for one append."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from twin import events
from twin.events.catalogue import column_of, encode
from twin.log import NewEvent
from twin.model.instants import Instant
from twin.mqsc.secrets import masked

COMMAND: Final = "command"
"""The source of what was asked, as opposed to observed."""

RULES: Final = "rules"
"""The source of what was derived."""

WITHDRAWAL: Final = column_of(events.DerivedFactsWithdrawn)
"""The type column of a withdrawal."""


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

    def __init__(self, at: Instant) -> None:
        """Begin a batch whose primary facts are of this instant."""
        self.events: list[NewEvent] = []
        self._at = at
        self._numbers: Iterator[int] = itertools.count(1)

    def add(self, fact: Fact, decided: Sequence[events.Event]) -> None:
        """Add a primary fact and what was derived from it; nothing, where nothing happened."""
        if not decided:
            return
        fact_id = fact.event_id or new_id(self._at)
        self.events.append(_new(decided[0], self._at, None, fact.source, fact_id))
        for number, event in enumerate(decided[1:], start=1):
            self.events.append(_new(event, self._at, fact_id, RULES, f"{fact_id}.{number}"))

    def withdraw(self, qmgr: str) -> str:
        """Add the withdrawal of what was derived after this instant; return its id."""
        withdrawal = new_id(self._at)
        event = events.DerivedFactsWithdrawn(qmgr=qmgr)
        self.events.append(_new(event, self._at, None, RULES, withdrawal))
        return withdrawal

    def add_again(
        self, cause: str, at: Instant, withdrawal: str, derived: Sequence[events.Event]
    ) -> None:
        """Add what was derived anew from a fact that stands in the log already."""
        for event in derived:
            derived_id = f"{withdrawal}.{next(self._numbers)}"
            self.events.append(_new(event, at, cause, RULES, derived_id))


def _new(
    event: events.Event, at: Instant, cause: str | None, source: str, event_id: str
) -> NewEvent:
    return NewEvent(at, column_of(type(event)), event.qmgr, cause, source, event_id, encode(event))


def new_id(at: Instant) -> str:
    """Make an id for a primary fact that sorts by its instant."""
    return f"{at:016x}-{secrets.token_hex(6)}"
