"""Records that a shipper flattened to one line, with blanks for line ends.

A record of 9.1 or later with its attributes in the usual order is read with one search, any other
one attribute by attribute. A whole line of ASCII is read at once. All ways give equal records.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from twin.feeds.errorlog.attributes import leading_attributes, whole
from twin.feeds.errorlog.dates import MARK
from twin.feeds.errorlog.keeping import Kept
from twin.feeds.errorlog.parts import Inserts, LogWriter, Parts, inserts_of, place_of
from twin.feeds.errorlog.record import LogRecord, utc_instant
from twin.feeds.errorlog.sections import ASCII_HEADING, Sections, flat_sections
from twin.feeds.reading.local_time import LocalTime
from twin.model.instants import Instant
from twin.mqsc.masking import masked_text, may_have_password

_SIMPLE: Final = r"[^()\n]*+"
_NESTED: Final = rf"({_SIMPLE}(?>(?:\({_SIMPLE}\){_SIMPLE})*))"
_NO_NUMBERS: Final = ("", "")
_USUAL: Final = re.compile(
    rf"Process\((\d{{1,10}}\.\d{{1,10}})\)"
    rf"((?>(?: ++(?!Time\()[A-Z]\w{{2,15}}+\({_SIMPLE}\)){{0,8}}))"
    rf" ++Time\(({_SIMPLE})\)(?>(?: ++RemoteHost\(({_SIMPLE})\))?)"
    rf"(?>(?: ++ArithInsert1\(({_SIMPLE})\))?)(?>(?: ++ArithInsert2\(({_SIMPLE})\))?)"
    rf"((?>(?: ++CommentInsert1\({_NESTED}\))?)(?>(?: ++CommentInsert2\({_NESTED}\))?)"
    rf"(?>(?: ++CommentInsert3\({_NESTED}\))?)) ++(?=AMQ\d{{4}}[A-Z]?:)",
    re.ASCII,
)


class FlatHeader(NamedTuple):
    """The attributes of a flattened record.

    Attributes:
        process: the process and the thread.
        place: where and by whom it was written.
        at: its instant.
        inserts: its inserts.
        end: where they end; where the id is at the earliest.
    """

    process: str
    place: LogWriter
    at: Instant | None
    inserts: Inserts
    end: int


def flat_header(text: str, begin: int) -> FlatHeader:
    """Read the attributes of a flattened record that begin at a place."""
    found = _USUAL.match(text, begin)
    if found is None:
        return header_of(*leading_attributes(text, begin))
    return _header(found)


def _header(found: re.Match[str]) -> FlatHeader:
    process, place, instant, remote_host, first, second, inserts, one, two, three = found.groups("")
    comments = (one.strip(), two.strip(), three.strip())
    if may_have_password(inserts):
        one, two, three = comments
        comments = (masked_text(one), masked_text(two), masked_text(three))
    arith = (whole(first), whole(second)) if first or second else _NO_NUMBERS
    read = Inserts(arith, comments, remote_host.strip())
    return FlatHeader(process, _PLACE(place), utc_instant(instant.strip()), read, found.end())


class FlatLines:
    """Reads whole lines of ASCII, without escapes, that have an instant and the usual order."""

    def __init__(self, parts: Parts) -> None:
        """Take what reads the parts of records."""
        self._source = parts.source
        self._sections = Kept(_sections)

    def read(
        self, block: str, begin: int, limit: int, line: int, local: LocalTime
    ) -> tuple[LogRecord, int] | None:
        """Read the record of a line, and return where it ends; None if it is not such a line.

        Args:
            block: the text.
            begin: where the date of the record begins.
            limit: where the record must have ended.
            line: the number of the line.
            local: its date and time.
        """
        end = block.find("\n", begin, limit) + 1
        text = block[begin:end]
        if not text.isascii() or "\\" in text or "#012" in text:
            return None
        header = _USUAL.match(text, text.find(MARK) + 3)
        if header is None:
            return None
        _, _, at, inserts, id_at = read = _header(header)
        trailer = text.find(" -----", id_at)
        stop = len(text) if trailer < 0 else trailer
        heading = ASCII_HEADING.search(text, id_at, stop)
        sections = self._sections(text[id_at : heading.start() if heading else stop])
        if at is None or sections is None:
            return None
        qmgr, host, installation, version, program, user = read.place
        arith, comments, remote_host = inserts
        id_, letter, message, _ = sections
        source = "" if trailer < 0 else self._source(text[trailer + 1 :])
        return tuple.__new__(
            LogRecord,
            (
                *(line, line, id_, letter, at, local, qmgr, "", host, installation, version),
                *(program, read.process, user, remote_host, arith, comments, message),
                *("", source, "", True),
            ),
        ), end


def _sections(text: str) -> Sections | None:
    return flat_sections(text, explained=False)


def header_of(attributes: Mapping[str, str], end: int) -> FlatHeader:
    """Return the header with the given attributes, which end at a place."""
    at = utc_instant(attributes.get("Time", "").strip())
    process = attributes.get("Process", "")
    return FlatHeader(process, place_of(attributes), at, inserts_of(attributes), end)


def _place(text: str) -> LogWriter:
    return place_of(leading_attributes(text, 0)[0])


_PLACE: Final = Kept(_place)
