"""Late facts: withdraw all facts derived for later instants, and derive them again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import NamedTuple

from twin.app.acting import Fact
from twin.app.batch import Batch, derive_all
from twin.events import Event, StatedObservation
from twin.events.catalogue import decode
from twin.fold import seen_before
from twin.fold.replay import changes_something
from twin.fold.replay.one_instant import together
from twin.log import StoredEvent
from twin.model.instants import Instant
from twin.rules import lifecycle
from twin.rules.deriving import Outcome, derive_again, derive_together
from twin.rules.draft import Decided, Draft
from twin.rules.observations import dating


def decide(
    draft: Draft,
    facts: Sequence[Fact],
    later: Sequence[StoredEvent],
    batch: Batch,
    *,
    upto: Instant,
) -> list[Outcome]:
    """Decide late facts at the draft's instant, then derive again from all later primary facts.

    `later` are the primary facts after that instant, in fold order. Timed events are derived up to
    `upto`, the latest instant of the branch. The batch stays empty if the facts change nothing.
    """
    first, at, recorded = draft.position, draft.at, list(map(decoded, later))
    note_seen_qmids(draft, recorded)
    outcomes = derive_all(draft, facts, batch)
    if not batch.events:
        return outcomes
    withdrawal = batch.withdraw(facts[0].event.qmgr, at)
    foresee(draft, recorded)
    derive_later(draft, recorded, batch, withdrawal, first=first, upto=upto)
    return outcomes


class LaterFact(NamedTuple):
    """A primary fact that follows a late one, and from which everything is derived again."""

    at: Instant
    event_id: str
    event: Event


def decoded(stored: StoredEvent) -> LaterFact:
    """Decode a primary fact of the log."""
    return LaterFact(stored.occurred_at, stored.event_id, decode(stored.type, stored.body))


def derive_later(
    draft: Draft,
    later: Sequence[LaterFact],
    batch: Batch,
    withdrawal: str,
    *,
    first: int,
    upto: Instant,
) -> None:
    """Derive again what follows from primary facts after the draft's instant, and from time.

    The draft was told what they, and facts after them, say of earlier instants (`foresee`). The
    batch, which begins at the position `first`, ends with the withdrawal that has the id
    `withdrawal`, or with a retraction after it. Timed events are derived up to the last fact, and
    on to `upto`.

    If several facts share an instant, the events derived again from the first would be folded after
    the other facts. So a fact that changes the estate by itself, such as an observation, is added
    to the batch again, and keeps its place.

    Messages are identified by the position of their put. So the draft must count positions as the
    batch will have them: it counts the withdrawal, and only those later facts that are added again.
    """
    derived_at: Instant | None = None
    for group in together(later, attrgetter("at"), attrgetter("event"), changes_something):
        at, _, primary = group[0]
        draft.position = first + len(batch.events)
        play_again(draft, at, batch, withdrawal)
        draft.at = at
        tied = derived_at == at and changes_something(primary)
        draft.position = first + len(batch.events) - (0 if tied else len(group))
        before = len(batch.events)
        for fact, decided in derived_again(draft, group, tied=tied):
            batch.add_again(fact.event_id, withdrawal, decided)
        if len(batch.events) > before:
            derived_at = at
    draft.position = first + len(batch.events)
    play_again(draft, upto, batch, withdrawal)


def foresee(draft: Draft, later: Sequence[LaterFact]) -> None:
    """Tell a draft what later facts say of instants before them: QMIDs, and dates of objects."""
    note_seen_qmids(draft, later)
    draft.foreseen = dating.foreseen(draft, later)


def note_seen_qmids(draft: Draft, later: Iterable[LaterFact]) -> None:
    """Tell a draft the QMIDs in later facts: they are those of queue managers seen before."""
    for fact in later:
        seen_before.note(draft.seen_qmids, fact.event, fact.at)


def derived_again(
    draft: Draft, group: Sequence[LaterFact], *, tied: bool
) -> Iterator[tuple[LaterFact, Sequence[Decided]]]:
    """Derive again from one fact, or from statements of one instant; yield what to add for each.

    If they are `tied`, the facts themselves are added too.
    """
    stated = [fact.event for fact in group if isinstance(fact.event, StatedObservation)]
    if not stated:
        derive_again(draft, group[0].event)
        yield group[0], _taken(draft, 0 if tied else 1)
        return
    follow = derive_together(draft, stated)
    for fact, (at, event) in zip(group, _taken(draft, 0), strict=True):
        if tied:
            yield fact, [Decided(at, _referring(event, fact.event_id))]
    for fact, derive_from in zip(group, follow, strict=True):
        derive_from()
        yield fact, _taken(draft, 0)


def _referring(event: Event, event_id: str) -> Event:
    """Return an observation that is added again, with a reference to what it says."""
    assert isinstance(event, StatedObservation)  # noqa: S101 - of a group
    return event if event.same_as is not None else replace(event, same_as=event_id)


def _taken(draft: Draft, start: int) -> list[Decided]:
    """Take the decided events out of a draft, and return those from an index on."""
    decided = draft.events[start:]
    draft.events.clear()
    return decided


def play_again(draft: Draft, upto: Instant, batch: Batch, withdrawal: str) -> None:
    """Derive the timed events up to an instant again."""
    lifecycle.play(draft, upto=upto)
    batch.add_due(draft.events, withdrawal=withdrawal, causes=draft.causes)
    draft.events.clear()
