"""Lays out how rows differ from a reference: a table with the columns of the question.

A field of a changed row is shown as `before -> after`, and left empty if it does not differ.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from twin.questions.catalogue import QUESTIONS
from twin.questions.declared import (
    ADDED,
    AFTER,
    BEFORE,
    CHANGE,
    CHANGED,
    REMOVED,
    WIDE,
    before_and_after,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from twin.questions.answer import Answer, Row

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
