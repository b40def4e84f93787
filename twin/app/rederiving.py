"""Derive the estate again from primary facts without some of them, in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, cast

from twin import events
from twin.app.batch import Batch
from twin.app.late_facts import decoded, derive_later, foresee
from twin.app.reading import Views
from twin.events.catalogue import column_of
from twin.fold.estate import Estate
from twin.fold.replay import decode, gc_paused
from twin.log import Log
from twin.model.instants import AsOf
from twin.questions.answer import FoldedFact
from twin.rules.draft import Draft
from twin.rules.reactions import REACTIONS

_BELIEFS: Final = column_of(events.BeliefsObserved)


def beside_beliefs(
    views: Views, log: Log, point: AsOf
) -> Iterator[tuple[Sequence[FoldedFact], Estate]]:
    """Yield the last beliefs seen of each queue manager and kind, and the estate beside them.

    Several observations of one instant come together. The estate is what follows by that instant
    from all primary facts but observed beliefs. It is changed when the next ones are asked for.
    """
    rows = log.rows(branch=point.branch, valid=point.valid, known=point.position, types=[_BELIEFS])
    seen = [fact for fact in map(FoldedFact._make, decode(rows)) if _says_something(fact)]
    if not seen:
        return
    last = {_subject(fact): fact.at for fact in seen}
    before = seen[0].at - 1
    view = views.rebuild(branch=point.branch, valid=before, position=point.position)
    draft = Draft(view.estate, before, point.position + 1, reactions=REACTIONS)
    stored = log.primary_after(before, branch=point.branch, known=point.position)
    recorded = list(map(decoded, stored))
    foresee(draft, recorded)
    later = [each for each in recorded if not isinstance(each.event, events.BeliefsObserved)]
    for at in sorted(set(last.values())):
        due = [each for each in later if draft.at < each.at <= at]
        with gc_paused():
            derive_later(draft, due, Batch(), "", first=draft.position, upto=at)
        draft.at = at
        asked = [fact for fact in seen if fact.at == last[_subject(fact)] == at]
        for _, alike in groupby(sorted(asked, key=_subject), key=_subject):
            yield list(alike), draft.estate


def _says_something(fact: FoldedFact) -> bool:
    """Return whether an answer has any record, or is complete without one."""
    event = cast("events.BeliefsObserved", fact.event)
    return bool(event.said) or event.complete is not None


def _subject(fact: FoldedFact) -> tuple[str, str]:
    event = cast("events.BeliefsObserved", fact.event)
    return event.qmgr, event.kind
