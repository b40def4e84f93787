"""The counters in statistics and accounting messages.

Source: IBM MQ, Statistics messages and Accounting messages; their dates are local ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from twin.feeds.amqsevt.events import MqEvent


class IntervalCounters(NamedTuple):
    """What was counted in an interval, from a statistics or accounting message.

    Attributes:
        kind: "qmgr", "queue" or "channel"; of accounting, "connection" or "connection queue".
        name: the queue or channel; '' for the queue manager or a connection.
        begin: the begin of the interval, in local time without a zone; None if it is missing.
        end: its end, likewise.
        labels: the other names: connection name, application, user.
        counters: the numbers by name; a list has one number a kind of message or object.
    """

    kind: str
    name: str
    begin: datetime | None
    end: datetime | None
    labels: Mapping[str, str]
    counters: Mapping[str, int | tuple[int, ...]]


STATISTICS: Final = {
    164: ("qmgr", "", ""),
    165: ("queue", "queueStatisticsData", "queueName"),
    166: ("channel", "chlStatisticsData", "channelName"),
    167: ("connection", "", ""),
    168: ("connection queue", "queueAccountingData", "queueName"),
}
"""Event type -> what is counted, the list of its parts, and the name of a part."""


def counters(event: MqEvent) -> Iterator[IntervalCounters]:
    """Yield the counters of a message: one record, or one for each queue or channel."""
    kind, parts_in, name_in = STATISTICS[event.type]
    data = event.data
    parts = data.get(parts_in, []) if parts_in else [data]
    shared = {key: value for key, value in data.items() if key != parts_in}
    for part in parts if isinstance(parts, list) else [parts]:
        if not isinstance(part, dict):
            continue
        values = {**shared, **part} if part is not data else shared
        yield IntervalCounters(
            kind=kind,
            name=text_in(values, name_in) if name_in else "",
            begin=_local(values, "start"),
            end=_local(values, "end"),
            labels={
                key: str(each) for key, each in values.items() if key in _LABELS and key != name_in
            },
            counters={
                key: number
                for key, each in values.items()
                if key not in _NO_COUNTERS and (number := _count(each)) is not None
            },
        )


_LABELS: Final = frozenset(
    "connectionName remoteQmgr remoteQueueMgrName jobName mcaJobName channelType queueType "
    "definitionType applName applType userIdentifier userId channelName connName connId "
    "objectName".split()
)
_NO_COUNTERS: Final = frozenset({"commandLevel", "seqNumber", "processId", "threadId", "channelId"})


def _count(value: Any) -> int | tuple[int, ...] | None:
    """Return a number or a list of numbers; negative ones may be strings."""
    if isinstance(value, list):
        numbers = [_count(each) for each in value]
        return tuple(number for number in numbers if isinstance(number, int)) or None
    if type(value) is int:
        return value
    is_negative = isinstance(value, str) and value.startswith("-") and value[1:].isdecimal()
    return int(value) if is_negative and len(value) < 20 else None  # noqa: PLR2004


def _local(values: Mapping[str, Any], which: str) -> datetime | None:
    """Return a date and a time such as 2026-05-01 and 13.45.00."""
    date, time = text_in(values, f"{which}Date"), text_in(values, f"{which}Time")
    try:
        moment = datetime.fromisoformat(f"{date}T{time.replace('.', ':')}")
    except ValueError:
        return None
    return moment if moment.tzinfo is None else None


def text_in(values: Mapping[str, Any], name: str) -> str:
    """Return a member as a text without blanks around it; '' if it is missing."""
    value = values.get(name, "")
    return "" if isinstance(value, dict | list) else str(value).strip()


def int_in(values: Mapping[str, Any], name: str) -> int:
    """Return a member as a number; 0 if it is missing."""
    number = _count(values.get(name))
    return number if isinstance(number, int) else 0
