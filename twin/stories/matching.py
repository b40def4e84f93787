"""Matching, pure: partial rows against the rows that are there.

An expected row matches an actual one when every key that it names has an equal value there. Each
expected row must match exactly one actual row, and no two the same one: a row that matches two is
not told apart from them, and fails. Numbers are equal as numbers (also written as text), instants
as instants, lists item by item; outer blanks of a text do not count, its case does.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, TypeAlias

from twin.errors import BadInstant
from twin.model.instants import Instant
from twin.questions.answer import RowValue
from twin.stories.fields import RowValue as Expected
from twin.stories.moments import moment_of

PartialRow: TypeAlias = Mapping[str, Expected]
Row: TypeAlias = Mapping[str, RowValue]

_NUMBER: Final = re.compile(r"[-+]?(\d{1,40}(\.\d{0,40})?|\.\d{1,40})([eE][-+]?\d{1,2})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows as they are, with what is known of their keys.

    Attributes:
        rows: instants are integers.
        instants: the keys whose integers are instants.
        columns: the keys that rows have; empty where only the rows themselves tell.
        start: what relative instants are relative to.
        ids: the keys whose values are message ids, whose severity letter may be left out.
    """

    rows: Sequence[Row]
    instants: Collection[str] = frozenset()
    columns: Collection[str] = ()
    start: Instant = 0
    ids: Collection[str] = ()

    def keys(self) -> frozenset[str]:
        """Return every key that some row has."""
        return frozenset(self.columns).union(*self.rows)


@dataclass(frozen=True, slots=True)
class Miss:
    """One thing that is not as it was expected.

    Attributes:
        expected: the partial row that failed, None for an actual row too many.
        problem: what is wrong, in a few words.
        found: the rows to be shown beside it: those matched, or the closest ones.
    """

    expected: PartialRow | None
    problem: str
    found: tuple[Row, ...] = ()


def match_rows(expected: Sequence[PartialRow], table: Table, *, exact: bool = False) -> list[Miss]:
    """Return what of these partial rows does not hold, [] when all do.

    Args:
        expected: each must match exactly one row, and no two the same one.
        table: the rows there are.
        exact: no other rows may be there.
    """
    misses: list[Miss] = []
    taken: dict[int, int] = {}
    for number, wanted in enumerate(expected, start=1):
        hits = [at for at, row in enumerate(table.rows) if matches(wanted, row, table)]
        found = tuple(table.rows[at] for at in hits)
        if not hits:
            misses.append(_unmatched(wanted, table))
        elif len(hits) > 1:
            misses.append(Miss(wanted, f"matches {len(hits)} rows, not one", found))
        elif hits[0] in taken:
            other = taken[hits[0]]
            misses.append(Miss(wanted, f"matches the same row as expected row {other}", found))
        taken.update(dict.fromkeys(set(hits) - taken.keys(), number))
    if exact:
        others = [row for at, row in enumerate(table.rows) if at not in taken]
        misses += [Miss(None, "was not expected", (row,)) for row in others]
    return misses


def match_absent(unwanted: Sequence[PartialRow], table: Table) -> list[Miss]:
    """Return the partial rows that match something though nothing may; a misspelt key is one."""
    misses = []
    for wanted in unwanted:
        found = tuple(row for row in table.rows if matches(wanted, row, table))
        if found:
            misses.append(Miss(wanted, "should be absent", found))
        elif problem := _unknown_keys(wanted, table):
            misses.append(Miss(wanted, problem))
    return misses


def matches(wanted: PartialRow, row: Row, table: Table) -> bool:
    """Say whether a row has every value that a partial one names."""
    return all(key in row and _same(key, value, row[key], table) for key, value in wanted.items())


def _same(key: str, expected: Expected, actual: RowValue, table: Table) -> bool:
    if key in table.ids and isinstance(expected, str) and isinstance(actual, str):
        return same_id(expected, actual)
    return equal(expected, actual, instant=key in table.instants, start=table.start)


def same_id(wanted: str, said: str) -> bool:
    """Say whether two message ids are one; either may be without its severity letter."""
    one, other = wanted.strip().upper(), said.upper()
    return one == other or other in _without_letter(one) or one in _without_letter(other)


def _without_letter(id_: str) -> tuple[str, ...]:
    return (id_[:-1],) if id_[-1:].isalpha() else ()


def equal(
    expected: Expected, actual: RowValue, *, instant: bool = False, start: Instant = 0
) -> bool:
    """Say whether an expected value and an actual one are the same.

    Args:
        expected: as a story writes it.
        actual: as an answer has it.
        instant: whether the actual value is an instant.
        start: what a relative instant is relative to.
    """
    if isinstance(expected, tuple) and isinstance(actual, tuple):
        alike = len(expected) == len(actual)
        return alike and all(map(equal, expected, actual))
    if isinstance(expected, tuple | bool | None) or isinstance(actual, tuple | bool | None):
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


def _number(value: str | float) -> Decimal | None:
    text = str(value).strip()
    return Decimal(text) if _NUMBER.fullmatch(text) else None


def _unmatched(wanted: PartialRow, table: Table) -> Miss:
    if problem := _unknown_keys(wanted, table):
        return Miss(wanted, problem)
    if not table.rows:
        return Miss(wanted, "there are no rows")
    closeness = [_closeness(wanted, row, table) for row in table.rows]
    best = max(closeness)
    if not best and len(wanted) > 1:
        return Miss(wanted, "no row is like it")
    near = [row for row, each in zip(table.rows, closeness, strict=True) if each == best]
    return Miss(wanted, "no row matches", tuple(near))


def _closeness(wanted: PartialRow, row: Row, table: Table) -> int:
    return sum(matches({key: value}, row, table) for key, value in wanted.items())


def _unknown_keys(wanted: PartialRow, table: Table) -> str:
    """Name the keys that no row has: with rows to look at, they are spelling mistakes."""
    keys = table.keys()
    unknown = [key for key in wanted if key not in keys] if keys else []
    return f"no row has {', '.join(unknown)}" if unknown else ""
