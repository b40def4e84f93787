"""Fold when records were published, if that was not when the twin derived it.

A record stays in its publication; only its date changes, and its timers start then. If records of
one publication have several dates, all of them expire with the first.
"""

from __future__ import annotations

from twin import events
from twin.fold.agenda import TimerKind
from twin.fold.beliefs import Receipt
from twin.fold.estate import Estate
from twin.model.instants import Instant


def dated(estate: Estate, event: events.RecordsDated, at: Instant, position: int) -> None:
    """Give records that a queue manager holds the dates of their publications."""
    qmgr = estate.changing(event.qmgr, "repository")
    receipts: dict[tuple[str, int, Instant], Receipt] = {}
    for each in event.records:
        name = (each.cluster, each.kind, each.name)
        belief = qmgr.repository.beliefs.get(name, {}).get(each.owner)
        if belief is None:
            continue
        receipt = receipts.setdefault(
            (each.owner, belief.sequence, each.published),
            Receipt(belief.sequence, each.published, belief.source, belief.received, position),
        )
        qmgr.repository.hold(name, belief._replace(receipt=receipt))
    for owner, sequence, published in receipts:
        if owner == qmgr.qmid:
            estate.agenda.add(TimerKind.PUBLISHED, published, qmgr.name, (sequence,))
        else:
            estate.agenda.add_held(published, qmgr.name, (owner, sequence))
