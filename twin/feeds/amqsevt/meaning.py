"""What a message of amqsevt says, in MQ's words.

Sources: IBM MQ, the event messages of channels (2279, 2282, 2283 with its reason qualifiers),
configuration, commands, queue managers and performance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from twin.feeds.amqsevt.events import (
    AFTER,
    STATISTICS,
    IntervalCounters,
    MqEvent,
    counters,
    int_in,
    text_in,
)
from twin.feeds.amqsevt.objects import ObjectSaid, object_in

CONFIGURATION: Final = 43
QUEUE_MANAGER: Final = 44
PERFORMANCE: Final = 45
CHANNEL: Final = 46
COMMAND: Final = 99


class ChannelSaid(NamedTuple):
    """A channel in a channel event.

    Attributes:
        channel: its name.
        status: its status from then on; '' if the event does not show it.
        xmitq: its transmission queue; only channels that send have one.
        conname: its connection name; '' if it is not in the event.
        type: its type in MQSC; '' if it is not in the event.
        qualifier: the reason qualifier, as printed.
    """

    channel: str
    status: str
    xmitq: str
    conname: str
    type: str
    qualifier: str


class DefinitionSaid(NamedTuple):
    """A definition that was made, changed, removed or listed by REFRESH QMGR.

    Attributes:
        act: "define", "alter", "delete" or "refresh".
        object: the object from then on; of "delete" as it was.
        state: of "alter", `BEFORE` or `AFTER`.
        user: who did it.
    """

    act: str
    object: ObjectSaid
    state: str
    user: str


class CommandSaid(NamedTuple):
    """A command that was given; it may have failed.

    Attributes:
        command: its name in PCF, such as `Suspend Queue Mgr Cluster`.
        asked: the MQSC verb of a command that no configuration event shows: SUSPEND, RESUME,
            REFRESH or RESET; else ''.
        cluster: the cluster of such a command, '' if it has none.
        namelist: its namelist of clusters.
        user: who gave it.
        values: its parameters by their names in JSON.
    """

    command: str
    asked: str
    cluster: str
    namelist: str
    user: str
    values: Mapping[str, Any]


class LifecycleSaid(NamedTuple):
    """A queue manager that started or ended.

    Attributes:
        running: whether it runs from then on.
        host: the machine; '' if it is not in the event.
        qualifier: the reason qualifier, as printed.
    """

    running: bool
    host: str
    qualifier: str


class DepthSaid(NamedTuple):
    """A queue in a performance event.

    Attributes:
        queue: its name.
        highest: its highest depth since the last event.
        puts: the messages put since then.
        gets: the messages taken since then.
        seconds: the time since then.
    """

    queue: str
    highest: int
    puts: int
    gets: int
    seconds: int


Said: TypeAlias = (
    ChannelSaid | DefinitionSaid | CommandSaid | LifecycleSaid | DepthSaid | IntervalCounters
)

_STOPPED: Final = {
    "channel stopped ok": "INACTIVE",
    "channel stopped error": "INACTIVE",
    "channel stopped retry": "RETRYING",
    "channel stopped disabled": "STOPPED",
    "7": "INACTIVE",
    "8": "INACTIVE",
    "9": "RETRYING",
    "10": "STOPPED",
}
"""The reason qualifier of Channel Stopped -> the status that follows."""

_BY_USER: Final = 2279
_STARTED: Final = 2282
_ENDED: Final = 2283
_TYPES: Final = {"SENDER": "SDR", "SERVER": "SVR", "RECEIVER": "RCVR", "REQUESTER": "RQSTR"}
_ACTS: Final = {2367: "define", 2368: "alter", 2369: "delete", 2370: "refresh"}
_ASKED: Final = ("SUSPEND", "RESUME", "REFRESH", "RESET")
_ACTIVE: Final = 2222
_NOT_ACTIVE: Final = 2223


def said(event: MqEvent) -> tuple[Said, ...]:
    """Return what a message says; () if it is only evidence."""
    read = _READERS.get(event.type)
    return () if read is None else tuple(read(event))


def _channel(event: MqEvent) -> Iterator[Said]:
    data = event.data
    qualifier = text_in(data, "reasonQualifier")
    status = ""
    if event.reason == _STARTED:
        status = "RUNNING"
    elif event.reason == _BY_USER:
        status = "STOPPED"
    elif event.reason == _ENDED:
        status = _STOPPED.get(qualifier.lower(), "")
    type_ = text_in(data, "channelType").upper()
    yield ChannelSaid(
        channel=text_in(data, "channelName"),
        status=status,
        xmitq=text_in(data, "xmitQueueName"),
        conname=text_in(data, "connectionName"),
        type=_TYPES.get(type_, type_),
        qualifier=qualifier,
    )


def _definition(event: MqEvent) -> Iterator[Said]:
    if act := _ACTS.get(event.reason):
        state = event.state or (AFTER if act == "alter" else "")
        yield DefinitionSaid(act, object_in(event), state, text_in(event.data, "eventUserId"))


def _command(event: MqEvent) -> Iterator[Said]:
    context, values = event.data.get("commandContext"), event.data.get("commandData")
    context = context if isinstance(context, dict) else event.data
    values = values if isinstance(values, dict) else {}
    command = text_in(context, "command")
    words = command.upper().replace("Q MGR", "QUEUE MGR").split()
    about_cluster = "CLUSTER" in words or words[1:] == ["QUEUE", "MGR"]
    yield CommandSaid(
        command=command,
        asked=words[0] if about_cluster and words[0] in _ASKED else "",
        cluster=text_in(values, "clusterName"),
        namelist=text_in(values, "clusterNamelist"),
        user=text_in(context, "eventUserId"),
        values=values,
    )


def _lifecycle(event: MqEvent) -> Iterator[Said]:
    if event.reason in {_ACTIVE, _NOT_ACTIVE}:
        host, qualifier = text_in(event.data, "hostName"), text_in(event.data, "reasonQualifier")
        yield LifecycleSaid(event.reason == _ACTIVE, host, qualifier)


def _depth(event: MqEvent) -> Iterator[Said]:
    names = ("highQueueDepth", "msgEnqCount", "msgDeqCount", "timeSinceReset")
    if event.reason in {2053, 2224, 2225}:
        yield DepthSaid(
            text_in(event.data, "baseObjectName"), *(int_in(event.data, n) for n in names)
        )


_READERS: Final[Mapping[int, Callable[[MqEvent], Iterator[Said]]]] = {
    CONFIGURATION: _definition,
    QUEUE_MANAGER: _lifecycle,
    PERFORMANCE: _depth,
    CHANNEL: _channel,
    COMMAND: _command,
    **dict.fromkeys(STATISTICS, counters),
}
