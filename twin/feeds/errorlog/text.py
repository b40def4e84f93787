r"""AMQERR0n.LOG as text, of all versions and languages, also flattened to one line by shippers.

Forms known from public logs: up to 8.0 a header has date, process, user and program; 9.1 and later
add the instant in UTC and the inserts. Headings are translated; ids and attributes are not. Blank
lines may be missing, and so may the trailer. Shippers write a record on one line, with blanks or
``\n`` for line ends, after a prefix of their own.

Records of one file differ in few places, so what was read once is looked up: the unchanging part of
the header, the inserts, the text of the message. Lines are joined to blocks, which are divided at
headers: searching in a block costs less than looking at each line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from twin.feeds.errorlog.flattened import UsualRecords, flat_header, header_of
from twin.feeds.errorlog.headers import (
    INSTANT,
    MARK,
    NO_INSERTS,
    Dates,
    Parts,
    header_attributes,
    inserts_in,
)
from twin.feeds.errorlog.record import LogRecord, flat_sections, heading_end, utc_instant
from twin.feeds.reading.blocks import blocks
from twin.feeds.reading.local_time import LocalTime
from twin.feeds.reading.not_understood import LONGEST, TOO_LONG, NotUnderstood, not_understood
from twin.model.instants import Instant


class LogPiece(NamedTuple):
    """The text from one header to the next, or the text before the first header.

    Attributes:
        line: its first line, from 1.
        text: its text, not longer than `LONGEST`.
        body: where the attributes begin in it; -1 if it has no header.
        local: the date and time of its header.
        cut: whether it was longer.
        ends: the number of its line ends; if it was cut, also of those that are lost.
    """

    line: int
    text: str
    body: int
    local: LocalTime | None
    cut: bool
    ends: int


def pieces(
    lines: Iterable[str], dates: Dates, usual: UsualRecords
) -> Iterator[LogPiece | list[LogRecord]]:
    """Divide lines at the headers in them; several headers may stand on one line.

    Args:
        lines: the lines, with or without their ends.
        dates: reads the dates.
        usual: reads the records in the usual layout that begin with a header.
    """
    line, local, body = 1, None, -1
    held = _Held()
    for block in map(_cleaned, blocks(lines)):
        begin = 0
        mark = block.find(MARK)
        while mark >= 0:
            found = dates.before(block, begin, mark)
            if found is not None:
                start, next_local = found
                text = block[begin:start]
                if held.parts:
                    text = held.released(text)
                if text:
                    piece = _piece(line, text, body, local, held.dropped)
                    yield piece
                    line += piece.ends
                    held.dropped = 0
                records, begin, mark, line, local = usual.run(block, start, mark, line, next_local)
                body = mark + 3 - begin
                if records:
                    yield records
            mark = block.find(MARK, mark + 1)
        held.add(block[begin:])
    if text := held.released(""):
        yield _piece(line, text, body, local, held.dropped)


def _piece(line: int, text: str, body: int, local: LocalTime | None, dropped: int) -> LogPiece:
    """Return a piece; a text that is too long is cut."""
    ends = text.count("\n") + dropped
    if len(text) > LONGEST:
        return LogPiece(line, text[:LONGEST], body, local, cut=True, ends=ends)
    return LogPiece(line, text, body, local, cut=False, ends=ends)


class _Held:
    """The beginning of a piece that goes on in the next block."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.size = 0
        self.dropped = 0

    def add(self, text: str) -> None:
        """Add a text; beyond the limit only its lines are counted."""
        if self.size > LONGEST:
            self.dropped += text.count("\n")
        elif text:
            self.parts.append(text)
            self.size += len(text)

    def released(self, text: str) -> str:
        """Return the whole text with its last part, and hold nothing any more."""
        self.add(text)
        whole = "".join(self.parts)
        self.parts = []
        self.size = 0
        return whole


def _cleaned(block: str) -> str:
    if "\r" in block:
        block = block.replace("\r\n", "\n")
    return block.replace("\0", "\ufffd") if "\0" in block else block


_PROCESS: Final = len("Process(")
_TRAILER: Final = "-----"
_ID: Final = re.compile(r"(?:^|(?<=[\s.]))AMQ[A-Z]{0,2}\d{4}[A-Z]?:", re.ASCII)
_ESCAPED_END: Final = re.compile(r"\\[rn](?:\\[rnt]| {4}|AMQ|-----)|#012")
_ESCAPES: Final = (("\\\\", "\0"), ("\\r", ""), ("\\n", "\n"), ("\\t", " "), ("#012", "\n"))
_NO_ID: Final = "has no message id"


def read_text(lines: Iterable[str]) -> Iterator[LogRecord | NotUnderstood]:
    """Read the records of an error log, in their order; never raises because of the text.

    Args:
        lines: the lines, with or without their ends; an open file is read fastest.
    """
    parts, dates = Parts(), Dates()
    for piece in pieces(lines, dates, UsualRecords(parts, dates)):
        if isinstance(piece, list):
            yield from piece
        else:
            yield from _of_piece(piece, parts)


def _of_piece(piece: LogPiece, parts: Parts) -> Iterator[LogRecord | NotUnderstood]:
    """Read what is not in the usual layout, and the last record of a block."""
    text = piece.text
    if piece.cut:
        yield not_understood(piece.line, text, TOO_LONG)
    if piece.body < 0:
        if _is_torn(text):
            yield not_understood(piece.line, text, "is the end of a record, or no record")
        return
    end = text.find("\n-----", piece.body)
    after = text.find("\n", end + 1) + 1 if end >= 0 else 0
    yield _record(piece, parts, end if after else len(text), after)
    if after and after < len(text) and not text[after:].isspace():
        line = piece.line + text.count("\n", 0, after)
        yield not_understood(line, text[after:], "stands after the end of a record")


def _is_torn(text: str) -> bool:
    """Tell whether the text before the first header is more than a trailer or a prefix."""
    first, _, rest = text.lstrip("\ufeff \t\n").partition("\n")
    return "\n" in text and bool(rest.strip() or (first and not first.startswith(_TRAILER)))


def _record(piece: LogPiece, parts: Parts, end: int, after: int) -> LogRecord | NotUnderstood:
    """Return the record of a piece that has a header.

    Args:
        piece: the text, from its header.
        parts: reads the parts of the record.
        end: where its trailer starts.
        after: where its trailer ends; 0 if it has none.
    """
    text, start = piece.text, piece.body
    id_at = text.find("\nAMQ", start, end)
    closed = text.find(")", start)
    if id_at < 0 or "AMQ" in text[start : text.find("\n", start)] or closed > id_at:
        return _loose(piece, end)
    instant_at = text.find(INSTANT, closed, id_at)
    at: Instant | None = None
    if instant_at < 0:
        place = parts.place(text[closed + 1 : id_at]).place
        has_inserts = text.find("Insert", closed, id_at) >= 0
        inserted = inserts_in(text[closed + 1 : id_at]) if has_inserts else NO_INSERTS
        sections = parts.explained(text[id_at + 1 : end])
    else:
        place = parts.place(text[closed + 1 : instant_at]).place
        instant_end = text.find(")", instant_at, id_at)
        at = utc_instant(text[instant_at + len(INSTANT) : instant_end])
        inserted = inserts_in(text[instant_end + 1 : id_at])
        sections = parts.sections(text[id_at + 1 : heading_end(text, id_at, end)])
    if sections is None:
        return not_understood(piece.line, text, _NO_ID)
    return LogRecord(
        line=piece.line,
        last_line=piece.line + text.count("\n", 0, after) - 1 if after else _last_line(piece),
        at=at,
        local=piece.local,
        process=text[start + _PROCESS : closed],
        source=parts.source(text[end:after]),
        complete=bool(after) and not piece.cut,
        **place._asdict(),
        **inserted._asdict(),
        **sections._asdict(),
    )


def _last_line(piece: LogPiece) -> int:
    """Return the last line of a piece without a trailer."""
    return piece.line + piece.text.rstrip().count("\n")


def _loose(piece: LogPiece, end: int) -> LogRecord | NotUnderstood:
    """Read a record that is flattened to one line or indented as a whole."""
    text = piece.text[:end]
    flat = "\n" not in text.strip()
    if flat and ("\\" in text or "#012" in text) and _ESCAPED_END.search(text):
        for written, meant in _ESCAPES:
            text = text.replace(written, meant)
        text = text.replace("\0", "\\").replace("\n" + _TRAILER, " " + _TRAILER)
    header = flat_header(text, piece.body)
    found = _ID.search(text, header.end)
    if found is None:
        return not_understood(piece.line, text, _NO_ID)
    if not flat:
        header = header_of(header_attributes(text[piece.body : found.start()]), found.start())
    trailer = text.find(" " + _TRAILER, found.end())
    source = text[trailer:] if trailer >= 0 else piece.text[end:].strip().partition("\n")[0]
    sections = flat_sections(
        text[found.start() : trailer if trailer >= 0 else len(text)], explained=header.at is None
    )
    if sections is None:
        return not_understood(piece.line, text, _NO_ID)
    return LogRecord(
        line=piece.line,
        last_line=_last_line(piece),
        at=header.at,
        local=piece.local,
        process=header.process,
        source=source.strip("- \n").replace(" ", ""),
        complete=(flat or bool(source)) and not piece.cut,
        **header.place._asdict(),
        **header.inserts._asdict(),
        **sections._asdict(),
    )
