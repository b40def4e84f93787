"""What a DISPLAY is: a table of its columns, and where its rows come from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Final, TypeAlias

from twin.fold.estate import Estate, QueueManager
from twin.model.attributes import Attribute, Choice, Flag, Number, Text, Value
from twin.model.instants import Instant
from twin.model.names import generic
from twin.mqsc.statement import Where

Columns: TypeAlias = tuple[Attribute, ...]
"""The columns that may stand behind the first cells of a row, in their order."""

ColumnsAt: TypeAlias = Callable[[int], tuple[Columns, ...]]
"""From a command level to the columns of every kind of row that a view has."""

NOT_FOUND: Final = "AMQ8147"


@dataclass(frozen=True, slots=True)
class Found:
    """One row before its columns are chosen.

    Attributes:
        values: by keyword; a column without a value is not shown.
        columns: the columns of a row of its kind.
        evidence: the positions it rests on; 0 where there is none.
    """

    values: Mapping[str, Value]
    columns: Columns
    evidence: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class DisplayRequest:
    """What a command asks for.

    Attributes:
        pattern: the name, perhaps generic; `*` where the command names nothing.
        named: whether it is one exact name.
        columns: the columns that are asked for.
        everything: whether ALL is.
        selected: keywords that were given a value to select rows by.
        words: options that stand bare.
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
        """Say whether a name is asked for."""
        return generic(self.pattern, name)


@dataclass(frozen=True, slots=True)
class DisplaySource:
    """Where rows are looked for: a queue manager, the estate it is part of, and the instant."""

    estate: Estate
    qmgr: QueueManager
    asked: DisplayRequest
    at: Instant

    @property
    def level(self) -> int:
        """The command level of the queue manager."""
        return self.qmgr.cmdlevel


Find: TypeAlias = Callable[[DisplaySource], Iterable[Found]]


@dataclass(frozen=True, eq=False)
class DisplayView:
    """One DISPLAY as a table.

    Args:
        message: the id above each row.
        first: the keywords of the cells that every row begins with.
        columns: the columns of every kind of row it has, at a command level.
        find: looks for the rows, in the order in which they are shown.
        lead: columns that come first unless all are shown.
        always: columns that are shown whatever is asked for, in their place.
        whole: whether an exact name without attributes shows every column.
        nameless: whether the command names nothing, which then counts as an exact name.
        selectors: keywords that may have a value, with its legal words, none for any name.
        words: options that may stand bare.
        groups: keywords that stand for several columns.
        missing: the message id when no row is left; the name is its insert.
        missing_of: the same for some values of selectors, by keyword and value.
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
    words: frozenset[str] = frozenset()
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    missing: str = NOT_FOUND
    missing_of: Mapping[tuple[str, str], str] = field(default_factory=dict)


@cache
def known(view: DisplayView, level: int) -> Mapping[str, Attribute]:
    """Give every column of a view at a command level, by every keyword that names it."""
    return MappingProxyType(
        {
            keyword: column
            for columns in view.columns(level)
            for column in columns
            for keyword in column.keywords
        }
    )


def keywords(text: str) -> frozenset[str]:
    """Make a set of keywords from blank-separated ones."""
    return frozenset(text.split())


def texts(names: str, *, since: int = 0) -> Columns:
    """Make columns of text from blank-separated keywords."""
    form = Text(256, quoted=False)
    return tuple(Attribute(word, form, None, "show", since) for word in names.split())


def numbers(names: str, *, since: int = 0) -> Columns:
    """Make columns of numbers from blank-separated keywords."""
    form = Number(0, 999_999_999)
    return tuple(Attribute(word, form, None, "show", since) for word in names.split())


def words(keyword: str, choices: str) -> Attribute:
    """Make a column that shows one of a few blank-separated words."""
    return Attribute(keyword, Choice(tuple(choices.split())), None, "show")


def bare(keyword: str) -> Attribute:
    """Make a column that is a keyword without a value."""
    return Attribute(keyword, Flag(f"NO{keyword}"), None, "show")


def fixed(*columns: Columns) -> ColumnsAt:
    """Give the same columns at every command level, but for those that came later."""

    @cache
    def at(level: int) -> tuple[Columns, ...]:
        return tuple(tuple(column for column in each if column.since <= level) for each in columns)

    return at
