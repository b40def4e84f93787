"""The event messages that the queue managers of a simulated estate would have put, as amqsevt does.

Configuration, command, channel and queue manager events. Their instants are whole seconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from tests.feeds.errorlog.error_logs import Said
from tests.round_trip.histories import Change, event_messages
from tests.sandbox import Sandbox
from twin import events
from twin.feeds.amqsevt.names import KEYWORDS
from twin.model.attributes import TYPES, Attribute, Choices, NameList, TextList, Value, full
from twin.model.instants import SECOND, Instant
from twin.model.system_objects import initial_values

LEVEL: Final = 940

_OTHER_NAMES: Final[Mapping[str, Mapping[str, str]]] = {
    "QUEUE": {
        "DESCR": "queueDesc",
        "CLWLPRTY": "clwlQueuePriority",
        "CLWLRANK": "clwlQueueRank",
        "TARGET": "baseObjectName",
        "DEFPSIST": "defPersistence",
    },
    "CHANNEL": {
        "DESCR": "desc",
        "CONNAME": "connectionName",
        "CLWLPRTY": "clwlChannelPriority",
        "CLWLRANK": "clwlChannelRank",
    },
    "TOPIC": {"DESCR": "topicDesc", "DEFPSIST": "topicDefPersistence"},
    "QMGR": {"DESCR": "queueMgrDesc"},
}
"""Kind -> keyword -> the name in event data, where several constants have the same keyword."""

_NAMES: Final = {keyword: name for name, keyword in KEYWORDS.items()}
_OF_KIND: Final = {
    "QUEUE": ("Queue", "queueName", "queueType"),
    "CHANNEL": ("Channel", "channelName", "channelType"),
    "TOPIC": ("Topic", "topicName", ""),
    "QMGR": ("Queue Mgr", "queueMgrName", ""),
}
_TYPES: Final = {"QLOCAL": "Local", "QALIAS": "Alias", "CLUSRCVR": "Clusrcvr", "CLUSSDR": "Clussdr"}
_PRINTED: Final = {
    ("GET", "ENABLED"): "Get Allowed",
    ("GET", "DISABLED"): "Get Inhibited",
    ("PUT", "ENABLED"): "Put Allowed",
    ("PUT", "DISABLED"): "Put Inhibited",
    ("DEFBIND", "OPEN"): "Bind On Open",
    ("DEFBIND", "NOTFIXED"): "Bind Not Fixed",
    ("DEFPSIST", "NO"): "Not Persistent",
    ("SHARE", "YES"): "Shareable",
    ("TRIGGER", "NO"): "Off",
    ("HARDENBO", "YES"): "Backout Hardened",
    ("CAPEXPRY", "NOLIMIT"): "-1",
    ("CAPEXPRY", "ASPARENT"): "-2",
    ("CONVERT", "NO"): "No Sender Conversion",
}


class Message(NamedTuple):
    """An event message: the instant at which it was put, and its text."""

    at: Instant
    text: str


def messages_of(box: Sandbox, qmgr: str, log: Sequence[Said]) -> list[Message]:
    """Return all event messages of a queue manager, in the order of time.

    Args:
        box: the estate.
        qmgr: the queue manager.
        log: its error log, which tells when channels ended because nothing was sent.
    """
    found = [*_of_objects(box, qmgr), *_of_commands(box, qmgr)]
    found += [Message(each.at, event_messages([each])) for each in channel_changes(box, qmgr, log)]
    return sorted(found, key=lambda each: each.at)


def channel_changes(box: Sandbox, qmgr: str, log: Sequence[Said]) -> list[Change]:
    """Return the changes of the statuses of a queue manager's channels that events tell."""
    changes = [
        Change(at, qmgr, event.channel, event.status)
        for at, event in box.draft.events
        if isinstance(event, events.ChannelStatusChanged)
        and event.qmgr == qmgr
        and event.status in {"RUNNING", "INACTIVE", "RETRYING", "STOPPED"}
    ]
    known = {(each.at, each.channel) for each in changes}
    changes += [
        Change(record.at, qmgr, record.comments[0], "INACTIVE")
        for record in log
        if record.id == "AMQ9001I" and (record.at, record.comments[0]) not in known
    ]
    return sorted(changes, key=lambda each: each.at)


def _of_commands(box: Sandbox, qmgr: str) -> Iterator[Message]:
    """Yield command events, and those of starts and ends."""
    for at, event in box.draft.events:
        if event.qmgr != qmgr:
            continue
        if isinstance(event, events.QueueManagerStarted | events.QueueManagerEnded):
            active = isinstance(event, events.QueueManagerStarted)
            name, number = ("Active", 2222) if active else ("Not Active", 2223)
            yield _message(at, qmgr, ("Queue Mgr Event", 44), (name, number), {})
        elif isinstance(event, events.CommandEntered):
            verb, _, rest = event.text.partition(" ")
            about = {"command": f"{verb.title()} {rest.partition('(')[0].title()}".strip()}
            context = {"eventUserId": "anna", "eventOrigin": "Console", "eventQueueMgr": qmgr}
            data = {
                "commandContext": {**context, **about},
                "commandData": {"commandMqsc": event.text},
            }
            yield _message(at, qmgr, ("Command Event", 99), ("Command MQSC", 2412), data)


def _of_objects(box: Sandbox, qmgr: str) -> Iterator[Message]:
    """Yield configuration events: each has the whole object; a change is a pair of them."""
    known: dict[tuple[str, str], tuple[str, Mapping[str, Value]]] = {
        ("QMGR", qmgr): ("QMGR", initial_values(qmgr, level=LEVEL))
    }
    for number, (at, event) in enumerate(box.draft.events):
        if event.qmgr != qmgr:
            continue
        if isinstance(event, events.ObjectDefined):
            key, now = (event.kind, event.name), (event.type, event.values)
        elif isinstance(event, events.ObjectAltered):
            key = (event.kind, event.name)
            now = (known[key][0], {**known[key][1], **event.values})
        elif isinstance(event, events.QueueManagerAltered):
            key = ("QMGR", qmgr)
            now = ("QMGR", {**known[key][1], **event.values})
        elif isinstance(event, events.ObjectDeleted):
            key = (event.kind, event.name)
            yield _configuration(at, qmgr, ("Delete Object", 2369), key, known.pop(key))
            continue
        else:
            continue
        before, known[key] = known.get(key), now
        if before is None:
            yield _configuration(at, qmgr, ("Create Object", 2367), key, now)
            continue
        for state, shown in (("Before Change", before), ("After Change", now)):
            pair = {"correlationID": f"{number:048x}", "objectState": state}
            yield _configuration(at, qmgr, ("Change Object", 2368), key, shown, **pair)


def _configuration(
    at: Instant,
    qmgr: str,
    reason: tuple[str, int],
    key: tuple[str, str],
    shown: tuple[str, Mapping[str, Value]],
    **envelope: str,
) -> Message:
    kind, name = key
    word, name_in, type_in = _OF_KIND[kind]
    type_name, values = shown
    data: dict[str, Any] = {
        "eventUserId": "anna",
        "eventOrigin": "Console",
        "eventQueueMgr": qmgr,
        "objectType": word,
        name_in: name,
        **({type_in: _TYPES[type_name]} if type_in else {}),
    }
    known = TYPES[type_name].by_keyword
    for keyword, value in full(type_name, values, level=LEVEL).items():
        member = _OTHER_NAMES[kind].get(keyword) or _NAMES.get(keyword)
        if member is not None and known[keyword].settable:
            data[member] = _printed(known[keyword], value)
    return _message(at, qmgr, ("Config Event", 43), reason, data, **envelope)


def _printed(attribute: Attribute, value: Value) -> Any:
    """Return a value as amqsevt prints it."""
    if isinstance(attribute.form, Choices | NameList | TextList):
        assert isinstance(value, tuple)
        return [_word(attribute, each) for each in value]
    if isinstance(value, int):
        return value if value >= 0 else str(value)
    return _word(attribute, str(value))


def _word(attribute: Attribute, word: str) -> str:
    words = getattr(attribute.form, "words", ("YES", "NO"))
    is_word = word in (words or ("YES", "NO")) and type(attribute.form).__name__ != "Text"
    return _PRINTED.get((attribute.keyword, word), word.title() if is_word else word)


def _message(
    at: Instant,
    qmgr: str,
    type_: tuple[str, int],
    reason: tuple[str, int],
    data: Mapping[str, Any],
    **envelope: str,
) -> Message:
    seconds = at // SECOND
    stamp = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    value = {
        "eventSource": {
            "objectName": "SYSTEM.ADMIN.SOME.EVENT",
            "objectType": "Queue",
            "queueMgr": qmgr,
        },
        "eventType": {"name": type_[0], "value": type_[1]},
        "eventReason": {"name": reason[0], "value": reason[1]},
        "eventCreation": {"timeStamp": stamp, "epoch": seconds},
        **envelope,
        "eventData": data or {"queueMgrName": qmgr},
    }
    return Message(at, json.dumps(value, indent=1) + "\n")
