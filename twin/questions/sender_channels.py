"""The cluster-sender channels of a queue manager: their transmission queues and retries.

Source: IBM MQ 9.4, "Working with cluster transmission queues and cluster-sender channels": a
channel keeps its transmission queue until it starts, even if the definitions changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from twin.fold.estate import ChannelState, Estate, QueueManager
from twin.fold.messaging import Messaging
from twin.fold.seen_retries import retries_of
from twin.model.instants import Instant
from twin.rules import membership, standing
from twin.rules.channels import channel_status, silence
from twin.rules.queues import transmission_queues

RETRYING: Final = "RETRYING"
STARTS_AGAIN: Final = (RETRYING, "BINDING")
"""The statuses of channels whose next failure starts a reallocation pass."""

_NONE: Final = Messaging()


def messaging_of(qmgr: QueueManager) -> Messaging:
    """Return the messaging of a queue manager, without reading anything if it never had any."""
    return qmgr.messaging if qmgr.has_messaging else _NONE


class Association(NamedTuple):
    """The transmission queue of a channel.

    Attributes:
        queue: the queue in use; during a switch the old one.
        pending: the queue it is switching to, or will switch to at its next start; else None.
        candidates: the queues that the definitions allow equally, including the one in use: a
            real queue manager may use any of them; () if there is at most one.
    """

    queue: str
    pending: str | None = None
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SenderChannels:
    """The cluster-sender channels of one queue manager, read for one answer."""

    qmgr: QueueManager
    queues: transmission_queues.TransmissionQueues = field(init=False)

    def __post_init__(self) -> None:
        """Read the definitions of transmission queues once for all channels."""
        object.__setattr__(self, "queues", transmission_queues.TransmissionQueues.of(self.qmgr))

    def names(self) -> list[str]:
        """Return the names of all that are defined, known, running, or waited for."""
        qmgr = self.qmgr
        receiving = {name for name, kind in qmgr.channels.items() if kind != "CLUSSDR"}
        names = {definition.name for definition, _ in membership.channels_of(qmgr, "CLUSSDR")}
        names.update(
            name[2] for name, belief in qmgr.repository.of_kind("qmgr") if belief.owner != qmgr.qmid
        )
        names.update(qmgr.activity.channels, qmgr.repository.waiting)
        return sorted(names - receiving)

    def association(self, channel: str) -> Association:
        """Return the present and the future transmission queue of a channel."""
        messaging = messaging_of(self.qmgr)
        if transmission_queues.is_sender(self.qmgr, channel):
            return Association(transmission_queues.queue_of(self.qmgr, channel))
        current = transmission_queues.in_use(self.qmgr, channel, queues=self.queues)
        if switch := messaging.switching.get(channel):
            return Association(current, switch.to)
        selected = self.queues.select(channel)
        if current not in selected.candidates:
            return Association(current, selected.queue)
        return Association(current, candidates=selected.candidates if selected.ambiguous else ())

    def next_retry(self, channel: str, at: Instant) -> Instant | None:
        """Return the first retry of a channel after an instant; None if it is not retrying.

        A capture shows when a channel is tried again only by the retries that are left.
        """
        state = self.qmgr.activity.channels.get(channel)
        if state is None or state.status != RETRYING or not self._dates_retries(channel):
            return None
        return retries_of(self.qmgr, channel, state).next_after(state.since, at)

    def next_pass(self, channel: str, at: Instant) -> Instant | None:
        """Return when a start or retry of a channel fails next, if it finds no partner.

        Over a silent link, that is after it waited for an answer.
        """
        state = self.qmgr.activity.channels.get(channel)
        if state is None or state.status not in STARTS_AGAIN:
            return None
        if state.status == RETRYING:
            if not self._dates_retries(channel):
                return None
            return retries_of(self.qmgr, channel, state).next_failure(state.since, at)
        return state.silence.notices if state.silence else None

    def _dates_retries(self, channel: str) -> bool:
        """Return whether it is known when a channel that retries is tried again."""
        seen = standing.seen_status(self.qmgr, channel)
        if seen is None:
            return True
        left = self.qmgr.activity.seen.retries.get(channel)
        return left is not None and left.at >= (seen.at if seen.first is None else seen.first)


class ArrivingChannel(NamedTuple):
    """A running channel, as its receiving end knows it.

    `receiver` and `sender` are names; `state` is that of the sending end.
    """

    receiver: str
    channel: str
    sender: str
    state: ChannelState


def arrivals(estate: Estate, at: Instant) -> Iterator[ArrivingChannel]:
    """Go through the channels that run at an instant, as their receiving ends know them."""
    for qmgr in estate.qmgrs.values():
        for channel in qmgr.activity.channels:
            state = channel_status.state_for_receiver(estate, qmgr, channel, at)
            if state is None or state.status != "RUNNING":
                continue
            receiver = estate.qmgrs.get(state.partner)
            if receiver is None or (channel, qmgr.name) not in receiver.activity.silent:
                yield ArrivingChannel(state.partner, channel, qmgr.name, state)
        for channel, partner, state in silence.left_over(qmgr):
            yield ArrivingChannel(qmgr.name, channel, partner, state)


def inbound(estate: Estate, at: Instant) -> dict[tuple[str, str], list[ChannelState]]:
    """Return the channels that run at an instant, by (receiving queue manager, channel name).

    Those are left out whose status nobody saw.
    """
    running: dict[tuple[str, str], list[ChannelState]] = {}
    for arrival in arrivals(estate, at):
        sender = estate.qmgrs.get(arrival.sender)
        if sender is None or not standing.is_unseen(sender, arrival.channel):
            running.setdefault((arrival.receiver, arrival.channel), []).append(arrival.state)
    return running
