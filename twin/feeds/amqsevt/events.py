"""One message of amqsevt, in any of its forms.

The counters in statistics and accounting messages.

Source: IBM MQ, Statistics messages and Accounting messages; their dates are local ones.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, Final, NamedTuple

from twin.feeds.amqsevt.names import SPELLINGS, plain_name
from twin.feeds.reading.not_understood import digest_of
from twin.model.attributes import HIDDEN
from twin.model.instants import SECOND, Instant, instant_of, is_instant
from twin.mqsc.masking import SECRETS, TRIGGERS, masked, masked_text


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


BEFORE: Final = "before"
AFTER: Final = "after"

_STATES: Final = {"Before Change": BEFORE, "After Change": AFTER}
_BRACES: Final = 6
"""The objects in a message whose values are all plain."""

_SECRETS: Final = frozenset(
    {
        *("password", "ldapPassword", "sslKeyRepoPassword", "initialKey", "keyRepoPassword"),
        "sslCryptoHardware",
    }
)

_MASKED: Final = _SECRETS | {"commandMqsc", "commandData"}
"""The names whose values may have passwords, at the outer level."""

_TRIGGERS: Final = (*TRIGGERS, "\\u", "\\/", *map(str.lower, sorted(SECRETS)), "cryptohardware")
"""What a message with a password in some value has, as it is or escaped, in lower case."""


class MqEvent(NamedTuple):
    """One event, statistics or accounting message.

    Attributes:
        line: the line where it starts, from 1.
        last_line: the line where it ends.
        digest: the digest of its content without layout.
        at: when the message was put.
        source: the queue or the topic that it was read from.
        qmgr: the queue manager that sent it; '' if it is not in the message.
        type: the number of its event type: 43 configuration, 44 queue manager, 45 performance, 46
            channel, 99 command, 164 to 166 statistics, 167 and 168 accounting.
        reason: its reason code.
        state: of a changed object, `BEFORE` or `AFTER`; else ''.
        correlation: what connects configuration and command events, in upper case hexadecimal.
        data: the values, by the names of `amqsevt -o json`; passwords are hidden.
    """

    line: int
    last_line: int
    digest: str
    at: Instant
    source: str
    qmgr: str
    type: int
    reason: int
    state: str
    correlation: str
    data: Mapping[str, Any]


def event_of(value: Mapping[str, Any], text: str, *, line: int, last_line: int) -> MqEvent | str:
    """Make an event of a decoded message; return why this is not possible.

    Args:
        value: the message, with the members of `amqsevt -o json`.
        text: what its digest is made of.
        line: where it starts.
        last_line: where it ends.
    """
    type_, reason = _number(value.get("eventType")), _number(value.get("eventReason"))
    if type_ is None or reason is None:
        return "has no eventType and eventReason with numbers"
    at = _instant(value.get("eventCreation"))
    if at is None:
        return "has no eventCreation with an instant"
    data = value.get("eventData", {})
    source = value.get("eventSource", {})
    if not isinstance(data, dict) or not isinstance(source, dict):
        return "has eventData or eventSource that is not an object"
    if text.count("{") > _BRACES or _is_spelled_otherwise(data):
        data = _plain(data)
    if _may_have_secret(text) or not _MASKED.isdisjoint(data):
        shown = _without_secrets(data)
        if shown != data:
            data = shown
            members = [type_, reason, at, value.get("objectState"), value.get("correlationID")]
            text = json.dumps([*members, data], sort_keys=True)
    state = _STATES.get(str(value.get("objectState", "")), "")
    correlation = str(value.get("correlationID", "")).upper()
    name, qmgr = str(source.get("objectName", "")), _sender(source, data)
    digest = digest_of(text)
    return MqEvent(line, last_line, digest, at, name, qmgr, type_, reason, state, correlation, data)


def _may_have_secret(text: str) -> bool:
    lower = text.lower()
    for trigger in _TRIGGERS:  # noqa: SIM110 - any() takes three times as long
        if trigger in lower:
            return True
    return False


def _number(pair: object) -> int | None:
    number = pair.get("value") if isinstance(pair, dict) else None
    return number if type(number) is int else None


def _instant(creation: object) -> Instant | None:
    """Return when a message was put; the text has hundredths of seconds in some forms."""
    if not isinstance(creation, dict):
        return None
    epoch, stamp = creation.get("epoch"), creation.get("timeStamp")
    at = epoch * SECOND if type(epoch) is int else None
    if isinstance(stamp, str) and (at is None or "." in stamp):
        with suppress(ValueError, OverflowError):
            at = instant_of(datetime.fromisoformat(stamp))
    return at if at is not None and is_instant(at) else None


def _sender(source: Mapping[str, Any], data: Mapping[str, Any]) -> str:
    """Return the queue manager: that of the data, else the one amqsevt was connected to.

    They differ where event messages of several queue managers are collected at one.
    """
    context = data.get("commandContext")
    inner = context.get("eventQueueMgr") if isinstance(context, dict) else None
    found = (
        data.get("eventQueueMgr")
        or inner
        or data.get("queueMgrName")
        or source.get("queueMgr")
        or source.get("queueManager")
        or ""
    )
    return str(found).strip()


def _is_spelled_otherwise(data: Mapping[str, Any]) -> bool:
    """Return whether a name may not be that of `amqsevt -o json`."""
    return not SPELLINGS.keys().isdisjoint(data) or next(iter(data), "")[:2] == "MQ"


def _plain(value: Any) -> Any:
    """Spell names as `amqsevt -o json` does; keep only the number of a code with its name."""
    if isinstance(value, dict):
        if value.keys() == {"name", "value"}:
            return value["value"]
        return {plain_name(name): _plain(each) for name, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list) else value


def _without_secrets(value: Any, name: str = "") -> Any:
    """Hide passwords at any depth."""
    if isinstance(value, dict):
        return {key: _without_secrets(each, key) for key, each in value.items()}
    if isinstance(value, list):
        return [_without_secrets(each, name) for each in value]
    if name in _SECRETS or "assword" in name:
        return HIDDEN if str(value).strip() else value
    if not isinstance(value, str):
        return value
    return masked_text(masked(value) if name == "commandMqsc" else value)
