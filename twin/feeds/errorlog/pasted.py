r"""Lines of error logs as people paste them: any form, also mixed, torn, wrapped, or ids alone.

The lines are divided into chunks of one form each, and every chunk goes to the reader of its form:
text and one line of shippers, JSON (also on several lines), console, z/OS. What no reader takes is
read here: a message without a header, perhaps below the last lines of one, and bare ids in prose.
Lines may begin with the mark of a quoted mail.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from twin.feeds.errorlog.chunks import (
    ALONE,
    IDS,
    SEARCHED,
    TRAILER,
    Chunk,
    PastedForm,
    chunks,
    message_at,
)
from twin.feeds.errorlog.headers import header_attributes, inserts
from twin.feeds.errorlog.json_lines import read_console, read_json, without_inserts
from twin.feeds.errorlog.record import (
    LogRecord,
    Sections,
    Skipped,
    sections_of,
    split_id,
    utc_instant,
)
from twin.feeds.errorlog.text import read_text
from twin.feeds.errorlog.zos import read_zos
from twin.feeds.reading.local_time import read_local_time
from twin.feeds.reading.not_understood import LONGEST, TOO_LONG, NotUnderstood, not_understood
from twin.mqsc.masking import masked_text

PastedRow: TypeAlias = LogRecord | Skipped | NotUnderstood

_ISO: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z", re.ASCII)
_END: Final = f"\n{TRAILER}"

_READERS: Final[dict[PastedForm, Callable[[Iterable[str]], Iterator[PastedRow]]]] = {
    PastedForm.TEXT: read_text,
    PastedForm.JSON: read_json,
    PastedForm.CONSOLE: read_console,
    PastedForm.ZOS: read_zos,
}


def read_pasted(lines: Iterable[str]) -> Iterator[PastedRow]:
    """Read pasted lines of any form, in their order; never raises because of the text.

    Args:
        lines: the lines, with or without their ends. A line that is longer than the limit of a
            record may be cut there.

    Yields:
        A record for each message, `Skipped` for what says nothing about a queue manager, and one
        `NotUnderstood` for a run of lines that nothing can be made of.
    """
    torn = False
    for chunk in chunks(lines):
        for each in _read(chunk):
            was, torn = torn, isinstance(each, NotUnderstood) and chunk.form is PastedForm.OTHER
            if not (was and torn):
                yield each


def _read(chunk: Chunk) -> Iterator[PastedRow]:
    """Read a chunk; the lines of what it says are those of the whole input."""
    if len(chunk.lines[0]) > LONGEST:
        yield not_understood(chunk.line, chunk.lines[0], TOO_LONG)
    elif chunk.form is PastedForm.OTHER:
        yield from _other(chunk)
    elif chunk.form is PastedForm.LONE:
        yield from _lone(chunk)
        if chunk.size > LONGEST:
            yield not_understood(chunk.line, chunk.lines[0], f"{TOO_LONG}; cut")
    else:
        yield from _by_reader(chunk)


def _other(chunk: Chunk) -> Iterator[PastedRow]:
    """Report lines that cannot be read, unless they are only the end of a record."""
    for line, text in enumerate(chunk.lines, start=chunk.line):
        if not text.lstrip().startswith(TRAILER):
            yield not_understood(line, text, "has no message id")
            return


def _by_reader(chunk: Chunk) -> Iterator[PastedRow]:
    """Read a chunk with the reader of its form."""
    lines = chunk.lines
    if chunk.form is PastedForm.JSON and len(lines) > 1:
        lines = [" ".join(line.strip() for line in lines)]
    if chunk.day:
        lines = [chunk.day, *lines]
    before = chunk.line - 1 - bool(chunk.day)
    for each in _READERS[chunk.form](lines):
        line = each.line + before
        if isinstance(each, LogRecord):
            yield each._replace(line=line, last_line=each.last_line + before)
        elif line >= chunk.line:
            yield each._replace(line=line)


def _lone(chunk: Chunk) -> Iterator[PastedRow]:
    """Read a message without a header, or below a torn one; or the ids in a line of prose."""
    number = next((n for n, line in enumerate(chunk.lines) if message_at(line) >= 0), None)
    if number is None:
        ids = _ids_in(chunk.lines[0])
        yield from (_bare(id_, chunk.line) for id_ in ids)
        if not ids:
            why = "is the beginning of a record without its message"
            yield not_understood(chunk.line, chunk.lines[0], why)
        return
    line = chunk.lines[number]
    begin = message_at(line)
    before = line[:begin]
    text = "\n".join([line[begin:], *chunk.lines[number + 1 :]]).partition(_END)[0]
    message, written = without_inserts(text.rstrip())
    sections = sections_of(f"{message}\n", explained=True)
    if sections is None:
        yield not_understood(chunk.line, line, "has no message id")
        return
    head = header_attributes("\n".join([*chunk.lines[:number], before]))
    yield _record(chunk, before, {**head, **written}, sections)


def _record(
    chunk: Chunk, before: str, attributes: Mapping[str, str], sections: Sections
) -> LogRecord:
    """Return the record of a message.

    Args:
        chunk: its lines.
        before: what stands before it on its line, such as a date.
        attributes: what is known of its header.
        sections: its text.
    """
    iso = _ISO.search(before)
    at = utc_instant(attributes.get("Time", "").strip()) or (utc_instant(iso[0]) if iso else None)
    local = read_local_time(before.rstrip(" -:[]")) if at is None else None
    arith, comments = inserts(attributes)
    comments = tuple(masked_text(each) for each in comments)
    keys = ("QMgr", "Host", "VRMF", "Program", "Process", "RemoteHost")
    qmgr, host, version, program, process, remote = (
        attributes.get(key, "").strip() for key in keys
    )
    return LogRecord(
        line=chunk.line,
        last_line=chunk.line + len(chunk.lines) - 1,
        id=sections.id,
        letter=sections.letter,
        at=at,
        local=local[1] if local else None,
        qmgr=qmgr,
        host=host,
        version=version,
        program=program,
        process=process,
        remote_host=remote,
        arith=arith,
        comments=comments,
        message=sections.message,
        explanation=sections.explanation,
        complete=False,
    )


def _ids_in(line: str) -> list[str]:
    """Return the different ids in a line, in their order; in a line of ids case does not matter."""
    near = line[:SEARCHED]
    return list(dict.fromkeys(IDS.findall(near.upper() if ALONE.fullmatch(near) else near)))


def _bare(written: str, line: int) -> PastedRow:
    """Return a record that has nothing but its id."""
    ids = split_id(written)
    if ids is None:
        return not_understood(line, written, "has no message id")
    return LogRecord(line, line, *ids, at=None, local=None, complete=False)
