"""The channel ends of a queue manager for DISPLAY CHSTATUS: sending and receiving ends.

Sources: IBM MQ 9.2, DISPLAY CHSTATUS (CURMSGS, INDOUBT, SHORTRTS, LONGRTS); 9.4, "Working with
cluster transmission queues and cluster-sender channels": XMITQ is the queue in use; of a stopped
channel it is the last one; during a switch it is the old one.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Final, NamedTuple

from twin.events.base import Values
from twin.fold.estate import ChannelState, QueueManager
from twin.fold.seen_retries import retries_of
from twin.fold.seen_states import SeenRow
from twin.model import words as columns
from twin.model.attributes import Value
from twin.model.instants import Instant, mq_date, mq_time
from twin.model.names import connection
from twin.model.objects import RECEIVING, SENDING, Definition
from twin.questions.display._definitions import DisplaySource, attributes_of, defaults
from twin.questions.sender_channels import RETRYING, SenderChannels, messaging_of
from twin.rules import standing
from twin.rules.channels import channel_status, silence
from twin.rules.queues import transmission_queues

_RUNNING: Final = "RUNNING"
_NOT_COUNTED: Final = """
    BATCHES BUFSRCVD BUFSSENT BYTSRCVD BYTSSENT CURLUWID CURSEQNO LSTLUWID LSTSEQNO SSLRKEYS"""
_RETRIES: Final = {"LONGRTS": "LONGRTY", "SHORTRTS": "SHORTRTY"}
_NUMBERS: Final = frozenset(
    f"{columns.BOTH_NUMBERS} {columns.CURRENT_NUMBERS} BATCHSZ HBINT MAXMSGL".split()
)


class End(NamedTuple):
    """One end of a channel: its columns, and the position of the event that gave its status."""

    values: dict[str, Value | None]
    position: int

    @property
    def order(self) -> tuple[str, str]:
        """The sort key of ends: channel, then partner."""
        return str(self.values["CHANNEL"]), str(self.values.get("RQMNAME", ""))


def current(source: DisplaySource) -> Iterator[End]:
    """Go through the ends that are not inactive; those that were seen are as they were seen.

    What the rules say of a channel counts as long as no capture showed its rows.
    """
    qmgr = source.qmgr
    seen = {
        name: rows
        for name in qmgr.activity.seen.rows
        if source.request.names(name) and (rows := standing.rows_seen(qmgr, name))
    }
    for end in _derived(source):
        name = str(end.values["CHANNEL"])
        rows, status = seen.get(name, []), standing.seen_receiving(qmgr, name)
        if not rows:
            if status is None or status.status != "INACTIVE":
                yield end
        elif rows[0].kind in SENDING:
            row = seen.pop(name)[0]
            yield End({**end.values, **_shown(row)}, row.position)
    for name, rows in seen.items():
        for row in rows:
            values = {"CHANNEL": name, "CHLTYPE": row.kind, "STATUS": row.status}
            yield End({**_unknown(qmgr), **values, **_shown(row)}, row.position)


def _unknown(qmgr: QueueManager) -> dict[str, Value | None]:
    """Return the columns that no rule knows of the channels of an imported queue manager."""
    return {"QMNAME": qmgr.name, **dict.fromkeys(("MSGS", "STOPREQ"))}


def _shown(row: SeenRow) -> dict[str, Value | None]:
    """Return the columns of a row of CHSTATUS as it was seen; a blank number is unknown.

    So is a blank unit of work or sequence number.
    """
    values: dict[str, Value | None] = {"CONNAME": row.address, "RQMNAME": row.partner}
    for keyword, text in row.cells.items():
        if keyword in _NUMBERS:
            values[keyword] = int(text) if text.isdecimal() else None
        else:
            values[keyword] = text or (None if keyword in _NOT_COUNTED.split() else "")
    return values


def _derived(source: DisplaySource) -> Iterator[End]:
    """Go through the ends that are not inactive: sending ends, then receiving ends."""
    qmgr = source.qmgr
    senders, known = SenderChannels(qmgr), _known_channels(qmgr)
    partners = dict(known.keys())
    for name in qmgr.activity.channels:
        if not source.request.names(name) or standing.is_unseen(qmgr, name):
            continue
        state = channel_status.current_state(qmgr, name, source.at)
        if state is not None:
            partner = state.partner or partners.get(name, "")
            record = known.get((name, partner)) or _made_from(source, name, partner)
            channel = _channel(qmgr, name, record)
            values = {
                **_status(qmgr, name, silence.shown(state, source.at), channel),
                **_sender(senders, name, channel),
                **_retries(qmgr, name, state, channel, source.at),
                **_messages(qmgr, state, state.sent),
                "SUBSTATE": "MQGET" if state.status == _RUNNING else "",
            }
            yield End(values, state.position)
    shown: set[str] = set()
    left_over = {(name, partner): state for name, partner, state in silence.left_over(qmgr)}
    for other, receiver in _partners(source):
        sending = channel_status.state_for_receiver(source.estate, other, receiver.name, source.at)
        if sending is None or (sending.status, sending.partner) != (_RUNNING, qmgr.name):
            sending = left_over.get((receiver.name, other.name))
        if standing.is_unseen(other, receiver.name):
            continue
        if sending and not silence.has_ended(qmgr, receiver.name, other.name):
            more = _messages(qmgr, sending, sending.arrived)
            if sending.message_retry is not None:
                more |= {"STATUS": "PAUSED"}
            shown.add(receiver.name)
            yield _inbound(qmgr, other, receiver, sending, SUBSTATE="RECEIVE", **more)
    yield from _seen_to_run(source, besides=shown)


def _seen_to_run(source: DisplaySource, *, besides: Container[str]) -> Iterator[End]:
    """Go through receiving channels that were seen to run; the partner of one is not known."""
    qmgr = source.qmgr
    for name, kind in qmgr.channels.items():
        if kind not in RECEIVING or name in besides or not source.request.names(name):
            continue
        seen = standing.seen_status(qmgr, name)
        if seen is not None and seen.status == _RUNNING:
            channel = attributes_of(qmgr, qmgr.definitions["CHANNEL", name])
            state = ChannelState(_RUNNING, "", seen.at, "", seen.position)
            unknown = dict.fromkeys(("CONNAME", "RQMNAME", "CHSTADA", "CHSTATI", "SUBSTATE"))
            yield End({**_status(qmgr, name, state, channel), **unknown}, seen.position)


def _messages(qmgr: QueueManager, state: ChannelState, count: int) -> dict[str, Value | None]:
    """Return how many messages went over a channel since it started, and when the last one did.

    No feed shows that of the channels of an imported queue manager.
    """
    if qmgr.is_only_observed:
        return dict.fromkeys(("MSGS", "LSTMSGDA", "LSTMSGTI"))
    last = ("", "") if state.used is None else (mq_date(state.used), mq_time(state.used))
    return {"MSGS": count, "LSTMSGDA": last[0], "LSTMSGTI": last[1]}


def saved(source: DisplaySource) -> Iterator[End]:
    """Go through the ends of channels that ran at least once, running or not.

    SAVED rows that were seen stand for what the rules say of their channels.
    """
    qmgr, seen = source.qmgr, set[str]()
    for name in filter(source.request.names, qmgr.activity.seen.rows):
        for row in standing.rows_seen(qmgr, name, saved=True):
            seen.add(name)
            yield End({"CHANNEL": name, "CHLTYPE": row.kind, **_shown(row)}, row.position)
    yield from (each for each in _ran(source) if each.values["CHANNEL"] not in seen)


def _ran(source: DisplaySource) -> Iterator[End]:
    qmgr = source.qmgr
    senders, known = SenderChannels(qmgr), _known_channels(qmgr)
    partners = dict(known.keys())
    for name, since in qmgr.activity.saved.items():
        if source.request.names(name) and not standing.is_unseen(qmgr, name):
            state = qmgr.activity.channels.get(name) or _ended(qmgr, partners.get(name, ""), since)
            channel = _channel(qmgr, name, known.get((name, state.partner)))
            values = _status(qmgr, name, state, channel)
            yield End({**values, **_sender(senders, name, channel)}, state.position)
    for other, receiver in _partners(source):
        name = receiver.name
        if name in other.activity.saved and not standing.is_unseen(other, name):
            ended = _ended(other, qmgr.name, other.activity.saved[name])
            sending = other.activity.channels.get(name, ended)
            if sending.partner == qmgr.name:
                yield _inbound(qmgr, other, receiver, sending)


def _ended(qmgr: QueueManager, partner: str, since: Instant) -> ChannelState:
    """Return the status of an inactive channel; its own event is no longer known."""
    return ChannelState("INACTIVE", partner, since, "", qmgr.position)


def _known_channels(qmgr: QueueManager) -> dict[tuple[str, str], Values]:
    """Return the attributes of cluster channels that the repository knows: by name and target."""
    return {
        (channel, belief.owner_name): belief.values
        for (_, _, channel), belief in qmgr.repository.of_kind("qmgr")
    }


def _made_from(source: DisplaySource, name: str, partner: str) -> Values | None:
    """Return the attributes of the CLUSRCVR that a channel was made from; None if it is gone.

    REFRESH CLUSTER drops the record of a channel that runs; the channel runs on as it was made.
    """
    other = source.estate.qmgrs.get(partner)
    receiver = other.definitions.get(("CHANNEL", name)) if other is not None else None
    return None if receiver is None or receiver.type != "CLUSRCVR" else dict(receiver.values)


def _channel(qmgr: QueueManager, name: str, record: Values | None) -> dict[str, Value | None]:
    """Return the attributes a channel runs with: those of the target's CLUSRCVR, once known."""
    definition = qmgr.definitions.get(("CHANNEL", name))
    if definition is not None and (definition.type != "CLUSSDR" or record is None):
        values = attributes_of(qmgr, definition)
        return {**values, "CONNAME": ""} if definition.type in RECEIVING else values
    return {**defaults("CLUSSDR", qmgr.cmdlevel), **(record or {}), "CHLTYPE": "CLUSSDR"}


def _sender(
    senders: SenderChannels, name: str, channel: Mapping[str, Value | None]
) -> dict[str, Value | None]:
    """Return the columns that only a sending end has: its transmission queue and its batch.

    A batch that was seen in doubt stands, even if the depth of its queue was never observed.
    """
    messaging = messaging_of(senders.qmgr)
    doubtful = messaging.in_doubt.get(name, 0)
    values: dict[str, Value | None] = {
        "INDOUBT": "YES" if doubtful else "NO",
        "CURMSGS": doubtful or messaging.at_risk.get(name, 0),
    }
    seen = standing.batch_in_doubt(senders.qmgr, name)
    if not doubtful and seen is not None:
        values |= {"INDOUBT": "YES", "CURMSGS": seen.messages or None}
    if channel["CHLTYPE"] == "CLUSSDR":
        values["XMITQ"] = senders.association(name).queue
    elif "XMITQ" in channel:
        defined = transmission_queues.is_sender(senders.qmgr, name)
        values["XMITQ"] = transmission_queues.queue_of(senders.qmgr, name) if defined else ""
    return values


def _retries(
    qmgr: QueueManager,
    name: str,
    state: ChannelState,
    channel: Mapping[str, Value | None],
    at: Instant,
) -> dict[str, Value | None]:
    """Return how many retries are left; a running channel has all of them."""
    if state.status == RETRYING:
        retries = retries_of(qmgr, name, state)
        short, long = retries.made(state.since, at)
        return {"SHORTRTS": retries.short_count - short, "LONGRTS": retries.long_count - long}
    if state.status != _RUNNING:
        return {}
    return {left: channel[most] for left, most in _RETRIES.items() if most in channel}


def _partners(source: DisplaySource) -> Iterator[tuple[QueueManager, Definition]]:
    """Pair every other queue manager with each receiving channel that is requested."""
    qmgr = source.qmgr
    receivers = [
        definition
        for (kind, name), definition in qmgr.definitions.items()
        if kind == "CHANNEL" and definition.type in RECEIVING and source.request.names(name)
    ]
    for other in source.estate.qmgrs.values() if receivers else ():
        if other is not qmgr:
            yield from ((other, receiver) for receiver in receivers)


def _inbound(
    qmgr: QueueManager,
    other: QueueManager,
    receiver: Definition,
    state: ChannelState,
    **more: Value | None,
) -> End:
    """Return a receiving end to which `other` sends; CONNAME is the host of `other`."""
    inbound = state._replace(partner=other.name)
    values = _status(qmgr, receiver.name, inbound, attributes_of(qmgr, receiver))
    return End({**values, "CONNAME": _host(qmgr, other), **more}, state.position)


def _host(qmgr: QueueManager, other: QueueManager) -> str:
    """Return the host in the cluster record of a queue manager; blank if it is unknown."""
    repository = qmgr.repository
    for (cluster, owner), names in repository.routes.items():
        if owner == other.qmid:
            for name in names:
                values = repository.beliefs[cluster, "qmgr", name][owner].values
                for host, _ in connection(str(values.get("CONNAME", ""))):
                    return host
    return ""


def _status(
    qmgr: QueueManager, name: str, state: ChannelState, channel: Mapping[str, Value | None]
) -> dict[str, Value | None]:
    """Return the columns that both ends have."""
    values: dict[str, Value | None] = {
        **dict.fromkeys(_NOT_COUNTED.split()),
        **dict.fromkeys(("CURMSGS", "MSGS"), 0),
        **{key: channel[key] for key in columns.FROM_CHANNEL.split() if key in channel},
        "CHANNEL": name,
        "CHLTYPE": channel["CHLTYPE"],
        "CONNAME": channel.get("CONNAME", ""),
        "INDOUBT": "NO",
        "MCASTAT": "RUNNING" if state.status == "RUNNING" else "NOTRUNNING",
        "QMNAME": qmgr.name,
        "STATUS": state.status,
        "STOPREQ": "NO",
    }
    if qmgr.is_only_observed:
        values |= _unknown(qmgr)
    if channel["CHLTYPE"] not in {"SVRCONN", "AMQP"}:
        values["RQMNAME"] = state.partner
    if state.status == "RUNNING":
        values |= {"CHSTADA": mq_date(state.since), "CHSTATI": mq_time(state.since)}
    return values
