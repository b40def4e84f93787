"""Writes answers to standard output: as a table, as JSON, as CSV.

A table of differences has the columns of the question. A field of a changed row is shown as
`before -> after`, and left empty if it does not differ.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from twin.cli.errors import BadUsage
from twin.cli.output import complain, emit, emit_json
from twin.cli.table import WIDTH, dim, table, width_of
from twin.cli.target import Format
from twin.csv_text import csv_text, value_text
from twin.errors import did_you_mean
from twin.model.amounts import counted
from twin.model.basis import Basis
from twin.model.harmless import visible_line
from twin.questions.catalogue import QUESTIONS
from twin.questions.declared import (
    ADDED,
    AFTER,
    BEFORE,
    CHANGE,
    CHANGED,
    REMOVED,
    WIDE,
    Question,
    before_and_after,
)

if TYPE_CHECKING:
    from twin.model.instants import AsOf
    from twin.questions.answer import Answer, Row

_FRACTION: Final = re.compile(r"\.\d+Z(?=$| -> )")
"""The fraction of a second in an instant, alone or before and after a change."""


class Layout(NamedTuple):
    """The part of an answer that is written.

    Attributes:
        columns: the columns, in this order; () for all, or in a table for the main ones.
        wide: whether a table has all columns, full instants, and lines of any length.
        limit: the largest number of rows; None for all.
    """

    columns: tuple[str, ...] = ()
    wide: bool = False
    limit: int | None = None

    @classmethod
    def of(
        cls,
        question: str,
        columns: str | None,
        *,
        wide: bool,
        limit: int | None,
        command: str = "",
        known: Sequence[str] = (),
    ) -> Layout:
        """Read the options of a command that shows the answer to a question.

        `command` is the command to name in an error, unless it is `ask QUESTION`. `known` are the
        columns of the answer, unless they are those of the question.

        Raises:
            BadUsage: if the question does not have a column, or a column is named twice.
        """
        known = known or QUESTIONS[question].names
        names = tuple(map(str.strip, columns.split(","))) if columns is not None else ()
        for number, name in enumerate(names):
            if name not in known:
                problem = f"unknown column {name!r}; expected one of {', '.join(known)}"
                problem += did_you_mean(name, known)
            elif name in names[:number]:
                problem = f"column {name!r} is named twice"
            else:
                continue
            raise BadUsage(command=command or f"ask {question}", problem=problem)
        return cls(names, wide, limit)

    def cut(self, answer: Answer) -> Answer:
        """Return the part of an answer that is written."""
        columns = self.columns or answer.columns
        if answer.against is not None:
            sides = (
                (name,) if name in answer.columns else before_and_after([name]) for name in columns
            )
            columns = tuple(chain.from_iterable(sides))
        return replace(
            answer,
            columns=columns,
            rows=answer.rows[: self.limit],
            evidence=answer.evidence[: self.limit],
            basis_of=answer.basis_of[: self.limit],
            settled_by=answer.settled_by[: self.limit],
            pends=answer.pends[: self.limit],
        )


def show(answer: Answer, output: Format, layout: Layout = Layout()) -> None:  # noqa: B008 - frozen
    """Write an answer in the requested format; say how many rows were left out.

    What a table says below its rows goes to standard error if the format has no room for it.
    """
    hidden = len(answer.rows) - len(answer.rows[: layout.limit])
    note = f"{counted(hidden, 'more row')} not shown (--limit {layout.limit})" if hidden else ""
    if output is Format.TEXT and answer.against is not None:
        notes = (*([summary(answer)] if answer.rows else []), *answer.notes)
        answer = replace(side_by_side(answer), notes=notes)
    if output is Format.TEXT:
        _as_table(layout.cut(answer), layout, note)
        return
    _SHOW[output](layout.cut(answer))
    for each in [*(answer.notes if output is Format.CSV else ()), *([note] if note else [])]:
        complain(each)


def show_lines(answer: Answer, lines: Iterable[str], output: Format) -> None:
    """Write an answer whose text is not a table: these lines, then the point in time."""
    if output is Format.TEXT:
        emit(lines)
        emit(point_lines(answer.as_of))
    else:
        show(answer, output)


def point_lines(as_of: AsOf, before: str = "") -> list[str]:
    """Return the line that ends every text answer; two lines if it is too wide.

    `before` is what the line begins with.
    """
    line, width = f"{before}{as_of}", width_of(sys.stdout) or WIDTH
    if len(line) <= width:
        return [dim(line)]
    valid, known = as_of.lines
    return [dim(f"{before}{valid}"), dim(f"  {known}")]


def _as_table(answer: Answer, layout: Layout, note: str) -> None:
    declared, mark = QUESTIONS.get(answer.question), ""
    if answer.lines and layout == Layout():
        emit(answer.lines)
        mark = declared.comment if declared else ""
    elif answer.rows:
        emit(_table(answer, layout))
    elif answer.against is not None:
        emit([NOTHING])
    else:
        emit([declared.empty if declared else f"no {answer.question}"])
    if answer.against is None:
        emit(f"{name} is unknown at this instant" for name in answer.unknown)
    if answer.pending:
        verb = "depends" if answer.pending == 1 else "depend"
        pending = (
            f"{counted(answer.pending, 'row')} {verb} on events that are due by the as-of time"
        )
        emit([dim(f"{mark}{pending}, but not yet in the log")])
    notes = [*answer.notes, *_settling(answer), *([note] if note else [])]
    emit(dim(f"{mark}{each}") for each in notes)
    emit(point_lines(answer.as_of, mark))
    if answer.against is not None:
        emit(point_lines(answer.against, "against "))


def _settling(answer: Answer) -> Iterator[str]:
    """Yield what would settle the values that nobody knows, if anything is unknown."""
    settle = Counter(each for row in answer.unknowns() for each in row.values())
    for first, _ in settle.most_common(1):
        total = counted(settle.total(), "value")
        by = f"{first.source} of {first.on} would settle" if first.source else "no command settles"
        yield f"?: {total} not known; {by} {settle[first]} of them (twin ask missing)"


def _table(answer: Answer, layout: Layout) -> Iterator[str]:
    """Format a table; for a question, with its main columns and lines of limited length."""
    width = width_of(sys.stdout)
    declared = QUESTIONS.get(answer.question)
    if declared is not None and not layout.wide:
        width = width or WIDTH
        if not layout.columns:
            answer = replace(answer, columns=_main(answer, declared))
    rows = [
        [visible_line(text) for text in _texts(answer, answer.marked(number))]
        for number in range(len(answer.rows))
    ]
    if declared is not None and not layout.wide:
        rows = [
            [
                _FRACTION.sub("Z", text) if column in answer.instants else text
                for column, text in zip(answer.columns, row, strict=True)
            ]
            for row in rows
        ]
    shown = (answer.columns, rows) if layout.columns else _filled(answer.columns, rows)
    return table(*shown, width=width, blank="" if answer.against is not None else "-")


def _main(answer: Answer, declared: Question) -> tuple[str, ...]:
    """Return the columns that a table shows unless others are asked for."""
    if answer.against is not None:
        return main_columns(answer)
    return tuple(
        name
        for name in declared.main
        if name != "basis" or any(row["basis"] != Basis.DERIVED for row in answer.rows)
    )


def _filled(
    columns: Sequence[str], rows: Sequence[Sequence[str]]
) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """Leave out the columns of a table that are empty in all rows."""
    filled = [number for number, cells in enumerate(zip(*rows, strict=True)) if any(cells)]
    return [columns[number] for number in filled], [
        [row[number] for number in filled] for row in rows
    ]


def _as_json(answer: Answer) -> None:
    emit_json(answer.as_json())


def _as_csv(answer: Answer) -> None:
    rows = (_texts(answer, answer.shown(row)) for row in answer.rows)
    emit([csv_text(answer.columns, rows).removesuffix("\n")])


def _texts(answer: Answer, shown: Mapping[str, Any]) -> Sequence[str]:
    return [value_text(shown.get(column)) for column in answer.columns]


_SHOW = {Format.JSON: _as_json, Format.CSV: _as_csv}


NOTHING: Final = "no row differs"


def columns_of(question: str, ignored: Collection[str]) -> tuple[str, ...]:
    """Return the columns of a comparison as its table shows them."""
    return (CHANGE, *(name for name in QUESTIONS[question].names if name not in ignored))


def side_by_side(answer: Answer) -> Answer:
    """Return a comparison with one column for each field, as a table shows it."""
    names = QUESTIONS[answer.question].names
    shown = (name for name in names if {name, f"{name}{BEFORE}"} & {*answer.columns})
    columns = (CHANGE, *shown)
    rows: list[Row] = []
    for row in answer.rows:
        values = answer.shown(row)
        rows.append({name: _cell(name, values) for name in columns})
    return replace(answer, columns=columns, rows=tuple(rows))


def main_columns(answer: Answer) -> tuple[str, ...]:
    """Return the columns of `side_by_side` that a table shows unless it is wide.

    They are those of the question, and those in which a changed row differs.
    """
    question = QUESTIONS[answer.question]
    changed = [row for row in answer.rows if row[CHANGE] == CHANGED]
    differing = {name for name in question.fields() for row in changed if row.get(name)}
    plain = {
        column.name
        for column in question.columns
        if WIDE not in column.traits and column.name != "basis"
    }
    return tuple(name for name in answer.columns if name in {CHANGE, *plain, *differing})


def summary(answer: Answer) -> str:
    """Return how many rows were added, changed and removed."""
    counts = Counter(row[CHANGE] for row in answer.rows)
    return ", ".join(f"{counts[word]} {word}" for word in (ADDED, CHANGED, REMOVED))


def _cell(name: str, values: Mapping[str, Any]) -> str:
    if name in values:
        return _text(values[name])
    sides = [values[side] for side in before_and_after([name]) if side in values]
    if f"{name}{BEFORE}" in values and f"{name}{AFTER}" in values:
        return " -> ".join("null" if value is None else _text(value) for value in sides)
    return _text(sides[0]) if sides else ""


def _text(value: object) -> str:
    if value is None:
        return ""
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
