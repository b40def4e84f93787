"""One message of amqsevt, in any of its forms."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, Final, NamedTuple

from twin.feeds.amqsevt.names import SPELLINGS, plain_name
from twin.feeds.reading.not_understood import digest_of
from twin.model.attributes import HIDDEN
from twin.model.instants import SECOND, Instant, instant_of, is_instant
from twin.mqsc.masking import SECRETS, TRIGGERS, masked, masked_text

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
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value


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
