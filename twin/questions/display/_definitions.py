"""Rows from definitions: every attribute of an object, with the instants that MQ shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from types import MappingProxyType

from twin.fold.estate import QueueManager
from twin.model.attributes import TYPES, Value, full
from twin.model.instants import Instant, mq_date, mq_time
from twin.model.objects import Definition
from twin.questions.display._view import Columns, ColumnsAt, DisplaySource, Find, Found, texts


def columns_of(*types: str) -> ColumnsAt:
    """Give the attributes of object types as columns, each type's in its own order."""

    @cache
    def at(level: int) -> tuple[Columns, ...]:
        return tuple(TYPES[name].at(level) for name in types)

    return at


def definitions(source: DisplaySource, types: Iterable[str]) -> Iterator[Definition]:
    """Go through the objects of some types whose names are asked for, kind by kind, by name."""
    wanted = frozenset(types)
    kinds = dict.fromkeys(TYPES[name].kind for name in types)
    found = source.qmgr.definitions
    for kind in kinds:
        if source.asked.named:
            keys = [(kind, source.asked.pattern)]
        else:
            keys = sorted(key for key in found if key[0] == kind and source.asked.names(key[1]))
        for key in keys:
            if key in found and found[key].type in wanted:
                yield found[key]


def row_of(source: DisplaySource, definition: Definition) -> Found:
    """Make the row of one object."""
    return Found(
        attributes_of(source.qmgr, definition),
        columns_for(source, definition),
        evidence_of(source, definition),
    )


def columns_for(source: DisplaySource, definition: Definition) -> Columns:
    """Give the columns of one object: its type's, then what was kept beyond them as given."""
    table = TYPES[definition.type]
    columns = table.at(source.level)
    if not table.kept or definition.values.keys() <= table.by_keyword.keys():
        return columns
    more = definition.values.keys() - table.by_keyword.keys() - {table.word}
    return (*columns, *texts(" ".join(sorted(more)))) if more else columns


@cache
def defaults(type_name: str, level: int) -> Mapping[str, Value]:
    """Give the product's defaults of a type; records of the repository are sparse against them."""
    return MappingProxyType(full(type_name, {}, level=level))


def evidence_of(source: DisplaySource, definition: Definition) -> tuple[int, ...]:
    """Say what a definition rests on: a default object on its queue manager."""
    return (definition.position or source.qmgr.position,)


def attributes_of(qmgr: QueueManager, definition: Definition) -> dict[str, Value]:
    """Give every attribute of an object, with its name, its type and its instants."""
    table = TYPES[definition.type]
    values = full(
        definition.type, {**definition.values, **_instants(qmgr, definition)}, level=qmgr.cmdlevel
    )
    values[table.word] = definition.name
    if table.type_keyword:
        values[table.type_keyword] = definition.type
    return values


def _instants(qmgr: QueueManager, definition: Definition) -> dict[str, Value]:
    created = qmgr.created if definition.created is None else definition.created
    altered = created if definition.altered is None else definition.altered
    return {**dated("ALT", altered), **dated("CR", created)}


def dated(prefix: str, instant: Instant) -> dict[str, Value]:
    """Write an instant as the pair of attributes it is shown as: ALTDATE and ALTTIME, CRDATE ..."""
    date, time = _date_and_time(instant)
    return {f"{prefix}DATE": date, f"{prefix}TIME": time}


@lru_cache(maxsize=4096)
def _date_and_time(instant: Instant) -> tuple[str, str]:
    """Write an instant; many rows share theirs."""
    return mq_date(instant), mq_time(instant)


def defined(*types: str) -> Find:
    """Make a search for the objects of some types."""

    def find(source: DisplaySource) -> Iterator[Found]:
        for definition in definitions(source, types):
            yield row_of(source, definition)

    return find
