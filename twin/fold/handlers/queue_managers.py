"""Fold the lifecycle of queue managers and their own attributes."""

from __future__ import annotations

from twin import events
from twin.fold.estate import PARTS, Assumption, Estate, QueueManager, Running
from twin.fold.messaging import Messaging
from twin.fold.repository import Repository
from twin.fold.seen_states import SeenStates
from twin.fold.timers import enlist
from twin.model.instants import Instant
from twin.model.platforms import version_of
from twin.model.system_objects import system_objects


def first_seen(
    estate: Estate, event: events.QueueManagerFirstSeen, at: Instant, position: int
) -> None:
    """Add an observed queue manager as running, unless it exists.

    It exists already if an earlier observation of it was recorded late. What was seen of it before
    it was known is what was last seen of it.
    """
    if event.qmgr in estate.qmgrs:
        return
    qmgr = created(estate, event, at, position)
    qmgr.observed = True
    qmgr.running = True
    qmgr.started = at
    if (seen_before := estate.seen_before.get(event.qmgr)) is not None:
        qmgr.activity.seen, seen_before.seen = seen_before.seen, SeenStates()


def created(
    estate: Estate,
    event: events.QueueManagerCreated | events.QueueManagerFirstSeen,
    at: Instant,
    position: int,
) -> QueueManager:
    """Add a queue manager with its default objects, not running, and return it.

    It replaces one that only an observation of the same instant has added.

    If a deleted queue manager had the same QMID, the new one continues it: a QMID is made of name
    and creation time, so both are the same queue manager [inferred].
    """
    if (seen := estate.qmgrs.get(event.qmgr)) is not None:
        for end in seen.channels.items():
            del estate.ends[end][seen.name]
        del estate.names[seen.qmid]
    qmgr = QueueManager(
        name=event.qmgr,
        qmid=event.qmid,
        created=at,
        cmdlevel=event.cmdlevel,
        platform=event.platform,
        position=position,
        simulated=estate.simulated,
        changed=set(PARTS),
    )
    if isinstance(event, events.QueueManagerCreated):
        qmgr.configuration = event.configuration
        qmgr.version = version_of(event.cmdlevel, event.fix_pack or 0)
        estate.seen_before.pop(event.qmgr, None)
    qmgr.definitions = dict(system_objects(event.cmdlevel))
    qmgr.repository = Repository()
    qmgr.published = {}
    before = estate.departed.pop(qmgr.qmid, None) or estate.named.pop(qmgr.qmid, None)
    if before is not None:  # else others would treat its publications as old
        qmgr.published = before.published
        qmgr.repository.sequence = before.repository.sequence
    qmgr.activity = Running()
    qmgr.messaging = Messaging()
    estate.qmgrs[qmgr.name] = qmgr
    estate.names[qmgr.qmid] = qmgr.name
    estate.undefined.pop(qmgr.name, None)
    return qmgr


def identified(
    estate: Estate, event: events.QueueManagerIdentified, at: Instant, position: int
) -> None:
    """Give a queue manager the QMID that was seen, instead of the one that the twin made.

    This happens at its first sight, before it publishes anything. Rows without a QMID, its own and
    those of others about it, may have been seen at that instant.
    """
    qmgr = estate.qmgrs[event.qmgr]
    for part in PARTS:
        getattr(qmgr, part)  # its pages have the QMID before
    del estate.names[qmgr.qmid]
    for holder in estate.qmgrs.values():
        _give_qmid(estate, holder, qmgr.qmid, event.qmid)
    qmgr.qmid, qmgr.made_qmid, qmgr.identified = event.qmid, False, True
    qmgr.changed.update(PARTS)
    estate.names[event.qmid] = qmgr.name
    if (named := estate.named.pop(event.qmid, None)) is not None:
        qmgr.published = named.published


def _give_qmid(estate: Estate, holder: QueueManager, made: str, qmid: str) -> None:
    """Let the rows that a queue manager showed of a made QMID be rows of the one that was seen.

    A row of that one stays, if it was shown, too.
    """
    repository = holder.repository
    names = [name for name, owner in repository.shown if owner == made]
    timers: dict[tuple[Instant, tuple[str, int]], None] = {}
    for name in names:
        seen = repository.shown.pop((name, made))
        repository.shown.setdefault((name, qmid), seen)
        belief = repository.instances(*name).get(made)
        if belief is None:
            continue
        repository.forget(name, made)
        repository.ever_held.pop((name[0], made), None)
        repository.known_full_repositories.pop((name[0], made), None)
        if qmid not in repository.instances(*name):
            repository.hold(name, belief._replace(owner=qmid))
            timers[belief.published, (qmid, belief.sequence)] = None
    for published, key in timers:
        estate.agenda.add_held(published, holder.name, key)
    if names:
        holder.changed.add("repository")


def note_level(qmgr: QueueManager, event: events.StatedObservation) -> None:
    """Note the command level and the VERSION that an observation says of its queue manager.

    They are those that were seen last: a queue manager is upgraded in place.
    """
    if not qmgr.observed:
        return
    if event.cmdlevel is not None:
        if event.cmdlevel != qmgr.cmdlevel:
            _take_defaults(qmgr, event.cmdlevel)
            qmgr.cmdlevel, qmgr.version = event.cmdlevel, ""
        qmgr.made_level = False
    if event.version is not None:
        qmgr.version = event.version


def _take_defaults(qmgr: QueueManager, level: int) -> None:
    """Replace the default objects that nobody saw otherwise by those of another level."""
    before, after = system_objects(qmgr.cmdlevel), system_objects(level)
    kept = {key: each for key, each in qmgr.definitions.items() if each is not before.get(key)}
    gone = before.keys() - qmgr.definitions.keys()
    qmgr.definitions = {
        **{key: each for key, each in after.items() if key not in gone},
        **kept,
    }
    qmgr.changed.add("definitions")


def started(estate: Estate, event: events.QueueManagerStarted, at: Instant, position: int) -> None:
    """Mark a queue manager as running, and start its timers."""
    qmgr = estate.qmgrs[event.qmgr]
    qmgr.running = True
    qmgr.started = at
    qmgr.position = position
    enlist(estate, qmgr)


def ended(estate: Estate, event: events.QueueManagerEnded, at: Instant, position: int) -> None:
    """Mark a queue manager as ended: only some listeners run, and stopped channels stay stopped.

    Applications lose their connections and handles.
    """
    qmgr = estate.qmgrs[event.qmgr]
    qmgr.running, qmgr.failed = False, event.failed
    qmgr.position = position
    before = qmgr.activity
    stopping = {name for (name, _), portion in before.portions.items() if portion.then == "STOPPED"}
    stopped = {
        name: state._replace(status="STOPPED")
        for name, state in before.channels.items()
        if state.status == "STOPPED" or name in stopping
    }
    listeners = {name: since for name, since in before.listeners.items() if name in event.listeners}
    qmgr.activity = Running(
        channels=stopped,
        listeners=listeners,
        saved=before.saved,
        tried=before.tried,
        seen=before.seen,
    )
    qmgr.changed.add("activity")
    if qmgr.cluster_queues_changed and (qmgr.repository.trouble or qmgr.repository.exhausted):
        qmgr.repository.trouble, qmgr.repository.exhausted = None, False
        qmgr.changed.add("repository")
    if qmgr.has_messaging and qmgr.messaging.handles:
        qmgr.messaging.handles.clear()
        qmgr.changed.add("messaging")


def deleted(estate: Estate, event: events.QueueManagerDeleted, at: Instant, position: int) -> None:
    """Delete a queue manager."""
    estate.qmgrs[event.qmgr].deleted = at
    depart(estate, event.qmgr, position)


def gone(estate: Estate, event: events.QueueManagerGone, at: Instant, position: int) -> None:
    """Note that queue managers are gone of which only records or states are known.

    One with definitions is deleted by what follows from the statement.
    """
    if event.qmgr in estate.qmgrs:
        return
    for qmid in [qmid for qmid, each in estate.named.items() if each.name == event.qmgr]:
        estate.departed[qmid] = qmgr = estate.named.pop(qmid)
        qmgr.deleted, qmgr.position = at, position
    estate.undefined.pop(event.qmgr, None)
    estate.seen_before.pop(event.qmgr, None)


def depart(estate: Estate, name: str, position: int) -> None:
    """Move a queue manager to `Estate.departed`; others keep their records of it."""
    estate.seen_before.pop(name, None)
    qmgr = estate.qmgrs.pop(name)
    estate.qmgrs_with_waiting_messages.pop(name, None)
    estate.qmgrs_holding_channels.pop(name, None)
    for end in qmgr.channels.items():
        del estate.ends[end][qmgr.name]
    qmgr.running = False
    qmgr.position = position
    estate.departed[qmgr.qmid] = qmgr


def altered(
    estate: Estate,
    event: events.QueueManagerAltered | events.QueueManagerObserved,
    at: Instant,
    position: int,
) -> None:
    """Set attributes of a queue manager, if it exists."""
    qmgr = estate.qmgrs.get(event.qmgr)
    if qmgr is None:
        return
    qmgr.values = {**qmgr.values, **event.values}
    qmgr.altered, qmgr.dated = at, True
    qmgr.position = position


def suspended(
    estate: Estate, event: events.QueueManagerSuspended, at: Instant, position: int
) -> None:
    """Record that a queue manager is suspended from a cluster."""
    qmgr = estate.qmgrs[event.qmgr]
    qmgr.suspended[event.cluster] = event.mode
    qmgr.position = position


def resumed(estate: Estate, event: events.QueueManagerResumed, at: Instant, position: int) -> None:
    """Record that a queue manager is no longer suspended from a cluster."""
    qmgr = estate.qmgrs[event.qmgr]
    qmgr.suspended.pop(event.cluster, None)
    qmgr.position = position


def reading_chosen(estate: Estate, event: events.ReadingChosen, at: Instant, position: int) -> None:
    """Record a reading for the whole estate."""
    estate.readings[event.reading] = event.value


def assumption_set(estate: Estate, event: events.AssumptionSet, at: Instant, position: int) -> None:
    """Record what is assumed of a queue manager, known or not, or that all links work again."""
    if event.policy == "healed":
        estate.healed["", ""] = at
        return
    before = estate.assumptions.get(event.qmgr, Assumption())
    match event.policy:
        case "used":
            chosen = before._replace(used=True)
        case "queue":
            chosen = before._replace(queues=tuple(sorted({*before.queues, event.queue})))
        case _:
            chosen = Assumption(used=False)
    estate.assumptions[event.qmgr] = chosen._replace(since=at)
