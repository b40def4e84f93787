"""The parts of a queue manager as JSON: how each is written, and read back.

What is written here is stored in pages; whoever changes it raises `pages.VERSION`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final

from pydantic_core import to_json

from twin.events import Item, RecordPublished, Removal
from twin.events.base import Values
from twin.fold.estate import ChannelState, Part, QueueManager, Running
from twin.fold.repository import (
    Belief,
    Came,
    Name,
    Publication,
    Repository,
    Subscription,
    UnderWay,
    Waiting,
)
from twin.model.objects import Definition
from twin.model.system_objects import system_objects


def tupled(values: dict[str, Any]) -> Values:
    """Read attributes back: JSON has lists where they have tuples."""
    return {
        key: tuple(value) if isinstance(value, list) else value for key, value in values.items()
    }


def _write_objects(qmgr: QueueManager) -> bytes:
    default = system_objects(qmgr.cmdlevel)
    plain: list[Definition] = []
    with_lists: list[Definition] = []
    for key, definition in qmgr.definitions.items():
        if definition is not default.get(key):
            has_list = any(isinstance(value, tuple) for value in definition.values.values())
            (with_lists if has_list else plain).append(definition)
    missing = [key for key in default if key not in qmgr.definitions]
    return to_json({"plain": plain, "lists": with_lists, "missing": missing})


def _read_objects(stored: Any, qmgr: QueueManager) -> dict[tuple[str, str], Definition]:
    definitions = dict(system_objects(qmgr.cmdlevel))
    for kind, name in stored["missing"]:
        del definitions[kind, name]
    make = Definition._make
    for row in stored["plain"]:
        definitions[row[0], row[1]] = make(row)
    for row in stored["lists"]:
        row[3] = tupled(row[3])
        definitions[row[0], row[1]] = make(row)
    return definitions


def _write_repository(qmgr: QueueManager) -> bytes:
    held = qmgr.repository
    return to_json(
        {
            "groups": _groups(held),
            "ever": _once_held(held),
            "gone": [[*name, deletion] for name, deletion in held.gone.items()],
            "told": [[*name, sequence] for name, sequence in held.told.items()],
            "subscriptions": [[*name, made] for name, made in held.subscriptions.items()],
            "lapsed": [[*name, made] for name, made in held.lapsed],
            "subscribers": [[*name, who] for name, who in held.subscribers.items()],
            "waiting": _parcels(held.waiting),
            "under_way": _parcels(held.under_way),
            "expired": list(held.expired),
            "removed": [[*member, how] for member, how in held.removed.items()],
            "sequence": held.sequence,
            "behind": held.behind,
            "mine": list(held.mine),
            "once_full": list(held.once_full),
        }
    )


def _once_held(held: Repository) -> list[list[Any]]:
    """Write what was held of whom once and is not any more; the rest follows from what is."""
    if sum(map(len, held.ever.values())) == sum(map(len, held.beliefs.values())):
        return []  # what is held was held once, and that is all there is
    return [
        [cluster, owner, kind, name]
        for (cluster, owner), names in held.ever.items()
        for kind, name in names
        if owner not in held.beliefs.get((cluster, kind, name), ())
    ]


def _groups(held: Repository) -> list[list[Any]]:
    """Write what is held by publication; a group that did not change since is written already."""
    rows = held.rows
    for key, names in held.groups.items():
        if key not in rows:
            rows[key] = _group(held, key, names)
    written = [rows[key] for key in held.groups]
    number = Counter((row[0], row[1]) for row in written)
    return [_named(row, alone=number[row[0], row[1]] == 1) for row in written]


def _named(row: list[Any], *, alone: bool) -> list[Any]:
    """Write the names; not where all that is held of an owner came at once, as it mostly does."""
    *which, parts = row
    if alone and len(parts) == 1:
        return [*which, [[*parts[0][:3], None]]]
    return [*which, [[*how, [name[1:] for name in names]] for *how, names in parts]]


def _group(held: Repository, key: tuple[str, int], names: Collection[Name]) -> list[Any]:
    """Write what is held of one publication; what came with it mostly came at once."""
    owner, sequence = key
    first = next(iter(names))
    came = held.beliefs[first][owner].came
    if came.held == len(names):
        parts = [[came.received, came.position, came.source, names]]
        return [first[0], owner, sequence, came.published, parts]
    apart: dict[int, tuple[Came, list[Name]]] = {}
    for name in names:
        each = held.beliefs[name][owner].came
        apart.setdefault(id(each), (each, []))[1].append(name)
    parts = [[how.received, how.position, how.source, which] for how, which in apart.values()]
    return [first[0], owner, sequence, came.published, parts]


def write_held(held: Repository) -> bytes:
    """Write what a repository holds, but for when it came and by which publication."""
    return to_json(
        [
            [
                *name,
                [
                    (each.owner, each.owner_name, each.values, each.since, _has_lists(each.values))
                    for each in owners.values()
                ],
            ]
            for name, owners in held.beliefs.items()
        ]
    )


def _has_lists(values: Values) -> int:
    return int(any(isinstance(value, tuple) for value in values.values()))


def _parcels(by_channel: Mapping[str, Iterable[Waiting | UnderWay]]) -> list[Any]:
    return [
        [channel, [[*parcel[:4], _items(parcel.items), *parcel[5:]] for parcel in parcels]]
        for channel, parcels in by_channel.items()
    ]


def _items(items: Iterable[Item]) -> list[Any]:
    return [[item.owner, item.sequence, item.only] for item in items]


def _read_repository(stored: Any, qmgr: QueueManager) -> Repository:
    del qmgr
    repository = Repository(
        gone={tuple(row[:4]): tuple(row[4]) for row in stored["gone"]},
        told={tuple(row[:2]): row[2] for row in stored["told"]},
        subscriptions={
            tuple(row[:3]): Subscription._make(row[3]) for row in stored["subscriptions"]
        },
        lapsed=[(tuple(row[:3]), Subscription._make(row[3])) for row in stored["lapsed"]],
        subscribers={tuple(row[:3]): row[3] for row in stored["subscribers"]},
        waiting={
            channel: [Waiting(*_parcel(row)) for row in rows] for channel, rows in stored["waiting"]
        },
        under_way={
            channel: [UnderWay(*_parcel(row)) for row in rows]
            for channel, rows in stored["under_way"]
        },
        removed={tuple(row[:2]): tuple(row[2]) for row in stored["removed"]},
        sequence=stored["sequence"],
        behind=stored["behind"],
        mine={tuple(name): None for name in stored["mine"]},
        once_full={tuple(name): None for name in stored["once_full"]},
    )
    for cluster, owner, kind, name in stored["ever"]:
        repository.ever.setdefault((cluster, owner), {})[kind, name] = None
    _hold_all(repository, stored["held"], stored["groups"])
    repository.expired = {tuple(key): None for key in stored["expired"]}
    return repository


def _hold_all(repository: Repository, held: list[Any], groups: list[Any]) -> None:
    """Put together what is held, and by which publication it came."""
    came: dict[tuple[str, str, str, str], Came] = {}
    at_once: dict[tuple[str, str], Came] = {}
    for cluster, owner, sequence, published, parts in groups:
        for received, position, source, which in parts:
            how = Came(sequence, published, source, received, position)
            if which is None:
                at_once[cluster, owner] = how
            for kind, called in which or ():
                came[cluster, kind, called, owner] = how
    beliefs, ever, grouped = repository.beliefs, repository.ever, repository.groups
    for cluster, kind, called, owners in held:
        name = (cluster, kind, called)
        mine = beliefs[name] = {}
        for owner, owner_name, values, since, has_lists in owners:
            how = at_once.get((cluster, owner)) or came[cluster, kind, called, owner]
            how.held += 1
            if has_lists:
                values = tupled(values)  # noqa: PLW2901 - as they were written
            mine[owner] = Belief(owner, owner_name, values, since, how)
            ever.setdefault((cluster, owner), {})[kind, called] = None
            grouped.setdefault((owner, how.sequence), {})[name] = None
            if kind != "queue":
                repository.index(name, mine[owner], cluster)
    repository.restated = False


def _parcel(row: list[Any]) -> tuple[Any, ...]:
    cluster, to, when, position, stored, asks, removals = row
    items = tuple(
        Item(owner=owner, sequence=sequence, only=only and tuple(tuple(key) for key in only))
        for owner, sequence, only in stored
    )
    removed = tuple(Removal(**removal) for removal in removals)
    return cluster, to, when, position, items, tuple(tuple(ask) for ask in asks), removed


def _write_published(qmgr: QueueManager) -> bytes:
    """Write a queue manager's publications; a record that was sent again is written once."""
    place: dict[int, int] = {}
    places: dict[int, list[int]] = {}
    records: list[RecordPublished] = []
    rows = []
    for publication in qmgr.published.values():
        which = places.get(id(publication.records))
        if which is None:
            for record in publication.records.values():
                if id(record) not in place:
                    place[id(record)] = len(records)
                    records.append(record)
            which = [place[id(record)] for record in publication.records.values()]
            places[id(publication.records)] = which
        rows.append([*publication[:3], which, *publication[4:]])
    return to_json({"records": records, "publications": rows})


def _read_published(stored: Any, qmgr: QueueManager) -> dict[int, Publication]:
    del qmgr
    records = []
    for row in stored["records"]:
        row["values"] = tupled(row["values"])
        records.append(RecordPublished(**row))
    published: dict[int, Publication] = {}
    mine: dict[tuple[str, str], RecordPublished] = {}
    before = None
    for cluster, sequence, instant, which, position, rank in stored["publications"]:
        if which != before:  # else it was all sent again, and shares the records
            mine = {(each.kind, each.name): each for each in map(records.__getitem__, which)}
            before = which
        published[sequence] = Publication(cluster, sequence, instant, mine, position, rank)
    return published


def _write_running(qmgr: QueueManager) -> bytes:
    activity = qmgr.activity
    return to_json({"channels": activity.channels, "listeners": activity.listeners})


def _read_running(stored: Any, qmgr: QueueManager) -> Running:
    del qmgr
    channels = {name: ChannelState._make(row) for name, row in stored["channels"].items()}
    return Running(channels, stored["listeners"])


WRITERS: Final[Mapping[Part, Callable[[QueueManager], bytes]]] = {
    "definitions": _write_objects,
    "repository": _write_repository,
    "published": _write_published,
    "activity": _write_running,
}
READERS: Final[Mapping[Part, Callable[[Any, QueueManager], Any]]] = {
    "definitions": _read_objects,
    "repository": _read_repository,
    "published": _read_published,
    "activity": _read_running,
}
"""How each part is written, and read."""
