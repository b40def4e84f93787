"""AMQERR0n.json: one object on each line, also inside the objects of log shippers.

Numbers are strings in some versions and numbers in others. Shippers put a line, as text or as an
object, into an object of their own, or write a prefix before it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from twin.feeds.errorlog.attributes import whole
from twin.feeds.errorlog.console import console_line
from twin.feeds.errorlog.dates import MARK
from twin.feeds.errorlog.record import (
    CONTAINER,
    LIBERTY,
    LogRecord,
    Skipped,
    split_id,
    utc_instant,
)
from twin.feeds.errorlog.sections import one_line
from twin.feeds.errorlog.text import read_text
from twin.feeds.errorlog.usual_json import UsualLines
from twin.feeds.reading.not_understood import LONGEST, TOO_LONG, NotUnderstood, not_understood
from twin.mqsc.masking import masked_text

_DECODE: Final = json.JSONDecoder(
    parse_int=str, parse_float=str, parse_constant=str, strict=False
).raw_decode
_WRAPPERS: Final = ("message", "log", "MESSAGE", "_raw", "line", "msg", "json", "structured")
_DEEPEST: Final = 3
_COMMENTS: Final = ("ibm_commentInsert1", "ibm_commentInsert2", "ibm_commentInsert3")
_Read = LogRecord | Skipped | NotUnderstood


def read_json(lines: Iterable[str]) -> Iterator[_Read]:
    """Read the records of a JSON error log; never raises because of the text.

    Messages of the web server and of the container are skipped. A run of lines that are not
    understood gives one row.
    """
    understood = True
    usual = UsualLines().read
    for number, line in enumerate(lines, start=1):
        record = usual(number, line)
        if record is not None:
            understood = True
            yield record
            continue
        for each in _line(number, line, 0):
            understands = not isinstance(each, NotUnderstood)
            if understands or understood:
                yield each
            understood = understands


def _line(number: int, line: str, depth: int) -> Iterable[_Read]:
    start = line.find("{")
    if start < 0:
        if line and not line.isspace() and line.strip() not in {"[", "]", "\ufeff"}:
            return (not_understood(number, line, "is not JSON"),)
        return ()
    if len(line) > LONGEST:
        return (not_understood(number, line, TOO_LONG),)
    try:
        value, _ = _DECODE(line, start)
    except (ValueError, RecursionError):
        return (not_understood(number, line, "is not JSON, or is cut"),)
    return _object(number, line, value, depth)


def _object(number: int, line: str, value: Mapping[str, Any], depth: int) -> Iterable[_Read]:
    id_ = value.get("ibm_messageId") or value.get("ibm_messageID")
    ids = split_id(id_) if isinstance(id_, str) else None
    kind = value.get("type")
    if ids is not None:
        plain = line.isascii() and "\\u" not in line and "\0" not in line
        return (_record(number, ids, value, plain=plain),)
    if isinstance(kind, str) and kind.startswith("liberty"):
        return (Skipped(number, LIBERTY),)
    if kind == "mq_containerlog":
        return (Skipped(number, CONTAINER),)
    return _wrapped(number, line, value, depth)


def _wrapped(number: int, line: str, value: Mapping[str, Any], depth: int) -> Iterator[_Read]:
    """Read a line inside the object of a shipper."""
    for key in _WRAPPERS if depth < _DEEPEST else ():
        inner = value.get(key)
        if isinstance(inner, dict):
            yield from _object(number, line, inner, depth + 1)
            return
        if not isinstance(inner, str):
            continue
        if MARK in inner:
            for each in read_text(inner.split("\n")):
                if isinstance(each, LogRecord):
                    yield each._replace(line=number, last_line=number, complete=True)
                else:
                    yield each._replace(line=number)
            return
        if inner.lstrip()[:1] == "{":
            yield from _line(number, inner, depth + 1)
            return
        if (found := console_line(number, inner)) is not None:
            yield found
            return
    yield not_understood(number, line, "is not a message of a queue manager")


def _record(
    number: int, ids: tuple[str, str], value: Mapping[str, Any], *, plain: bool
) -> LogRecord:
    texts = {key: text for key, text in value.items() if isinstance(text, str)}
    if not plain:
        texts = {key: _storable(text) for key, text in texts.items()}
    get = texts.get
    id_, letter = ids
    comments = tuple([masked_text(get(key, "").strip()) for key in _COMMENTS])
    arith = (whole(get("ibm_arithInsert1", "")), whole(get("ibm_arithInsert2", "")))
    message = get("message", "").removeprefix(id_ + letter).removeprefix(":")
    message = masked_text(one_line(message))
    at = utc_instant(get("ibm_datetime", ""))
    process = get("ibm_processId") or get("ibm_processID", "")
    thread = get("ibm_threadId") or get("ibm_threadID", "")
    return LogRecord(
        number,
        number,
        id_,
        letter,
        at,
        None,
        get("ibm_serverName", "").strip(),
        get("ibm_qmgrId", "").strip(),
        get("host", ""),
        get("ibm_installationName", ""),
        get("ibm_version", ""),
        get("ibm_processName", ""),
        f"{process}.{thread}" if thread else process,
        get("ibm_userName", "").strip(),
        get("ibm_remoteHost", "").strip(),
        arith,
        comments,
        message,
        "",
        get("module", ""),
        get("ibm_sequence", ""),
    )


def _storable(text: str) -> str:
    """Return a text without what cannot be stored: NUL, and halves of a character."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
