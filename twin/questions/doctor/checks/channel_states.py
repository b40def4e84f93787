"""Checks of the status of sending channels: RETRYING, STOPPED, in doubt. INACTIVE is healthy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from twin.events import Parcel
from twin.fold.estate import ChannelState
from twin.model.amounts import counted, verb
from twin.model.basis import Basis
from twin.model.commands import Command
from twin.model.instants import HOUR, MINUTE, format_instant
from twin.model.objects import RECEIVING, Subject, text_of
from twin.questions import blocked
from twin.questions.answer import EvidencedRow
from twin.questions.channel_since import since
from twin.questions.channels import said_reason
from twin.questions.doctor import fixes, probes
from twin.questions.doctor.checks import (
    channel_targets,
    channel_ways,
    failure_causes,
    stale_addresses,
)
from twin.questions.doctor.finding import Finding, Severity
from twin.questions.doctor.index import STARTING_STATES, Index, Site
from twin.questions.reachability import NotPut
from twin.questions.route_basis import basis_of_status
from twin.questions.seen_messages import SeenMessages, seen_messages
from twin.questions.sender_channels import SenderChannels, messaging_of
from twin.questions.transmission import SYSTEM, depth_unknown, waiting_rows
from twin.rules import logged, standing
from twin.rules.channels import channel_status, command_queue
from twin.rules.channels import starting as starting_channels
from twin.rules.draft import Draft
from twin.rules.queues.left_clusters import left_cluster


def retrying(index: Index) -> Iterator[Finding]:
    """Find channels that are RETRYING, unless their partner was ended on purpose.

    If messages wait for a partner of which no record is left, it does not matter why it ended: no
    put goes there any more, and what waits does so until it is back.
    """
    for site, channel, state in _states(index, "RETRYING"):
        if _is_done_with(site, channel):
            continue
        partner = _partner(index, site, channel, state)
        waiting = _waiting(site, channel)
        forgotten = bool(waiting) and _is_forgotten(site, channel)
        if partner is not None and _is_planned(partner, channel) and not forgotten:
            continue
        basis = basis_of_status(site.qmgr, channel, index.at)
        if basis is not Basis.OBSERVED and index.leads_outside(site, channel):
            continue
        refused = channel_targets.refusal(index, site, channel)
        to = f" to {partner.name}" if partner is not None else ""
        to += ", of which it holds no record any more," if partner is not None and forgotten else ""
        why = _last_failure(index, site, channel, state, partner)
        why = ": ".join(filter(None, (why, str(refused or ""))))
        reason = f" ({why})" if why else ""
        cause = logged.cause_of(site.qmgr, channel, None if partner is None else partner.qmgr)
        said = failure_causes.sentence(site, channel, partner, cause)
        cut = channel_ways.without_repositories(index, site, channel)
        yield Finding(
            subject=site.about("CHANNEL", channel),
            text=f"The channel {_has_been(index, site, channel, state, to)}{reason}; "
            f"{_waits(site, channel, waiting)}.{said}{cut}",
            evidence=(state.position, *((cause.record.position,) if cause else ())),
            on=(site.name, *([partner.name] if partner is not None else [])),
            cluster=_cluster(index, channel),
            severity=Severity.ERROR
            if waiting or cut or _saw_waiting(site, channel)
            else Severity.WARNING,
            because=(
                *stale_addresses.subjects(index, site, channel),
                *_at_partner(site, channel, partner),
                *_not_put_on(index, refused),
                site.about(
                    "QUEUE", SenderChannels(site.qmgr).association(channel).queue, aspect="senders"
                ),
            ),
            fix=channel_targets.enabling(index, refused)
            if refused
            else failure_causes.fix(site, channel, cause),
            probe=channel_targets.delivery(site, channel, refused)
            if refused
            else probes.status(site, channel),
            basis=basis,
        )


def stopped(index: Index) -> Iterator[Finding]:
    """Find channels that are STOPPED: nothing but START CHANNEL starts them."""
    for site, channel, state in _states(index, "STOPPED"):
        if _is_done_with(site, channel):
            continue
        waiting = _waiting(site, channel)
        partner = _partner(index, site, channel, state)
        cut = channel_ways.without_repositories(index, site, channel)
        yield Finding(
            subject=site.about("CHANNEL", channel),
            text=f"The channel {_has_been(index, site, channel, state)}; "
            f"{_waits(site, channel, waiting)}.{cut}",
            evidence=(state.position,),
            on=(site.name, *([partner.name] if partner is not None else [])),
            named=(site.name,),
            cluster=_cluster(index, channel),
            severity=Severity.ERROR
            if waiting or cut or _saw_waiting(site, channel)
            else Severity.WARNING,
            fix=(fixes.command(site, "START", "CHANNEL", channel),),
            probe=probes.status(site, channel),
            basis=basis_of_status(site.qmgr, channel, index.at),
        )


def starting(index: Index) -> Iterator[Finding]:
    """Find channels that were seen to start, and still do so ten minutes later."""
    for site in index:
        for channel in sorted(site.down(index.at)):
            state, seen = site.qmgr.activity.channels[channel], site.qmgr.activity.seen
            last = seen.of_channel(channel)
            if state.status not in STARTING_STATES or last is None or _is_done_with(site, channel):
                continue
            lasted = last.at - state.since
            lasts = counted(lasted // HOUR, "hour") if lasted >= 2 * HOUR else ""
            lasts = lasts or counted(lasted // MINUTE, "minute")
            partner = _partner(index, site, channel, state)
            yield Finding(
                subject=site.about("CHANNEL", channel),
                text=f"The channel was seen {state.status} at {format_instant(state.since)}, and "
                f"{lasts} later at {format_instant(last.at)}; "
                f"{_waits(site, channel, _waiting(site, channel))}."
                + channel_ways.without_repositories(index, site, channel),
                evidence=(state.position, last.position),
                on=(site.name, *([partner.name] if partner is not None else [])),
                named=(site.name,),
                cluster=_cluster(index, channel),
                because=_at_partner(site, channel, partner),
                probe=probes.status(site, channel),
                basis=basis_of_status(site.qmgr, channel, index.at),
            )


def stuck(index: Index) -> Iterator[Finding]:
    """Find messages that have waited too long for a channel that does not run, whatever the cause.

    Of an imported queue manager that is what captures show for the channel, after it had failed for
    that long.
    """
    for site in index:
        names = {*messaging_of(site.qmgr).channels(), *site.down(index.at)}
        for channel in sorted(names) if site.qmgr.running else ():
            state = site.qmgr.activity.channels.get(channel)
            if site.status(channel, index.at) == "RUNNING":
                continue
            until = index.at - index.stuck_after
            long = [each for each in _parcels(site, channel) if each.at <= until]
            seen = None if long else _seen_waiting(index, site, channel, state)
            if not long and seen is None:
                continue
            count = sum(each.count for each in long)
            what = f"{counted(count, 'message')} {verb(count, 'wait')} for the channel"
            if long:
                what += f", the first since {format_instant(min(each.at for each in long))}"
            partner = _partner(index, site, channel, state) if state is not None else None
            yield Finding(
                subject=site.about("CHANNEL", channel, aspect="messages"),
                text=f"{seen or what}. The channel is {state.status if state else 'INACTIVE'}.",
                evidence=tuple(
                    sorted({each.put for each in long} or (seen and seen.evidence) or ())
                ),
                on=(site.name, *([partner.name] if partner is not None else [])),
                named=(site.name,),
                cluster=_cluster(index, channel),
                because=(site.about("CHANNEL", channel), *_at_partner(site, channel, partner)),
                probe=probes.status(site, channel),
                basis=Basis.OBSERVED if seen else None,
            )


def unmoved(index: Index) -> Iterator[Finding]:
    """Find messages and repository commands that nothing which is due will move.

    Channels that retry, are STOPPED, are gone, switch or lead into a cluster that was left have
    rules of their own. Messages that a story or rehearsal holds back are under way, and a receiving
    channel that retries to put them does that at its time.
    """
    draft = Draft(index.estate, index.at, index.estate.position + 1)
    for site in (each for each in index if each.qmgr.running):
        places: dict[tuple[str, str], list[EvidencedRow]] = defaultdict(list)
        for row, evidence in waiting_rows(draft, site.qmgr):
            channel = str(row["channel"] or "")
            due = row["status"] not in ("INACTIVE", "RUNNING") or not row["waits_for"]
            if row["stranded"] or not channel:
                places[channel, str(row["xmitq"])].append((row, evidence))
            elif not due and not _is_told(site, channel):
                places[channel, ""].append((row, evidence))
        yield from (_unmoved(site, place, rows) for place, rows in sorted(places.items()))
        yield from _seen_unmoved(site)


def _is_told(site: Site, channel: str) -> bool:
    """Return whether what waits for a channel is under way, or found by another rule."""
    messaging = messaging_of(site.qmgr)
    under_way = channel in messaging.held or command_queue.is_held_up(site.qmgr, channel)
    told = channel in messaging.switching or blocked.is_gone(site.qmgr, channel)
    return under_way or told or bool(left_cluster(site.qmgr, channel))


def _unmoved(site: Site, place: tuple[str, str], rows: list[EvidencedRow]) -> Finding:
    """Return the finding for a channel, and for a queue that it does not use; '' for none."""
    channel, queue = place
    commands = sum(row["why"] == SYSTEM for row, _ in rows)
    messages = sum(int(str(row["count"])) for row, _ in rows) - commands
    first = format_instant(min(int(str(row["put_at"])) for row, _ in rows))
    why = rows[0][0]["waits_for"] or f"no channel gets from {queue}"
    left = site.about("CHANNEL", channel, aspect=queue and f"left on {queue}")
    inhibited = "" if queue else starting_channels.inhibited_queue(site.qmgr, channel)
    fix = [fixes.command(site, "ALTER", "QLOCAL", inhibited, GET="ENABLED")] * bool(inhibited)
    if not queue and channel not in site.qmgr.activity.channels:
        fix.append(fixes.command(site, "START", "CHANNEL", channel))
    return Finding(
        subject=left if channel else site.about("QUEUE", queue, aspect="no channel"),
        text=f"{_counted(messages, commands)}, the first since {first}, and nothing that is due "
        f"moves {'it' if messages + commands == 1 else 'them'}: {why}.",
        evidence=tuple(sorted({each for _, evidence in rows for each in evidence if each})),
        on=(site.name,),
        fix=tuple(fix),
        because=(site.about("QUEUE", inhibited or queue),),
        probe=None if queue else probes.status(site, channel),
    )


def _seen_unmoved(site: Site) -> Iterator[Finding]:
    """Find messages that captures show on a queue whose cluster channels were all INACTIVE then.

    That is known from a complete list of the channels with a status.
    """
    seen, senders = site.qmgr.activity.seen, SenderChannels(site.qmgr)
    listed = seen.lists.get("*")
    for each in seen_messages(site.qmgr) if listed else ():
        cells = seen.queues.get(each.xmitq)
        names = [name for name in senders.names() if senders.association(name).queue == each.xmitq]
        states = {state and state.status for state in map(seen.of_channel, names)}
        if cells is not None and cells.cells.get("UNCOM", "NO") != "NO":
            continue
        if listed and listed.at >= each.at and not each.channel and states == {"INACTIVE"}:
            yield Finding(
                subject=site.about("QUEUE", each.xmitq, aspect="waiting"),
                text=f"{each}. Each channel that gets from it was INACTIVE at "
                f"{format_instant(listed.at)}, and nothing that is due starts one.",
                evidence=(*each.evidence, listed.position),
                on=(site.name,),
                basis=Basis.OBSERVED,
            )


def _seen_waiting(
    index: Index, site: Site, channel: str, state: ChannelState | None
) -> SeenMessages | None:
    """Return the messages that captures show for a channel that had not worked for too long."""
    if state is None:
        return None
    began = since(index.estate, site.qmgr, channel, state, index.at)
    failed = state.since if began.at is None else began.at
    for seen in seen_messages(site.qmgr):
        if seen.channel == channel and seen.waits and seen.at - failed >= index.stuck_after:
            return seen
    return None


def gone(index: Index) -> Iterator[Finding]:
    """Find messages for channels that no longer exist at their queue manager.

    The fix gives their destination a CLUSRCVR of the old name, if all have one destination.
    """
    for site in index:
        for channel in messaging_of(site.qmgr).channels():
            if not blocked.is_gone(site.qmgr, channel):
                continue
            parcels = _parcels(site, channel)
            destination = _destination(index, parcels)
            yield Finding(
                subject=site.about("CHANNEL", channel),
                text=f"{_waits(site, channel, _waiting(site, channel))}, which no longer exists: "
                "nothing starts it, and no reallocation moves them.",
                evidence=tuple(sorted({parcel.put for parcel in parcels})),
                on=(site.name, *([destination.name] if destination is not None else [])),
                named=(site.name,),
                fix=_brought_back(site, channel, destination),
                probe=probes.status(site, channel),
            )


def in_doubt(index: Index) -> Iterator[Finding]:
    """Find channels with a batch in doubt, or with one that was seen in doubt."""
    for site in index:
        for channel, batch, seen_at in _batches(site):
            state = site.qmgr.activity.channels.get(channel)
            positions = {seen_at, None if state is None else state.position}
            partner = None if state is None else _partner(index, site, channel, state)
            yield Finding(
                subject=site.about("CHANNEL", channel),
                text=f"{batch} in doubt. It resolves itself when "
                "the channel reaches the same partner; do that before any REFRESH CLUSTER.",
                evidence=tuple(sorted(each for each in positions if each is not None)),
                on=(site.name,),
                cluster=_cluster(index, channel),
                fix=(fixes.command(site, "START", "CHANNEL", channel),)
                if state is None or state.status != "RUNNING"
                else (),
                probe=probes.status(site, channel),
                otherwise=fixes.resolving(site, partner, channel, index.at),
            )


def _batches(site: Site) -> Iterator[tuple[str, str, int | None]]:
    """Yield the channels with a batch in doubt: what is known of it, and where it was seen."""
    recorded = messaging_of(site.qmgr).in_doubt
    for channel in sorted({*recorded, *site.qmgr.activity.seen.batches}):
        seen = standing.batch_in_doubt(site.qmgr, channel)
        if channel in recorded:
            yield channel, f"A batch of {counted(recorded[channel], 'message')} is", None
        elif seen is not None:
            of = f" of {counted(seen.messages, 'message')}" if seen.messages else ""
            yield channel, f"At {format_instant(seen.at)} a batch{of} was", seen.position


def _states(index: Index, status: str) -> Iterator[tuple[Site, str, ChannelState]]:
    """Yield the sending channels with a status at running queue managers."""
    for site in index:
        if not site.qmgr.running:
            continue
        for channel in sorted(site.qmgr.activity.channels):
            state = channel_status.current_state(site.qmgr, channel, index.at)
            receives = site.qmgr.channels.get(channel) in RECEIVING
            if state is not None and state.status == status and not receives:
                yield site, channel, state


def _partner(index: Index, site: Site, channel: str, state: ChannelState) -> Site | None:
    """Return the queue manager at the other end of a channel, if it is in the twin."""
    if state.partner in index.sites:
        return index.sites[state.partner]
    ends = index.estate.ends.get((channel, "CLUSRCVR"), {})
    names = [name for name in ends if name in index.sites and name != site.name]
    return index.sites[names[0]] if len(names) == 1 else None


def _is_done_with(site: Site, channel: str) -> bool:
    """Return whether a channel leads into a cluster that was left, and has nothing to say there.

    Of messages for it, `left_clusters` says what is wrong. Those that were seen on its transmission
    queue may be its own.
    """
    left = bool(left_cluster(site.qmgr, channel)) and channel not in site.qmgr.repository.waiting
    return left and not _depth_seen(site, channel)


def _is_forgotten(site: Site, channel: str) -> bool:
    """Return whether the record from which a cluster-sender channel was made is gone."""
    clustered = site.qmgr.channels.get(channel, "CLUSSDR") == "CLUSSDR"
    return clustered and not any(channel in each for each in site.qmgr.repository.routes.values())


def _last_failure(
    index: Index, site: Site, channel: str, state: ChannelState, partner: Site | None
) -> str:
    """Return the message of the last retry: what keeps the channel from its partner now.

    The recorded reason is that of the first failure. It stands for what was observed, and where
    nothing is known to keep the channel from its partner.
    """
    if partner is None or state.observed:
        return said_reason(site.qmgr, state)
    draft = Draft(index.estate, index.at, index.estate.position + 1)
    return channel_status.obstacle(draft, site.qmgr, channel, partner.name) or state.reason


def _at_partner(site: Site, channel: str, partner: Site | None) -> tuple[Subject, ...]:
    """Return the objects at the other end whose findings would be the cause."""
    if partner is None:
        return ()
    receiver = partner.about("CHANNEL", channel)
    return receiver, receiver._replace(aspect=f"from {site.name}")


def _not_put_on(index: Index, refused: NotPut | None) -> tuple[Subject, ...]:
    """Return the queue at the other end that cannot take messages."""
    queue = channel_targets.target(index, refused) if refused else None
    return (index.sites[refused.partner].called(queue),) if refused and queue else ()


def _is_planned(partner: Site, channel: str) -> bool:
    """Return whether somebody ended a partner, or suspended it by force: retries are expected."""
    was_ended = not partner.qmgr.running and not partner.qmgr.failed
    return was_ended or channel_status.is_forced(partner.qmgr, channel)


def _parcels(site: Site, channel: str) -> list[Parcel]:
    """Return the messages that wait for a channel, on all transmission queues."""
    queues = messaging_of(site.qmgr).waiting.values()
    return [parcel for waiting in queues for parcel in waiting.get(channel, ())]


def _destination(index: Index, parcels: Iterable[Parcel]) -> Site | None:
    """Return the queue manager that all messages are for; None if it is gone, or they differ."""
    qmids = {parcel.to for parcel in parcels}
    names = {index.estate.names.get(qmid, "") for qmid in qmids}
    site = index.sites.get(names.pop()) if len(names) == 1 else None
    return site if site is not None and {site.qmgr.qmid} == qmids else None


def _brought_back(site: Site, channel: str, destination: Site | None) -> tuple[Command, ...]:
    """Return the commands that give messages their channel back; () without a way."""
    if destination is None or channel in destination.qmgr.channels:
        return ()
    for receiver, clusters in destination.receivers:
        connection = text_of(receiver, "CONNAME")
        if connection and clusters:
            values = {"CONNAME": connection, "CLUSTER": clusters[0]}
            return (
                fixes.command(
                    destination, "DEFINE", "CHANNEL", channel, CHLTYPE="CLUSRCVR", **values
                ),
                fixes.command(site, "START", "CHANNEL", channel),
            )
    return ()


def _has_been(index: Index, site: Site, channel: str, state: ChannelState, to: str = "") -> str:
    """Return in words since when a channel has a status, or when it was first seen to have it.

    A capture does not say when a status began, but the retries that are left bound a failure.
    """
    status = f"{state.status}{to}"
    if (
        basis_of_status(site.qmgr, channel, index.at) is not Basis.OBSERVED
        or not site.qmgr.observed
    ):
        return f"has been {status} since {format_instant(state.since)}"
    began = since(index.estate, site.qmgr, channel, state, index.at)
    at = format_instant(state.since if began.at is None else began.at)
    if not began.silently or began.earliest is None:
        return f"was seen {status} at {at}"
    return (
        f"has been {status} since {at} at the latest ({counted(began.attempts or 0, 'attempt')} "
        f"failed), {format_instant(began.earliest)} at the earliest if they fail at once"
    )


def _waiting(site: Site, channel: str) -> int:
    return sum(parcel.count for parcel in _parcels(site, channel))


def _waits(site: Site, channel: str, messages: int) -> str:
    """Return in words what waits for a channel."""
    commands = len(site.qmgr.repository.waiting.get(channel, ()))
    if not messages and (depth := _depth_seen(site, channel)):
        return depth
    if not messages and (queue := depth_unknown(site.qmgr, channel)):
        never = f"the depth of {queue} at {site.name} was never observed"
        return f"whether messages wait is not known: {never}"
    if not messages and not commands:
        return "nothing waits for the channel"
    return f"{_counted(messages, commands)} for the channel"


def _counted(messages: int, commands: int) -> str:
    """Return in words how many repository commands and messages wait: the commands first."""
    waiting = [counted(commands, "repository command")] if commands else []
    waiting += [counted(messages, "message")] if messages else []
    return f"{' and '.join(waiting)} {verb(messages + commands, 'wait')}"


def _saw_waiting(site: Site, channel: str) -> bool:
    """Return whether captures show that messages wait for a channel."""
    return any(seen.channel == channel and seen.waits for seen in seen_messages(site.qmgr))


def _depth_seen(site: Site, channel: str) -> str:
    """Return in words how many messages were seen on the transmission queue of a channel.

    They may wait for other channels too. '' if there were none, or the rules know what waits.
    """
    if not site.qmgr.observed:
        return ""
    queue = SenderChannels(site.qmgr).association(channel).queue
    for seen in seen_messages(site.qmgr):
        if seen.channel == channel:
            return f"{seen}"
    seen_depth = site.qmgr.activity.seen.depths.get(queue)
    if seen_depth is None or not seen_depth.depth:
        return ""
    at = format_instant(seen_depth.at)
    return f"CURDEPTH({seen_depth.depth}) of {queue} was seen at {at}"


def _cluster(index: Index, channel: str) -> str:
    return next((each.name for each in index.clusters if channel in each.receivers), "")
