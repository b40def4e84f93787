"""One message of an error log, whatever the form in which it was written."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b
from typing import Final, NamedTuple

from twin.feeds.reading.local_time import LocalTime
from twin.feeds.reading.not_understood import DIGEST_SIZE
from twin.model.instants import SECOND, Instant, instant_of, is_instant


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
