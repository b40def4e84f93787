"""Records in the layout that queue managers write, each found with one search.

One expression finds a whole record, from its date to the line end after its trailer. What it does
not match, and what it matches with a part that is not as it should be, is left to the reader of
all layouts. The parts are read by the same functions, so both ways give equal records.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from twin.feeds.errorlog.attributes import SHARED_LINE, whole
from twin.feeds.errorlog.dates import MARK, Dates
from twin.feeds.errorlog.flattened import FlatLines
from twin.feeds.errorlog.keeping import Kept
from twin.feeds.errorlog.parts import NO_INSERTS, Parts
from twin.feeds.errorlog.record import LogRecord, utc_instant
from twin.feeds.errorlog.sections import Sections, is_heading, sections_of
from twin.feeds.reading.local_time import LONGEST_DATE, LocalTime
from twin.feeds.reading.not_understood import LONGEST
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

_NO_NUMBERS: Final = ("", "")

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
