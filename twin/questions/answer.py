"""The result of every question: a table whose rows have the log positions they rest on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Self, TypeAlias

from twin.model.asof import AsOf
from twin.model.instants import format_instant
from twin.questions.catalogue import QUESTIONS

RowValue: TypeAlias = str | int | bool | tuple[str, ...] | None
Row: TypeAlias = dict[str, RowValue]
EvidencedRow: TypeAlias = tuple[Row, tuple[int, ...]]
"""A row, and the positions of the events it rests on."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question.

    Attributes:
        question: the name of the question.
        as_of: the point in time it was computed at.
        columns: the keys of the rows, in the order they are shown.
        rows: the rows; instants are integers (microseconds since 1970 UTC).
        instants: the keys whose values are instants.
        evidence: for each row, the positions of the events it rests on.
        lines: the text form of an answer that is more than a table.
        unknown: for an empty answer, the filters with unknown values, in words.
        notes: what else its reader should know, one line each.
    """

    question: str
    as_of: AsOf
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    instants: frozenset[str] = frozenset()
    evidence: tuple[tuple[int, ...], ...] = field(default=())
    unknown: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        question: str,
        as_of: AsOf,
        rows: Iterable[EvidencedRow],
        *,
        lines: Iterable[str] = (),
    ) -> Self:
        """Return the answer to a question of the catalogue, which declares its columns."""
        declared, evidenced_rows = QUESTIONS[question], tuple(rows)
        return cls(
            question,
            as_of,
            declared.names,
            tuple(row for row, _ in evidenced_rows),
            declared.instants,
            tuple(tuple(dict.fromkeys(evidence)) for _, evidence in evidenced_rows),
            lines=tuple(lines),
        )

    def as_json(self) -> dict[str, Any]:
        """Return the answer as JSON's types, instants in ISO 8601."""
        return {
            "question": self.question,
            "as_of": {
                "valid": format_instant(self.as_of.valid),
                "known": format_instant(self.as_of.known),
                "branch": self.as_of.branch,
            },
            "rows": [
                {
                    **self.shown(row),
                    "evidence": list(evidence),
                    **({"pending": True} if self._is_pending(evidence) else {}),
                }
                for row, evidence in zip(self.rows, self._evidence(), strict=True)
            ],
            **({"notes": list(self.notes)} if self.notes else {}),
        }

    @property
    def pending(self) -> int:
        """The number of rows that depend on timed events that are due but not yet recorded."""
        return sum(map(self._is_pending, self._evidence()))

    def _is_pending(self, evidence: tuple[int, ...]) -> bool:
        return self.as_of.position > 0 and max(evidence, default=0) > self.as_of.position

    def shown(self, row: Row) -> dict[str, Any]:
        """Return a row with its instants written out and its lists as lists."""
        return {column: self._shown(column, row[column]) for column in self.columns}

    def _shown(self, column: str, value: RowValue) -> Any:
        if column in self.instants and isinstance(value, int):
            return format_instant(value)
        return list(value) if isinstance(value, tuple) else value

    def _repr_html_(self) -> str:
        """Show the answer as a table in a notebook."""
        from twin.questions import tables  # noqa: PLC0415 - few commands need it

        caption = f"{self.question} {self.as_of}"
        return tables.html_of(caption, self.columns, map(self.shown, self.rows))

    def to_arrow(self) -> Any:
        """Return the rows as a `pyarrow.Table`; instants are timestamps in UTC.

        Raises:
            NoPackage: when pyarrow is not installed.
        """
        from twin.questions import tables  # noqa: PLC0415 - few commands need it

        return tables.arrow_of(self._types(), self.rows)

    def to_pandas(self) -> Any:
        """Return the rows as a `pandas.DataFrame`; instants are timestamps in UTC.

        Raises:
            NoPackage: when pandas is not installed.
        """
        from twin.questions import tables  # noqa: PLC0415 - few commands need it

        return tables.pandas_of(self._types(), self.rows)

    def _types(self) -> dict[str, str]:
        from twin.questions import tables  # noqa: PLC0415 - few commands need it

        return tables.types_of(self.question, self.columns, self.instants, self.rows)

    def _evidence(self) -> tuple[tuple[int, ...], ...]:
        return self.evidence or ((),) * len(self.rows)
