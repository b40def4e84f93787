"""Read what amqsevt writes: text without `-o`, and JSON with it or from amqsevtg.

In text, a message starts with a line of asterisks. Each line has a name and, after ` : `, a value;
a line without a name continues a list, and a line without a value starts a group. Instants are in
GMT.
Source: the sample amqsevta.c of IBM MQ 9.1.

In JSON (`-o json`, `json_compact`, `json_array`), objects follow each other without commas, over
several lines or one a line; an array works too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

from twin.feeds.amqsevt.events import MqEvent, event_of
from twin.feeds.amqsevt.names import plain_name
from twin.feeds.reading.json_objects import json_objects
from twin.feeds.reading.not_understood import LONGEST, TOO_LONG, NotUnderstood, not_understood

START: Final = re.compile(r"\*{4} Message #\d+ \(-?\d+ Bytes\) on (?:Queue|Topic) (.*)")
"""The first line of a message."""

_BEGINS: Final = "**** Message #"
_BETWEEN: Final = ("**** ", "Sample AMQSEVT", "Press ENTER", "Ending consumer")
_MARKS: Final = frozenset("*SPE")
"""The first characters of lines between messages."""

_PROSE: Final = ("Using default", "MQOPEN of", "\ufeff")
_REASON_OF_CALL: Final = re.compile(r"(?: Reason = \d+)? \*{4}")
_CODE: Final = re.compile(r"(.*) \[(\d{1,9})\]")
_CREATED: Final = re.compile(r"(\d{4})/(\d\d)/(\d\d) (\d\d:\d\d:\d\d)(\.\d\d)? GMT")
_ENVELOPE: Final = {
    "Event Type": "eventType",
    "Reason": "eventReason",
    "Event created": "eventCreation",
    "Object state": "objectState",
    "Correlation ID": "correlationID",
}
_GROUP: Final = re.compile(r" {2}[A-Z][A-Z0-9_ ]*")
_ENVELOPES: Final = frozenset(_ENVELOPE.values())
_LONG: Final = 128
_DIGITS: Final = 19
_INNER: Final = 4
"""The indent of the names in a group."""


def read_event_text(lines: Iterable[str]) -> Iterator[MqEvent | NotUnderstood]:
    """Yield the messages in order, and what is not understood; never raises."""
    message: list[str] = []
    began = size = 0
    strange = False
    for number, raw in enumerate(lines, start=1):
        if raw[:1] in _MARKS and raw.startswith(_BETWEEN):
            if message:
                yield _event(message, began, size)
            message, strange = [], False
            if raw.startswith(_BEGINS):
                message, began, size = [raw[: LONGEST + 1]], number, len(raw)
        elif message:
            size += len(raw)
            if size <= LONGEST:
                message.append(raw)
        elif not strange and raw.strip() and not raw.startswith(_PROSE):
            strange = True
            yield not_understood(number, raw, "is not part of a record")
    if message:
        yield _event(message, began, size)


def _event(raw: Sequence[str], began: int, size: int) -> MqEvent | NotUnderstood:
    """Make an event of the lines of a message, which have this size."""
    lines = "".join(raw).split("\n") if raw[0].endswith("\n") else raw
    if size > LONGEST:
        return not_understood(began, lines[0], TOO_LONG)
    first = START.match(lines[0])
    if first is None:
        return not_understood(began, lines[0], "is not the first line of a message")
    last = len(lines)
    while not lines[last - 1].strip():
        last -= 1
    value = _members(lines[1:last])
    value["eventSource"] = {"objectName": _REASON_OF_CALL.sub("", first[1]).strip()}
    content = "\n".join([first[1], *lines[1:last]])
    event = event_of(value, content, line=began, last_line=began + last - 1)
    return not_understood(began, lines[0], event) if isinstance(event, str) else event


@lru_cache(maxsize=4096)
def _label(left: str) -> tuple[str, bool, str]:
    """Return the label before a colon, whether it is in a group, and its name in JSON."""
    label = left.strip()
    inner = left.startswith(" " * _INNER)
    envelope = "" if left.startswith(" ") else _ENVELOPE.get(label, "")
    return label, inner, envelope or (plain_name(label) if label else "")


def _members(lines: Iterable[str]) -> dict[str, Any]:
    """Read the lines after the first one into the members that the JSON form has."""
    value: dict[str, Any] = {}
    data: dict[str, Any] = {}
    group, name = data, ""
    for line in lines:
        left, colon, right = line.partition(" : ")
        if not colon:
            bare = line.rstrip()
            if not bare.endswith(" :"):
                if _GROUP.fullmatch(bare):
                    title = bare.strip()
                    group = _group(data, plain_name(title if "_" in title else title.title()))
                elif bare:
                    _continue(group, name, line.rstrip("\r"))
                continue
            left = bare[:-2]
        label, inner, plain = _label(left) if len(left) < _LONG else (left, False, "")
        if not label:
            _add(group, name, _typed(right))
        elif plain in _ENVELOPES:
            value[plain] = _envelope(label, right.strip())
        else:
            group = group if inner else data
            name = plain
            group[name] = _code(right) if name in {"reasonCode", "compCode"} else _typed(right)
    value["eventData"] = data
    return value


def _group(data: dict[str, Any], name: str) -> dict[str, Any]:
    """Start a group; those of statistics and accounting are elements of a list."""
    group: dict[str, Any] = {}
    if name in {"queueStatisticsData", "queueAccountingData", "chlStatisticsData"}:
        elements = data.setdefault(name, [])
        if isinstance(elements, list):
            elements.append(group)
    else:
        data[name] = group
    return group


def _add(group: dict[str, Any], name: str, value: Any) -> None:
    known = group.get(name)
    if isinstance(known, list):
        known.append(value)
    elif name:
        group[name] = [known, value]


def _continue(group: dict[str, Any], name: str, line: str) -> None:
    """Add a line to a value that contains a line end."""
    known = group.get(name)
    if isinstance(known, list):
        known[-1] = f"{known[-1]}\n{line}"
    elif name:
        group[name] = f"{known}\n{line}"


def _typed(text: str) -> Any:
    bare = text.strip()
    return int(bare) if bare.isascii() and bare.isdigit() and len(bare) <= _DIGITS else bare


def _code(text: str) -> Any:
    found = _CODE.fullmatch(text.strip())
    return int(found[2]) if found else text.strip()


def _envelope(label: str, text: str) -> Any:
    if label == "Event created":
        created = _CREATED.fullmatch(text)
        if created is None:
            return None
        return {"timeStamp": "{}-{}-{}T{}{}Z".format(*created.groups(""))}
    if label in {"Event Type", "Reason"}:
        code = _CODE.fullmatch(text)
        return {"name": code[1], "value": int(code[2])} if code else None
    return text


START_OF_JSON: Final = re.compile(
    r'\{\s*+"(?:event(?:Source|Type|Reason|Creation|Data)|msgType|callbackReason|correlationID)"'
)
"""The beginning of a message; the members may have any order."""

_BETWEEN_JSON: Final = re.compile(
    r"[][,]|\*{4} .*|Sample AMQSEVT .*|Press ENTER .*|Ending.*|Using default .*|Enter password.*"
)


def read_event_json(lines: Iterable[str]) -> Iterator[MqEvent | NotUnderstood]:
    """Yield the messages in order, and what is not understood; never raises."""
    for found in json_objects(lines, start=START_OF_JSON, between=_BETWEEN_JSON):
        if isinstance(found, NotUnderstood):
            yield found
            continue
        event = event_of(found.value, found.text, line=found.line, last_line=found.last_line)
        if isinstance(event, str):
            yield not_understood(found.line, found.text, event)
        else:
            yield event
