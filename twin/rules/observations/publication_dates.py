"""When the records of observed owners were published, as far as CLUSDATE and CLUSTIME tell.

An import says that an object exists, and the twin lets its owner publish it then. CLUSDATE says
since when a queue manager has a record. At its owner, that is when it was published first. If its
owner does not show it, it is the earliest date at those who hold it with the same values: at full
repositories, to which owners send their records; else at others, which may have missed a change.
Owners send a record again every 27 days, so that decides when they sent it last, and will send it
again. It is unknown whether a renewal moves CLUSDATE: the dates are the same if it does.

What the owner shows counts more than what follows from earlier dates. It needs no date if it is
known to have sent its records later, by REFRESH CLUSTER or as it started. A date at another one
counts only until the owner sends the record again. If the logs of all full repositories warned that
an owner has not renewed its records, nobody got them later who was not seen to.

Sources: IBM MQ 9.4, DISPLAY CLUSQMGR (CLUSDATE); "How long do the queue manager repositories retain
information?".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from twin.events import RecordDate, RecordsDated
from twin.fold.beliefs import Belief, RecordName
from twin.fold.estate import Estate, QueueManager
from twin.model.attributes import Value
from twin.model.cluster_records import ALTERED, OBJECT_KINDS, SUSPEND, UNSHOWN, unshown_in
from twin.model.instants import DAY, RESEND_AFTER, SECOND, Instant
from twin.rules import membership
from twin.rules.draft import Draft


def date(draft: Draft, qmgr: QueueManager) -> None:
    """Date the records that a queue manager was seen to hold, or has published, at this instant.

    Their owners get the dates first, then whoever was seen to hold what has another date now.
    """
    estate, at = draft.estate, draft.at
    owners = {each.qmid: each for each in estate.qmgrs.values() if each.observed}
    seen = {key for key, shown in qmgr.repository.shown.items() if shown.at == at}
    if qmgr.observed:
        for name in qmgr.repository.own_records:
            own = qmgr.repository.beliefs[name][qmgr.qmid]
            if own.published == own.since == at:
                seen.add((name, qmgr.qmid))
    dates: dict[str, list[RecordDate]] = defaultdict(list)
    for name, owner in seen:
        if owner in owners:
            published = _last_publication(estate, owners[owner], name, at)
            if published is not None:
                dates[owners[owner].name].append(_date(name, owner, published))
    _emit(draft, dates)
    dated = {
        ((each.cluster, each.kind, each.name), each.owner)
        for said in dates.values()
        for each in said
    }
    held: dict[str, list[RecordDate]] = defaultdict(list)
    for holder in estate.qmgrs.values() if dated else [qmgr]:
        for name, owner in seen if holder is qmgr else dated:
            if owner in owners and owner != holder.qmid:
                held[holder.name] += _as_owner(holder, owners[owner], name, at)
    _emit(draft, held)
    _emit(draft, _as_warned(estate, qmgr, seen))


def _as_warned(
    estate: Estate, qmgr: QueueManager, seen: Iterable[tuple[RecordName, str]]
) -> dict[str, list[RecordDate]]:
    """Return the dates of records that no full repository got again, by holder."""
    dates: dict[str, list[RecordDate]] = defaultdict(list)
    warned = any(each.repository.warned for each in estate.qmgrs.values())
    for name, owner in seen if warned else ():
        found = [
            (each.repository.warned[name, owner], by.published)
            for each in membership.warners(estate, name, owner)
            if (by := each.repository.beliefs.get(name, {}).get(owner))
        ]
        if any(published > last.published + DAY for last, published in found):
            continue  # it was renewed since
        for last, published in [max(found)] if found else []:
            full = membership.is_full(qmgr, name[0])
            for holder in estate.qmgrs.values() if full else [qmgr]:
                held = holder.repository.beliefs.get(name, {}).get(owner)
                shown = holder.repository.shown.get((name, owner))
                got = shown.received if shown is not None and owner != holder.qmid else None
                if held and got is not None and got <= last.at and held.published > published + DAY:
                    dates[holder.name].append(_date(name, owner, published))
    return dates


def _emit(draft: Draft, dates: dict[str, list[RecordDate]]) -> None:
    for name, said in sorted(dates.items()):
        if said:
            said.sort(key=lambda each: (each.cluster, each.kind, each.name, each.owner))
            draft.emit(RecordsDated(qmgr=name, records=tuple(said)))


def _last_publication(
    estate: Estate, owner: QueueManager, name: RecordName, at: Instant
) -> Instant | None:
    """Return when an owner sent a record last, if the twin has another instant; else None."""
    own = owner.repository.beliefs.get(name, {}).get(owner.qmid)
    if own is None:
        return None
    shown = owner.repository.shown.get((name, owner.qmid))
    upto = at if owner.running else own.published  # what has ended sends nothing more
    if shown is not None and shown.received is not None and shown.at >= own.since:
        if _sent_otherwise(owner, name, own, shown.received):
            return None
        published = _last_period(shown.received, upto)
        return published if abs(published - own.published) > SECOND else None
    if own.published != own.since:
        return None
    published = _last_period(_first_known(estate, owner, name, own, at), upto)
    return published if published < own.published - SECOND else None


def _last_period(first: Instant, at: Instant) -> Instant:
    return first + max(0, at - first) // RESEND_AFTER * RESEND_AFTER


def _sent_otherwise(owner: QueueManager, name: RecordName, own: Belief, received: Instant) -> bool:
    """Tell whether an owner is known to have sent a record again at another time than each 27 days.

    REFRESH CLUSTER sends all records. A queue manager that was down when a record was due sends it
    as it starts.
    """
    refreshed = owner.repository.refreshed.get(name[0])
    if refreshed is not None and refreshed > received:
        return True
    return own.published not in {own.since, received} and own.published == owner.started


def _first_known(
    estate: Estate, owner: QueueManager, name: RecordName, own: Belief, at: Instant
) -> Instant:
    """Return the earliest date of a record with the values of its owner."""
    dates = list(_known_since(estate, owner, name, own))
    at_full = [date for holder, date in dates if membership.is_full(holder, name[0])]
    return min(at_full or [date for _, date in dates], default=at)


def _known_since(
    estate: Estate, owner: QueueManager, name: RecordName, own: Belief
) -> Iterator[tuple[QueueManager, Instant]]:
    """Yield who was seen to have a record with the values of its owner, and since when."""
    for each in estate.qmgrs.values():
        shown = each.repository.shown.get((name, own.owner))
        held = each.repository.beliefs.get(name, {}).get(own.owner)
        if shown is None or shown.received is None or held is None or shown.at < held.since:
            continue
        if _is_same(owner, name, held, own):
            yield each, shown.received


def _as_owner(
    observer: QueueManager, owner: QueueManager, name: RecordName, at: Instant
) -> Iterator[RecordDate]:
    """Yield the date at its owner of a record that is held, if it has another one.

    One that turns out to be an earlier one than its owner's gets its own date back.
    """
    held = observer.repository.beliefs.get(name, {}).get(owner.qmid)
    own = owner.repository.beliefs.get(name, {}).get(owner.qmid)
    if held is None or own is None or (held.sequence >= 0 and held.sequence != own.sequence):
        return
    shown = observer.repository.shown.get((name, owner.qmid))
    if _is_same(owner, name, held, own):
        published = own.published
    elif held.published == own.published and shown is not None and shown.received is not None:
        published = _last_period(shown.received, at)
    else:
        return
    if held.published != published:
        yield _date(name, owner.qmid, published)


def _is_same(owner: QueueManager, name: RecordName, held: Belief, own: Belief) -> bool:
    """Return whether a record is that of its owner, as far as it was seen: dates in seconds.

    VERSION alone makes no other record, nor does what has no date and nobody saw at its owner. One
    that was seen without SUSPEND is none of a suspended owner.
    """
    unshown = {"VERSION", UNSHOWN, *unshown_in(held.values)}
    if SUSPEND in own.values and not {SUSPEND} & {*unshown, *held.values}:
        return False
    if ALTERED not in own.values:
        unshown.add(ALTERED)
        kind = OBJECT_KINDS[name[1]]
        definition = owner.definitions.get((kind, name[2]))
        if definition is None or not owner.was_seen(kind, name[2], definition.type):
            return True
    return all(
        keyword in unshown or _shown(keyword, own.values.get(keyword)) == _shown(keyword, value)
        for keyword, value in held.values.items()
    )


def _shown(keyword: str, value: Value | None) -> Value | None:
    return value // SECOND if keyword == ALTERED and isinstance(value, int) else value


def _date(name: RecordName, owner: str, published: Instant) -> RecordDate:
    return RecordDate(cluster=name[0], kind=name[1], name=name[2], owner=owner, published=published)
