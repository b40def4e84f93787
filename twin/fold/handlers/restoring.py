"""Make a backup of a queue manager, and fold its restoration from one."""

from __future__ import annotations

from collections import defaultdict

from twin import events
from twin.events.restoring import AskerKept, ObjectKept, RecordsKept, RequestKept
from twin.fold.beliefs import Belief, Receipt, RecordName, Subscription
from twin.fold.estate import Estate, QueueManager, Running
from twin.fold.handlers import objects
from twin.fold.repository import Repository
from twin.model.instants import Instant
from twin.model.objects import Definition
from twin.model.system_objects import system_objects


def backup_of(qmgr: QueueManager, *, to: Instant) -> events.QueueManagerRestored:
    """Return the event that restores a queue manager to its current state, at the instant `to`.

    Messages on its transmission queues are left out, because they would be sent twice.
    """
    usual = system_objects(qmgr.cmdlevel)
    repository = qmgr.repository
    changed = [
        definition
        for key, definition in qmgr.definitions.items()
        if definition is not usual.get(key)
    ]
    return events.QueueManagerRestored(
        qmgr=qmgr.name,
        qmid=qmgr.qmid,
        to=to,
        ranks=tuple(
            (cluster, repository.sequence - repository.rank_offset.get(cluster, 0))
            for cluster in sorted({name[0] for name in repository.own_records})
        ),
        values=qmgr.values,
        suspended=qmgr.suspended,
        objects=tuple(
            ObjectKept(
                kind=each.kind,
                name=each.name,
                type=each.type,
                values=dict(each.values),
                created=each.created,
                altered=each.alter_date,
            )
            for each in changed
        ),
        absent=tuple(key for key in usual if key not in qmgr.definitions),
        records=tuple(_records(repository)),
        requests=tuple(
            RequestKept(
                cluster=cluster,
                kind=kind,
                name=name,
                made=made.made,
                referenced=made.referenced,
                assumed=made.assumed,
            )
            for (cluster, kind, name), made in repository.subscriptions.items()
        ),
        askers=tuple(
            AskerKept(cluster=cluster, kind=kind, name=name, asker=asker, made=made)
            for (cluster, kind, name), who in repository.subscribers.items()
            for asker, made in who.items()
        ),
        told=tuple((*key, sequence) for key, sequence in repository.last_sent.items()),
    )


def _records(repository: Repository) -> list[RecordsKept]:
    by_receipt: dict[tuple[str, str, int, Instant, str, Instant], list[events.RecordPublished]]
    by_receipt = defaultdict(list)
    for (cluster, kind, name), owners in repository.beliefs.items():
        for each in owners.values():
            key = (
                cluster,
                each.owner,
                each.sequence,
                each.published,
                each.source,
                each.received,
            )
            record = events.RecordPublished(kind=kind, name=name, values=dict(each.values))
            by_receipt[key].append(record)
    return [
        RecordsKept(
            cluster=cluster,
            owner=owner,
            sequence=sequence,
            published=published,
            source=source,
            received=received,
            records=tuple(records),
        )
        for (cluster, owner, sequence, published, source, received), records in by_receipt.items()
    ]


def restored(
    estate: Estate, event: events.QueueManagerRestored, at: Instant, position: int
) -> None:
    """Restore a queue manager; after that it is ended.

    The backup may name queue managers whose creation was retracted since. What it says of them is
    left out, since it would not be there had they never been created.
    """
    qmgr = estate.qmgrs[event.qmgr]
    qmgr.running, qmgr.restored, qmgr.position = False, True, position
    qmgr.values, qmgr.suspended = dict(event.values), dict(event.suspended)
    qmgr.activity = Running(saved=qmgr.activity.saved, tried=qmgr.activity.tried)
    _restore_objects(estate, qmgr, event, position)
    repository = Repository(
        sequence=qmgr.repository.sequence,
        rank_offset={cluster: qmgr.repository.sequence - rank for cluster, rank in event.ranks},
        last_sent={(cluster, receiver): sequence for cluster, receiver, sequence in event.told},
        subscriptions={
            (each.cluster, each.kind, each.name): Subscription(
                each.made, position, each.referenced, each.assumed
            )
            for each in event.requests
        },
    )
    for request in event.askers:
        if request.asker in estate.names:
            name = (request.cluster, request.kind, request.name)
            repository.subscribers.setdefault(name, {})[request.asker] = request.made
    for records in event.records:
        if records.owner in estate.names:
            _restore_records(estate, repository, event.qmid, records, position)
    qmgr.repository = repository
    qmgr.changed.update(("definitions", "repository", "activity"))


def _restore_objects(
    estate: Estate, qmgr: QueueManager, event: events.QueueManagerRestored, position: int
) -> None:
    for name in list(qmgr.channels):
        objects.forget_channel(estate, qmgr, name)
    qmgr.definitions = dict(system_objects(qmgr.cmdlevel))
    for key in event.absent:
        del qmgr.definitions[key]
    for backup in event.objects:
        definition = Definition(
            backup.kind,
            backup.name,
            backup.type,
            backup.values,
            backup.created,
            backup.altered,
            position,
        )
        objects.add_definition(estate, qmgr, definition)


def _restore_records(
    estate: Estate, repository: Repository, own: str, backup: RecordsKept, position: int
) -> None:
    receipt = Receipt(backup.sequence, backup.published, backup.source, backup.received, position)
    for record in backup.records:
        name: RecordName = (backup.cluster, record.kind, record.name)
        owner_name = estate.names[backup.owner]
        belief = Belief(backup.owner, owner_name, record.values, backup.received, receipt)
        repository.hold(name, belief)
        if backup.owner == own:
            repository.own_records[name] = None
