"""Checks the rows of answers against the declaration of their question."""

from __future__ import annotations

from typing import Any, Final

from twin.model.commands import Command
from twin.questions.answer import Answer
from twin.questions.catalogue import QUESTIONS
from twin.questions.declared import NULL, UNKNOWN, Column

_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "text": (str,),
    "integer": (int,),
    "boolean": (bool,),
    "instant": (int,),
    "list": (tuple,),
    "value": (str, int),
    "commands": (tuple,),
}
"""Type of a column -> the classes of its values in Python."""


def problems(answer: Answer) -> list[str]:
    """List where the rows of an answer differ from the declaration."""
    columns = QUESTIONS[answer.question].columns
    keys = [column.name for column in columns]
    return [
        *(f"keys {list(row)}" for row in answer.rows if sorted(row) != sorted(keys)),
        *(
            f"{column.name} {row[column.name]!r}"
            for row, unknown in zip(answer.rows, answer.unknowns(), strict=True)
            for column in columns
            if column.name in row
            and not _fits(column, row[column.name], is_unknown=column.name in unknown)
        ),
    ]


def _fits(column: Column, value: Any, *, is_unknown: bool) -> bool:
    """Return whether a value is one of its column; null is unknown, or there is none."""
    if value is None:
        return (UNKNOWN if is_unknown else NULL) in column.traits
    if isinstance(value, bool) != (column.type == "boolean"):
        return False
    if column.type == "list" and not all(isinstance(text, str) for text in value):
        return False
    if column.type == "commands" and not all(isinstance(each, Command) for each in value):
        return False
    return isinstance(value, _TYPES[column.type]) and value in (column.choices or (value,))
