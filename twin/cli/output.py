"""Answers on standard output: as a table, as JSON, as CSV.

A reader who leaves is no error. Output that cannot be written for any other reason is one, but only
when all lines were taken: what a session does never depends on who reads its answers.
"""

from __future__ import annotations

import contextlib
import csv
import errno
import io
import json
import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from typer import Context

from twin.cli.errors import Unwritable
from twin.cli.options import Format
from twin.cli.table import dim, table, width_of

if TYPE_CHECKING:
    from twin.model.asof import AsOf
    from twin.questions.answer import Answer


_KNOWN: Final = " known at "
"""Where the line of the point in time is broken."""

_LONGEST: Final = 2000
"""Characters of a message: what somebody gave us is repeated in it, and may be of any size."""


def demand_output() -> None:
    """Check that there is a standard output at all, before anything is done for its sake.

    Raises:
        Unwritable: when it was closed from the start.
    """
    if sys.stdout is None:
        raise Unwritable(os.strerror(errno.EBADF))


def emit(lines: Iterable[str]) -> None:
    """Write lines to standard output; all are taken, even when nobody reads them any more.

    Raises:
        Unwritable: afterwards, when some could not be written.
    """
    failures = list(filter(None, (_write(f"{line}\n") for line in lines)))
    _demand_success([*failures, _write("")])


def flush() -> None:
    """Write out what a library may have left behind.

    Raises:
        Unwritable: when that cannot be written.
    """
    if sys.stdout is not None:
        _demand_success([_write("")])


def _demand_success(failures: Sequence[str]) -> None:
    if reason := next(filter(None, failures), ""):
        raise Unwritable(reason)


def _write(text: str) -> str:
    """Write a text, or flush for ''; return why that did not work, '' where nobody minds."""
    try:
        sys.stdout.write(text)
        if not text:
            sys.stdout.flush()
    except OSError as error:
        discard()
        return "" if isinstance(error, BrokenPipeError) else error.strerror or str(error)
    return ""


def complain(message: str) -> None:
    """Write one line about what went wrong to standard error, if there is one."""
    line = " ".join(message.split())
    shown = line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            sys.stderr.write(f"twin: {shown}\n")
            sys.stderr.flush()


def note(line: str) -> None:
    """Write one line to standard error, if there is one, about what a command is doing."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            sys.stderr.write(f"{line}\n")


def help_alone(context: Context) -> None:
    """Show the help of a group of commands when none of them is named."""
    if context.invoked_subcommand is None:
        emit([context.get_help()])


def show(answer: Answer, output: Format) -> None:
    """Write an answer in the form that was asked for."""
    _SHOW[output](answer)


def show_lines(answer: Answer, lines: Iterable[str], output: Format) -> None:
    """Write an answer whose text form is not a table: these lines, then the point in time."""
    if output is Format.TEXT:
        emit(lines)
        emit(_point_lines(answer.as_of))
    else:
        show(answer, output)


def _point_lines(as_of: AsOf) -> list[str]:
    """Return the line that every text answer ends with; two where a terminal is too narrow."""
    line, width = str(as_of), width_of(sys.stdout)
    if width is None or len(line) <= width:
        return [dim(line)]
    valid, known, rest = line.partition(_KNOWN)
    return [dim(valid), dim(f" {known}{rest}")]


def _as_table(answer: Answer) -> None:
    rows = [_texts(answer, number) for number in range(len(answer.rows))]
    if answer.lines:
        emit(answer.lines)
    elif rows:
        emit(table(*_filled(answer.columns, rows), width=width_of(sys.stdout)))
    else:
        emit([f"no {answer.question}"])
        emit(f"no {each} is known at that instant" for each in answer.unknown)
    if answer.pending:
        plural = "" if answer.pending == 1 else "s"
        emit([dim(f"{answer.pending} row{plural} pending: due by then, not recorded yet")])
    emit(_point_lines(answer.as_of))


def _filled(
    columns: Sequence[str], rows: Sequence[Sequence[str]]
) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """Leave out the columns of a table that are empty in all rows."""
    shown = [number for number, cells in enumerate(zip(*rows, strict=True)) if any(cells)]
    return [columns[each] for each in shown], [[row[each] for each in shown] for row in rows]


def _as_json(answer: Answer) -> None:
    emit([json.dumps(answer.as_json(), indent=2, ensure_ascii=False)])


def _as_csv(answer: Answer) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(answer.columns)
    writer.writerows(_texts(answer, number) for number in range(len(answer.rows)))
    emit([text.getvalue().removesuffix("\n")])


def _texts(answer: Answer, number: int) -> Sequence[str]:
    return [_text(value) for value in answer.shown(answer.rows[number]).values()]


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return " ".join(map(str, value))
    return str(value)


def discard() -> None:
    """Let what is still to be written go nowhere, the flush at exit included."""
    with (
        contextlib.suppress(OSError, ValueError),  # a stream without a descriptor
        open(os.devnull, "w", encoding="utf-8") as nowhere,  # noqa: PTH123 - a device
    ):
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


_SHOW = {Format.TEXT: _as_table, Format.JSON: _as_json, Format.CSV: _as_csv}
