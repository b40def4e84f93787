"""Fold what feeds say of a running estate: it is noted, and changes nothing that a rule reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from twin import events
from twin.events.logged import EXPLAINING, KEPT, FailureKind
from twin.fold.estate import Estate, QueueManager, SignOfDeath
from twin.fold.seen_before import STATE_FACTS, SeenBefore, keep_latest
from twin.fold.seen_states import (
    SeenBatch,
    SeenCells,
    SeenConfiguration,
    SeenDepth,
    SeenFailing,
    SeenList,
    SeenRecord,
    SeenRetries,
    SeenRow,
    SeenStart,
    SeenStates,
    SeenStatus,
    SeenWarning,
    note,
    note_batch,
    note_cells,
)
from twin.model.instants import DAY, EXPIRE_AFTER, REMOVE_AFTER, RESEND_AFTER, Instant
from twin.model.names import generic
from twin.model.objects import RECEIVING

_OF_LOGS: Final = ("AMQ", "CSQ")
"""How the ids of messages of error logs begin; those of event messages are numbers."""

_ENDED: Final = frozenset({"DISCONNECTED", "INACTIVE", "STOPPING"})
"""The statuses of an instance that ends: they do not say that a stopped channel was started."""


_OF_MEMBERS: Final = frozenset({"AMQ9469", "CSQX469"})
"""The warnings that full repositories write about the CLUSRCVRs of members."""


def note_unknown(estate: Estate, event: events.Observation, at: Instant, position: int) -> None:
    """Note that something was observed of a queue manager of which nothing is defined."""
    if event.qmgr and event.qmgr not in estate.qmgrs:
        estate.undefined.setdefault(event.qmgr, position)
        if isinstance(event, STATE_FACTS):
            keep_latest(estate.seen_before.setdefault(event.qmgr, SeenBefore()).facts, event, at)


def replaced(
    estate: Estate, event: events.QueueManagerReplaced, at: Instant, position: int
) -> None:
    """Note that a log says that another queue manager has replaced one."""
    note_unknown(estate, event, at, position)
    estate.signs_of_death[event.owner] = SignOfDeath(at, position, by=event.by)


def overdue(
    estate: Estate, event: events.RenewalOverdueObserved, at: Instant, position: int
) -> SeenWarning:
    """Note that a queue manager warned that an owner has not renewed its records; return it.

    A warning counts also for records that are seen later to be held. That an owner has renewed
    nothing for 30 days is a sign at full repositories only: partial ones also warn of queue
    managers that did (IT35488, IT39751).
    """
    days = RESEND_AFTER // DAY + (event.days or 0)
    if event.id in _OF_MEMBERS and event.owner and event.days and days >= EXPIRE_AFTER // DAY:
        estate.signs_of_death[event.owner] = SignOfDeath(at, position, days=days)
    published = at if event.left is None else at + event.left * DAY - REMOVE_AFTER
    whole = event.id in _OF_MEMBERS
    warning = SeenWarning(at, published, position, whole, event.cluster, event.owner, event.name)
    seen = _seen(estate, event, at, position)
    seen.logs[event.qmgr] = at
    if event.left is not None:
        seen.overdue[f"{whole:d} {event.cluster} {event.owner} {event.name}"] = warning
    return warning


def channel(estate: Estate, event: events.ChannelObserved, at: Instant, position: int) -> None:
    """Note the status of a channel and its batch, known or not.

    A receiving channel that is STOPPED stays so when one of its instances ends.
    """
    seen = _seen(estate, event, at, position)
    _batch(seen, event, at, position)
    if event.reason:
        seen.logs[event.qmgr] = at
        _record(seen, event.reason, event.channel, (), at, position)
    if event.shortrts is not None and event.longrts is not None:
        left = SeenRetries(at, event.shortrts, event.longrts)
        seen.retries[event.channel] = max(left, seen.retries.get(event.channel, left))
    kind, partner = event.kind or "", event.partner or ""
    if event.cells is not None or event.saved:
        row = (event.cells or {}, position, kind, event.instance or "", partner)
        status = event.status or ""
        seen.note_row(event.channel, SeenRow(at, status, *row, saved=bool(event.saved)))
    if event.status is None:
        return
    if event.instance is not None and event.status in _ENDED and _receives(estate, event):
        before = seen.of_channel(event.channel)
        if before is not None and before.status == "STOPPED":
            return
    repeated = bool(event.repeated)
    if repeated and kind in RECEIVING:
        note(seen.own_rows, event.channel, SeenStatus(at, event.status, position))
        return
    status_seen = SeenStatus(at, event.status, position, repeated, kind, partner, began=event.began)
    seen.note_status(event.channel, status_seen)


def _batch(seen: SeenStates, event: events.ChannelObserved, at: Instant, position: int) -> None:
    """Note whether a batch is in doubt; a channel that runs later has resolved it.

    Source: IBM MQ 9.1, "DISPLAY CHSTATUS" (INDOUBT, CURMSGS); "Determining problems with in-doubt
    channels": the ends agree on the batch when the channel starts.
    """
    before = seen.batches.get(event.channel)
    if event.indoubt is not None:
        messages = (event.curmsgs or 0) if event.indoubt else 0
        note_batch(seen.batches, event.channel, SeenBatch(at, event.indoubt, messages, position))
    elif event.status == "RUNNING" and before is not None and before.at < at:
        del seen.batches[event.channel]


def _receives(estate: Estate, event: events.ChannelObserved) -> bool:
    """Return whether a channel is known to receive."""
    qmgr = estate.qmgrs.get(event.qmgr)
    kind = None if qmgr is None else qmgr.channels.get(event.channel)
    return (kind or event.kind) in RECEIVING


def listed(estate: Estate, event: events.ChannelsListed, at: Instant, position: int) -> None:
    """Note that the channels that are known are inactive, because they were not listed."""
    listed_elsewhere(estate, event, at, position)
    if (qmgr := estate.qmgrs.get(event.qmgr)) is not None:
        _not_listed(qmgr.activity.seen, event, _known_channels(qmgr), at, position)


def listed_elsewhere(
    estate: Estate, event: events.ChannelsListed, at: Instant, position: int
) -> None:
    """Note that channels with a status are inactive, without reading what else is known.

    That is enough for other queue managers. The list is kept for channels that become known later,
    also by the same answers: it counts more than a queue manager's own row of CLUSQMGR.
    """
    seen, qmgr = _seen(estate, event, at, position), estate.qmgrs.get(event.qmgr)
    _not_listed(seen, event, {*seen.channels}, at, position)
    note(seen.lists, event.complete, SeenList(at, event.shown, position))
    if qmgr is not None:
        _not_listed(seen, event, qmgr.activity.channels, at, position)


def _not_listed(
    seen: SeenStates,
    event: events.ChannelsListed,
    known: Iterable[str],
    at: Instant,
    position: int,
) -> None:
    for name in known:
        if name not in event.shown and generic(event.complete, name):
            seen.note_status(name, SeenStatus(at, "INACTIVE", position, listed=True))
    for name in filter(lambda each: generic(event.complete, each), seen.rows):
        seen.drop_rows(name, before=at)


def queue_manager(
    estate: Estate, event: events.QueueManagerStatusObserved, at: Instant, position: int
) -> None:
    """Note the status of a queue manager."""
    seen = _seen(estate, event, at, position)
    note(seen.qmgr, event.qmgr, SeenStatus(at, event.status, position))
    servers = {"CHINIT": event.initiator, "CMDSERV": event.command_server}
    cells = {each: status for each, status in servers.items() if status is not None}
    cells |= event.cells or {}
    if cells:
        before = seen.servers.get("")
        cells = {**(before.cells if before and before.at < at else {}), **cells}
        note_cells(seen.servers, "", SeenCells(at, cells, position))
    started = at if event.restarted else event.started
    if started is not None and started <= at:
        note(seen.starts, event.qmgr, SeenStart(at, started))
    failing = seen.failing.get(event.qmgr)
    if failing and (event.status == "ENDED" or failing.since < (started or 0)):
        seen.failing.clear()


def depths(estate: Estate, event: events.DepthsObserved, at: Instant, position: int) -> None:
    """Note the depths of queues."""
    seen = _seen(estate, event, at, position)
    for each in event.depths:
        if each.depth is not None:
            before = seen.depths.get(each.queue)
            filled = before.filled if before is not None and before.filled is not None else at
            depth = SeenDepth(at, each.depth, position, filled if each.depth else None)
            note(seen.depths, each.queue, depth)
        if each.cells is not None:
            note_cells(seen.queues, each.queue, SeenCells(at, each.cells, position))


def configuration(
    estate: Estate, event: events.ConfigurationObserved, at: Instant, position: int
) -> None:
    """Note what qm.ini of a queue manager says, known or not."""
    values = sorted(
        (stanza.upper(), key.upper(), value)
        for stanza, given in event.stanzas.items()
        for key, value in given.items()
    )
    file = SeenConfiguration(at, tuple(values), position)
    note(_seen(estate, event, at, position).configuration, event.qmgr, file)


def listeners(estate: Estate, event: events.ListenersObserved, at: Instant, position: int) -> None:
    """Note the listeners that ran, and the names of which an answer was complete."""
    seen = _seen(estate, event, at, position)
    for name in event.running:
        note(seen.listeners, name, SeenStatus(at, "RUNNING", position))
    for name, cells in (event.cells or {}).items():
        note_cells(seen.servers, name, SeenCells(at, cells, position))
    if event.complete is not None:
        note(seen.listeners, event.complete, SeenStatus(at, "LISTED", position))


def record(estate: Estate, event: events.EvidenceObserved, at: Instant, position: int) -> None:
    """Note a record of an error log, if it is one that explains something."""
    note_unknown(estate, event, at, position)
    if event.id.startswith(_OF_LOGS):
        seen = _seen(estate, event, at, position)
        seen.logs[event.qmgr] = at
        if event.id in KEPT:
            _record(seen, event.id, event.channel, event.inserts, at, position)


def sequence_reset(
    estate: Estate, event: events.ChannelSequenceReset, at: Instant, position: int
) -> None:
    """Forget the records at both ends that they disagree about the sequence number.

    The link between them works: they had reached each other.
    """
    state = estate.qmgrs[event.qmgr].activity.channels.get(event.channel)
    ends = {event.qmgr, state.partner} if state is not None else {event.qmgr}
    if state is not None:
        one, other = sorted((event.qmgr, state.partner))
        estate.healed[one, other] = at
    for end in ends & estate.qmgrs.keys():
        records = estate.changing(end, "activity").activity.seen.records
        for key, each in [*records.items()]:
            is_one = EXPLAINING.get(each.id) is FailureKind.SEQUENCE
            if is_one and event.channel in (each.channel, *each.inserts):
                del records[key]


def _record(
    seen: SeenStates,
    id_: str,
    channel: str,
    inserts: tuple[str, ...],
    at: Instant,
    position: int,
) -> None:
    note(seen.records, f"{id_} {channel}".rstrip(), SeenRecord(at, id_, channel, inserts, position))


def repository_manager(
    estate: Estate, event: events.RepositoryManagerObserved, at: Instant, position: int
) -> None:
    """Note that a repository manager fails, and since when, or that it works again."""
    seen = _seen(estate, event, at, position)
    seen.logs[event.qmgr] = at
    if event.running:
        seen.failing.clear()
        return
    before = seen.failing.get(event.qmgr)
    ends = at + event.left if event.left is not None else before and before.ends
    seen.failing[event.qmgr] = SeenFailing(before.since if before else at, at, ends, position)


def zone(estate: Estate, event: events.ZoneStated, at: Instant, position: int) -> None:
    """Note the zone of a queue manager, known or not."""
    estate.zones[event.qmgr] = event.zone


def _known_channels(qmgr: QueueManager) -> set[str]:
    """Return the channels that are defined, and those that are known from a cluster."""
    records = qmgr.repository.of_kind("qmgr")
    return {
        *(name for kind, name in qmgr.definitions if kind == "CHANNEL"),
        *(name[2] for name, belief in records if belief.owner != qmgr.qmid),
    }


def _seen(estate: Estate, event: events.Observation, at: Instant, position: int) -> SeenStates:
    """Return what was seen at a queue manager, known or not, to change it."""
    if event.qmgr not in estate.qmgrs:
        note_unknown(estate, event, at, position)
        return estate.seen_before.setdefault(event.qmgr, SeenBefore()).seen
    return estate.changing(event.qmgr, "activity").activity.seen
