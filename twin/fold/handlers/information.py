"""Fold the records that queue managers publish, receive and renew.

An event may date records that were not published when the twin derived it. Such a record stays in
its publication; only its date changes, and its timers start then. If records of one publication
have several dates, all of them expire with the first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final, TypeAlias

from twin import events
from twin.events.base import Values
from twin.fold.agenda import TimerKind
from twin.fold.beliefs import Belief, LastSeen, Publication, Receipt, RecordName, Warned
from twin.fold.estate import NEVER_CONFIRMED, Estate, QueueManager
from twin.fold.handlers import observations
from twin.fold.repository import Repository
from twin.fold.seen_states import SeenWarning
from twin.model.cluster_records import ALTERED, OBJECT_KINDS
from twin.model.instants import (
    COMMANDS_EXPIRE_AFTER,
    DAY,
    REMOVE_AFTER,
    SECOND,
    Instant,
    from_clock,
)
from twin.model.platforms import ZOS

KEPT_FOR: Final = REMOVE_AFTER + COMMANDS_EXPIRE_AFTER
"""How long a publication can be needed, in microseconds: 30 days in transit, then held for 90."""

OwnPublication: TypeAlias = events.InformationPublished | events.InformationRepublished
"""A publication of a queue manager's own records: changed records, or the same ones again."""


def published(estate: Estate, event: OwnPublication, at: Instant, position: int) -> None:
    """Add a publication, and hold its records at the owner."""
    qmgr = estate.qmgrs[event.qmgr]
    repository = qmgr.repository
    publication = _add(qmgr, event, at, position)
    repository.sequence = event.sequence
    was = event.was if isinstance(event, events.InformationRepublished) else None
    receipt = Receipt(event.sequence, at, event.qmgr, at, position)
    keys = publication.records.keys()
    if was is None or not repository.renew_unread(event.cluster, event.qmid, was, keys, receipt):
        _believe(qmgr, publication, qmgr, None, receipt)
    estate.agenda.add(TimerKind.PUBLISHED, at, qmgr.name, (event.sequence,))
    _prune(qmgr, before=at - KEPT_FOR)
    qmgr.changed.update(("published", "repository"))
    # The page of the held records lists these names; it is written again when either changes.
    for record in event.records if isinstance(event, events.InformationPublished) else ():
        name = (event.cluster, record.kind, record.name)
        if record.deleted:
            repository.own_records.pop(name, None)
        else:
            repository.own_records[name] = None


def published_elsewhere(estate: Estate, event: OwnPublication, at: Instant, position: int) -> None:
    """Add a publication so that others can receive it; change nothing else at its owner."""
    _add(estate.owner(event.qmid), event, at, position)


def _add(qmgr: QueueManager, event: OwnPublication, at: Instant, position: int) -> Publication:
    if isinstance(event, events.InformationPublished):
        records = {(record.kind, record.name): record for record in event.records}
    else:
        records = _latest_records(qmgr, event)
    rank = event.sequence if event.rank is None else event.rank
    publication = Publication(event.cluster, event.sequence, at, records, position, rank)
    qmgr.published[event.sequence] = publication
    return publication


def _latest_records(
    qmgr: QueueManager, event: events.InformationRepublished
) -> dict[tuple[str, str], events.RecordPublished]:
    """Return records as they were last published in a cluster, or as they are in a backup.

    If they are all the records of one publication, the dict of that publication is returned. So a
    reader sees by identity that nothing changed, without comparing records.
    """
    if qmgr.restored:
        own = qmgr.repository.beliefs
        return {
            (kind, name): events.RecordPublished(
                kind=kind, name=name, values=own[event.cluster, kind, name][qmgr.qmid].values
            )
            for kind, name in event.names
        }
    before = None if event.was is None else qmgr.published.get(event.was)
    if before is not None and (*before.records,) == event.names:
        return before.records
    earlier = [
        publication.records
        for publication in reversed(qmgr.published.values())
        if publication.cluster == event.cluster
    ]
    return {key: next(records[key] for records in earlier if key in records) for key in event.names}


def _prune(qmgr: QueueManager, *, before: Instant) -> None:
    """Drop the publications that no queue manager can still hold."""
    for sequence, publication in list(qmgr.published.items()):
        if sequence < 0:
            continue  # it was only seen, and has its own time
        if publication.instant >= before:
            return
        if not qmgr.repository.holds(qmgr.qmid, sequence):
            del qmgr.published[sequence]


def received(estate: Estate, event: events.InformationReceived, at: Instant, position: int) -> None:
    """Add the records that a queue manager received, and note at the sender what it sent."""
    take_over(estate, event, at, position)
    sender = estate.qmgrs.get(event.sender)
    if sender is None:
        return
    for item in event.items:
        if item.owner == sender.qmid:
            receiver = estate.qmgrs[event.qmgr].qmid
            note_sent(estate, event.sender, event.cluster, receiver, item.sequence)


def take_over(
    estate: Estate, event: events.InformationReceived, at: Instant, position: int
) -> None:
    """Add the records that a queue manager received."""
    qmgr = estate.qmgrs[event.qmgr]
    repository = qmgr.repository
    for item in event.items:
        owner = estate.owner(item.owner)
        publication = owner.published[item.sequence]
        receipt = Receipt(item.sequence, publication.instant, event.sender, at, position)
        _believe(qmgr, publication, owner, item.only, receipt)
        key = (item.owner, item.sequence)
        if key in repository.by_publication:
            estate.agenda.add_held(publication.instant, qmgr.name, key)
    qmgr.changed.add("repository")


def _believe(
    qmgr: QueueManager,
    publication: Publication,
    owner_qmgr: QueueManager,
    only: tuple[tuple[str, str], ...] | None,
    receipt: Receipt,
) -> None:
    """Add records that `owner_qmgr` published to the repository of `qmgr`."""
    cluster, records = publication.cluster, publication.records
    keys = records if only is None else only
    repository, owner = qmgr.repository, owner_qmgr.qmid
    beliefs = repository.beliefs
    earlier = _renewed_publication(qmgr, publication, owner_qmgr, keys)
    if earlier is not None:
        repository.renew(owner, earlier, receipt)
        return
    for key in keys:
        if key not in records:
            continue  # after a late fact, the number in a backup may be another publication
        record = records[key]
        name = (cluster, *key)
        if record.deleted:
            repository.forget(name, owner)
            _note_deletion(repository, (*name, owner), publication.sequence, receipt.received)
        else:
            values, since = record.values, receipt.received
            before = beliefs.get(name, _NO_OWNERS).get(owner)
            if before is not None and (
                before.values is values
                or before.values == values
                or _is_older(values, repository.shown.get((name, owner)), owner_qmgr, key)
            ):
                values, since = before.values, before.since
            repository.hold(name, Belief(owner, owner_qmgr.name, values, since, receipt))


def _is_older(
    values: Values, seen: LastSeen | None, owner: QueueManager, key: tuple[str, str]
) -> bool:
    """Return whether a record is of a definition that its owner has altered since it was seen.

    Then a record that was seen has a later ALTDATE and ALTTIME, of the owner's clock as these are.
    The old definition corrects nothing of what the observer holds: only the record's date is new.
    If the definition was seen after that, somebody else published what the observer holds.
    """
    shown, altered = seen and seen.altered, values.get(ALTERED)
    if shown is None or not owner.observed:
        return False
    confirmed = owner.confirmed.get(OBJECT_KINDS[key[0]], NEVER_CONFIRMED)
    latest = confirmed.last_seen(key[1], str(values.get("CLUSQT", "CLUSRCVR")))
    is_older = altered // SECOND < shown // SECOND if isinstance(altered, int) else latest > 0
    return is_older and latest < from_clock(shown, owner.zone)


def _renewed_publication(
    qmgr: QueueManager,
    publication: Publication,
    owner_qmgr: QueueManager,
    keys: Collection[tuple[str, str]],
) -> int | None:
    """Return the earlier publication whose held records are exactly these, unchanged; else None.

    There nearly always is one, because each republication sends unchanged records. Record objects
    that both publications share are not compared.
    """
    cluster, records = publication.cluster, publication.records
    repository, owner = qmgr.repository, owner_qmgr.qmid
    one = repository.beliefs.get((cluster, *next(iter(keys))), _NO_OWNERS).get(owner)
    if one is None or (owner, publication.sequence) in repository.by_publication:
        return None
    earlier = one.receipt.sequence
    group, before = repository.by_publication[owner, earlier], owner_qmgr.published.get(earlier)
    if len(group) != len(keys):
        return None
    shared = before is not None and before.records is records and not qmgr.restored
    if not (shared and keys is records):
        for key in keys:
            if (cluster, *key) not in group:
                return None
    if not shared and not all(_is_unchanged(repository, records, name, owner) for name in group):
        return None
    return earlier


def _is_unchanged(
    repository: Repository,
    records: Mapping[tuple[str, str], events.RecordPublished],
    name: RecordName,
    owner: str,
) -> bool:
    record, values = records.get(name[1:]), repository.beliefs[name][owner].values
    if record is None or record.deleted:
        return False
    return values is record.values or values == record.values


_NO_OWNERS: Final[dict[str, Belief]] = {}


def _note_deletion(
    repository: Repository, key: tuple[str, str, str, str], sequence: int, at: Instant
) -> None:
    """Record a deletion; it is kept as long as an older record can still arrive."""
    deletions = repository.deletions
    while deletions and deletions[oldest := next(iter(deletions))][1] < at - KEPT_FOR:
        del deletions[oldest]
    deletions.pop(key, None)
    deletions[key] = (sequence, at)


def note_sent(estate: Estate, sender: str, cluster: str, receiver: str, sequence: int) -> None:
    """Record the last own publication that a queue manager sent to a full repository."""
    qmgr = estate.qmgrs[sender]
    last_sent = qmgr.repository.last_sent
    if last_sent.get((cluster, receiver), 0) < sequence:
        last_sent[cluster, receiver] = sequence
        qmgr.changed.add("repository")


def dated(estate: Estate, event: events.RecordsDated, at: Instant, position: int) -> None:
    """Give records that a queue manager holds the dates of their publications."""
    _date(
        estate,
        estate.changing(event.qmgr, "repository"),
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
    warning = observations.overdue(estate, event, at, position)
    qmgr = estate.qmgrs.get(event.qmgr)
    if qmgr is None or event.left is None:
        return
    published, dates = warning.published, []
    for name, owners in list(qmgr.repository.beliefs.items()):
        for owner, belief in owners.items():
            if not bounds(qmgr, warning, name, owner, belief.values):
                continue
            note_warning(qmgr.repository, warning, name, owner)
            late = belief.published - published
            if late > DAY or (name[1] == "qmgr" and late < -DAY):
                dates.append((name, owner, published))
    if dates or qmgr.repository.warned:
        estate.changing(event.qmgr, "repository")
    _date(estate, qmgr, dates, position)


def note_warning(
    repository: Repository, warning: SeenWarning, name: RecordName, owner: str
) -> None:
    """Note a warning about a record, if it is the last one."""
    last = Warned(*warning[:3])
    repository.warned[name, owner] = max(repository.warned.get((name, owner), last), last)


def bounds(
    qmgr: QueueManager, warning: SeenWarning, name: RecordName, owner: str, values: Values
) -> bool:
    """Return whether a warning of a queue manager is about a record that it holds.

    An owner renews all its records together, so the warning about a member bounds all of them, but
    those that were altered since, and so sent later. At some levels a partial repository warns
    wrongly of a queue manager (IT35488, IT39751).
    """
    others = warning.owner or owner, warning.cluster or name[0]
    if owner == qmgr.qmid or others != (owner, name[0]):
        return False
    if name[2] == warning.name:
        return warning.whole or name[1] != "qmgr" or qmgr.platform == ZOS
    altered = values.get(ALTERED)
    later = isinstance(altered, int) and altered > warning.published + DAY
    named = bool(warning.owner) and (bool(warning.cluster) or not warning.name)
    return (warning.whole and not later) and (
        named
        or any(
            each[0] == name[0] and each[2] == warning.name and owner in owners
            for each, owners in qmgr.repository.beliefs.items()
        )
    )
