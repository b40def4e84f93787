r"""AMQERR0n.LOG as text, of all versions and languages, also flattened to one line by shippers.

Forms known from public logs: up to 8.0 a header has date, process, user and program; 9.1 and later
add the instant in UTC and the inserts. Headings are translated; ids and attributes are not. Blank
lines may be missing, and so may the trailer. Shippers write a record on one line, with blanks or
``\n`` for line ends, after a prefix of their own.

Records of one file differ in few places, so what was read once is looked up: the unchanging part of
the header, the inserts, the text of the message.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from twin.feeds.errorlog.attributes import header_attributes, inserts, leading_attributes
from twin.feeds.errorlog.blocks import LogPiece, pieces
from twin.feeds.errorlog.keeping import kept
from twin.feeds.errorlog.record import (
    LogRecord,
    digest_at,
    squeezed,
    utc_instant,
)
from twin.feeds.errorlog.sections import Sections, flat_sections, heading_end, sections_of
from twin.feeds.reading.masking import masked_text
from twin.feeds.reading.not_understood import NotUnderstood, not_understood
from twin.feeds.reading.records import TOO_LONG
from twin.model.instants import Instant

_PROCESS: Final = len("Process(")
_TRAILER: Final = "-----"
_INSTANT: Final = "Time("
_ID: Final = re.compile(r"(?:^|(?<=[\s.]))AMQ[A-Z]{0,2}\d{4}[A-Z]?:", re.ASCII)
_ESCAPED_END: Final = re.compile(r"\\[rn](?:\\[rnt]| {4}|AMQ|-----)|#012")
_ESCAPES: Final = (("\\\\", "\0"), ("\\r", ""), ("\\n", "\n"), ("\\t", " "), ("#012", "\n"))
_NO_ID: Final = "has no message id"


class _Place(NamedTuple):
    """Where and by whom a record was written."""

    qmgr: str
    host: str
    installation: str
    version: str
    program: str
    user: str


class _Inserts(NamedTuple):
    """The inserts of a record, and their part of the digest."""

    arith: tuple[str, ...]
    comments: tuple[str, ...]
    remote_host: str
    content: str


class _Body(NamedTuple):
    """The text of a record, and its part of the digest."""

    sections: Sections | None
    content: str


class _Common(NamedTuple):
    """The parts that a record may have in common with others."""

    place: _Place
    inserts: _Inserts
    body: _Body
    sections: Sections

    def record(
        self,
        piece: LogPiece,
        *,
        process: str,
        at: Instant | None,
        last_line: int,
        source: str,
        complete: bool,
    ) -> LogRecord:
        """Return the record, with the parts that are its own."""
        qmgr, host, installation, version, program, user = self.place
        arith, comments, remote_host, content = self.inserts
        id_, letter, message, explanation = self.sections
        content = f"{content}\0{self.body.content}"
        if at is not None:
            digest = digest_at(at, content)
        else:
            written = piece.local.written if piece.local else ""
            digest = digest_at(written, f"{process}\0{content}")
        return LogRecord(
            piece.line,
            last_line,
            digest,
            id_,
            letter,
            at,
            piece.local,
            qmgr,
            "",
            host,
            installation,
            version,
            program,
            process,
            user,
            remote_host,
            arith,
            comments,
            message,
            explanation,
            source.replace(" ", ""),
            "",
            complete,
        )


def read_text(lines: Iterable[str]) -> Iterator[LogRecord | NotUnderstood]:
    """Read the records of an error log, in their order; never raises because of the text.

    Args:
        lines: the lines, with or without their ends.
    """
    read = _Reader().record
    for piece in pieces(lines):
        if piece.cut:
            yield not_understood(piece.line, piece.text, TOO_LONG)
        if piece.body < 0:
            if _is_torn(piece.text):
                yield not_understood(piece.line, piece.text, "is the end of a record, or no record")
            continue
        text = piece.text
        end = text.find("\n-----", piece.body)
        after = text.find("\n", end + 1) + 1 if end >= 0 else 0
        yield read(piece, end if after else len(text), after)
        if after and after < len(text) and not text[after:].isspace():
            line = piece.line + text.count("\n", 0, after)
            yield not_understood(line, text[after:], "stands after the end of a record")


def _is_torn(text: str) -> bool:
    """Tell whether the text before the first header is more than a trailer or a prefix."""
    first, _, rest = text.lstrip("\ufeff \t\n").partition("\n")
    return "\n" in text and bool(rest.strip() or (first and not first.startswith(_TRAILER)))


class _Reader:
    """Reads pieces to records, and keeps what many records have in common."""

    def __init__(self) -> None:
        self._places: dict[str, _Place] = {}
        self._inserts: dict[str, _Inserts] = {}
        self._bodies: dict[str, _Body] = {}

    def record(self, piece: LogPiece, end: int, after: int) -> LogRecord | NotUnderstood:
        """Return the record of a piece that has a header.

        Args:
            piece: the text, from its header.
            end: where its trailer starts.
            after: where its trailer ends; 0 if it has none.
        """
        text, start = piece.text, piece.body
        id_at = text.find("\nAMQ", start, end)
        closed = text.find(")", start)
        if id_at < 0 or "AMQ" in text[start : text.find("\n", start)] or closed > id_at:
            return _loose(piece, end)
        instant_at = text.find(_INSTANT, closed, id_at)
        at: Instant | None = None
        if instant_at < 0:
            place = kept(self._places, text[closed + 1 : id_at], _place)
            has_inserts = text.find("Insert", closed, id_at) >= 0
            inserted = _inserts(text[closed + 1 : id_at]) if has_inserts else _NOTHING
            body = kept(self._bodies, text[id_at + 1 : end], _explained_body)
        else:
            place = kept(self._places, text[closed + 1 : instant_at], _place)
            instant_end = text.find(")", instant_at, id_at)
            at = utc_instant(text[instant_at + 5 : instant_end])
            inserted = kept(self._inserts, text[instant_end + 1 : id_at], _inserts)
            body = kept(self._bodies, text[id_at + 1 : heading_end(text, id_at, end)], _body)
        if body.sections is None:
            return not_understood(piece.line, text, _NO_ID)
        source = text[end + 6 : after].strip("- \n") if after else ""
        last = piece.line + text.count("\n", 0, after) - 1 if after else _last_line(piece)
        complete = bool(after) and not piece.cut
        process = text[start + _PROCESS : closed]
        return _Common(place, inserted, body, body.sections).record(
            piece, process=process, at=at, last_line=last, source=source, complete=complete
        )


def _last_line(piece: LogPiece) -> int:
    """Return the last line of a piece without a trailer."""
    return piece.line + piece.text.rstrip().count("\n")


def _place(text: str) -> _Place:
    return _place_of(header_attributes(text))


def _place_of(attributes: Mapping[str, str]) -> _Place:
    keys = ("QMgr", "Host", "Installation", "VRMF", "Program", "User")
    return _Place(*[attributes.get(key, "").strip() for key in keys])


def _inserts(text: str) -> _Inserts:
    return _inserts_of(header_attributes(text))


def _inserts_of(attributes: Mapping[str, str]) -> _Inserts:
    arith, comments = inserts(attributes)
    comments = tuple(masked_text(each) for each in comments)
    remote_host = attributes.get("RemoteHost", "").strip()
    return _Inserts(arith, comments, remote_host, squeezed(*arith, *comments))


_NOTHING: Final = _inserts("")


def _body(text: str) -> _Body:
    return _body_of(sections_of(text, explained=False))


def _explained_body(text: str) -> _Body:
    return _body_of(sections_of(text, explained=True))


def _body_of(sections: Sections | None) -> _Body:
    if sections is None:
        return _Body(None, "")
    texts = (sections.id, sections.message, *filter(None, (sections.explanation,)))
    return _Body(sections, squeezed(*texts))


def _loose(piece: LogPiece, end: int) -> LogRecord | NotUnderstood:
    """Read a record that is flattened to one line or indented as a whole."""
    text = piece.text[:end]
    flat = "\n" not in text.strip()
    if flat and _ESCAPED_END.search(text):
        for written, meant in _ESCAPES:
            text = text.replace(written, meant)
        text = text.replace("\0", "\\").replace("\n" + _TRAILER, " " + _TRAILER)
    attributes, position = leading_attributes(text, piece.body)
    found = _ID.search(text, position)
    if found is None:
        return not_understood(piece.line, text, _NO_ID)
    if not flat:
        attributes = dict(header_attributes(text[piece.body : found.start()]))
    trailer = text.find(" " + _TRAILER, found.end())
    source = text[trailer:] if trailer >= 0 else piece.text[end:].strip().partition("\n")[0]
    sections = flat_sections(text[found.start() : trailer if trailer >= 0 else len(text)])
    if sections is None:
        return not_understood(piece.line, text, _NO_ID)
    at = utc_instant(attributes.get("Time", "").strip())
    if at is not None:
        sections = sections._replace(explanation="")
    common = _Common(_place_of(attributes), _inserts_of(attributes), _body_of(sections), sections)
    return common.record(
        piece,
        process=attributes.get("Process", ""),
        at=at,
        last_line=_last_line(piece),
        source=source.strip("- \n"),
        complete=(flat or bool(source)) and not piece.cut,
    )
