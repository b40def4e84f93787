"""Fold when records were published, if that was not when the twin derived it.

A record stays in its publication; only its date changes, and its timers start then. If records of
one publication have several dates, all of them expire with the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from twin import events
from twin.fold.agenda import TimerKind
from twin.fold.beliefs import Receipt, RecordName, Warned
from twin.fold.estate import Estate, QueueManager
from twin.fold.handlers import observations
from twin.model.instants import DAY, Instant
from twin.model.periods import REMOVE_AFTER
from twin.model.platforms import ZOS

_AT_FULL_REPOSITORIES: Final = "469"
"""The last digits of the warning about a member, of which nothing was renewed."""


def dated(estate: Estate, event: events.RecordsDated, at: Instant, position: int) -> None:
    """Give records that a queue manager holds the dates of their publications."""
    qmgr = estate.changing(event.qmgr, "repository")
    _date(
        estate,
        qmgr,
        (
            ((each.cluster, each.kind, each.name), each.owner, each.published)
            for each in event.records
        ),
        position,
    )


def _date(
    estate: Estate,
    qmgr: QueueManager,
    dates: Iterable[tuple[RecordName, str, Instant]],
    position: int,
) -> None:
    receipts: dict[tuple[str, int, Instant], Receipt] = {}
    for name, owner, published in dates:
        belief = qmgr.repository.beliefs.get(name, {}).get(owner)
        if belief is None:
            continue
        receipt = receipts.setdefault(
            (owner, belief.sequence, published),
            Receipt(belief.sequence, published, belief.source, belief.received, position),
        )
        qmgr.repository.hold(name, belief._replace(receipt=receipt))
    for owner, sequence, published in receipts:
        if owner == qmgr.qmid:
            estate.agenda.add(TimerKind.PUBLISHED, published, qmgr.name, (sequence,))
        else:
            estate.agenda.add_held(published, qmgr.name, (owner, sequence))


def warned(
    estate: Estate, event: events.RenewalOverdueObserved, at: Instant, position: int
) -> None:
    """Note the warning of an error log, and give the records that it bounds their dates.

    A record that had expected another date has that of the log: it is removed when the days are
    over. A date within a day of it is more exact, and stays. Source: IBM PH34265 (the days);
    IBM MQ 9.4, "How long do the queue manager repositories retain information?" (90 days).
    """
    observations.overdue(estate, event, at, position)
    qmgr = estate.qmgrs.get(event.qmgr)
    if qmgr is None or event.left is None:
        return
    published = at + event.left * DAY - REMOVE_AFTER
    last, dates = Warned(at, published, position), []
    for name, owner, held in _bounded(qmgr, event):
        before = qmgr.repository.warned.get((name, owner), last)
        qmgr.repository.warned[name, owner] = max(before, last)
        if held > published + DAY or (name[1] == "qmgr" and held < published - DAY):
            dates.append((name, owner, published))
    if dates or qmgr.repository.warned:
        estate.changing(event.qmgr, "repository")
    _date(estate, qmgr, dates, position)


def _bounded(
    qmgr: QueueManager, event: events.RenewalOverdueObserved
) -> Iterator[tuple[RecordName, str, Instant]]:
    """Yield the records that a warning is about: name, owner, and when it was published.

    An owner sends all its records together, so the warning about a member bounds all of them. At
    some levels a partial repository warns wrongly of a queue manager (IT35488, IT39751).
    """
    whole = _AT_FULL_REPOSITORIES in event.id
    named = {
        (name[0], owner)
        for name, owners in qmgr.repository.beliefs.items()
        for owner in owners
        if event.cluster in {"", name[0]}
        and event.owner in {"", owner}
        and owner != qmgr.qmid
        and (event.name == name[2] or (whole and event.owner and not event.name))
    }
    for name, owners in list(qmgr.repository.beliefs.items()):
        for owner, belief in owners.items():
            if (name[0], owner) not in named:
                continue
            if whole or (event.name == name[2] and (name[1] != "qmgr" or qmgr.platform == ZOS)):
                yield name, owner, belief.published
