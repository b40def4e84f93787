"""A batch: primary facts and the facts derived from them, with ids, causes and origins."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, Final, cast

from twin import events
from twin.app.acting import Fact
from twin.events.catalogue import column_of, encode
from twin.fold import seen_before
from twin.fold.replay.one_instant import about_records, canonical
from twin.log import NewEvent
from twin.model.instants import Instant
from twin.mqsc.masking import masked, masked_script
from twin.rules.deriving import Outcome, derive, derive_together
from twin.rules.draft import Decided, Draft
from twin.rules.version import RULES_VERSION, source_of

RULES: Final = source_of(RULES_VERSION)
"""The source of derived facts."""

TICK: Final = "tick-"
"""The prefix of the cause of every event that only time has caused."""

_CHANCE: Final = 47
"""The number of random bits in the first id of a batch.

Ids have 12 hexadecimal digits for them (48 bits), so the later ids of the batch can count up.
"""

_STATED: Final[ContextVar[events.Origin | None]] = ContextVar("origin", default=None)
"""The origin that `recording_from` gives to the primary facts of its block."""

_PUT: Final = column_of(events.MessagesPut)
"""The type column of a put; other events identify its messages by its position."""


_NO_CAUSES: Final[Mapping[Instant, str]] = {}


class Batch:
    """Events that will be appended together.

    Attributes:
        events: the events.
        rows: how many rows of the fold its events are more than the events.
        texts: raw texts that will be kept as evidence in the same transaction.
        most: how many events one transaction may have; None if all are one transaction.
    """

    def __init__(self) -> None:
        """Start empty."""
        self.events: list[NewEvent] = []
        self.rows = 0
        self.texts: list[str] = []
        self.most: int | None = None
        self._numbers: Iterator[int] = itertools.count(1)
        # Random bits are the slowest part of an id: only the first id of a batch has them.
        self._serials: Iterator[int] = itertools.count(secrets.randbits(_CHANCE))

    def aside(self) -> Batch:
        """Return an empty batch whose events can be moved to this one: it gives them other ids."""
        other = Batch()
        other._numbers, other._serials = self._numbers, self._serials
        return other

    @property
    def names_puts(self) -> bool:
        """Whether the batch may name one of its own events by position."""
        return any(event.type == _PUT for event in self.events)

    def add(self, fact: Fact, decided: Sequence[Decided]) -> None:
        """Add a primary fact and the facts derived from it; add nothing if nothing was decided."""
        if not decided:
            return
        self.add_derived(self.add_primary(fact, decided[0]), decided[1:])

    def add_primary(self, fact: Fact, decided: Decided) -> str:
        """Add a primary fact, and return its id."""
        at, primary = decided
        fact_id = fact.event_id or self.new_id(at)
        self.rows += len(fact.said) - 1
        self.events.append(_new(_with_origin(primary), at, None, fact.source, fact_id))
        return fact_id

    def add_derived(self, fact_id: str, derived: Sequence[Decided]) -> None:
        """Add the facts derived from a primary fact that was added with this id."""
        self._add(derived, cause=fact_id, ids=fact_id, numbers=itertools.count(1))

    def add_due(
        self,
        decided: Sequence[Decided],
        *,
        withdrawal: str = "",
        causes: Mapping[Instant, str] = _NO_CAUSES,
    ) -> None:
        """Add timed events that were due. All those of one instant have the same tick as cause.

        With `withdrawal`, they were derived again after that withdrawal. `causes` has the instants
        at which something follows from a later observation, with its id.
        """
        for at, alike in itertools.groupby(decided, key=lambda each: each.at):
            tick = f"{TICK}{self.new_id(at)}"
            numbers = self._numbers if withdrawal else itertools.count(1)
            self._add(alike, cause=causes.get(at, tick), ids=withdrawal or tick, numbers=numbers)

    def withdraw(self, qmgr: str, at: Instant) -> str:
        """Add the withdrawal of all facts derived for instants after `at`; return its id."""
        withdrawal = self.new_id(at)
        event = events.DerivedFactsWithdrawn(qmgr=qmgr)
        self.events.append(_new(event, at, None, RULES, withdrawal))
        return withdrawal

    def add_again(self, cause: str, withdrawal: str, derived: Sequence[Decided]) -> None:
        """Add the facts that were derived again from a fact in the log."""
        self._add(derived, cause=cause, ids=withdrawal, numbers=self._numbers)

    def new_id(self, at: Instant) -> str:
        """Return a new id; ids sort by instant."""
        return f"{at:016x}-{next(self._serials):012x}"

    def _add(
        self, decided: Iterable[Decided], *, cause: str, ids: str, numbers: Iterator[int]
    ) -> None:
        for at, event in decided:
            self.events.append(_new(event, at, cause, RULES, f"{ids}.{next(numbers)}"))


def _new(
    event: events.Event, at: Instant, cause: str | None, source: str, event_id: str
) -> NewEvent:
    body = encode(_as_stored(event))
    return NewEvent(at, column_of(type(event)), event.qmgr, cause, source, event_id, body)


def _as_stored(event: events.Event) -> events.Event:
    """Return an event without what it says, if it refers to an earlier event that says the same."""
    if isinstance(event, events.StatedObservation) and event.same_as is not None:
        return cast("events.Event", replace(cast("Any", event), said=(), lines=None))
    return event


def without_secrets(fact: Fact) -> Fact:
    """Return a fact with the secrets of its command, or of its scripts, masked."""
    if isinstance(fact.event, events.ControlCommandEntered) and fact.event.configuration:
        configuration = fact.event.configuration
        scripts = tuple(
            replace(script, text=masked_script(script.text)) for script in configuration.mqsc
        )
        event = replace(fact.event, configuration=replace(configuration, mqsc=scripts))
        return replace(fact, event=event)
    if not isinstance(fact.event, events.CommandEntered):
        return fact
    text = masked(fact.event.text)
    if text == fact.event.text:
        return fact
    return replace(fact, event=replace(fact.event, text=text), command=None)


def derive_all(draft: Draft, facts: Sequence[Fact], batch: Batch) -> list[Outcome]:
    """Derive what follows from facts, one by one, and add everything to a batch."""
    draft.events.clear()
    for fact in facts:
        seen_before.note(draft.seen_qmids, fact.event, draft.at)
    outcomes = []
    for observed, alike in itertools.groupby(facts, key=_is_statement):
        if observed:
            outcomes += _derive_together(draft, list(alike), batch)
            continue
        for fact in alike:
            if fact.rows:
                outcomes.append(_derive_rows(draft, fact, batch))
                continue
            outcomes.append(derive(draft, fact.event, fact.command))
            batch.add(fact, draft.events)
            draft.events.clear()
    return outcomes


def _derive_rows(draft: Draft, fact: Fact, batch: Batch) -> Outcome:
    """Fold the rows that were said again, as the log is folded, and derive what follows."""
    fact_id = batch.add_primary(fact, Decided(draft.at, fact.event))
    draft.fold_together(fact.rows)
    follows: list[Decided] = []
    for row in fact.rows:
        draft.folded = True
        derive(draft, row)
        follows += draft.events[1:]
        draft.events.clear()
    batch.add_derived(fact_id, follows)
    return Outcome()


def _is_statement(fact: Fact) -> bool:
    return isinstance(fact.event, events.StatedObservation)


def _derive_together(draft: Draft, facts: Sequence[Fact], batch: Batch) -> list[Outcome]:
    """Emit statements of one instant in their canonical order; then derive what follows.

    What follows from those about objects is derived before those about records are emitted.
    """
    ordered = canonical(facts, _stated)
    for _, alike in itertools.groupby(ordered, key=lambda fact: about_records(fact.event)):
        _derive_group(draft, list(alike), batch)
    return [Outcome() for _ in facts]


def _stated(fact: Fact) -> events.StatedObservation:
    return cast("events.StatedObservation", fact.event)


def _derive_group(draft: Draft, ordered: Sequence[Fact], batch: Batch) -> None:
    follow = derive_together(draft, [_stated(fact) for fact in ordered])
    ids = [batch.add_primary(*pair) for pair in zip(ordered, draft.events, strict=True)]
    draft.events.clear()
    for fact_id, derive_from in zip(ids, follow, strict=True):
        derive_from()
        batch.add_derived(fact_id, draft.events)
        draft.events.clear()


@contextmanager
def recording_from(origin: events.Origin) -> Iterator[None]:
    """Give this origin to every primary fact recorded in the block that has no origin yet."""
    token = _STATED.set(origin)
    try:
        yield
    finally:
        _STATED.reset(token)


def _with_origin(event: events.Event) -> events.Event:
    """Return an event with the origin of the block, if it is a primary fact without one."""
    origin = _STATED.get()
    if origin is None or not isinstance(event, events.PrimaryFact) or event.origin is not None:
        return event
    return replace(event, origin=origin)
