"""`twin decode`: explains pasted lines of error logs."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple

from typer import Argument, Context, Option

from twin.cli.answers import point_lines, show
from twin.cli.files import (
    STANDARD_INPUT,
    check_regular,
    lines_of,
    name_of,
    terminal_input,
)
from twin.cli.output import BAD_INPUT, DONE, FAILED, complain, emit, emit_json, note
from twin.cli.table import WIDTH, bold, dim, table, width_of
from twin.cli.target import (
    AsOfOption,
    Format,
    FormatOption,
    KnownAt,
    instant,
    log_time,
    log_time_alone,
    target_of,
    zone_named,
)
from twin.errors import TwinError
from twin.model.amounts import counted
from twin.model.harmless import visible_line

if TYPE_CHECKING:
    from twin.app.decoding.explained import DecodedLog
    from twin.questions.answer import Answer, Row

_NO_LOG: Final = "no log"
_LONGEST: Final = 4 << 20
"""The most bytes of a line that are read: more than any record may have characters."""


class _Compared(NamedTuple):
    """An answer, and why it is not compared with the twin; '' if it is."""

    answer: Answer
    problem: str = ""


def decode(
    context: Context,
    path: Annotated[
        str,
        Argument(metavar="FILE", help="File, - for standard input, or such as AMQ9469W or 2085"),
    ],
    *,
    tz: Annotated[
        str | None,
        Option(metavar="ZONE", help="Zone of local times, such as Europe/Berlin [they stay local]"),
    ] = None,
    dates: Annotated[
        Literal["dmy", "mdy"] | None,
        Option(metavar="dmy|mdy", help="Order of day and month, as in 03/04/2026 [from the file]"),
    ] = None,
    on: Annotated[
        str, Option(metavar="QM", help="Queue manager of lines that do not name theirs")
    ] = "",
    as_of: AsOfOption = None,
    known_at: KnownAt = None,
    output: FormatOption = Format.TEXT,
) -> int:
    """Explain lines of error logs, and reason codes.

    Reads AMQERR text, one-line forms of log shippers, JSON, consoles, logs of z/OS, and ids alone.
    For each message, prints what it means, which object it names, which queue manager owns the
    object, and what to do, with the source. For a record that was not renewed, also prints the days
    until its removal. If there is a log, also prints whether twin knows the object, and whether it
    is in use. Counts equal messages. Records nothing.

    The file may mix forms, have incomplete or wrapped lines, and have any size. Passwords are
    hidden.

    JSON and CSV have the keys id, number, first, last, on, noise, message, means, cause, object,
    owner, partners, days_left, removal, ends (of a queue manager whose repository manager fails),
    in_use (yes, no or unknown; null without a log), twin, do, source, line. JSON also has the
    evidence: positions in the log. A time with Z is an instant; one without is local to the queue
    manager.

    Exit codes: 0 all is explained; 10 parts are not, or could not be compared with the log; 20
    nothing could be read.
    """
    from twin.app.decoding.explained import DateOrder, decode_lines

    zone = None if tz is None else zone_named(tz, command="decode")
    order = None if dates is None else DateOrder(dates)
    decoded = decode_lines(_lines(path), zone=zone, order=order, on=on)
    if not decoded.records:
        complain(_nothing(path, decoded))
        return BAD_INPUT
    compared = _compare(context, decoded, as_of, known_at)
    _show(decoded, compared, output)
    explained = all(row["means"] is not None for row in compared.answer.rows)
    complete = not decoded.problems and compared.problem in {"", _NO_LOG}
    return DONE if explained and complete else FAILED


def _lines(path: str) -> Iterable[str]:
    """Return the lines of a file, of standard input, or an id or reason code as the only line."""
    from twin.app.decoding.explained import is_id

    if is_id(path):
        return [path]
    check_regular(path)
    if path == STANDARD_INPUT and terminal_input() is not None:
        note("twin: paste the lines, then press Ctrl-D")
    return lines_of(path, longest=_LONGEST)


def _nothing(path: str, decoded: DecodedLog) -> str:
    """Say why no message was found."""
    name = name_of(path)
    if decoded.problems:
        problem = decoded.problems[0]
        return f"{name} has no message of a queue manager; line {problem.line} {problem.why}"
    what = "only lines of other programs" if decoded.skipped else "no lines"
    return f"{name} has {what}, and no message of a queue manager"


def _compare(
    context: Context, decoded: DecodedLog, as_of: str | None, known_at: str | None
) -> _Compared:
    """Compare the messages with the log, if there is one that can be read."""
    from twin.app.clocks import system_clock
    from twin.app.decoding.explained import alone, compared
    from twin.log import NoSuchLog

    now = system_clock()
    instant_alone = log_time_alone(as_of, now=now)
    log_time_alone(known_at, now=now)
    try:
        with target_of(context).reader(as_of, known_at) as twin:
            valid, known = instant(twin, as_of), log_time(twin, known_at)
            return _Compared(compared(twin, decoded, as_of=valid, known_at=known))
    except NoSuchLog:
        problem = _NO_LOG
    except TwinError as error:
        problem = str(error)
        complain(problem)
    return _Compared(alone(decoded, now=now if instant_alone is None else instant_alone), problem)


def _show(decoded: DecodedLog, compared: _Compared, output: Format) -> None:
    """Write the rows, what was not understood, and what they were compared with."""
    answer, problem = compared
    if output is Format.JSON:
        emit_json(_json(decoded, compared))
    elif output is Format.CSV:
        show(_flat(answer), output)
        for each in decoded.problems:
            complain(f"line {each.line} {each.why}: {each.text}")
    else:
        emit(text_of(decoded, answer.rows))
        if problem:
            emit([dim(f"{problem}: not compared with the twin")])
        else:
            emit(point_lines(answer.as_of))


def _flat(answer: Answer) -> Answer:
    """Return an answer whose lists are sentences, for a table."""
    return replace(
        answer,
        rows=tuple(
            {
                key: "; ".join(map(str, value)) if isinstance(value, tuple) else value
                for key, value in row.items()
            }
            for row in answer.rows
        ),
    )


def _json(decoded: DecodedLog, compared: _Compared) -> dict[str, object]:
    shown = compared.answer.as_json()
    return {
        **shown,
        "as_of": None if compared.problem else shown["as_of"],
        "records": decoded.records,
        "skipped": decoded.skipped,
        "not_understood": [
            {"line": each.line, "text": each.text, "why": each.why} for each in decoded.problems
        ],
        "more_not_understood": decoded.more,
        "notes": list(decoded.notes),
    }


_LABEL: Final = 11
_LEAST: Final = 40
_PROBLEMS: Final = 10
_LONGEST_MESSAGE: Final = 600
"""The most characters of a message that are shown; JSON and CSV have the whole."""

_SENTENCE: Final = re.compile(r"(?<=[^.])\. (?=[A-Z])")
_OF_CAUSE: Final = frozenset({"message", "means", "partner", "source"})
"""What is left out of a message whose cause stands in another paragraph."""

_FRACTION: Final = re.compile(r"\.\d+Z$")
_NOISE: Final = ("id", "times", "at", "last", "means")
UNKNOWN_ID: Final = "not in twin's table of messages; its explanation stands in the error log"


def text_of(decoded: DecodedLog, rows: Sequence[Row]) -> Iterator[str]:
    """Lay out rows: those that matter first, each group in the order of the lines."""
    width = max(_LEAST, min(width_of(sys.stdout) or WIDTH, WIDTH))
    for row in rows:
        if not row["noise"]:
            yield from _paragraph(row, width)
            yield ""
    quiet = [row for row in rows if row["noise"]]
    if quiet:
        yield from _noise(quiet, width)
        yield ""
    yield from _problems(decoded, width)
    unknown = sum(row["means"] is None for row in rows)
    yield dim(_summary(decoded, len(rows), unknown))
    for line in decoded.notes[:_PROBLEMS]:
        yield from map(dim, wrap(visible_line(line), width))


def _summary(decoded: DecodedLog, kinds: int, unknown: int) -> str:
    parts = [f"{counted(decoded.records, 'record')}, {counted(kinds, 'different message')}"]
    if unknown:
        parts.append(f"{unknown} of unknown id")
    if decoded.skipped:
        parts.append(f"{counted(decoded.skipped, 'line')} of other programs")
    return "; ".join(parts)


def _paragraph(row: Row, width: int) -> Iterator[str]:
    """Write what one message means, what it is about, and what to do."""
    yield bold(visible_line(_heading(row)))
    message = str(row["message"] or "")
    if len(message) > _LONGEST_MESSAGE:
        message = f"{message[: _LONGEST_MESSAGE - 3]}..."
    removal = f", until {row['removal']}" if row["removal"] else ""
    twin = row["twin"] or ()
    used = [f"{row['in_use']}: {twin[0]}", *twin[1:]] if twin else []  # type: ignore[index]
    lines: tuple[tuple[str, Iterable[Any]], ...] = (
        ("message", [message]),
        ("means", [row["means"] or UNKNOWN_ID]),
        ("cause", [", ".join(row["cause"])] if row["cause"] else []),  # type: ignore[arg-type]
        ("object", [row["object"]]),
        ("owner", [row["owner"]]),
        ("partner", [", ".join(row["partners"])] if row["partners"] else []),  # type: ignore[arg-type]
        ("days left", [f"{row['days_left']}{removal}"] if row["days_left"] is not None else []),
        ("ends", [f"{_short(str(row['ends']))} unless repaired or put off"] if row["ends"] else []),
        ("in use", used),
        ("do", _SENTENCE.split(str(row["do"])) if row["do"] else []),
        ("source", [row["source"]]),
    )
    for label, texts in lines:
        if row["cause"] and label in _OF_CAUSE:
            continue
        shown = label
        for text in filter(None, texts):
            pieces = wrap(visible_line(str(text)), width - _LABEL - 2, break_on_hyphens=False) or [
                ""
            ]
            for piece in pieces:
                yield f"  {shown.ljust(_LABEL)}{piece}"
                shown = ""


def _heading(row: Row) -> str:
    """Return the id, how often and when it was logged, and where."""
    parts = [str(row["id"])]
    if row["number"] != 1:
        parts.append(f"{row['number']} times")
    first, last = _short(str(row["first"] or "")), _short(str(row["last"] or ""))
    if first:
        parts.append(f"{first} to {last}" if last and last != first else first)
    if row["on"]:
        parts.append(f"at {row['on']}")
    return "  ".join(parts)


def _noise(rows: Sequence[Row], width: int) -> Iterator[str]:
    """Write a line for the messages of one meaning about which nothing needs to be done."""
    alike: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        alike.setdefault((str(row["on"] or ""), str(row["means"])), []).append(row)
    yield bold("Noise: nothing to do")
    cells = [_noise_cells(on, means, group) for (on, means), group in alike.items()]
    filled = [n for n in range(len(_NOISE)) if any(line[n] for line in cells)]
    shown = [[line[n] for n in filled] for line in cells]
    for line in table([_NOISE[n] for n in filled], shown, width=width - 2):
        yield f"  {line}"


def _noise_cells(on: str, means: str, rows: Sequence[Row]) -> list[str]:
    more = f" +{len(rows) - 1}" if len(rows) > 1 else ""
    times = sum(int(str(row["number"])) for row in rows)
    last = max(str(row["last"] or "") for row in rows)
    cells = (f"{rows[0]['id']}{more}", str(times), on, _short(last), means.rstrip("."))
    return [visible_line(cell) for cell in cells]


def _short(time: str) -> str:
    """Return a time without the fraction of a second."""
    return _FRACTION.sub("Z", time)


def _problems(decoded: DecodedLog, width: int) -> Iterator[str]:
    """Write the lines that were not understood."""
    problems = decoded.problems
    if not problems:
        return
    yield bold("Not understood")
    for each in problems[:_PROBLEMS]:
        shown = visible_line(f"line {each.line} {each.why}: {each.text}")
        yield f"  {shown[: width - 2]}"
    more = len(problems) + decoded.more - _PROBLEMS
    if more > 0:
        yield f"  and {more} more"
    yield ""
