"""Late facts: withdraw all facts derived for later instants, and derive them again."""

from __future__ import annotations

from collections.abc import Sequence

from twin.app.batch import Batch, derive_all
from twin.app.facts import Fact
from twin.events.catalogue import decode
from twin.fold.replay import changes_something
from twin.log import StoredEvent
from twin.model.instants import Instant
from twin.rules import lifecycle
from twin.rules.deriving import Outcome, derive_again
from twin.rules.draft import Draft


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
    first, at = draft.position, draft.at
    outcomes = derive_all(draft, facts, batch)
    if not batch.events:
        return outcomes
    withdrawal = batch.withdraw(facts[0].event.qmgr, at)
    derive_later(draft, later, batch, withdrawal, first=first, upto=upto)
    return outcomes


def derive_later(
    draft: Draft,
    later: Sequence[StoredEvent],
    batch: Batch,
    withdrawal: str,
    *,
    first: int,
    upto: Instant,
) -> None:
    """Derive again what follows from primary facts after the draft's instant, and from time.

    The batch, which begins at the position `first`, ends with the withdrawal that has the id
    `withdrawal`, or with a retraction after it. Timed events are derived up to the last fact, and
    on to `upto`.

    If several facts share an instant, the events derived again from the first would be folded after
    the other facts. So a fact that changes the estate by itself, such as an observation, is added
    to the batch again, and keeps its place.

    Messages are identified by the position of their put. So the draft must count positions as the
    batch will have them: it counts the withdrawal, and only those later facts that are added again.
    """
    derived_at: Instant | None = None
    for stored in later:
        draft.position = first + len(batch.events)
        _play_again(draft, stored.occurred_at, batch, withdrawal)
        draft.at = stored.occurred_at
        primary = decode(stored.type, stored.body)
        tied = derived_at == stored.occurred_at and changes_something(primary)
        draft.position = first + len(batch.events) - (0 if tied else 1)
        derive_again(draft, primary)
        again = draft.events if tied else draft.events[1:]
        if again:
            derived_at = stored.occurred_at
        batch.add_again(stored.event_id, withdrawal, again)
        draft.events.clear()
    draft.position = first + len(batch.events)
    _play_again(draft, upto, batch, withdrawal)


def _play_again(draft: Draft, upto: Instant, batch: Batch, withdrawal: str) -> None:
    """Derive the timed events up to an instant again."""
    lifecycle.play(draft, upto=upto)
    batch.add_due(draft.events, withdrawal=withdrawal)
    draft.events.clear()
