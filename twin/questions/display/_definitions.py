"""Rows from definitions: all attributes of an object, with the dates and times that MQ shows.

The parts of a DISPLAY: its columns, the source of its rows, and the request of a command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Final, TypeAlias

from twin.fold.beliefs import Belief, RecordName
from twin.fold.estate import Estate, QueueManager
from twin.model.attributes import (
    LARGEST,
    TYPES,
    Attribute,
    Choice,
    Flag,
    Number,
    Text,
    Value,
    full,
)
from twin.model.basis import Basis
from twin.model.cluster_records import ALTERED, unshown_in
from twin.model.instants import Instant, mq_date, mq_time
from twin.model.messages import NOT_FOUND
from twin.model.names import generic
from twin.model.objects import Definition
from twin.mqsc.statement import Where
from twin.questions.basis import basis_of_record, last_seen

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
        found_by: selectors that `find` applies itself.
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
    found_by: frozenset[str] = frozenset()
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


def as_shown(
    cells: Mapping[str, str], numbers: str, *, blank: str | None = None
) -> dict[str, Value | None]:
    """Return columns as they were last shown; of `numbers`, a blank one is unknown."""
    said: dict[str, Value | None] = {each: text or blank for each, text in cells.items()}
    for keyword in cells.keys() & numbers.split():
        said[keyword] = int(cells[keyword]) if cells[keyword].isdecimal() else None
    return said


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


def columns_of(*types: str) -> ColumnsAt:
    """Return the attributes of object types as columns, those of each type in their order."""

    @cache
    def at(level: int) -> tuple[Columns, ...]:
        return tuple(TYPES[name].at(level) for name in types)

    return at


def shown(source: DisplaySource, types: Iterable[str]) -> Iterator[Definition]:
    """Go through those of the requested objects that are facts, not only defaults of crtmqm."""
    return filter(source.qmgr.was_shown, definitions(source, types))


def definitions(source: DisplaySource, types: Iterable[str]) -> Iterator[Definition]:
    """Go through the requested objects of some types, sorted by kind and name."""
    wanted = frozenset(types)
    kinds = dict.fromkeys(TYPES[name].kind for name in types)
    objects = source.qmgr.definitions
    for kind in kinds:
        if source.request.named:
            keys = [(kind, source.request.pattern)]
        else:
            keys = sorted(key for key in objects if key[0] == kind and source.request.names(key[1]))
        yield from (objects[key] for key in keys if key in objects and objects[key].type in wanted)


def row_of(source: DisplaySource, definition: Definition) -> FoundRow:
    """Make the row of one object."""
    return FoundRow(
        attributes_of(source.qmgr, definition),
        evidence_of(source, definition),
        columns_for(source, definition),
    )


def columns_for(source: DisplaySource, definition: Definition) -> Columns:
    """Return the columns of one object: those of its type, then other attributes as given."""
    table = TYPES[definition.type]
    columns = table.at(source.level)
    if definition.values.keys() <= table.by_keyword.keys():
        return columns
    more = definition.values.keys() - table.by_keyword.keys() - {table.word}
    return (*columns, *texts(" ".join(sorted(more)))) if more else columns


@cache
def defaults(type_name: str, level: int) -> Mapping[str, Value]:
    """Return the defaults of a type; repository records leave attributes with defaults out."""
    return MappingProxyType(full(type_name, {}, level=level))


def evidence_of(source: DisplaySource, definition: Definition) -> tuple[int, ...]:
    """Return the position of a definition; that of its queue manager for a default object.

    The last observation that names all objects of its kind is evidence too, unless the definition
    was altered later.
    """
    position = definition.position or source.qmgr.position
    seen = source.qmgr.confirmed.get(definition.kind)
    if seen is None or not seen.complete or seen.at < (definition.altered or 0):
        return (position,)
    return tuple(sorted({position, seen.complete}))


def attributes_of(qmgr: QueueManager, definition: Definition) -> dict[str, Value | None]:
    """Return all attributes of an object, with its name, type, dates and times.

    Dates that nobody showed of an object of an imported queue manager are None.
    """
    table = TYPES[definition.type]
    shown = full(definition.type, definition.values, level=qmgr.cmdlevel)
    values = {**shown, **object_dates(qmgr, definition)}
    values[table.word] = definition.name
    if table.type_keyword:
        values[table.type_keyword] = definition.type
    return values


def object_dates(
    qmgr: QueueManager, definition: Definition | None = None
) -> dict[str, Value | None]:
    """Return ALTDATE, CRDATE and their times of an object, or of a queue manager itself.

    They are None where a date is not known. What was never altered in the twin has the date of its
    creation; a default object was created with its queue manager.
    """
    altered, created = qmgr.alter_date, qmgr.created_at
    if definition is not None:
        altered = definition.alter_date
        if definition.created is not None or (definition.position and qmgr.observed):
            created = definition.created
    altered = created if altered is None and not qmgr.observed else altered
    return {**dates_of("ALT", altered), **dates_of("CR", created)}


def instance_columns(
    source: DisplaySource, name: RecordName, belief: Belief
) -> dict[str, Value | None]:
    """Return the columns that all instances of clustered objects have, from a record.

    Dates and times are those that were seen, if the record has not changed since then. ALTDATE and
    ALTTIME are a local time of the owner. What nobody saw, or the twin does not know, is None.
    """
    seen = last_seen(source.qmgr, name, belief)
    altered = seen.altered if seen and seen.altered else belief.values.get(ALTERED)
    return {
        **belief.values,
        **dates_of("ALT", altered if isinstance(altered, int) else None),
        **dates_of("CLUS", held_since(source, name, belief)),
        "CLUSTER": name[0],
        "CLUSQMGR": belief.owner_name,
        "QMID": belief.owner,
    }


def held_since(source: DisplaySource, key: RecordName, belief: Belief) -> Instant | None:
    """Return since when a queue manager has a record: as CLUSDATE was seen, or by the rules.

    It is None of what only became known by an import, because that began at an unknown time. What
    was received on a branch began there.
    """
    qmgr = source.qmgr
    seen = last_seen(qmgr, key, belief)
    if seen is not None and seen.received is not None:
        return seen.received
    latest = max((each.position for each in qmgr.confirmed.values()), default=0)
    if qmgr.simulated and belief.position > latest:
        return belief.since
    known = basis_of_record(source.estate, qmgr, key, belief)
    return None if known.received is Basis.ASSUMED else belief.since


def unknown_columns(belief: Belief) -> dict[str, None]:
    """Return the columns of a record that no sight of it showed; they are shown as blank."""
    return dict.fromkeys(unshown_in(belief.values))


def dates_of(prefix: str, instant: Instant | None) -> dict[str, Value | None]:
    """Return an instant as the pair of attributes that show it, such as ALTDATE and ALTTIME."""
    date, time = (None, None) if instant is None else _date_and_time(instant)
    return {f"{prefix}DATE": date, f"{prefix}TIME": time}


@lru_cache(maxsize=4096)
def _date_and_time(instant: Instant) -> tuple[str, str]:
    """Return the date and time of an instant; many rows share one."""
    return mq_date(instant), mq_time(instant)


def defined(*types: str) -> Find:
    """Return a function that finds the objects of some types."""

    def find(source: DisplaySource) -> Iterator[FoundRow]:
        yield from (row_of(source, definition) for definition in shown(source, types))

    return find
