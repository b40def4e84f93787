"""Measures of channels: both ends of each, as DISPLAY CHSTATUS has them, and the inactive ones.

Source: ibm-messaging/mq-golang, package mqmetric (channel status).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

from twin.fold.estate import Estate, QueueManager
from twin.model.attributes import Value
from twin.model.basis import Basis
from twin.model.instants import Instant
from twin.model.names import connection
from twin.model.objects import RECEIVING, UNCLUSTERED
from twin.questions.blocked import block_of
from twin.questions.channels import failed_retries
from twin.questions.measures.queue_managers import is_available
from twin.questions.measures.traffic import MessageTraffic
from twin.questions.route_basis import basis_of_status
from twin.questions.sender_channels import ArrivingChannel, SenderChannels, arrivals
from twin.rules import standing
from twin.rules.channels import channel_status, silence
from twin.rules.draft import Draft
from twin.rules.path import partners

INACTIVE: Final = "INACTIVE"
CLUSTERED: Final = frozenset({"CLUSSDR", "CLUSRCVR"})

_MESSAGE_CHANNELS: Final = frozenset({"CLUSSDR", *UNCLUSTERED, *RECEIVING})
"""The types of channels that have measures; a twin knows nothing of clients."""

Wanted: TypeAlias = Callable[[str, str], bool]
"""Returns whether a channel of this name and type is measured."""

_NOTHING: Final[Mapping[str, Value]] = {}


class ChannelEnd(NamedTuple):
    """One end of a channel; '' and None for what is not known.

    Attributes:
        qmgr: the queue manager that it is at.
        channel, type: its name and its type in MQSC.
        status: as DISPLAY CHSTATUS shows it; INACTIVE if it does not.
        partner: the queue manager at the other end.
        attributes: those that it runs with, without defaults.
        started: since when it runs.
        used: when a message went over it last since it started.
        messages: how many messages went over it since the log began.
    """

    qmgr: QueueManager
    channel: str
    type: str
    status: str
    partner: str = ""
    attributes: Mapping[str, Value] = _NOTHING
    started: Instant | None = None
    used: Instant | None = None
    messages: int | None = None


class ChannelUse(NamedTuple):
    """Whether a sending channel can carry messages; None for what is not known.

    Attributes:
        qmgr, channel: the names of its queue manager and of the channel.
        usable: whether a message that is put for it now leaves now.
        attempts: the number of failed retries; None if it is not retrying.
        next_retry: when it is tried next.
        switch_pending: whether its transmission queue is being switched, or will be when it starts.
    """

    qmgr: str
    channel: str
    usable: bool | None
    attempts: int | None
    next_retry: Instant | None
    switch_pending: bool


def is_clustered(channel: str, type_: str) -> bool:
    """Return whether a channel is a cluster channel."""
    del channel
    return type_ in CLUSTERED


def channel_ends(
    estate: Estate,
    at: Instant,
    traffic: MessageTraffic,
    *,
    wanted: Wanted = is_clustered,
    observed: bool,
) -> Iterator[ChannelEnd]:
    """Go through the ends of channels at the queue managers that run, by name.

    A receiving end that is active has an end for each partner. Of queue managers that are only
    observed, the channels are those that were seen; they are passed over unless `observed`.
    """
    arriving: dict[str, list[ArrivingChannel]] = defaultdict(list)
    for arrival in known_arrivals(estate, at):
        arriving[arrival.receiver].append(arrival)
    for name in sorted(estate.qmgrs):
        qmgr = estate.qmgrs[name]
        if not is_available(qmgr, observed=observed):
            continue
        if qmgr.is_only_observed:
            yield from _seen(qmgr, wanted)
        else:
            yield from _sending(qmgr, at, traffic, wanted)
            yield from _receiving(qmgr, arriving.get(name, []), traffic, wanted)


def known_arrivals(estate: Estate, at: Instant) -> Iterator[ArrivingChannel]:
    """Go through the channels that run, without those whose status is only assumed."""
    for arrival in arrivals(estate, at):
        sender = estate.qmgrs.get(arrival.sender)
        if sender is None or basis_of_status(sender, arrival.channel, at) is not Basis.ASSUMED:
            yield arrival


def _seen(qmgr: QueueManager, wanted: Wanted) -> Iterator[ChannelEnd]:
    for channel in sorted(qmgr.activity.seen.channels):
        seen = standing.seen_status(qmgr, channel)
        type_ = qmgr.channels.get(channel, (seen.kind if seen else "") or "CLUSSDR")
        if seen is not None and type_ in _MESSAGE_CHANNELS and wanted(channel, type_):
            definition = qmgr.definitions.get(("CHANNEL", channel))
            values = definition.values if definition is not None else _NOTHING
            yield ChannelEnd(qmgr, channel, type_, seen.status, attributes=values)


def _sending(
    qmgr: QueueManager, at: Instant, traffic: MessageTraffic, wanted: Wanted
) -> Iterator[ChannelEnd]:
    known = _records(qmgr)
    partners = dict(known.keys())
    for channel in _senders(SenderChannels(qmgr), wanted):
        type_ = qmgr.channels.get(channel, "CLUSSDR")
        state = channel_status.current_state(qmgr, channel, at)
        if state is None:
            yield ChannelEnd(qmgr, channel, type_, INACTIVE)
            continue
        partner = state.partner or partners.get(channel, "")
        yield ChannelEnd(
            qmgr,
            channel,
            type_,
            silence.shown(state, at).status,
            partner,
            _attributes(qmgr, channel, known.get((channel, partner))),
            started=state.since if state.status == "RUNNING" else None,
            used=state.used,
            messages=traffic.sent[qmgr.name, channel],
        )


def _senders(senders: SenderChannels, wanted: Wanted) -> Iterator[str]:
    """Yield the names of sending channels: those of clusters, and defined ones of other types."""
    types = senders.qmgr.channels
    other = {name for name, type_ in types.items() if type_ in UNCLUSTERED}
    for name in sorted(other.union(senders.names())):
        if wanted(name, types.get(name, "CLUSSDR")):
            yield name


def _records(qmgr: QueueManager) -> Mapping[tuple[str, str], Mapping[str, Value]]:
    """Return what the repository knows of cluster channels: by name and target."""
    return {
        (name[2], belief.owner_name): belief.values
        for name, belief in qmgr.repository.of_kind("qmgr")
    }


def _attributes(
    qmgr: QueueManager, channel: str, record: Mapping[str, Value] | None
) -> Mapping[str, Value]:
    """Return what a sending channel runs with: the attributes of the CLUSRCVR, once known."""
    definition = qmgr.definitions.get(("CHANNEL", channel))
    if definition is not None and (definition.type != "CLUSSDR" or record is None):
        return definition.values
    return _NOTHING if record is None else record


def _receiving(
    qmgr: QueueManager, arriving: list[ArrivingChannel], traffic: MessageTraffic, wanted: Wanted
) -> Iterator[ChannelEnd]:
    hosts = {  # in the cluster records of other queue managers, by name, as CHSTATUS shows them
        belief.owner_name: next(
            (host for host, _ in connection(str(belief.values.get("CONNAME", "")))), ""
        )
        for _, belief in qmgr.repository.of_kind("qmgr")
    }
    for channel in sorted(name for name, type_ in qmgr.channels.items() if type_ in RECEIVING):
        type_, own = qmgr.channels[channel], qmgr.activity.channels.get(channel)
        if not wanted(channel, type_):
            continue
        running = [each for each in arriving if each.channel == channel]
        if own is not None or not running:
            yield ChannelEnd(qmgr, channel, type_, INACTIVE if own is None else own.status)
            continue
        values = qmgr.definitions["CHANNEL", channel].values
        for _, _, sender, state in running:
            yield ChannelEnd(
                qmgr,
                channel,
                type_,
                "PAUSED" if state.message_retry is not None else "RUNNING",
                sender,
                {**values, "CONNAME": hosts.get(sender, "")},
                started=state.since,
                used=state.used,
                messages=traffic.arrived[qmgr.name, channel, sender],
            )


def channel_uses(
    estate: Estate, at: Instant, position: int, *, wanted: Wanted = is_clustered
) -> Iterator[ChannelUse]:
    """Go through the sending channels of the queue managers that run, and what they can carry.

    A status that is only assumed says nothing, and neither does a partner that is not in the twin.
    When a channel of an observed queue manager is tried again is not known.
    """
    draft = Draft(estate, at, position + 1)
    for name in sorted(estate.qmgrs):
        qmgr = estate.qmgrs[name]
        if not qmgr.running:
            continue
        senders, partners = SenderChannels(qmgr), {key[0]: key[1] for key in _records(qmgr)}
        for channel in _senders(senders, wanted):
            if basis_of_status(qmgr, channel, at) is Basis.ASSUMED:
                continue
            state = channel_status.current_state(qmgr, channel, at)
            partner = (state.partner if state else "") or partners.get(channel, "")
            retries = not qmgr.is_only_observed
            yield ChannelUse(
                name,
                channel,
                _is_usable(draft, qmgr, channel, partner),
                failed_retries(qmgr, channel, state, at) if retries else None,
                senders.next_retry(channel, at) if retries else None,
                senders.association(channel).pending is not None,
            )


def _is_usable(draft: Draft, qmgr: QueueManager, channel: str, partner: str) -> bool | None:
    if block_of(qmgr, channel, draft.at) is not None:
        return False
    partner = partner or partners.leads_to(draft.estate, qmgr, channel)
    if partner not in draft.estate.qmgrs:
        return None
    return channel_status.can_reach(draft, qmgr, channel, partner)
