"""Silence: packets vanish, and each end of a running channel notices in its own time.

The sending end of an idle channel sends a heartbeat when HBINT has passed since its last flow, and
waits for the answer. With a message or a repository command it sends a batch at once, asks for the
confirmation, and waits for that; the batch is in doubt. With BATCHHB, a partner that was not heard
from for that time is asked first: the batch is backed out then. The receiving end waits for any
flow. Each waits for its receive timeout (`twin.model.silence`). Nonpersistent messages of a fast
channel are sent outside syncpoint: they are never in doubt, but may be lost.

Decided here: the clock of an end starts at the last flow; that is the last message of an
application, or a heartbeat after it (repository commands do not count, as for DISCINT). A sending
end that waits for the answer to a heartbeat sends nothing meanwhile. The wait of BATCHHB is the
receive timeout. Both ends log AMQ9259, not AMQ9271.

Sources: IBM MQ 9.2, "Checking that the other end of the channel is still available", "BATCHHB",
"HeartbeatInterval (MQLONG)"; "Cluster-administration considerations".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from twin.events import (
    ChannelBatchInDoubt,
    ChannelEndHeard,
    ChannelEndSilent,
    ChannelStatusChanged,
    MessagesAtRisk,
    ReceivingEndEnded,
)
from twin.fold.estate import ChannelState, QueueManager, Silence
from twin.fold.parcels import count_of, split
from twin.model import silence as times
from twin.model.attributes import Value
from twin.model.instants import SECOND, Instant
from twin.model.platforms import ZOS
from twin.rules.channels import channel_status
from twin.rules.draft import Draft


def begin(draft: Draft, sender: QueueManager, channel: str) -> None:
    """Let both ends of a running channel hear nothing more, because its link was cut silently."""
    state = sender.activity.channels[channel]
    receiver = draft.qmgr(state.partner)
    begun = state.since if state.used is None else max(state.used, state.since)
    heard = begun + _flows(draft.at - begun, state.hbint)
    awaits = None
    if state.hbint:
        awaits = max(heard + state.hbint + sender_patience(sender, state.hbint), draft.at)
    draft.emit(
        ChannelEndSilent(
            qmgr=sender.name, channel=channel, partner=receiver.name, heard=heard, notices=awaits
        )
    )
    limit = receiver_patience(receiver, channel, state.hbint)
    draft.emit(
        ChannelEndSilent(
            qmgr=receiver.name,
            channel=channel,
            partner=sender.name,
            heard=heard,
            notices=None if limit is None else max(heard + limit, draft.at),
            receiving=True,
            since=state.since,
        )
    )
    if sender.has_messaging and any(channel_status.waiting_messages(sender, channel)):
        send(draft, sender, channel)


def _flows(idle: Instant, hbint: Instant) -> Instant:
    """Return when the last heartbeat of an idle channel flowed, after it became idle."""
    return idle // hbint * hbint if hbint else 0


def sender_patience(qmgr: QueueManager, hbint: Instant) -> Instant:
    """Return how long a sending end waits for an answer at most; TCP ends the connection too."""
    if qmgr.platform == ZOS:
        own = times.zos_receive_timeout(qmgr.values, hbint)
    else:
        own = times.receive_timeout(hbint)
    return times.RETRANSMISSION if own is None else min(own, times.RETRANSMISSION)


def receiver_patience(qmgr: QueueManager, channel: str, hbint: Instant) -> Instant | None:
    """Return how long a receiving end waits for any flow; None for ever."""
    if qmgr.platform == ZOS:
        limits = (
            times.zos_receive_timeout(qmgr.values, hbint),
            times.zos_keepalive(qmgr.values, qmgr.definitions["CHANNEL", channel].values, hbint),
        )
    else:
        keeps = channel_status.stanza(qmgr, "TCP").get("KEEPALIVE", "NO").upper() == "YES"
        limits = (times.receive_timeout(hbint), times.KEEPALIVE if keeps else None)
    return min((limit for limit in limits if limit is not None), default=None)


def send(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Let a channel that gets no answer send its next batch, unless it waits for one already."""
    state = qmgr.activity.channels[channel]
    silence = state.silence
    if silence is None or silence.waits or state.status != "RUNNING":
        return
    if state.hbint and draft.at >= silence.heard + state.hbint:
        return  # it waits for the answer to a heartbeat
    attributes = channel_status.attributes_of(draft, qmgr, channel, state.partner)
    if qmgr.has_messaging:
        _open_batch(draft, qmgr, channel, silence, attributes)
    draft.emit(
        ChannelEndSilent(
            qmgr=qmgr.name,
            channel=channel,
            partner=state.partner,
            heard=silence.heard,
            notices=draft.at + sender_patience(qmgr, state.hbint),
            waits=True,
        )
    )


def _open_batch(
    draft: Draft,
    qmgr: QueueManager,
    channel: str,
    silence: Silence,
    attributes: Mapping[str, Value],
) -> None:
    """Record which messages of the first batch may be lost, and which are in doubt."""
    size = int(str(attributes.get("BATCHSZ") or times.BATCH))
    batch, _ = split(channel_status.waiting_messages(qmgr, channel), size)
    fast = attributes.get("NPMSPEED") != "NORMAL"
    risky = count_of(each for each in batch if fast and not each.persistent)
    if risky and channel not in qmgr.messaging.at_risk:
        draft.emit(MessagesAtRisk(qmgr=qmgr.name, channel=channel, count=risky))
    asks_first = int(str(attributes.get("BATCHHB") or 0)) * SECOND // 1000
    doubtful = count_of(batch) - risky
    if asks_first and draft.at - silence.heard > asks_first:
        return
    if doubtful and channel not in qmgr.messaging.in_doubt:
        draft.emit(ChannelBatchInDoubt(qmgr=qmgr.name, channel=channel, count=doubtful))


def bind(draft: Draft, qmgr: QueueManager, channel: str, partner: str) -> None:
    """Let a channel that starts over a silent link wait for an answer, with status BINDING."""
    draft.emit(
        ChannelStatusChanged(qmgr=qmgr.name, channel=channel, status="BINDING", partner=partner)
    )
    draft.emit(
        ChannelEndSilent(
            qmgr=qmgr.name,
            channel=channel,
            partner=partner,
            heard=draft.at,
            notices=draft.at + connect_timeout(qmgr),
            waits=True,
        )
    )


def connect_timeout(qmgr: QueueManager) -> Instant:
    """Return how long a queue manager waits for the answer to a connect, in microseconds."""
    given = times.seconds(channel_status.stanza(qmgr, "TCP"), "CONNECT_TIMEOUT", 0)
    return given or times.CONNECT_TIMEOUT


def forget(draft: Draft, receiver: QueueManager, channel: str, sender: str) -> None:
    """Forget a silent receiving end, because its channel runs again or its sender knows."""
    if (channel, sender) in receiver.activity.silent:
        draft.emit(
            ChannelEndHeard(qmgr=receiver.name, channel=channel, partner=sender, receiving=True)
        )


def end_receiving(
    draft: Draft, receiver: QueueManager, *, channel: str | None = None, only: str | None = None
) -> list[str]:
    """End the receiving ends that hear nothing from their partners, who are not told.

    With `channel`, only those of that channel; with `only`, only those for that queue manager.
    Return the names of these partners.
    """
    ends = {(name, partner) for name, partner, _ in left_over(receiver)}
    for one, other in draft.estate.links:
        partner = other if one == receiver.name else one
        if receiver.name in (one, other) and channel_status.is_silent(draft, one, other):
            ends.update(
                (name, partner)
                for name, state in _running_to(draft.estate.qmgrs.get(partner), receiver.name)
                if state.silence is not None and not has_ended(receiver, name, partner)
            )
    ended = []
    for name, partner in sorted(ends):
        if channel in (None, name) and only in (None, partner):
            draft.emit(ReceivingEndEnded(qmgr=receiver.name, channel=name, partner=partner))
            ended.append(partner)
    return ended


def _running_to(sender: QueueManager | None, receiver: str) -> Iterator[tuple[str, ChannelState]]:
    for name, state in sender.activity.channels.items() if sender is not None else ():
        if state.status == "RUNNING" and state.partner == receiver:
            yield name, state


def shown(state: ChannelState, at: Instant) -> ChannelState:
    """Return a state as CHSTATUS shows it: BINDING while a retry waits for an answer."""
    hangs = state.status == "RETRYING" and state.retries.is_hanging(state.since, at)
    return state._replace(status="BINDING") if hangs else state


def left_over(qmgr: QueueManager) -> Iterator[tuple[str, str, ChannelState]]:
    """Yield the receiving ends that wait in vain for a sending end: channel, partner and state."""
    for (channel, partner), silence in sorted(qmgr.activity.silent.items()):
        if not silence.ended:
            state = ChannelState("RUNNING", partner, silence.since, "", silence.position)
            yield channel, partner, state


def has_ended(receiver: QueueManager, channel: str, sender: str) -> bool:
    """Return whether a receiving end has ended although its sending end believes that it runs."""
    silence = receiver.activity.silent.get((channel, sender))
    return silence is not None and silence.ended
