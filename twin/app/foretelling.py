"""The results of calls that wait for full repositories: computed ahead, and not stored."""

from __future__ import annotations

from collections.abc import Sequence

from twin.fold.store.pages import private_copy
from twin.model.instants import ANSWER_WITHIN
from twin.rules import lifecycle
from twin.rules.deriving import Outcome
from twin.rules.draft import Draft
from twin.rules.reactions import REACTIONS


def foretold(draft: Draft, outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return outcomes, those of calls that wait with the result that is expected.

    Time passes in a copy of the estate until all waits are over, so the results are those that will
    be recorded if nothing else happens meanwhile. A workload exit is called here too, and once more
    when its call goes on: what it said here is not stored, because its candidates may change.
    """
    if not any(outcome.pending for outcome in outcomes):
        return list(outcomes)
    ahead = Draft(
        private_copy(draft.estate),
        draft.at,
        draft.position,
        reactions=REACTIONS,
        exits=draft.exits,
    )
    lifecycle.play(ahead, upto=draft.at + ANSWER_WITHIN)
    return [outcome.ended(ahead.ended.get(outcome.pending)) for outcome in outcomes]
