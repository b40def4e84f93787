"""Sending channels start: for a message or a repository command, by START CHANNEL, or at a retry.

A channel that does not find its partner becomes RETRYING, with AMQ9202 or another message.
The queue manager at its address may log another, too.

AMQ9202: nobody answers at the address. AMQ9524: a listener answers, but its queue manager has
ended. AMQ9520: the queue manager there has no receiving channel of this name, and logs AMQ9519.

While its transmission queue is GET(DISABLED), a channel ends and sends nothing.

Sources: IBM MQ 8.0, "STOP CHANNEL"; 9.1, "Short retry interval", "Long retry interval".

Sources: public lists of these messages with their causes; IBM MQ 9.4, "DEFINE LISTENER" (CONTROL:
only QMGR stops a listener with its queue manager). Decided here: a channel without a partner
reaches the queue manager that has a CLUSRCVR with the CONNAME of the channel.

Sources: the error log of such a channel (AMQ9549); IBM MQ, "API reason codes", 2016. The channel
becomes INACTIVE, as if it had nothing to send. A message or START CHANNEL starts it again [memory,
unverified]. Repository commands wait as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from twin.events import ChannelStatusChanged, ErrorLogged
from twin.fold.estate import QueueManager
from twin.model.attributes import Value
from twin.model.instants import Instant
from twin.model.messages import CANNOT_OPEN, HOST_NOT_AVAILABLE, IN_USE
from twin.model.names import connection
from twin.model.objects import PARTNERS, UNCLUSTERED, Definition, text_of
from twin.model.reasons import UNKNOWN_OBJECT
from twin.model.silence import HBINT, negotiated
from twin.rules import membership, standing
from twin.rules.channels import (
    channel_status,
    retrying,
    silence,
    stopping,
    switching,
)
from twin.rules.draft import Draft
from twin.rules.path import partners
from twin.rules.queues import local_queues, put_times, transmission_queues
from twin.rules.workload import counters

NOT_DEFINED_THERE: Final = "AMQ9520"
NOT_FOUND_HERE: Final = "AMQ9519"
QMGR_UNAVAILABLE: Final = "AMQ9524"


def refusal(draft: Draft, qmgr: QueueManager, channel: str, partner: str) -> str:
    """Return the message id of a channel that cannot reach its partner, '' if it has none.

    If a queue manager answers that does not know the channel, that is logged there.
    """
    other = draft.estate.qmgrs.get(partner) if partner else _at_address(draft, qmgr, channel)
    if other is None or not _answers(draft, qmgr, other):
        return HOST_NOT_AVAILABLE
    if not other.running:
        return QMGR_UNAVAILABLE if other.activity.listeners else HOST_NOT_AVAILABLE
    receiving_types = PARTNERS.get(qmgr.channels.get(channel, ""), PARTNERS["CLUSSDR"])
    if other.channels.get(channel) in receiving_types:
        return HOST_NOT_AVAILABLE
    draft.emit(ErrorLogged(qmgr=other.name, id=NOT_FOUND_HERE, inserts=(channel,)))
    return NOT_DEFINED_THERE


def _answers(draft: Draft, qmgr: QueueManager, other: QueueManager) -> bool:
    if not draft.estate.links:
        return True
    link = draft.estate.link(qmgr.name, other.name)
    return not (link.cut or link.silent)


def _at_address(draft: Draft, qmgr: QueueManager, channel: str) -> QueueManager | None:
    """Return the queue manager at the CONNAME of a channel, a running one if possible."""
    definition = qmgr.definitions.get(("CHANNEL", channel))
    named = set(connection(text_of(definition, "CONNAME")) if definition is not None else ())
    found = [
        (not other.running, name)
        for name, other in (draft.estate.qmgrs.items() if named else ())
        if other is not qmgr
        and any(
            named.intersection(connection(text_of(receiver, "CONNAME")))
            for receiver, _ in membership.channels_of(other, "CLUSRCVR")
        )
    ]
    return draft.estate.qmgrs[min(found)[1]] if found else None


def ensure_running(draft: Draft, sender: QueueManager, channel: str, target: str) -> bool:
    """Start a channel if it is INACTIVE; return whether it runs now.

    A STOPPED channel does not start by itself, and a RETRYING channel waits for its next retry (IBM
    MQ 8.0, "STOP CHANNEL"; 9.1, "Short retry interval"). A disconnected channel that can reach its
    partner is used as if it were running, and nothing is recorded.
    """
    state = sender.activity.channels.get(channel)
    if state is None or standing.stands(sender, channel):
        return start(draft, sender, channel, target)
    if state.status != "RUNNING":
        return False
    if state.silence is not None and not channel_status.is_idle(sender, channel, state, draft.at):
        silence.send(draft, sender, channel)
        return False
    if state.partner == target:
        ends = state.ends
        if (
            ends is None
            or draft.at < ends
            or channel_status.can_reach(draft, sender, channel, target)
        ):
            return True
        if not channel_status.is_idle(sender, channel, state, draft.at):
            return True
    return start(draft, sender, channel, target)


def start(draft: Draft, qmgr: QueueManager, channel: str, partner: str) -> bool:
    """Start a sending channel to a partner, '' if it has none; return whether it runs now.

    A channel that starts may switch its transmission queue, even if it does not find its partner.
    If it finds its partner, a batch in doubt is resolved: in the twin, none of its messages has
    arrived. A channel whose transmission queue is GET(DISABLED) ends at once. A sender or server
    channel whose queue another one has open retries. Over a silent link a channel waits for an
    answer (BINDING). A channel whose status stands as it was seen is not started, but carries what
    there is to carry if it can. One that is STOPPING is not started (decision 75).
    """
    if standing.stands(qmgr, channel):
        recall(draft, qmgr, channel, partner)
        carries = channel_status.status_of(qmgr, channel, draft.at) in standing.CARRIES
        return carries and channel_status.can_reach(draft, qmgr, channel, partner)
    if channel_status.is_rerouting(qmgr, channel):
        return False
    check_transmission_queue(draft, qmgr, channel)
    obstacle = HOST_NOT_AVAILABLE
    if partner:
        if channel_status.is_silent(draft, qmgr.name, partner):
            silence.bind(draft, qmgr, channel, partner)
            return False
        obstacle = channel_status.obstacle(draft, qmgr, channel, partner)
    if not obstacle and stopping.queue_holder(draft, qmgr, channel):
        stopping.report_queue_in_use(draft, qmgr, channel)
        obstacle = CANNOT_OPEN
    if not obstacle:
        stopping.restore_queue(draft, qmgr, channel)
        if end_if_inhibited(draft, qmgr, channel):
            return False
        _run(draft, qmgr, channel, partner)
        return True
    log_refusal(draft, qmgr, channel, partner)
    if obstacle == HOST_NOT_AVAILABLE:
        obstacle = refusal(draft, qmgr, channel, partner)
    retrying.retry_later(draft, qmgr, channel, partner, reason=obstacle)
    return False


def recall(draft: Draft, qmgr: QueueManager, channel: str, partner: str) -> None:
    """Bring a channel to the status that was seen of it before it was known, if that stands.

    What it has to carry is left to the caller.
    """
    seen = standing.seen_status(qmgr, channel)
    if seen is None or seen.status == channel_status.status_of(qmgr, channel, draft.at):
        return
    match seen.status:
        case "RUNNING":
            run(draft, qmgr, channel, partner)
        case "RETRYING":
            retrying.retry_later(
                draft, qmgr, channel, partner, reason=HOST_NOT_AVAILABLE, observed=True
            )
        case status:
            counters.status_changes(draft, qmgr, channel, status)
            put_times.record(draft, qmgr, channel)
            draft.emit(
                ChannelStatusChanged(
                    qmgr=qmgr.name, channel=channel, status=status, partner=partner
                )
            )


def log_refusal(draft: Draft, qmgr: QueueManager, channel: str, partner: str) -> None:
    """Log at a partner that it refused a channel, because its receiving end is still active."""
    other = draft.estate.qmgrs.get(partner)
    if other is not None and other.running and channel_status.is_refused(other, channel, qmgr.name):
        draft.emit(ErrorLogged(qmgr=partner, id=IN_USE, inserts=(channel,)))


def check_transmission_queue(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Check the transmission queue of a channel that starts, if it is a cluster-sender channel."""
    definition = qmgr.definitions.get(("CHANNEL", channel))
    if definition is None or definition.type == "CLUSSDR":
        if transmission_queues.lacks_model(qmgr, channel):
            inserts = (transmission_queues.MODEL_QUEUE, qmgr.name, str(UNKNOWN_OBJECT))
            draft.emit(ErrorLogged(qmgr=qmgr.name, id=CANNOT_OPEN, inserts=inserts))
        switching.check(draft, qmgr, channel)


def run(draft: Draft, qmgr: QueueManager, channel: str, partner: str) -> None:
    """Let a started sending channel run, because it found its partner."""
    check_transmission_queue(draft, qmgr, channel)
    _run(draft, qmgr, channel, partner)


def _run(draft: Draft, qmgr: QueueManager, channel: str, partner: str) -> None:
    other = draft.estate.qmgrs.get(partner)
    if other is not None:
        silence.forget(draft, other, channel, qmgr.name)
    attributes = channel_status.attributes_of(draft, qmgr, channel, partner)
    counters.status_changes(draft, qmgr, channel, "RUNNING")
    put_times.record(draft, qmgr, channel)
    draft.emit(
        ChannelStatusChanged(
            qmgr=qmgr.name,
            channel=channel,
            status="RUNNING",
            partner=partner,
            discint=channel_status.interval(attributes),
            hbint=_hbint(attributes, other, channel),
        )
    )
    if qmgr.has_messaging:
        stopping.clear(draft, qmgr, channel)
    channel_status.note_outcome(draft, qmgr, channel, "ran")


def _hbint(
    attributes: Mapping[str, Value], other: QueueManager | None, channel: str
) -> Instant | None:
    """Return the heartbeat interval that both ends agree on; None if it is the default."""
    receiving = other.definitions.get(("CHANNEL", channel)) if other is not None else None
    agreed = negotiated(attributes, receiving.values if receiving is not None else {})
    return None if agreed == HBINT else agreed


def start_defined(draft: Draft, qmgr: QueueManager, definition: Definition) -> bool:
    """Start a sending channel by its definition; return whether it runs now."""
    partner = partners.partner_of(draft.estate, qmgr, definition)
    return start(draft, qmgr, definition.name, partner.name if partner is not None else "")


GET_INHIBITED: Final = "AMQ9549"
"""The error log message of a channel whose transmission queue is GET(DISABLED)."""


def inhibited_queue(qmgr: QueueManager, channel: str) -> str:
    """Return the transmission queue of a channel if it is GET(DISABLED), otherwise ''."""
    queue = _queue_of(qmgr, channel)
    return queue if queue and local_queues.is_get_inhibited(qmgr, queue) else ""


def _queue_of(qmgr: QueueManager, channel: str) -> str:
    """Return the queue that a channel gets from; '' for a channel that only receives."""
    definition = qmgr.definitions.get(("CHANNEL", channel))
    if definition is None or definition.type == "CLUSSDR":
        return transmission_queues.queues(qmgr, channel)[0]
    return transmission_queues.queue_of(qmgr, channel) if definition.type in UNCLUSTERED else ""


def start_for_waiting(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Let an INACTIVE channel start if messages wait for it.

    A held channel does not start now, but with the next message or when it is released. A channel
    whose queue is GET(DISABLED) starts with the next message or START CHANNEL after the queue is
    enabled (decision 14).
    """
    if channel in qmgr.messaging.held or inhibited_queue(qmgr, channel):
        return
    if channel_status.current_state(qmgr, channel, draft.at) is None:
        channel_status.note_outcome(draft, qmgr, channel, "ran")


def end_if_inhibited(draft: Draft, qmgr: QueueManager, channel: str) -> bool:
    """End a started channel if its queue is GET(DISABLED); return whether it sends nothing now."""
    queue = inhibited_queue(qmgr, channel)
    if not queue:
        return False
    if standing.stands(qmgr, channel):
        return True
    if channel in qmgr.activity.channels:
        stopping.stop(draft, qmgr, channel, status="INACTIVE", mode="QUIESCE")
    draft.emit(ErrorLogged(qmgr=qmgr.name, id=GET_INHIBITED, inserts=(queue,)))
    return True


def get_changed(
    draft: Draft, qmgr: QueueManager, was: Definition | None, now: Definition | None
) -> None:
    """End the channels of a queue that became GET(DISABLED), or let them send again.

    If messages wait, GET(ENABLED) and TRIGGER are trigger events for sender and server channels
    [memory, unverified].
    """
    if now is None:
        return
    for channel in transmission_queues.servers(qmgr, now.name):
        idle = channel_status.current_state(qmgr, channel, draft.at) is None
        if idle and transmission_queues.is_triggered(qmgr, channel):
            channel_status.note_outcome(draft, qmgr, channel, "ran")
    before, after = (text_of(queue, "GET") if queue is not None else "" for queue in (was, now))
    if before == after:
        return
    for channel, state in list(qmgr.activity.channels.items()):
        if state.status != "RUNNING" or _queue_of(qmgr, channel) != now.name:
            continue
        if after == "ENABLED":  # it was observed RUNNING although disabled
            channel_status.note_outcome(draft, qmgr, channel, "ran")
        elif channel_status.is_idle(qmgr, channel, state, draft.at):  # it has disconnected
            stopping.stop(draft, qmgr, channel, status="INACTIVE", mode="QUIESCE")
        else:
            end_if_inhibited(draft, qmgr, channel)
