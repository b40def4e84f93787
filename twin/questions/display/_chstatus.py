"""DISPLAY CHSTATUS: the channels that run, at their sending end and at their receiving end.

Sources: IBM MQ 9.2, DISPLAY CHSTATUS, for the columns; captures of 9.1 to 9.4 for the default row
(CHANNEL CHLTYPE, then by the alphabet CONNAME CURRENT RQMNAME STATUS SUBSTATE XMITQ). SAVED rows
stand for channels that ran; what is kept of them does not outlive their becoming inactive here.
The twin counts no buffers and bytes: those columns are 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from twin.events.base import Values
from twin.fold.estate import ChannelState, QueueManager
from twin.model.attributes import TYPES, Value
from twin.model.instants import mq_date, mq_time
from twin.model.names import connection
from twin.questions.display._definitions import attributes_of, defaults
from twin.questions.display._view import (
    Columns,
    Found,
    Source,
    View,
    bare,
    keywords,
    numbers,
    texts,
    words,
)
from twin.rules.transmission import TransmissionQueues

_RECEIVING: Final = frozenset({"CLUSRCVR", "RCVR", "RQSTR"})
_CLIENTS: Final = frozenset({"SVRCONN", "AMQP"})
_COUNTERS: Final = """BATCHES BUFSRCVD BUFSSENT BYTSRCVD BYTSSENT CURMSGS CURSEQNO LSTSEQNO MSGS
    SSLRKEYS"""
_SAVED_NUMBERS: Final = "CURMSGS CURSEQNO LSTSEQNO"
_NO_UNIT_OF_WORK: Final = "0" * 32
_FROM_CHANNEL: Final = "BATCHSZ HBINT KAINT MAXMSGL NPMSPEED SSLCIPH"
_RETRIES: Final = {"LONGRTS": "LONGRTY", "SHORTRTS": "SHORTRTY"}
_STATUSES: Final = """INACTIVE BINDING STARTING RUNNING STOPPING RETRYING STOPPED REQUESTING PAUSED
    DISCONNECTED INITIALIZING SWITCHING"""

_COMMON: Final = (
    *texts("CONNAME CURLUWID LSTLUWID RQMNAME XMITQ"),
    *numbers(_SAVED_NUMBERS),
    words("INDOUBT", "YES NO"),
)
_CURRENT: Final = (
    *_COMMON,
    bare("CURRENT"),
    *numbers("BATCHES BUFSRCVD BUFSSENT BYTSRCVD BYTSSENT LONGRTS MSGS SHORTRTS SSLRKEYS"),
    *texts("CHSTADA CHSTATI COMPHDR COMPMSG COMPRATE COMPTIME EXITTIME JOBNAME LOCLADDR"),
    *texts("LSTMSGDA LSTMSGTI MCAUSER NETTIME PORT QMNAME RAPPLTAG RPRODUCT RVERSION SECPROT"),
    *texts("SSLCERTI SSLCERTU SSLKEYDA SSLKEYTI SSLPEER SUBSTATE XBATCHSZ XQMSGSA XQTIME"),
    words("MCASTAT", "RUNNING NOTRUNNING"),
    words("MONCHL", "OFF LOW MEDIUM HIGH"),
    words("STATCHL", "OFF LOW MEDIUM HIGH"),
    words("STATUS", _STATUSES),
    words("STOPREQ", "YES NO"),
    *(TYPES["CLUSRCVR"].by_keyword[keyword] for keyword in _FROM_CHANNEL.split()),
)
_SAVED: Final = (*_COMMON, bare("SAVED"))


@cache
def _columns(level: int) -> tuple[Columns, ...]:
    del level
    return tuple(
        tuple(sorted(row, key=lambda column: column.keyword)) for row in (_CURRENT, _SAVED)
    )


def _find(source: Source) -> Iterator[Found]:
    saved = "SAVED" in source.asked.words
    columns = _columns(source.level)[saved]
    rows = [*_sending(source), *_receiving(source)]
    for values, position in sorted(rows, key=_order):
        if not saved:
            yield Found({**values, "CURRENT": "YES"}, columns, (position,))
        elif values.get("RQMNAME"):
            yield Found({**values, "SAVED": "YES"}, columns, (position,))


def _order(row: tuple[dict[str, Value], int]) -> tuple[str, str]:
    return str(row[0]["CHANNEL"]), str(row[0].get("RQMNAME", ""))


def _sending(source: Source) -> Iterator[tuple[dict[str, Value], int]]:
    """Show the channels of the queue manager itself that are not inactive."""
    qmgr = source.qmgr
    queues = TransmissionQueues.of(qmgr)
    told = _told(qmgr)
    for name, state in qmgr.activity.channels.items():
        if not source.asked.names(name):
            continue
        channel = _channel(qmgr, name, told.get((name, state.partner)))
        values = _status(qmgr, name, state, channel)
        values["SUBSTATE"] = "MQGET" if state.status == "RUNNING" else ""
        if channel["CHLTYPE"] == "CLUSSDR":
            values["XMITQ"] = queues.select(name).queue
        elif "XMITQ" in channel:
            values["XMITQ"] = channel["XMITQ"]
        yield values, state.position


def _told(qmgr: QueueManager) -> dict[tuple[str, str], Values]:
    """Give what the repository tells of each cluster channel and the queue manager it leads to."""
    return {
        (channel, belief.owner_name): belief.values
        for (_, _, channel), belief in qmgr.repository.of_kind("qmgr")
    }


def _channel(qmgr: QueueManager, name: str, told: Values | None) -> dict[str, Value]:
    """Give the attributes a channel runs with: those of the target's CLUSRCVR once it is known."""
    definition = qmgr.definitions.get(("CHANNEL", name))
    if definition is not None and (definition.type != "CLUSSDR" or told is None):
        values = attributes_of(qmgr, definition)
        return {**values, "CONNAME": ""} if definition.type in _RECEIVING else values
    return {**defaults("CLUSSDR", qmgr.cmdlevel), **(told or {}), "CHLTYPE": "CLUSSDR"}


def _receiving(source: Source) -> Iterator[tuple[dict[str, Value], int]]:
    """Show one row for every partner whose channel runs to this queue manager."""
    qmgr = source.qmgr
    told = {owner: values for (_, owner), values in _told(qmgr).items()}
    receivers = {
        name: definition
        for (kind, name), definition in qmgr.definitions.items()
        if kind == "CHANNEL" and definition.type in _RECEIVING and source.asked.names(name)
    }
    for other in source.estate.qmgrs.values():
        if other is qmgr or not receivers:
            continue
        for name, state in other.activity.channels.items():
            if name in receivers and state.partner == qmgr.name and state.status == "RUNNING":
                inbound = state._replace(partner=other.name)
                values = _status(qmgr, name, inbound, attributes_of(qmgr, receivers[name]))
                values["CONNAME"] = _host(told.get(other.name, {}))
                values["SUBSTATE"] = "RECEIVE"
                yield values, state.position


def _host(told: Values) -> str:
    """Give the host a partner calls from: that of its own CLUSRCVR, blank where it is not known."""
    return next((host for host, _ in connection(str(told.get("CONNAME", "")))), "")


def _status(
    qmgr: QueueManager, name: str, state: ChannelState, channel: Mapping[str, Value]
) -> dict[str, Value]:
    """Give the columns that both ends have."""
    values: dict[str, Value] = {
        **dict.fromkeys(_COUNTERS.split(), 0),
        **{key: channel[key] for key in _FROM_CHANNEL.split() if key in channel},
        "CHANNEL": name,
        "CHLTYPE": channel["CHLTYPE"],
        "CONNAME": channel.get("CONNAME", ""),
        "CURLUWID": _NO_UNIT_OF_WORK,
        "INDOUBT": "NO",
        "LSTLUWID": _NO_UNIT_OF_WORK,
        "MCASTAT": "RUNNING" if state.status == "RUNNING" else "NOTRUNNING",
        "QMNAME": qmgr.name,
        "STATUS": state.status,
        "STOPREQ": "NO",
    }
    if channel["CHLTYPE"] not in _CLIENTS:
        values["RQMNAME"] = state.partner
    if state.status == "RUNNING":
        values |= {"CHSTADA": mq_date(state.since), "CHSTATI": mq_time(state.since)}
        values |= {left: channel[most] for left, most in _RETRIES.items() if most in channel}
    return values


CHSTATUS: Final = View(
    message="AMQ8417",
    first=("CHANNEL", "CHLTYPE"),
    columns=_columns,
    find=_find,
    always=keywords("CONNAME CURRENT RQMNAME SAVED STATUS SUBSTATE XMITQ"),
    whole=False,
    selectors={"CONNAME": frozenset(), "XMITQ": frozenset(), "RQMNAME": frozenset()},
    words=frozenset({"CURRENT", "SAVED", "MONITOR"}),
    missing="AMQ8420",
)
