"""Records that are found with one search: as queue managers write them, or flattened to one line.

One expression finds a whole record, from its date to the line end after its trailer. What it does
not match, and what it matches with a part that is not as it should be, is left to the reader of
all layouts. Of records that a shipper flattened, one of 9.1 or later with its attributes in the
usual order is read with one search, any other one attribute by attribute; a whole line of ASCII is
read at once. The parts are read by the same functions, so all ways give equal records.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeAlias

from twin.feeds.errorlog.headers import (
    MARK,
    NO_INSERTS,
    SHARED_LINE,
    Dates,
    Inserts,
    LogWriter,
    Parts,
    inserts_of,
    leading_attributes,
    place_of,
    whole,
)
from twin.feeds.errorlog.record import (
    ASCII_HEADING,
    Kept,
    LogRecord,
    Sections,
    flat_sections,
    is_heading,
    sections_of,
    utc_instant,
)
from twin.feeds.reading.local_time import LONGEST_DATE, LocalTime
from twin.feeds.reading.not_understood import LONGEST
from twin.model.instants import Instant
from twin.mqsc.masking import masked_text, may_have_password

_HEADER: Final = rf"[^\n]{{1,{LONGEST_DATE}}} - Process\((\d{{1,10}}\.\d{{1,10}})\)"
_END: Final = r"(?>(?:(?!-----)[^\n]*+\n)*)(-----[^\n]*+\n)"
_WITH_INSTANT: Final = re.compile(
    _HEADER + r"([^\n]*+\n(?>(?: (?! *+Time\()[^\n]*+\n){0,6}) *+)Time\(([^\n)]{24})\)"
    r"((?>(?:\n *+RemoteHost\(([^()\n]*+)\))?)"
    r"(?>(?:\n *+ArithInsert1\(([^()\n]*+)\))?)(?>(?:\s*+ArithInsert2\(([^()\n]*+)\))?)"
    r"(?>(?:\n *+CommentInsert1\(([^\n]*)\))?)"
    r"(?>(?:\n *+CommentInsert2\(([^\n]*)\))?)"
    r"(?>(?:\n *+CommentInsert3\(([^\n]*)\))?))\s*+(?<=\n)"
    r"(AMQ[^\n]*+\n(?>(?:(?!-----)(?:[^\n]*[^:\n])?\n)*)[^\n]{1,24}:\n)" + _END
)
"""A record of 9.1 and later with its inserts in the usual order.

The groups are: process, place, instant, all inserts, each of them, message with heading, trailer.
"""

_WITHOUT: Final = re.compile(
    _HEADER + r"([^\n]*+(?>(?:\n(?!AMQ)(?>(?: [^\n]*+)?))*))\n(AMQ[^\n]*+\n)" + _END
)
"""An older record: process, place, first line of the message, trailer."""


_Shape: TypeAlias = Callable[[str, int, int, int, LocalTime], tuple[LogRecord, int] | None]
"""Reads a record: block, begin, limit, line and local time -> the record, and where it ends."""


class Run(NamedTuple):
    """Consecutive records in a block.

    Attributes:
        records: the records.
        begin: where the header begins that follows them.
        mark: where the mark of this header stands.
        line: its line.
        local: its date and time.
    """

    records: list[LogRecord]
    begin: int
    mark: int
    line: int
    local: LocalTime


class UsualRecords:
    """Reads runs of records in the usual layout."""

    def __init__(self, parts: Parts, dates: Dates) -> None:
        """Take what reads the parts of records, and their dates."""
        flat = FlatLines(parts).read
        self._explained = parts.explained
        self._date = dates.at_start
        self._place, self._source, self._message = parts.place, parts.source, Kept(_message)
        self._shapes: tuple[_Shape, ...] = (self._with_instant, self._without, flat)

    def run(self, block: str, begin: int, mark: int, line: int, local: LocalTime) -> Run:
        """Read records from a header on, as long as they are usual.

        A record is taken only if the header of the next one follows it.

        Args:
            block: the text.
            begin: where the header begins.
            mark: where the mark of the header stands.
            line: its line.
            local: its date and time.
        """
        records: list[LogRecord] = []
        while (after := block.find(MARK, mark + 1)) >= 0:
            for read in self._shapes:
                found = read(block, begin, after, line, local)
                if found is not None:
                    break
            else:
                break
            record, end = found
            next_local = self._date(block[end:after])
            if next_local is None or end - begin > LONGEST:
                break
            records.append(record)
            begin, mark, line, local = end, after, record.last_line + 1, next_local
            if read is not self._shapes[0]:
                self._shapes = (read, *(each for each in self._shapes if each is not read))
        return Run(records, begin, mark, line, local)

    def _with_instant(
        self, block: str, begin: int, limit: int, line: int, local: LocalTime
    ) -> tuple[LogRecord, int] | None:
        found = _WITH_INSTANT.match(block, begin, limit)
        if found is None:
            return None
        process, where, instant, inserts, remote, first, second, one, two, three, text, trailer = (
            found.groups("")
        )
        place, alone = self._place(where)
        at = utc_instant(instant)
        sections = self._message(text)
        if not alone or at is None or sections is None or SHARED_LINE.search(inserts):
            return None
        comments = (one.strip(), two.strip(), three.strip())
        if may_have_password(inserts):
            comments = (
                masked_text(one.strip()),
                masked_text(two.strip()),
                masked_text(three.strip()),
            )
        arith = (whole(first), whole(second)) if first or second else _NO_NUMBERS
        end = found.end()
        qmgr, host, installation, version, program, user = place
        id_, letter, message, _ = sections
        return tuple.__new__(
            LogRecord,
            (
                *(line, line + block.count("\n", begin, end) - 1, id_, letter, at, local),
                *(qmgr, "", host, installation, version, program, process, user, remote.strip()),
                *(arith, comments, message, "", self._source(trailer), "", True),
            ),
        ), end

    def _without(
        self, block: str, begin: int, limit: int, line: int, local: LocalTime
    ) -> tuple[LogRecord, int] | None:
        found = _WITHOUT.match(block, begin, limit)
        if found is None:
            return None
        process, where, _, trailer = found.groups()
        place, alone = self._place(where)
        sections = self._explained(block[found.start(3) : found.start(4) - 1])
        if not alone or sections is None:
            return None
        end = found.end()
        qmgr, host, installation, version, program, user = place
        arith, comments, remote_host = NO_INSERTS
        id_, letter, message, explanation = sections
        return tuple.__new__(
            LogRecord,
            (
                *(line, line + block.count("\n", begin, end) - 1, id_, letter, None, local),
                *(qmgr, "", host, installation, version, program, process, user, remote_host),
                *(arith, comments, message, explanation, self._source(trailer), "", True),
            ),
        ), end


def _message(text: str) -> Sections | None:
    """Read the text from the id to the first heading; None if the last line is no heading."""
    last = text[text.rfind("\n", 0, -1) + 1 : -2]
    return sections_of(text, explained=False) if is_heading(last) else None


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
    return header_of(*leading_attributes(text, begin)) if found is None else _header(found)


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
