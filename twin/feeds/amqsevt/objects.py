"""The objects in configuration events, with their attributes as MQSC writes them.

Sources: the sample amqsevta.c of IBM MQ 9.1 (which constants a value is looked up in); IBM MQ,
MQSC commands (the words of MQSC).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from twin.feeds.amqsevt.events import MqEvent
from twin.feeds.amqsevt.names import KEYWORDS, title_case
from twin.model.attributes import (
    HIDDEN,
    TYPES,
    Attribute,
    Choice,
    Choices,
    Flag,
    NameList,
    Number,
    TextList,
    Value,
)

_CHANNELS: Final = {
    "SENDER": "SDR",
    "SERVER": "SVR",
    "RECEIVER": "RCVR",
    "REQUESTER": "RQSTR",
}
_QUEUES: Final = {"LOCAL": "QLOCAL", "MODEL": "QMODEL", "ALIAS": "QALIAS", "REMOTE": "QREMOTE"}
_KINDS: Final = {
    "QUEUE": ("queueName", "queueType"),
    "CHANNEL": ("channelName", "channelType"),
    "CLNTCONN CHANNEL": ("channelName", "channelType"),
    "NAMELIST": ("namelistName", ""),
    "PROCESS": ("processName", ""),
    "TOPIC": ("topicName", ""),
    "COMM INFO": ("commInfoName", ""),
    "LISTENER": ("listenerName", ""),
    "SERVICE": ("serviceName", ""),
    "AUTH INFO": ("authInfoName", ""),
    "QUEUE MGR": ("queueMgrName", ""),
}
"""Object type -> the names of the members with its name and type."""

_TYPE_OF: Final = {"AUTH INFO": "AUTHINFO", "COMM INFO": "COMMINFO", "QUEUE MGR": "QMGR"}

_WORDS: Final = {
    "GET": {"get inhibited": "DISABLED", "get allowed": "ENABLED"},
    "PUT": {"put inhibited": "DISABLED", "put allowed": "ENABLED"},
    "PUB": {"pub inhibited": "DISABLED", "pub allowed": "ENABLED"},
    "SUB": {"sub inhibited": "DISABLED", "sub allowed": "ENABLED"},
    "DEFPSIST": {"persistent": "YES", "not persistent": "NO"},
    "USAGE": {"transmission": "XMITQ"},
    "DISTL": {"supported": "YES", "not supported": "NO"},
    "DEFSOPT": {"input exclusive": "EXCL"},
    "DEFTYPE": {
        "permanent dynamic": "PERMDYN",
        "temporary dynamic": "TEMPDYN",
        "shared dynamic": "SHAREDYN",
    },
    "PROPCTL": {"compatibility": "COMPAT", "force mqrfh2": "FORCE"},
    "QSVCIEV": {"disabled": "NONE", "enabled": "HIGH", "exception": "OK"},
    "CONVERT": {"sender conversion": "YES", "no sender conversion": "NO"},
    "PUTAUT": {"default": "DEF", "context": "CTX", "alternate or mca": "ALTMCA"},
    "DURSUB": {"durable allowed": "YES", "durable inhibited": "NO"},
    "SHARE": {"shareable": "YES", "not shareable": "NO"},
    "TRIGGER": {"on": "YES", "off": "NO"},
    "HARDENBO": {"backout hardened": "YES", "backout not hardened": "NO"},
    "SYNCPT": {"available": "YES", "not available": "NO"},
    "STRMQOS": {"best effort": "BESTEF", "must duplicate": "MUSTDUP"},
    "CHCKCLNT": {"required admin": "REQDADM"},
    "CHCKLOCL": {"required admin": "REQDADM"},
    "CONTROL": {"control queue mgr start": "STARTONLY"},
    "MAXPROPL": {"unrestricted length": "NOLIMIT"},
}
"""Values that do not end with their word in MQSC; the service interval is shown as an event."""

_ALIKE: Final = {
    "ENABLED": "ON",
    "DISABLED": "OFF",
    "ON": "ENABLED",
    "OFF": "DISABLED",
    "NOTAVAILABLE": "NONE",
}
"""Constants with the same number: amqsevt writes one, MQSC has the word of the other."""

_NUMBERS: Final = {
    "CAPEXPRY": {-1: "NOLIMIT", -2: "ASPARENT"},
    "MARKINT": {-1: "NOLIMIT"},
    "MAXPROPL": {-1: "NOLIMIT"},
    "KAINT": {-1: "AUTO"},
    "AMQPKA": {-1: "AUTO"},
}
"""Numbers that stand for words."""


class ObjectSaid(NamedTuple):
    """An object in a configuration event.

    Attributes:
        kind: its kind, such as QUEUE; '' if it is not known.
        type: its type, such as QLOCAL; '' if it is not known.
        name: its name.
        values: its attributes by MQSC keyword.
        unread: the members that are no attribute of this type, or whose value is not known.
    """

    kind: str
    type: str
    name: str
    values: Mapping[str, Value]
    unread: tuple[str, ...]


def object_in(event: MqEvent) -> ObjectSaid:
    """Return the object of a configuration event."""
    data = event.data
    said = _plain_word(data.get("objectType"))
    name_in, type_in = _KINDS.get(said, ("", ""))
    name = str(data.get(name_in, "")).strip()
    word = _plain_word(data.get(type_in))
    type_name = _QUEUES.get(word) or _CHANNELS.get(word) or _TYPE_OF.get(said) or word or said
    table = TYPES.get(type_name)
    if table is None or not name_in:
        return ObjectSaid("", "", name, {}, tuple(sorted(data)))
    values: dict[str, Value] = {}
    unread = []
    passed = {"objectType", "eventUserId", "eventOrigin", "eventQueueMgr", name_in, type_in}
    for member, printed in data.items():
        if member in passed:
            continue
        attribute = table.by_keyword.get(KEYWORDS.get(member, ""))
        value = None if attribute is None else mqsc_value(attribute, printed)
        if attribute is None or value is None:
            unread.append(member)
        else:
            values[attribute.keyword] = value
    return ObjectSaid(table.kind, type_name, name, values, tuple(unread))


def mqsc_value(attribute: Attribute, printed: Any) -> Value | None:
    """Return a printed value as MQSC has it; None if it is not known.

    Names of constants (`-d`) count as their printed forms; negative integers may be strings.
    """
    form, keyword = attribute.form, attribute.keyword
    if printed == HIDDEN:
        return HIDDEN
    if isinstance(form, Choices | NameList | TextList):
        return _list(form, keyword, printed)
    if isinstance(form, Number):
        return _number(form, keyword, printed)
    if isinstance(form, Choice | Flag):
        return _word(keyword, printed, ("YES", "NO") if isinstance(form, Flag) else form.words)
    return _text(keyword, printed)


def _text(keyword: str, printed: Any) -> Value | None:
    """Return a text; a list, such as that of connections, is joined with commas."""
    if isinstance(printed, dict):
        return None
    text = ",".join(map(str, printed)) if isinstance(printed, list) else str(printed).rstrip()
    if keyword in {"DEFTYPE", "PLATFORM"}:
        return _WORDS.get(keyword, {}).get(text.lower(), text.upper())
    return text


def _list(form: Choices | NameList | TextList, keyword: str, printed: Any) -> Value | None:
    words: list[str] = []
    for each in printed if isinstance(printed, list) else [printed]:
        word = _word(keyword, each, form.words) if isinstance(form, Choices) else str(each).rstrip()
        if word is None:
            return None
        words += [word] if word else []
    return tuple(words)


def _number(form: Number, keyword: str, printed: Any) -> Value | None:
    try:
        number = int(printed)
    except (TypeError, ValueError):
        return _word(keyword, printed, form.words)
    return _NUMBERS.get(keyword, {}).get(number, number)


def _word(keyword: str, printed: Any, words: tuple[str, ...]) -> str | None:
    """Return the word of MQSC that a printed value ends with, or that is listed for it."""
    text = _plain(printed)
    if known := _WORDS.get(keyword, {}).get(text.lower()):
        return known
    parts = text.upper().replace("QUEUE MGR", "QMGR").replace("Q MGR", "QMGR").split()
    for first in range(len(parts)):
        ending = "".join(parts[first:])
        for word in (ending, _ALIKE.get(ending, ""), "_".join(parts[first:])):
            if word in words:
                return word
    return None


def _plain(printed: Any) -> str:
    text = str(printed).strip()
    return title_case(text) if text.startswith("MQ") and "_" in text else text


def _plain_word(printed: Any) -> str:
    """Return a type in upper case, without differences between amqsevt and amqsevtg."""
    word = _plain("" if printed is None else printed).upper()
    return word.replace("Q MGR", "QUEUE MGR")
