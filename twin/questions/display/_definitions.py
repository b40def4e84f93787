"""Rows from definitions: all attributes of an object, with the dates and times that MQ shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from types import MappingProxyType

from twin.fold.beliefs import Belief, RecordName
from twin.fold.estate import QueueManager
from twin.model.attributes import TYPES, Value, full
from twin.model.cluster_records import ALTERED, unshown_in
from twin.model.instants import Instant, mq_date, mq_time
from twin.model.objects import Definition
from twin.questions.basis import last_seen
from twin.questions.display._view import Columns, ColumnsAt, DisplaySource, Find, FoundRow, texts


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
        for key in keys:
            if key in objects and objects[key].type in wanted:
                yield objects[key]


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


def attributes_of(qmgr: QueueManager, definition: Definition) -> dict[str, Value]:
    """Return all attributes of an object, with its name, type, dates and times."""
    table = TYPES[definition.type]
    values = full(
        definition.type, {**definition.values, **_instants(qmgr, definition)}, level=qmgr.cmdlevel
    )
    values[table.word] = definition.name
    if table.type_keyword:
        values[table.type_keyword] = definition.type
    return values


def _instants(qmgr: QueueManager, definition: Definition) -> dict[str, Value]:
    created = qmgr.creation if definition.created is None else definition.created
    altered = created if definition.altered is None else definition.altered
    return {**dated("ALT", altered), **dated("CR", created)}


def instance_columns(source: DisplaySource, name: RecordName, belief: Belief) -> dict[str, Value]:
    """Return the columns that all instances of clustered objects have, from a record.

    Dates and times are those that were seen, if the record has not changed since then.
    """
    seen = last_seen(source.qmgr, name, belief)
    since = belief.since if seen is None or seen.received is None else seen.received
    altered = seen.altered if seen and seen.altered else belief.values.get(ALTERED)
    return {
        **belief.values,
        **dated("ALT", altered if isinstance(altered, int) else belief.published),
        **dated("CLUS", since),
        "CLUSTER": name[0],
        "CLUSQMGR": belief.owner_name,
        "QMID": belief.owner,
    }


def unknown_columns(belief: Belief) -> dict[str, None]:
    """Return the columns of a record that no sight of it showed; they are shown as blank."""
    return dict.fromkeys(unshown_in(belief.values))


def dated(prefix: str, instant: Instant) -> dict[str, Value]:
    """Return an instant as the pair of attributes that show it, such as ALTDATE and ALTTIME."""
    date, time = _date_and_time(instant)
    return {f"{prefix}DATE": date, f"{prefix}TIME": time}


@lru_cache(maxsize=4096)
def _date_and_time(instant: Instant) -> tuple[str, str]:
    """Return the date and time of an instant; many rows share one."""
    return mq_date(instant), mq_time(instant)


def defined(*types: str) -> Find:
    """Return a function that finds the objects of some types."""

    def find(source: DisplaySource) -> Iterator[FoundRow]:
        for definition in shown(source, types):
            yield row_of(source, definition)

    return find
