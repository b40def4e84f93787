"""When the records of observed owners were published, as far as CLUSDATE and CLUSTIME tell.

An import says that an object exists, and the twin lets its owner publish it then. CLUSDATE says
since when a queue manager has a record. At its owner, that is when it was published first; if its
owner does not show it, it is the earliest date at those who hold it with the same values. Owners
send a record again every 27 days, so that decides when they sent it last, and will send it again.
It is unknown whether a renewal moves CLUSDATE: the dates are the same if it does.

A record that its owner sent again since it is known needs no date: that follows from the rules.

Sources: IBM MQ 9.4, DISPLAY CLUSQMGR (CLUSDATE); "How long do the queue manager repositories retain
information?".
"""

from __future__ import annotations

from collections.abc import Iterator

from twin.events import RecordDate, RecordsDated
from twin.fold.beliefs import Belief, RecordName
from twin.fold.estate import Estate, QueueManager
from twin.model.attributes import Value
from twin.model.instants import SECOND, Instant
from twin.model.periods import RESEND_AFTER
from twin.rules.draft import Draft


def date_seen(draft: Draft, observer: QueueManager) -> None:
    """Date the records that a queue manager was seen to hold at this instant, and their owners'."""
    owners = {each.qmid: each for each in draft.estate.qmgrs.values() if each.observed}
    seen = [
        (name, owners[owner])
        for (name, owner), shown in observer.repository.shown.items()
        if shown.at == draft.at and owner in owners
    ]
    at_owners: dict[str, list[RecordDate]] = {}
    for name, owner in seen:
        if (published := _first_publication(draft.estate, owner, name, draft.at)) is not None:
            at_owners.setdefault(owner.name, []).append(_date(name, owner, published))
    for name_of_owner, dates in sorted(at_owners.items()):
        draft.emit(RecordsDated(qmgr=name_of_owner, records=tuple(sorted(dates, key=_order))))
    held = [each for name, owner in seen for each in _as_owner(observer, owner, name)]
    if held:
        draft.emit(RecordsDated(qmgr=observer.name, records=tuple(sorted(held, key=_order))))


def _first_publication(
    estate: Estate, owner: QueueManager, name: RecordName, at: Instant
) -> Instant | None:
    """Return when an owner sent a record last, if the twin has derived a later instant; else None.

    A record that was sent again, or has a date, is left as it is.
    """
    own = owner.repository.beliefs.get(name, {}).get(owner.qmid)
    if own is None or own.published != own.since:
        return None
    shown = owner.repository.shown.get((name, owner.qmid))
    if shown is not None and shown.received is not None and shown.at >= own.since:
        first = shown.received
    else:
        first = min(_known_since(estate, name, own), default=at)
    published = first + max(0, at - first) // RESEND_AFTER * RESEND_AFTER
    return published if published < own.published - SECOND else None


def _known_since(estate: Estate, name: RecordName, own: Belief) -> Iterator[Instant]:
    """Yield since when queue managers were seen to have a record with the values of its owner."""
    for each in estate.qmgrs.values():
        shown = each.repository.shown.get((name, own.owner))
        held = each.repository.beliefs.get(name, {}).get(own.owner)
        if shown is None or shown.received is None or held is None or shown.at < held.since:
            continue
        if _is_same(held, own):
            yield shown.received


def _as_owner(
    observer: QueueManager, owner: QueueManager, name: RecordName
) -> Iterator[RecordDate]:
    """Yield the date at its owner of a record that is held, if it has another one."""
    held = observer.repository.beliefs.get(name, {}).get(owner.qmid)
    own = owner.repository.beliefs.get(name, {}).get(owner.qmid)
    if held is None or own is None or held.published == own.published:
        return
    if (held.sequence < 0 or held.sequence == own.sequence) and _is_same(held, own):
        yield _date(name, owner, own.published)


def _is_same(held: Belief, own: Belief) -> bool:
    """Return whether a record is that of its owner, as far as it was seen: dates in seconds."""
    return all(
        _shown(keyword, own.values.get(keyword)) == _shown(keyword, value)
        for keyword, value in held.values.items()
    )


def _shown(keyword: str, value: Value | None) -> Value | None:
    return value // SECOND if keyword == "ALTERED" and isinstance(value, int) else value


def _date(name: RecordName, owner: QueueManager, published: Instant) -> RecordDate:
    return RecordDate(
        cluster=name[0], kind=name[1], name=name[2], owner=owner.qmid, published=published
    )


def _order(each: RecordDate) -> tuple[str, ...]:
    return each.cluster, each.kind, each.name, each.owner
