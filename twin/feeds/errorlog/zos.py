"""CSQ messages of z/OS: job logs, SYSLOG and consoles.

A message is ``[+]CSQX500I +MQ1A CSQXRCTL text``: an id, the command prefix of the queue manager and
the program. A long one goes on in lines with the same three digits as its first line ends with, or
in indented lines. The date stands in a line of its own (job log), as a day of the year (SYSLOG), or
nowhere. Forms from memory and from one public console log; facts come from the id and from words
that can only be names.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import lru_cache
from string import punctuation
from typing import Final

from twin.feeds.errorlog.record import (
    LogRecord,
    Skipped,
    one_line,
    split_id,
    utc_instant,
)
from twin.feeds.reading.local_time import DateOrder, LocalTime, read_local_time
from twin.feeds.reading.not_understood import LONGEST, TOO_LONG, NotUnderstood, not_understood
from twin.model.instants import Instant
from twin.mqsc.masking import masked_text

OTHER: Final = "line of another program"

_ID: Final = len("CSQX500I")
_OPEN: Final = 8
"""Messages that wait for further lines of theirs; more do not interleave."""

_MONTHS: Final = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split()
_DAY: Final = re.compile(r"---- {0,4}[A-Z]{3,9}, {1,6}(\d{1,2}) ([A-Z]{3}) (\d{4}) ----", re.ASCII)
_CLOCK: Final = re.compile(r"(?<![\d.:])(\d\d)[.:](\d\d)[.:](\d\d)(?![\d:])", re.ASCII)
_DAY_OF_YEAR: Final = re.compile(r"(?<!\S)(\d{2}|\d{4})(\d{3}) (?=\d\d:\d\d:\d\d)", re.ASCII)
_ISO: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z", re.ASCII)
_NUMBERED: Final = re.compile(
    r"(?: {0,4}|[LDE][A-Z ].{0,60}? )(\d{3}) +(?:\d{8} {1,60})?(\S.*)", re.DOTALL
)
_INDENTED: Final = re.compile(r"(?:S {6,}| {6,})(\S.*)", re.DOTALL)
_LAST: Final = re.compile(r"(?:^|\s)(\d{3})\s*\Z", re.ASCII)
_BEFORE: Final = 120
_LATEST_HOUR: Final = 23


@dataclass(slots=True)
class _Message:
    """A message whose lines are being read."""

    line: int
    last_line: int
    id: str
    letter: str
    qmgr: str
    program: str
    at: Instant | None
    local: LocalTime | None
    number: str
    parts: list[str]
    size: int
    joined: bool = False
    ended: bool = field(default=False)


def read_zos(lines: Iterable[str]) -> Iterator[LogRecord | Skipped | NotUnderstood]:
    """Read the CSQ messages of a log of z/OS, in their order; never raises because of the text."""
    waiting: deque[_Message] = deque()
    day: date | None = None
    for number, long_line in enumerate(lines, start=1):
        line = long_line[:LONGEST].rstrip().replace("\0", "\ufffd")
        if not line:
            continue
        started = _started(number, line, day)
        if started is not None:
            while waiting and (len(waiting) >= _OPEN or waiting[0].ended or not waiting[0].number):
                yield from _finished(waiting.popleft())
            waiting.append(started)
        elif not _continued(waiting, number, line):
            found = _DAY.search(line, 0, _BEFORE)
            day = _date(found[3], found[2], found[1]) if found else day
            yield Skipped(number, OTHER)
    for message in waiting:
        yield from _finished(message)


def _started(number: int, line: str, day: date | None) -> _Message | None:
    """Return the message that begins on a line; None if none does."""
    place = line.find("CSQ")
    while place >= 0:
        ids = split_id(line[place : place + _ID])
        follows = line[place + _ID : place + _ID + 1]
        if ids and ids[1] and follows in {"", " "} and not line[place - 1 : place].isalnum():
            break
        place = line.find("CSQ", place + 3)
    else:
        return None
    qmgr, program, text = _sender(line[place + _ID :].strip())
    at, local = _when(line[max(0, place - _BEFORE) : place].rstrip("+ "), day)
    last = _LAST.search(text[-8:])
    connect = last[1] if last else ""
    return _Message(
        number, number, ids[0], ids[1], qmgr, program, at, local, connect, [text], len(text)
    )


def _sender(text: str) -> tuple[str, str, str]:
    """Divide a message into queue manager, program and text; '' for what it does not have."""
    first, _, rest = text.partition(" ")
    qmgr = ""
    second = rest.lstrip().partition(" ")[0]
    if first and (not first[0].isalnum() or _is_program(second)):
        qmgr = first.lstrip(punctuation)
        text = rest.lstrip()
    program, _, rest = text.partition(" ")
    return (qmgr, program, rest.lstrip()) if _is_program(program) else (qmgr, "", text)


def _is_program(word: str) -> bool:
    return word.startswith("CSQ") and _ID - 1 <= len(word) <= _ID and word.isalnum()


def _continued(waiting: deque[_Message], number: int, line: str) -> bool:
    """Add a line to the message that it continues; tell whether there is one."""
    if not waiting:
        return False
    if found := _NUMBERED.match(line[: _BEFORE * 4]):
        message = next((each for each in reversed(waiting) if each.number == found[1]), None)
        if message is not None and not message.ended:
            if not message.joined:
                message.joined = True
                message.parts[0] = message.parts[0].rstrip().removesuffix(found[1])
            message.ended = line.startswith("E")
            return _add(message, number, line[found.start(2) :])
    if (found := _INDENTED.match(line[: _BEFORE * 4])) and not waiting[-1].ended:
        return _add(waiting[-1], number, line[found.start(1) :])
    return False


def _add(message: _Message, number: int, text: str) -> bool:
    message.last_line = number
    message.size += len(text)
    if message.size <= LONGEST:
        message.parts.append(text)
    return True


def _finished(message: _Message) -> Iterator[LogRecord | NotUnderstood]:
    if message.size > LONGEST:
        yield not_understood(message.line, message.parts[0], TOO_LONG)
    yield LogRecord(
        line=message.line,
        last_line=message.last_line,
        id=message.id,
        letter=message.letter,
        at=message.at,
        local=message.local,
        qmgr=message.qmgr,
        program=message.program,
        message=masked_text(one_line("\n".join(message.parts))),
    )


@lru_cache(maxsize=1024)
def _when(before: str, day: date | None) -> tuple[Instant | None, LocalTime | None]:
    """Return the instant, or the local time, that stands before a message."""
    if iso := _ISO.search(before):
        return utc_instant(iso[0]), None
    if found := read_local_time(before):
        return None, found[1]
    clock = _CLOCK.search(before)
    if clock is None or int(clock[1]) > _LATEST_HOUR:
        return None, None
    if numbered := _DAY_OF_YEAR.search(before):
        day = _day_of_year(numbered[1], numbered[2])
    time = ":".join(clock.groups())
    return None, LocalTime(
        written=f"{day.isoformat()} {time}" if day else time,
        year=day.year if day else 0,
        numbers=(day.month, day.day) if day else (0, 0),
        hour=int(clock[1]),
        minute=int(clock[2]),
        second=int(clock[3]),
        orders=(DateOrder.YMD,) if day else (),
    )


def _date(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), _MONTHS.index(month) + 1, int(day))
    except ValueError:
        return None


def _day_of_year(year: str, day: str) -> date | None:
    full = int(year) + (2000 if len(year) == 2 else 0)  # noqa: PLR2004
    try:
        return date(full, 1, 1) + timedelta(days=int(day) - 1)
    except (ValueError, OverflowError):
        return None
