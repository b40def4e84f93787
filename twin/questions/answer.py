"""The result of every question: a table whose rows have the log positions they rest on.

Besides the estate, a question may need events of some types, with their place in the log.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple, Self, TypeAlias

from twin.events import Event
from twin.fold.estate import Estate, QueueManager
from twin.model.amounts import verb
from twin.model.basis import Basis, Unknown, weakest
from twin.model.commands import Command
from twin.model.instants import AsOf, Instant, format_instant
from twin.questions.catalogue import QUESTIONS
from twin.questions.declared import NULL

RowValue: TypeAlias = str | int | bool | tuple[str, ...] | tuple[Command, ...] | Unknown | None
"""A value of a row. An answer has None for what is unknown, too, and `settled_by` tells the two
apart.
"""

Row: TypeAlias = dict[str, RowValue]

QMID: Final = "qmid"
"""The column of every question that has QMIDs."""

MARK: Final = "?"
"""What tables show where a value is unknown, and after one that was made up."""

EvidencedRow: TypeAlias = tuple[Row, tuple[int, ...]]
"""A row, and the positions of the events it rests on."""


class FoldedFact(NamedTuple):
    """An event with its instant and its position; facts come in fold order."""

    at: Instant
    position: int
    event: Event


Facts: TypeAlias = Iterable[FoldedFact]
"""Facts in fold order."""


class OtherRules(NamedTuple):
    """A withdrawal after which another version of the rules derived everything again.

    `source` is the source of what it derived; `before` and `after` are the versions.
    """

    at: Instant
    position: int
    source: str
    before: str
    after: str


class BasedRow(NamedTuple):
    """A row whose columns say what they rest on.

    Attributes:
        row: the row, without the column `basis`.
        evidence: the positions of the events it rests on.
        basis: column -> what it rests on. The first column stands for the row itself. Columns that
            only identify the row are left out.
    """

    row: Row
    evidence: tuple[int, ...]
    basis: Mapping[str, Basis]

    def with_unknown(self, columns: Collection[str]) -> Self:
        """Return the row with `unknown` as the basis of each of these that nobody knows."""
        unknown = _unknown_of(self.row, columns)
        return self._replace(basis={**self.basis, **_as_unknown(unknown)}) if unknown else self

    def weakest(self, apart: Collection[str], beside: Collection[str]) -> Basis:
        """Return the weakest basis of the columns, without those of `apart`.

        That a column of `beside` is unknown says nothing of the rest of the row.
        """
        return weakest(
            basis
            for column, basis in self.basis.items()
            if column not in apart and not (basis is Basis.UNKNOWN and column in beside)
        )

    def narrowed(self, to: Basis | None) -> Self | None:
        """Return the row without values that rest on less; None if the row itself does.

        What is unknown stays so.
        """
        if to is None or to is Basis.UNKNOWN:
            return self
        weak = [column for column, basis in self.basis.items() if basis.rank > to.rank]
        if next(iter(self.basis)) in weak:
            return None
        kept = {column: basis for column, basis in self.basis.items() if column not in weak}
        left_out = [column for column in weak if self.basis[column] is not Basis.UNKNOWN]
        return self._replace(row={**self.row, **dict.fromkeys(left_out)}, basis=kept)


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
        gaps: those of the notes that say what is missing in the log.
        basis_of: for each row, column -> what it rests on, if its columns differ in that.
        settled_by: for each row, column that is null because nobody knows its value -> what would
            settle it; () if nothing is unknown. Any other null says that there is no value.
        against: the point that it is compared with; None if it is compared with none. Rows of a
            comparison lack the fields that do not differ.
        pends: for each row of a comparison, whether it depends on what is not recorded.
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
    gaps: tuple[str, ...] = ()
    basis_of: tuple[Mapping[str, Basis], ...] = field(default=())
    settled_by: tuple[Mapping[str, Unknown], ...] = field(default=())
    against: AsOf | None = None
    pends: tuple[bool, ...] = ()

    def agreed(self, other: Answer, keys: Collection[str], on: str) -> Answer:
        """Return the answer without the values in which another one differs; `keys` stay.

        These values are unknown, because it is not known what was so at the queue manager `on`. A
        row that the other one lacks is assumed.
        """
        others = {tuple(row[key] for key in keys): row for row in other.rows}
        rows: list[Row] = []
        bases: list[Mapping[str, Basis]] = []
        unknown: list[Mapping[str, Unknown]] = []
        known = zip(
            self.rows, self.basis_of or ({},) * len(self.rows), self.unknowns(), strict=True
        )
        for row, basis_of, settled_by in known:
            beside = others.get(tuple(row[key] for key in keys))
            if beside is None:
                rows.append({**row, "basis": Basis.ASSUMED} if "basis" in row else row)
                bases.append({})
                unknown.append(settled_by)
                continue
            open_ = [key for key in row if key not in keys and beside.get(key) != row[key]]
            rows.append({**row, **dict.fromkeys(open_)})
            bases.append({**basis_of, **dict.fromkeys(open_, Basis.UNKNOWN)})
            unknown.append({**settled_by, **dict.fromkeys(open_, Unknown(on, None))})
        return replace(self, rows=tuple(rows), basis_of=tuple(bases), settled_by=tuple(unknown))

    def marking(self, made: Collection[str]) -> Answer:
        """Return the answer with the QMIDs that the twin made up marked so in `basis_of`."""
        if not made or QMID not in self.columns:
            return self
        bases = tuple(
            {**(bases or _of_all(row)), QMID: Basis.MADE} if row.get(QMID) in made else bases
            for row, bases in zip(self.rows, self.basis_of or ({},) * len(self.rows), strict=True)
        )
        return replace(self, basis_of=bases) if any(bases) else self

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
        columns = declared.may_be_unknown
        unknown = tuple(_unknown_of(row, columns) for row, _ in evidenced_rows)
        is_known = not any(unknown)
        return cls(
            question,
            as_of,
            declared.names,
            tuple(
                {**row, **dict.fromkeys(lacking)} if lacking else row
                for (row, _), lacking in zip(evidenced_rows, unknown, strict=True)
            ),
            declared.instants,
            tuple(tuple(dict.fromkeys(evidence)) for _, evidence in evidenced_rows),
            lines=tuple(lines),
            basis_of=() if is_known else tuple(map(_as_unknown, unknown)),
            settled_by=() if is_known else unknown,
        )

    @classmethod
    def based(
        cls,
        question: str,
        as_of: AsOf,
        rows: Iterable[BasedRow],
        *,
        basis: str | None = None,
        notes: tuple[str, ...] = (),
        apart: Collection[str] = (),
    ) -> Self:
        """Return the answer to a question whose rows say what they rest on, in the column `basis`.

        A row's basis is its weakest, without that of the columns `apart`, which are about others,
        and of columns that are unknown where there might be no value at all.
        With `basis`, only what rests on that or on more is shown.
        """
        to = None if basis is None else Basis(basis)
        beside = {each.name for each in QUESTIONS[question].columns if NULL in each.traits}
        columns = QUESTIONS[question].may_be_unknown
        based = (each.with_unknown(columns).narrowed(to) for each in rows)
        narrowed = [row for row in based if row is not None]
        answer = cls.of(
            question,
            as_of,
            (
                ({**each.row, "basis": each.weakest(apart, beside)}, each.evidence)
                for each in narrowed
            ),
        )
        differing = tuple(row.basis if len(set(row.basis.values())) > 1 else {} for row in narrowed)
        assumed = tuple(_assumed_dates(answer.instants, narrowed))
        return replace(answer, basis_of=differing, notes=(*notes, *assumed))

    def as_json(self) -> dict[str, Any]:
        """Return the answer as JSON's types, instants in ISO 8601."""
        return {
            "question": self.question,
            "as_of": _point(self.as_of),
            **({"against": _point(self.against)} if self.against else {}),
            "rows": [
                {
                    **self.shown(row),
                    **({"basis_of": dict(basis_of)} if basis_of else {}),
                    **({"settled_by": _settling(unknown)} if unknown else {}),
                    "evidence": list(evidence),
                    **({"pending": True} if pending else {}),
                }
                for row, evidence, basis_of, unknown, pending in zip(
                    self.rows,
                    self.positions(),
                    self.basis_of or ({},) * len(self.rows),
                    self.unknowns(),
                    self.pending_rows(),
                    strict=True,
                )
            ],
            **({"notes": list(self.notes)} if self.notes else {}),
        }

    @property
    def pending(self) -> int:
        """The number of rows that depend on timed events that are due but not yet recorded."""
        return sum(self.pending_rows())

    def pending_rows(self) -> tuple[bool, ...]:
        """Return for each row whether it depends on timed events that are not yet recorded."""
        last = self.as_of.position
        return self.pends or tuple(0 < last < max(each, default=0) for each in self.positions())

    def unknowns(self) -> tuple[Mapping[str, Unknown], ...]:
        """Return for each row its columns that nobody knows, with what would settle each."""
        return self.settled_by or ({},) * len(self.rows)

    def positions(self) -> tuple[tuple[int, ...], ...]:
        """Return for each row the positions of the events it rests on."""
        return self.evidence or ((),) * len(self.rows)

    def shown(self, row: Row) -> dict[str, Any]:
        """Return a row with its instants written out and its lists as lists."""
        return {
            column: self._shown(column, row[column]) for column in self.columns if column in row
        }

    def marked(self, number: int) -> dict[str, Any]:
        """Return a row as `shown` does, with `?` where a value is not known, for every table.

        It stands after a value that the twin made up, and in place of one that nobody knows.
        """
        shown = self.shown(self.rows[number])
        basis_of = self.basis_of[number] if self.basis_of else {}
        for column in basis_of.keys() & shown.keys():
            if basis_of[column] is Basis.UNKNOWN:
                shown[column] = MARK
            elif basis_of[column] is Basis.MADE:
                shown[column] = f"{shown[column]}{MARK}"
        return shown

    def _shown(self, column: str, value: RowValue) -> Any:
        if column in self.instants and isinstance(value, int):
            return format_instant(value)
        if not isinstance(value, tuple):
            return value
        return [each.as_fix() if isinstance(each, Command) else each for each in value]

    def _repr_html_(self) -> str:
        """Show the answer as a table in a notebook."""
        from twin.questions import tables  # noqa: PLC0415 - few commands need it

        against = f" against {self.against}" if self.against else ""
        caption = f"{self.question} {self.as_of}{against}"
        return tables.html_of(caption, self.columns, map(self.marked, range(len(self.rows))))

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


def _unknown_of(row: Row, columns: Collection[str]) -> dict[str, Unknown]:
    return {column: value for column in columns if isinstance(value := row.get(column), Unknown)}


def _as_unknown(lacking: Mapping[str, Unknown]) -> dict[str, Basis]:
    return dict.fromkeys(lacking, Basis.UNKNOWN)


def _of_all(row: Row) -> dict[str, Basis]:
    """Return the basis of a row whose columns do not differ in it."""
    basis = row.get("basis")
    return {next(iter(row)): Basis(str(basis))} if basis else {}


def _settling(unknown: Mapping[str, Unknown]) -> dict[str, dict[str, str] | None]:
    """Return as JSON's types what would settle each column; null if nothing does."""
    return {
        column: {"on": each.on, "source": str(each.source)} if each.source else None
        for column, each in unknown.items()
    }


def _point(as_of: AsOf) -> dict[str, str]:
    return {
        "valid": format_instant(as_of.valid),
        "known": format_instant(as_of.known),
        "branch": as_of.branch,
    }


def _assumed_dates(instants: Collection[str], rows: Sequence[BasedRow]) -> Iterator[str]:
    """Return the line that says how many of the dates shown are assumed, if any are."""
    dates = [
        basis
        for row, _, bases in rows
        for column, basis in bases.items()
        if column in instants and row[column] is not None
    ]
    if assumed := sum(basis is Basis.ASSUMED for basis in dates):
        yield f"{assumed} of {len(dates)} dates {verb(assumed, 'are')} assumed"


def bearer(estate: Estate, name: str, at: Instant) -> QueueManager | None:
    """Return the queue manager that had a name at an instant; None if none is known.

    If several were created one after another with that name, it is the last one created by then.
    """
    current = estate.qmgrs.get(name)
    if current is not None and current.created <= at:
        return current
    bearers = [qmgr for qmgr in estate.departed.values() if qmgr.name == name]
    made = [qmgr for qmgr in bearers if qmgr.created <= at]
    return max(made, key=lambda qmgr: qmgr.created, default=current)


def qmid_of(estate: Estate, name: str, at: Instant) -> str:
    """Return the QMID of the queue manager that had a name at an instant; '' if none is known."""
    qmgr = bearer(estate, name, at)
    return "" if qmgr is None else qmgr.qmid
