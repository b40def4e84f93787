"""One message of an error log, whatever its form, and the sections after its header.

The sections are id, message and explanation. Headings are translated: they are known by their form,
one word in capitals with a colon.

What was read once: the records of one log differ in few places.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b
from itertools import islice, pairwise
from typing import Final, Generic, NamedTuple, TypeVar

from twin.feeds.reading.local_time import LocalTime
from twin.feeds.reading.not_understood import DIGEST_SIZE
from twin.model.instants import SECOND, Instant, instant_of, is_instant
from twin.mqsc.masking import masked_text

_MOST: Final = 4096
_LONGEST: Final = 2048

_Read = TypeVar("_Read")


class Kept(Generic[_Read]):
    """A reader of texts that reads a short text only once, as long as it comes again.

    Two generations are kept. What was not asked for while a generation filled up is forgotten, so
    texts that never come again do not displace those that do.
    """

    def __init__(self, read: Callable[[str], _Read]) -> None:
        """Take the function that reads a text."""
        self._read = read
        self._young: dict[str, _Read] = {}
        self._old: dict[str, _Read] = {}

    def __call__(self, text: str) -> _Read:
        """Return what a text says."""
        found = self._young.get(text)
        if found is not None:
            return found
        found = self._old.get(text)
        if found is None:
            found = self._read(text)
        if len(text) <= _LONGEST:
            if len(self._young) >= _MOST:
                self._old, self._young = self._young, {}
            self._young[text] = found
        return found


class LogRecord(NamedTuple):
    """One message of an error log; '' for what its form does not have.

    Attributes:
        line: the line where it starts, from 1.
        last_line: the line where it ends.
        id: without severity letter, such as ``AMQ9999`` or ``CSQX599``.
        letter: the severity letter.
        at: the instant, if the form contains it.
        local: the local date and time, if the form contains it.
        qmgr: the queue manager.
        qmid: its QMID.
        host: its host.
        installation: the name of the installation.
        version: such as ``9.3.0.21``.
        program: such as ``amqrmppa``.
        process: the process and the thread, such as ``16296.7``.
        user: the user of the process.
        remote_host: the address of the partner.
        arith: the numeric inserts, from 1; '' for 0.
        comments: the text inserts, from 1.
        message: the text after the id, on one line, without passwords.
        explanation: the text after the first heading, where the form has no inserts.
        source: the place in the program, such as ``amqrmrsa.c:930``.
        sequence: orders the records of one instant in JSON.
        complete: whether its end was seen: the last record of a file that grows may be cut.
    """

    line: int
    last_line: int
    id: str
    letter: str
    at: Instant | None
    local: LocalTime | None
    qmgr: str = ""
    qmid: str = ""
    host: str = ""
    installation: str = ""
    version: str = ""
    program: str = ""
    process: str = ""
    user: str = ""
    remote_host: str = ""
    arith: tuple[str, ...] = ("", "")
    comments: tuple[str, ...] = ("", "", "")
    message: str = ""
    explanation: str = ""
    source: str = ""
    sequence: str = ""
    complete: bool = True

    @property
    def content(self) -> str:
        """What it says, without layout, computed each time."""
        explained = (self.explanation,) if self.explanation else ()
        return squeezed(*self.arith, *self.comments, self.id, self.message, *explained)

    @property
    def digest(self) -> str:
        """The digest of its content without layout, computed each time."""
        return self.digest_with(self.content)

    def digest_with(self, content: str) -> str:
        """Return the digest of a record with this content.

        The three forms that contain the instant (text of 9.1 and later, JSON, console of a
        container) give the same digest. Without an instant, the date as written counts, the queue
        manager and the process.
        """
        if self.at is not None:
            return digest_at(self.at, content)
        written = self.local.written if self.local else ""
        return digest_at(written, f"{self.qmgr}\0{self.process}\0{content}")


class Skipped(NamedTuple):
    """A line that is recognised and says nothing about a queue manager.

    Attributes:
        line: the line, from 1.
        what: such as ``Liberty message``.
    """

    line: int
    what: str


LIBERTY: Final = "Liberty message"
CONTAINER: Final = "container message"

_ID: Final = re.compile(r"((?:AMQ[A-Z]{0,2}\d|CSQ[A-Z0-9])\d{3})([A-Z]?)", re.ASCII)


@lru_cache(maxsize=1024)
def split_id(text: str) -> tuple[str, str] | None:
    """Split an id such as AMQ9999E into id and severity letter; None if it is no message id."""
    found = _ID.fullmatch(text)
    return (found[1], found[2]) if found else None


def squeezed(*texts: str) -> str:
    """Return texts for a digest: without white space, which depends on the form and the width."""
    return "".join("\0".join(texts).split())


def digest_at(when: Instant | str, content: str) -> str:
    """Return the digest of a record: its date as it is known, and its squeezed content."""
    text = f"{when}\0{content}".encode("utf-8", "replace")
    return blake2b(text, digest_size=DIGEST_SIZE).hexdigest()


def utc_instant(text: str) -> Instant | None:
    """Read an instant such as 2019-03-22T08:17:30.123Z; None if it is no instant in UTC."""
    if len(text) == 24 and text[19] == "." and text[23] == "Z":  # noqa: PLR2004
        second, millisecond = _SECONDS.get(text[17:19]), _MILLISECONDS.get(text[20:23])
        if second is not None and millisecond is not None:
            minute = _instant(text[:16] + "Z")
            return None if minute is None else minute + second + millisecond
    return _instant(text) if text.endswith(("Z", "+0000", "+00:00")) else None


_SECONDS: Final = {f"{number:02}": number * SECOND for number in range(60)}
_MILLISECONDS: Final = {f"{number:03}": number * SECOND // 1000 for number in range(1000)}


@lru_cache(maxsize=1024)
def _instant(text: str) -> Instant | None:
    try:
        moment = datetime.fromisoformat(text[:40])
    except ValueError:
        return None
    if moment.tzinfo is None or moment.year < 1901 or moment.year > 9998:  # noqa: PLR2004
        return None
    at = instant_of(moment.astimezone(UTC))
    return at if is_instant(at) else None


_HEADING_IN_LINE: Final = re.compile(r"(?<=\s)([^\s:\uff1a]{2,20})\s?[:\uff1a](?=\s)")
ASCII_HEADING: Final = re.compile(r"\s[A-Z]{4,20}\s?:(?=\s)")
"""A heading in a flattened text of ASCII, and the blank before it."""

_LOOSE_HEADING: Final = re.compile(r"\n[ \t]*\n([^\s:\uff1a]{2,20} ?[:\uff1a])[ \t]*\n")
"""A heading that is not recognised by its letters: a word with a colon after a blank line."""

_LONGEST_HEADING: Final = 24
_SHORTEST_HEADING: Final = 4
_LONGEST_ID: Final = 16
_WIDE: Final = "\u2e80"


class Sections(NamedTuple):
    """The sections of a record, each on one line and without passwords.

    Attributes:
        id: without severity letter.
        letter: the severity letter.
        message: the text after the id.
        explanation: the text after the first heading; '' if it was not asked for.
    """

    id: str
    letter: str
    message: str
    explanation: str


def sections_of(text: str, *, explained: bool) -> Sections | None:
    """Divide the text from the id on, in lines of its own; None if there is no id.

    Args:
        text: the text up to the trailer.
        explained: whether the explanation is wanted.
    """
    colon = text.find(":", 0, _LONGEST_ID)
    ids = split_id(text[:colon]) if colon > 0 else None
    if ids is None:
        return None
    end, after = _next_heading(text, colon + 1)
    explanation = text[after : _next_heading(text, after)[0]] if explained else ""
    return _made(ids, text[colon + 1 : end], explanation)


def flat_sections(text: str, *, explained: bool) -> Sections | None:
    """Divide the text from the id on where it is flattened; None if there is no id.

    Args:
        text: the text up to the trailer.
        explained: whether the explanation is wanted.
    """
    colon = text.find(":", 0, _LONGEST_ID)
    ids = split_id(text[:colon]) if colon > 0 else None
    if ids is None:
        return None
    found = (each for each in _HEADING_IN_LINE.finditer(text) if is_heading(each[1]))
    headings = list(islice(found, 1 + explained))
    if not headings:
        return _made(ids, text[colon + 1 :], "")
    if not explained:
        return _made(ids, text[colon + 1 : headings[0].start()], "")
    end = headings[1].start() if len(headings) > 1 else len(text)
    return _made(ids, text[colon + 1 : headings[0].start()], text[headings[0].end() : end])


def _made(ids: tuple[str, str], message: str, explanation: str) -> Sections:
    return Sections(*ids, masked_text(one_line(message)), masked_text(one_line(explanation)))


def heading_end(text: str, begin: int, end: int) -> int:
    """Return where the first heading in a part of a text ends; the end if there is none."""
    mark = text.find(":\n", begin, end)
    while mark >= 0:
        line = text.rfind("\n", begin, mark) + 1
        if line and mark - line <= _LONGEST_HEADING and is_heading(text[line:mark]):
            return mark + 2
        mark = text.find(":\n", mark + 2, end)
    return end


def _next_heading(text: str, position: int) -> tuple[int, int]:
    """Return where the next heading starts and ends; the end of the text if there is none."""
    begin = position
    while True:
        mark = text.find(":\n", begin)
        if mark < 0:
            break
        line = text.rfind("\n", position, mark) + 1
        if line and mark - line <= _LONGEST_HEADING and is_heading(text[line:mark]):
            return line, mark + 2
        begin = mark + 2
    found = _LOOSE_HEADING.search(text, position)
    return (found.start(1), found.end()) if found else (len(text), len(text))


@lru_cache(maxsize=1024)
def is_heading(text: str) -> bool:
    """Tell whether a text is a heading: capitals, or letters of a script that has none."""
    word = text.strip()
    if word.isascii() and len(word) < _SHORTEST_HEADING:
        return False
    letters = word.replace("\ufffd", "").replace(" ", "")
    return letters.isalpha() and letters == letters.upper()


def one_line(text: str) -> str:
    """Return a wrapped text on one line; between wide characters the wrapping left no blank."""
    if text.isascii():
        return " ".join(text.split())
    lines = [line.strip() for line in text.split("\n")]
    parts = lines[:1]
    for before, line in pairwise(lines):
        wide = before[-1:] >= _WIDE and line[:1] >= _WIDE
        parts.append(line if wide else f" {line}")
    return " ".join("".join(parts).split())
