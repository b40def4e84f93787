"""What a late fact makes of all that comes behind it: withdrawn, and decided anew."""

from __future__ import annotations

from collections.abc import Sequence

from twin.app.batch import WITHDRAWAL, Batch, Fact, derive_all
from twin.events.catalogue import decode
from twin.fold.replay.table import changes_something
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
    """Decide on late facts of the draft's instant, and anew on what follows from all behind them.

    `later` are the primary facts behind that instant, in fold order; what falls due is played up to
    an instant, the latest of the branch. The batch stays empty where nothing comes of the facts.

    Where several facts share an instant, what was derived anew from the first would fold behind the
    others: what changes something by itself, as an observation does, is stated again, so that it
    keeps its place.

    Messages are named by the position of what put them: the draft's is that of the batch, which
    holds the withdrawal besides, and of the facts behind only what is stated again.
    """
    first, at = draft.position, draft.at
    outcomes = derive_all(draft, facts, batch)
    if not batch.events:
        return outcomes
    withdrawal = batch.withdraw(facts[0].event.qmgr, at)
    renewed: Instant | None = None
    for stored in later:
        if stored.type == WITHDRAWAL:
            continue
        draft.position = first + len(batch.events)
        _play_again(draft, stored.occurred_at, batch, withdrawal)
        draft.at = stored.occurred_at
        primary = decode(stored.type, stored.body)
        tied = renewed == stored.occurred_at and changes_something(primary)
        draft.position = first + len(batch.events) - (0 if tied else 1)
        derive_again(draft, primary)
        again = draft.events if tied else draft.events[1:]
        if again:
            renewed = stored.occurred_at
        batch.add_again(stored.event_id, withdrawal, again)
        draft.events.clear()
    draft.position = first + len(batch.events)
    _play_again(draft, upto, batch, withdrawal)
    return outcomes


def _play_again(draft: Draft, upto: Instant, batch: Batch, withdrawal: str) -> None:
    """Let happen anew what falls due by an instant."""
    lifecycle.play(draft, upto=upto)
    batch.add_due_again(withdrawal, draft.events)
    draft.events.clear()
