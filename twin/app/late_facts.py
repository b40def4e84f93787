"""Late facts: what was derived after their instant is withdrawn and derived again."""

from __future__ import annotations

from collections.abc import Sequence

from twin.app.batch import WITHDRAWAL, Batch, Fact, derive_all
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

    `later` are the primary facts after that instant, in fold order. What falls due is played up to
    `upto`, the latest instant of the branch. The batch stays empty if the facts change nothing.

    If several facts share an instant, what is derived again from the first would fold after the
    others. A fact that changes the estate by itself, as an observation does, is therefore stated
    again, so that it keeps its place.

    Messages are named by the position of their put. The draft therefore counts positions as the
    batch will have them: the withdrawal counts, and of the later facts only those stated again.
    """
    first, at = draft.position, draft.at
    outcomes = derive_all(draft, facts, batch)
    if not batch.events:
        return outcomes
    withdrawal = batch.withdraw(facts[0].event.qmgr, at)
    derived_at: Instant | None = None
    for stored in later:
        if stored.type == WITHDRAWAL:
            continue
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
    return outcomes


def _play_again(draft: Draft, upto: Instant, batch: Batch, withdrawal: str) -> None:
    """Play what falls due up to an instant again."""
    lifecycle.play(draft, upto=upto)
    batch.add_due(draft.events, withdrawal=withdrawal)
    draft.events.clear()
