"""What queue managers would say of the statuses of their channels: logs, events, measurements."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from tests.feeds.errorlog.error_logs import Said
from tests.round_trip.written import STATUS_NUMBERS
from tests.sandbox import Sandbox
from twin import events
from twin.model.instants import SECOND, Instant

_MILLISECOND: Final = SECOND // 1000
_MESSAGES: Final = {
    "RUNNING": "AMQ9002I",
    "INACTIVE": "AMQ9001I",
    "RETRYING": "AMQ9999E",
    "STOPPED": "AMQ9528I",
}
_QUALIFIERS: Final = {
    "INACTIVE": "Channel Stopped Ok",
    "RETRYING": "Channel Stopped Retry",
    "STOPPED": "Channel Stopped Disabled",
}


class Change(NamedTuple):
    """The status of a channel that sends changed."""

    at: Instant
    qmgr: str
    channel: str
    status: str


def changes_of(box: Sandbox) -> list[Change]:
    """Return the changes to a status that feeds have a word for, in the order of time."""
    return [
        Change(at, event.qmgr, event.channel, event.status)
        for at, event in box.draft.events
        if isinstance(event, events.ChannelStatusChanged) and event.status in STATUS_NUMBERS
    ]


def logged(changes: Iterable[Change]) -> list[Said]:
    """Return the messages of error logs about changes."""
    return [
        Said(
            moment=datetime.fromtimestamp(each.at // _MILLISECOND / 1000, UTC),
            id=_MESSAGES[each.status],
            message=f"Channel '{each.channel}' is about to be {number}.",
            comments=(each.channel, f"{number}(1)", ""),
            process=f"{number}.1",
            qmgr=each.qmgr,
        )
        for number, each in enumerate(changes, 1)
    ]


def event_messages(changes: Iterable[Change]) -> str:
    """Write changes as channel events, as `amqsevt -o json` does."""
    return "".join(json.dumps(_message(each), indent=1) + "\n" for each in changes)


def _message(change: Change) -> dict[str, Any]:
    seconds = change.at // SECOND
    stamp = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    qualifier = _QUALIFIERS.get(change.status)
    data = {
        "queueMgrName": change.qmgr,
        "channelName": change.channel,
        "xmitQueueName": "SYSTEM.CLUSTER.TRANSMIT.QUEUE",
    }
    return {
        "eventSource": {
            "objectName": "SYSTEM.ADMIN.CHANNEL.EVENT",
            "objectType": "Queue",
            "queueMgr": change.qmgr,
        },
        "eventType": {"name": "Channel Event", "value": 46},
        "eventReason": {
            "name": "Channel Stopped" if qualifier else "Channel Started",
            "value": 2283 if qualifier else 2282,
        },
        "eventCreation": {"timeStamp": stamp, "epoch": seconds},
        "eventData": {**data, "reasonQualifier": qualifier} if qualifier else data,
    }


def measured(changes: Sequence[Change], instants: Iterable[Instant]) -> list[Change]:
    """Return the status of every channel at each instant, from its first change on."""
    return [
        Change(at, *channel, status)
        for at in instants
        for channel, status in sorted(
            {(each.qmgr, each.channel): each.status for each in changes if each.at <= at}.items()
        )
    ]


def range_answer(statuses: Iterable[Change]) -> str:
    """Write statuses of instants as the answer of Prometheus to a range query."""
    series: dict[tuple[str, str], list[list[Any]]] = {}
    for at, qmgr, channel, status in statuses:
        series.setdefault((qmgr, channel), []).append([at // SECOND, str(STATUS_NUMBERS[status])])
    result = [
        {
            "metric": {
                "__name__": "ibmmq_channel_status",
                "qmgr": qmgr,
                "channel": channel,
                "type": "CLUSSDR",
            },
            "values": values,
        }
        for (qmgr, channel), values in series.items()
    ]
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}})
