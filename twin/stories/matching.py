"""Matches partial rows with actual rows; pure functions.

A partial row matches an actual row if the actual row has an equal value for every key of the
partial row. Each partial row must match exactly one actual row, and no two the same one. A partial
row that matches two rows is ambiguous and fails. Values are compared as numbers if both look like
numbers and one of them is not text, as instants if the column is an instant, and item by item if
they are lists. Leading and trailing blanks of a text are ignored; case matters.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, TypeAlias

from twin.errors import BadInstant
from twin.model.basis import Unknown
from twin.model.commands import Command
from twin.model.instants import Instant
from twin.questions.answer import RowValue
from twin.stories.fields import ExpectedValue, moment_of

PartialRow: TypeAlias = Mapping[str, ExpectedValue]
ActualRow: TypeAlias = Mapping[str, RowValue]

_NUMBER: Final = re.compile(r"[-+]?(\d{1,40}(\.\d{0,40})?|\.\d{1,40})([eE][-+]?\d{1,2})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Table:
    """Actual rows, and what is known about their columns.

    Attributes:
        rows: the actual rows; instants are integers.
        instants: the keys whose integers are instants.
        columns: the keys of the rows; empty if only the rows show them.
        start: the instant that relative instants count from.
        ids: the keys whose values are message ids; their severity letter may be left out.
    """

    rows: Sequence[ActualRow]
    instants: Collection[str] = frozenset()
    columns: Collection[str] = ()
    start: Instant = 0
    ids: Collection[str] = ()

    def keys(self) -> frozenset[str]:
        """Return every key that some row has."""
        return frozenset(self.columns).union(*self.rows)


@dataclass(frozen=True, slots=True)
class Miss:
    """One row that is not as expected.

    Attributes:
        expected: the partial row that failed; None for an unexpected actual row.
        problem: what is wrong, in a few words.
        rows: the rows that explain it: those that matched, or the closest ones.
    """

    expected: PartialRow | None
    problem: str
    rows: tuple[ActualRow, ...] = ()


def match_rows(expected: Sequence[PartialRow], table: Table, *, exact: bool = False) -> list[Miss]:
    """Return the misses of these partial rows; [] if all of them hold.

    Args:
        expected: each must match exactly one row, and no two the same one.
        table: the actual rows.
        exact: whether no other rows are allowed.
    """
    misses: list[Miss] = []
    taken: dict[int, int] = {}
    for number, wanted in enumerate(expected, start=1):
        hits = [at for at, row in enumerate(table.rows) if matches(wanted, row, table)]
        rows = tuple(table.rows[at] for at in hits)
        if not hits:
            misses.append(_unmatched(wanted, table))
        elif len(hits) > 1:
            misses.append(Miss(wanted, f"matches {len(hits)} rows, not one", rows))
        elif hits[0] in taken:
            other = taken[hits[0]]
            misses.append(Miss(wanted, f"matches the same row as expected row {other}", rows))
        taken.update(dict.fromkeys(set(hits) - taken.keys(), number))
    if exact:
        others = [row for at, row in enumerate(table.rows) if at not in taken]
        misses += [Miss(None, "was not expected", (row,)) for row in others]
    return misses


def match_absent(unwanted: Sequence[PartialRow], table: Table) -> list[Miss]:
    """Return a miss for each partial row that matches a row, or names an unknown key."""
    misses = []
    for wanted in unwanted:
        rows = tuple(row for row in table.rows if matches(wanted, row, table))
        if rows:
            misses.append(Miss(wanted, "should be absent", rows))
        elif problem := _unknown_keys(wanted, table):
            misses.append(Miss(wanted, problem))
    return misses


def matches(wanted: PartialRow, row: ActualRow, table: Table) -> bool:
    """Return whether a row has all values of a partial row."""
    return all(key in row and _same(key, value, row[key], table) for key, value in wanted.items())


def _same(key: str, expected: ExpectedValue, actual: RowValue, table: Table) -> bool:
    if key in table.ids and isinstance(expected, str) and isinstance(actual, str):
        return same_id(expected, actual)
    return equal(expected, actual, instant=key in table.instants, start=table.start)


def same_id(expected: str, actual: str) -> bool:
    """Return whether two message ids are equal; either may lack its severity letter."""
    one, other = expected.strip().upper(), actual.upper()
    return one == other or other in _without_letter(one) or one in _without_letter(other)


def _without_letter(id_: str) -> tuple[str, ...]:
    return (id_[:-1],) if id_[-1:].isalpha() else ()


def equal(
    expected: ExpectedValue,
    actual: RowValue | Command,
    *,
    instant: bool = False,
    start: Instant = 0,
) -> bool:
    """Return whether an expected value equals an actual one.

    Args:
        expected: the value in the story.
        actual: the value in the answer.
        instant: whether the actual value is an instant.
        start: the instant that a relative instant counts from.
    """
    if isinstance(expected, tuple) and isinstance(actual, tuple):
        alike = len(expected) == len(actual)
        return alike and all(map(equal, expected, actual))
    if isinstance(expected, tuple | bool | None):
        return expected is actual
    if isinstance(actual, tuple | bool | Unknown | None):
        return expected is actual
    if instant:
        return _instant(expected, start) == actual
    one, other = _number(expected), _number(actual)
    if one is not None and not (isinstance(expected, str) and isinstance(actual, str)):
        return one == other
    return str(expected).strip() == str(actual).strip()


def _instant(expected: str | float, start: Instant) -> Instant | None:
    moment = moment_of(expected) if isinstance(expected, str) else None
    try:
        return None if moment is None else moment.at(start)
    except BadInstant:
        return None


def _number(value: str | float | Command) -> Decimal | None:
    text = str(value).strip()
    return Decimal(text) if _NUMBER.fullmatch(text) else None


def _unmatched(wanted: PartialRow, table: Table) -> Miss:
    if problem := _unknown_keys(wanted, table):
        return Miss(wanted, problem)
    if not table.rows:
        return Miss(wanted, "there are no rows")
    closeness = [
        sum(matches({key: value}, row, table) for key, value in wanted.items())
        for row in table.rows
    ]
    best = max(closeness)
    if not best and len(wanted) > 1:
        return Miss(wanted, "no row is similar")
    near = [row for row, hits in zip(table.rows, closeness, strict=True) if hits == best]
    return Miss(wanted, "no row matches", tuple(near))


def _unknown_keys(wanted: PartialRow, table: Table) -> str:
    """Return a problem if no row has some of these keys: they must be misspelt."""
    keys = table.keys()
    unknown = [key for key in wanted if key not in keys] if keys else []
    return f"no row has the key {' or '.join(unknown)}" if unknown else ""
