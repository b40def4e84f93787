"""Compare two answers to one question: the rows that were added, removed or changed.

Rows are matched by the key columns of their question. The direction is from the reference to the
answer that is asked for: a row is `added` if only the latter has it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

from twin.errors import TwinError, did_you_mean
from twin.model.amounts import counted
from twin.questions.answer import Answer, Row, RowValue
from twin.questions.catalogue import QUESTIONS
from twin.questions.declared import (
    ADDED,
    AFTER,
    BEFORE,
    CHANGE,
    CHANGED,
    REMOVED,
    Question,
    before_and_after,
)


class BadIgnored(TwinError, ValueError):
    """A field to ignore that a question does not have, or that identifies its rows."""

    def __init__(self, question: str, name: str, fields: Collection[str]) -> None:
        if name in QUESTIONS[question].names:
            problem = f"{name} identifies the rows of {question} and cannot be ignored"
        else:
            problem = f"{question} has no field {name!r} to ignore"
        expected = f"expected one of {', '.join(fields)}{did_you_mean(name, fields)}"
        super().__init__(f"{problem}; {expected}")


class _EvidencedRow(NamedTuple):
    """A row, the positions it rests on, and whether it is pending."""

    row: Row
    evidence: tuple[int, ...]
    pending: bool


_BASIS: Final = frozenset(before_and_after(["basis"]))

_Key: TypeAlias = tuple[RowValue, ...]
_Pair: TypeAlias = tuple[_EvidencedRow | None, _EvidencedRow | None]
"""A row of the reference and the row with the same key now; None if there is no such row."""


def check_ignored(question_name: str, ignored: Collection[str]) -> None:
    """Check that fields can be ignored.

    Raises:
        BadIgnored: if the question does not have one of them, or it identifies a row.
    """
    fields = QUESTIONS[question_name].fields()
    for name in ignored:
        if name not in fields:
            raise BadIgnored(question_name, name, fields)


def compared(now: Answer, reference: Answer, *, ignored: Collection[str] = ()) -> Answer:
    """Return the differences between two answers to the same question.

    Each row has `change` (added, removed or changed), the columns that identify it, and for each
    field that differs its value in the reference (`FIELD_before`) and now (`FIELD_after`). An added
    row has all fields as they are now, a removed one all as they were.

    Fields in `ignored` are not compared. If several rows have the same key, equal ones are matched
    first, and then the others in their order. Rows that differ in their basis alone are counted in
    a note: what they say is the same.
    """
    question = QUESTIONS[now.question]
    fields = question.fields(ignored)
    identify = tuple(name for name in question.names if name in {*question.keys, *question.labels})
    rows: list[_EvidencedRow] = []
    resting = 0
    for before, after in _pairs(question, fields, _rows(reference), _rows(now)):
        known = after or before
        changed = _changed(fields, before, after)
        if known is None or (before and after and changed.keys() <= _BASIS):
            resting += bool(changed)
            continue
        word = CHANGED if before and after else ADDED if after else REMOVED
        row: Row = {CHANGE: word, **{name: known.row[name] for name in identify}, **changed}
        sides = [side for side in (after, before) if side is not None]
        evidence = tuple(dict.fromkeys(place for side in sides for place in side.evidence))
        rows.append(_EvidencedRow(row, evidence, any(side.pending for side in sides)))
    return replace(
        now,
        against=reference.as_of,
        columns=(CHANGE, *identify, *before_and_after(fields)),
        rows=tuple(row for row, _, _ in rows),
        evidence=tuple(evidence for _, evidence, _ in rows),
        pends=tuple(pending for _, _, pending in rows),
        instants=frozenset({*question.instants, *before_and_after(question.instants)}),
        unknown=tuple(each for each in now.unknown if each in reference.unknown),
        lines=(),
        notes=(
            *now.notes,
            *([f"{counted(resting, 'row')} not listed: only the basis differs"] if resting else []),
            *(f"reference: {n}" for n in reference.notes if n not in now.notes),
        ),
        gaps=tuple(dict.fromkeys((*now.gaps, *reference.gaps))),
        basis_of=(),
        settled_by=(),
    )


def _rows(answer: Answer) -> list[_EvidencedRow]:
    return list(map(_EvidencedRow, answer.rows, answer.positions(), answer.pending_rows()))


def _pairs(
    question: Question,
    fields: Sequence[str],
    reference: Sequence[_EvidencedRow],
    now: Sequence[_EvidencedRow],
) -> Iterator[_Pair]:
    """Match rows by their keys, in the order of now; rows that only the reference has come last."""

    def key(each: _EvidencedRow) -> _Key:
        return tuple(each.row[name] for name in question.keys)

    def values(each: _EvidencedRow) -> _Key:
        return tuple(each.row[name] for name in fields if name != "basis")

    left: dict[_Key, list[_EvidencedRow]] = defaultdict(list)
    for each in reference:
        left[key(each)].append(each)
    match: dict[int, _EvidencedRow] = {}
    for alike in (True, False):
        for number, each in enumerate(now):
            rest = left[key(each)] if number not in match else []
            same = (other for other in rest if not alike or values(other) == values(each))
            if (other := next(same, None)) is not None:
                rest[:] = [row for row in rest if row is not other]
                match[number] = other
    yield from ((match.get(number), each) for number, each in enumerate(now))
    yield from ((each, None) for rest in left.values() for each in rest)


def _changed(
    fields: Sequence[str], before: _EvidencedRow | None, after: _EvidencedRow | None
) -> Row:
    """Return the fields that differ, before and after; all fields if one of the rows is missing."""
    changed: Row = {}
    for name in fields:
        if before is None or after is None or before.row[name] != after.row[name]:
            changed |= {f"{name}{BEFORE}": before.row[name]} if before else {}
            changed |= {f"{name}{AFTER}": after.row[name]} if after else {}
    return changed
