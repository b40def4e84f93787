"""Statements of SQLAlchemy in the SQL of one database, and the values that they take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import ColumnElement, Dialect, Executable, Select, bindparam
from sqlalchemy.sql.elements import CompilerElement

_LENGTHS: Final = (1, 20, 500)
"""The lengths of value lists in statements; only a few, so that compiled statements are reused."""


class Statements:
    """The statements of one process for one kind of database; each is compiled once."""

    def __init__(self, dialect: Dialect) -> None:
        """Compile for this dialect of SQL."""
        self._dialect = dialect
        self._texts: dict[Executable, tuple[str, dict[str, Any]]] = {}

    def compiled(self, statement: Executable) -> tuple[str, dict[str, Any]]:
        """Return a statement in this database's SQL, with the values that are part of it."""
        try:
            return self._texts[statement]
        except KeyError:
            if not isinstance(statement, CompilerElement):
                raise TypeError(statement) from None
            compiled = statement.compile(dialect=self._dialect)
            fixed = {name: value for name, value in compiled.params.items() if value is not None}
            return self._texts.setdefault(statement, (str(compiled), fixed))


def among(
    query: Select[Any], column: ColumnElement[Any], values: Sequence[Any]
) -> Iterator[tuple[Select[Any], dict[str, Any]]]:
    """Yield statements for the rows whose column has one of these values, with their parameters."""
    for start in range(0, len(values), _LENGTHS[-1]):
        part = values[start : start + _LENGTHS[-1]]
        length = next(length for length in _LENGTHS if length >= len(part))
        padded = [*part, *[part[-1]] * (length - len(part))]
        yield (
            _among(query, column, length),
            {f"listed_{number}": value for number, value in enumerate(padded)},
        )


@lru_cache
def _among(query: Select[Any], column: ColumnElement[Any], length: int) -> Select[Any]:
    return query.where(column.in_([bindparam(f"listed_{number}") for number in range(length)]))


def within_64_bits(values: dict[str, Any]) -> dict[str, Any]:
    """Return values in which no number is beyond the numbers of a column."""
    return {
        name: max(-(2**63), min(value, 2**63 - 1)) if isinstance(value, int) else value
        for name, value in values.items()
    }
