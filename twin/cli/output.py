"""Answers on standard output: as a table, as JSON, as CSV; a reader who leaves is no error."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from typer import Context

from twin.cli.options import Format
from twin.cli.table import dim, table, width_of

if TYPE_CHECKING:
    from twin.model.asof import AsOf
    from twin.questions.answer import Answer


def emit(lines: Iterable[str]) -> None:
    """Write lines to standard output; all are taken, even when nobody reads them any more."""
    for line in lines:
        _write(f"{line}\n")
    _write("")


def _write(text: str) -> None:
    try:
        sys.stdout.write(text)
        if not text:
            sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()


def complain(message: str) -> None:
    """Write one line about what went wrong to standard error."""
    sys.stderr.write(f"twin: {' '.join(message.split())}\n")


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
        emit([as_of_line(answer.as_of)])
    else:
        show(answer, output)


def as_of_line(as_of: AsOf) -> str:
    """Return the line that every text answer ends with."""
    return dim(str(as_of))


def _as_table(answer: Answer) -> None:
    rows = [_texts(answer, number) for number in range(len(answer.rows))]
    if rows:
        emit(table(answer.columns, rows, width=width_of(sys.stdout)))
    else:
        emit([f"no {answer.question}"])
    emit([as_of_line(answer.as_of)])


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


def _discard_output() -> None:
    """Let what is still to be written go nowhere, the flush at exit included."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123 - a device
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


_SHOW = {Format.TEXT: _as_table, Format.JSON: _as_json, Format.CSV: _as_csv}
