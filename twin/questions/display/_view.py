"""The parts of a DISPLAY: its columns, the source of its rows, and the request of a command."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Final, TypeAlias

from twin.fold.estate import Estate, QueueManager
from twin.model.attributes import LARGEST, Attribute, Choice, Flag, Number, Text, Value
from twin.model.basis import Basis
from twin.model.instants import Instant
from twin.model.messages import NOT_FOUND
from twin.model.names import generic
from twin.mqsc.statement import Where

Columns: TypeAlias = tuple[Attribute, ...]
"""The columns that may follow the first cells of a row, in their order."""

ColumnsAt: TypeAlias = Callable[[int], tuple[Columns, ...]]
"""Command level -> the columns of every kind of row that a view has."""


@dataclass(frozen=True, slots=True)
class FoundRow:
    """One row before its columns are chosen.

    Attributes:
        values: by keyword; a column without a value is not shown. None, for what twin does not
            model, is shown as blank, and null in JSON.
        evidence: the log positions of the events it rests on; 0 for none.
        columns: the columns of its kind of row; None if its view has only one kind.
        basis: what a record of a cluster rests on; None for any other row.
    """

    values: Mapping[str, Value | None]
    evidence: tuple[int, ...]
    columns: Columns | None = None
    basis: Basis | None = None


@dataclass(frozen=True, slots=True)
class DisplayRequest:
    """The request of a DISPLAY command.

    Attributes:
        pattern: the name, which may be generic; `*` if the command has no name.
        named: whether it is one exact name.
        columns: the requested columns.
        everything: whether ALL is requested.
        selected: keyword -> value that rows must have.
        words: options without a value.
        where: its filter.
    """

    pattern: str = "*"
    named: bool = False
    columns: frozenset[str] = frozenset()
    everything: bool = False
    selected: Mapping[str, str] = field(default_factory=dict)
    words: frozenset[str] = frozenset()
    where: Where | None = None

    def names(self, name: str) -> bool:
        """Return whether a name is requested."""
        return generic(self.pattern, name)


@dataclass(frozen=True, slots=True)
class DisplaySource:
    """The source of rows: a queue manager, its estate, the instant, and the request."""

    estate: Estate
    qmgr: QueueManager
    request: DisplayRequest
    at: Instant

    @property
    def level(self) -> int:
        """The command level of the queue manager."""
        return self.qmgr.cmdlevel


Find: TypeAlias = Callable[[DisplaySource], Iterable[FoundRow]]


@dataclass(frozen=True, eq=False)
class DisplayView:
    """One DISPLAY as a table.

    Args:
        message: the id above each row.
        first: the keywords of the cells that every row starts with.
        columns: the columns of every kind of row it has, at a command level.
        find: finds the rows, in the order in which they are shown.
        lead: columns that come first unless all are shown.
        always: columns that are always shown, in their place.
        whole: whether an exact name without attributes shows every column.
        nameless: whether the command has no name; this counts as an exact name.
        selectors: keywords that may have a value, each with its allowed words; empty for any name.
        unmodelled: what twin recognises and does not model: `KEYWORD(VALUE)`, or `KEYWORD` for
            every value.
        words: options without a value.
        groups: keywords that stand for several columns.
        missing: the message id when no row is left; the name is its insert.
        missing_of: (selector, value) -> the message id in place of `missing`.
    """

    message: str
    first: tuple[str, ...]
    columns: ColumnsAt
    find: Find
    lead: tuple[str, ...] = ()
    always: frozenset[str] = frozenset()
    whole: bool = True
    nameless: bool = False
    selectors: Mapping[str, frozenset[str]] = field(default_factory=dict)
    unmodelled: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    missing: str = NOT_FOUND
    missing_of: Mapping[tuple[str, str], str] = field(default_factory=dict)


@cache
def columns_by_keyword(view: DisplayView, level: int) -> Mapping[str, Attribute]:
    """Return the columns of a view at a command level, by every keyword that names them."""
    return MappingProxyType(
        {
            keyword: column
            for columns in view.columns(level)
            for column in columns
            for keyword in column.keywords
        }
    )


def keywords(text: str) -> frozenset[str]:
    """Return the set of blank-separated keywords."""
    return frozenset(text.split())


SUBSCRIPTIONS: Final = MappingProxyType(
    {"DURABLE": keywords("ALL NO YES"), "SUBTYPE": keywords("ADMIN ALL API PROXY USER")}
)
"""The selectors of DISPLAY SUB and DISPLAY SBSTATUS."""


def texts(names: str, *, since: int = 0) -> Columns:
    """Return columns of text with these blank-separated keywords."""
    form = Text(256, quoted=False)
    return tuple(Attribute(word, form, None, "show", since) for word in names.split())


def numbers(names: str, *, since: int = 0) -> Columns:
    """Return columns of numbers with these blank-separated keywords."""
    form = Number(0, LARGEST)
    return tuple(Attribute(word, form, None, "show", since) for word in names.split())


def words(keyword: str, choices: str) -> Attribute:
    """Return a column that shows one of these blank-separated words."""
    return Attribute(keyword, Choice(tuple(choices.split())), None, "show")


def bare(keyword: str) -> Attribute:
    """Return a column that is a keyword without a value."""
    return Attribute(keyword, Flag(f"NO{keyword}"), None, "show")


def fixed(*columns: Columns) -> ColumnsAt:
    """Return the same columns at every command level, except those that a later level added."""

    @cache
    def at(level: int) -> tuple[Columns, ...]:
        return tuple(tuple(column for column in each if column.since <= level) for each in columns)

    return at
