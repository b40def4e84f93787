"""AMQERR0n.json: one object on each line, also inside the objects of log shippers.

Numbers are strings in some versions and numbers in others. Shippers put a line, as text or as an
object, into an object of their own, or write a prefix before it.

The console of a container in its basic form: instant, message, inserts in brackets.

It names neither the queue manager nor the process.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from twin.feeds.errorlog.headers import MARK, inserts, leading_attributes, whole
from twin.feeds.errorlog.record import (
    CONTAINER,
    LIBERTY,
    Kept,
    LogRecord,
    Skipped,
    one_line,
    split_id,
    utc_instant,
)
from twin.feeds.errorlog.text import read_text
from twin.feeds.reading.not_understood import LONGEST, TOO_LONG, NotUnderstood, not_understood
from twin.mqsc.masking import masked_text, may_have_password

_MARK: Final = "Z AMQ"
_INSTANT: Final = len("2026-01-01T00:00:00.000")
_OTHER: Final = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d) "
    r"(?:([A-Z]{4,5}\d{4}[A-Z]):)?",
    re.ASCII,
)
_BEFORE: Final = 120
"""The characters at the start of a line among which an instant is looked for."""

_BRACKET: Final = re.compile(r" \[(?=(?:Arith|Comment)Insert\d\()", re.ASCII)
_TRIES: Final = 8
_LONGEST_ID: Final = 16


class ConsoleText(NamedTuple):
    """The text after the instant."""

    ids: tuple[str, str] | None
    arith: tuple[str, ...]
    comments: tuple[str, ...]
    message: str


def read_console(lines: Iterable[str]) -> Iterator[LogRecord | Skipped | NotUnderstood]:
    """Read the console of a container; never raises because of the text.

    Messages of the container itself and of its web server are skipped. A run of lines that are not
    understood gives one row.
    """
    understood = True
    read = Kept(text_of)
    for number, line in enumerate(lines, start=1):
        found = console_line(number, line, read)
        if found is not None:
            understood = not isinstance(found, NotUnderstood)
            yield found
        elif understood and not line.isspace() and line:
            understood = False
            yield not_understood(number, line, "has no instant")


def console_line(
    number: int, line: str, read: Callable[[str], ConsoleText] | None = None
) -> LogRecord | Skipped | NotUnderstood | None:
    """Read one line; None if it has no instant.

    Args:
        number: its number.
        line: the line.
        read: reads the text after the instant, if not `text_of`.
    """
    mark = line.find(_MARK)
    at = utc_instant(line[mark - _INSTANT : mark + 1]) if mark >= _INSTANT else None
    if at is None:
        other = _OTHER.search(line, 0, _BEFORE)
        return Skipped(number, LIBERTY if other[1] else CONTAINER) if other else None
    if len(line) > LONGEST:
        return not_understood(number, line, TOO_LONG)
    ids, arith, comments, message = (read or text_of)(line[mark + 2 :])
    if ids is None:
        return not_understood(number, line, "has no message id")
    return tuple.__new__(
        LogRecord,
        (
            *(number, number, ids[0], ids[1], at, None, "", "", "", "", "", "", "", "", ""),
            *(arith, comments, message, "", "", "", True),
        ),
    )


def text_of(written: str) -> ConsoleText:
    """Read the text after the instant."""
    id_, _, rest = written[:_LONGEST_ID].partition(":")
    ids = split_id(id_)
    if ids is None:
        return ConsoleText(None, (), (), "")
    text, attributes = without_inserts(
        (rest + written[_LONGEST_ID:]).rstrip().replace("\0", "\ufffd")
    )
    arith, comments = inserts(attributes)
    comments = tuple(masked_text(each) for each in comments)
    message = masked_text(" ".join(text.replace("\\n", " ").split()))
    return ConsoleText(ids, arith, comments, message)


def without_inserts(text: str) -> tuple[str, dict[str, str]]:
    """Divide a message from its inserts; a message may itself contain what looks like them."""
    if text.endswith("]"):
        for tried, found in enumerate(_BRACKET.finditer(text)):
            if tried == _TRIES:
                break
            attributes, end = leading_attributes(text, found.end())
            if end == len(text) - 1:
                return text[: found.start()], attributes
    return text, {}


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
        texts = {
            key: text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
            for key, text in texts.items()
        }
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


_TEXT: Final = r'"([^"\\\0]*+)"'
_ANY: Final = r'"[^"\\\0]*+"'

_NUMBER: Final = r'("\d{1,18}+"|0|[1-9]\d{0,17}+)'
_LINE: Final = re.compile(
    rf'\{{"ibm_messageId":{_TEXT},'
    rf'(?>(?:"ibm_arithInsert1":{_NUMBER},)?)(?>(?:"ibm_arithInsert2":{_NUMBER},)?)'
    rf'((?>(?:"ibm_commentInsert1":{_TEXT},)?)(?>(?:"ibm_commentInsert2":{_TEXT},)?)'
    rf'(?>(?:"ibm_commentInsert3":{_TEXT},)?))"ibm_datetime":{_TEXT},'
    rf'("ibm_serverName":{_ANY},"type":"mq_log","host":{_ANY}),"loglevel":{_ANY},'
    rf'"module":{_TEXT},"ibm_sequence":{_TEXT},(?>(?:"ibm_remoteHost":{_TEXT},)?)'
    rf'("ibm_qmgrId":{_ANY}),"ibm_processId":{_NUMBER},"ibm_threadId":{_NUMBER},'
    rf'("ibm_version":{_ANY},"ibm_processName":{_ANY},"ibm_userName":{_ANY},'
    rf'"ibm_installationName":{_ANY}),"ibm_installationDir":{_ANY},"message":{_TEXT}\}}\s*+',
    re.ASCII,
)
_VALUES: Final = re.compile(rf":{_TEXT}")
_NO_NUMBERS: Final = ("", "")


class UsualLines:
    """Reads lines as queue managers write them, each with one search.

    The order of the members is fixed. What the expression does not match, such as a member that is
    not known or a text with an escape, is left to the reader of JSON. Both ways give equal records.
    """

    def __init__(self) -> None:
        """Begin with nothing read."""
        self._values = Kept(_values)
        self._message = Kept(_message)

    def read(self, number: int, line: str) -> LogRecord | None:
        """Read a line; None if it is not in the usual form.

        Args:
            number: its number.
            line: the line.
        """
        found = _LINE.fullmatch(line) if line.isascii() else None
        if found is None or len(line) > LONGEST:
            return None
        groups = found.groups("")
        id_, first, second, inserts, one, two, three, instant, where, module, *others = groups
        sequence, remote_host, qmid, process, thread, how, text = others
        ids, at = split_id(id_), utc_instant(instant)
        if ids is None or at is None:
            return None
        qmgr, _, host = self._values(where)
        version, program, user, installation = self._values(how)
        comments = (one.strip(), two.strip(), three.strip())
        if may_have_password(inserts):
            one, two, three = comments
            comments = (masked_text(one), masked_text(two), masked_text(three))
        message = text.removeprefix(id_).removeprefix(":")
        return tuple.__new__(
            LogRecord,
            (
                *(number, number, ids[0], ids[1], at, None, qmgr.strip()),
                *(self._values(qmid)[0].strip(), host, installation, version, program),
                *(f"{process}.{thread}".replace('"', ""), user.strip(), remote_host.strip()),
                (whole(first.strip('"')), whole(second.strip('"')))
                if first or second
                else _NO_NUMBERS,
                *(comments, self._message(message), "", module, sequence, True),
            ),
        )


def _values(members: str) -> tuple[str, ...]:
    return tuple(_VALUES.findall(members))


def _message(text: str) -> str:
    return masked_text(one_line(text))
