"""The parts of a queue manager as JSON: how each is written, and read back.

What is written here is stored in pages; whoever changes it raises `pages.VERSION`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final

from pydantic_core import to_json

from twin.events import Item, Parcel, RecordPublished, Removal, Share
from twin.fold.estate import ChannelState, Part, QueueManager, Running
from twin.fold.held import Unread, tupled
from twin.fold.messaging import Handle, Messaging, Switch, Use, Workload
from twin.fold.repository import (
    Came,
    Name,
    Publication,
    Repository,
    Subscription,
    UnderWay,
    Waiting,
)
from twin.model.objects import Definition
from twin.model.retries import Retries
from twin.model.system_objects import system_objects


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
            "subscribers": _runs(held.subscribers),
            "waiting": _parcels(held.waiting),
            "under_way": _parcels(held.under_way),
            "expired": list(held.expired),
            "removed": [[*member, how] for member, how in held.removed.items()],
            "sequence": held.sequence,
            "behind": held.behind,
            "mine": _runs(held.mine),
            "once_full": list(held.once_full),
        }
    )


def _runs(named: Mapping[Name, Any]) -> list[list[Any]]:
    """Write names with what belongs to them; what belongs to names in a row is written once."""
    runs: list[list[Any]] = []
    there = what = who = None
    for (cluster, kind, name), value in named.items():
        if kind != what or value != who or cluster != there:
            there, what, who = cluster, kind, value
            names: list[str] = []
            runs.append([cluster, kind, names, value])
        names.append(name)
    return runs


def _once_held(held: Repository) -> list[list[Any]]:
    """Write what was held of whom once and is not any more; the rest follows from what is."""
    if sum(map(len, held.ever.values())) == sum(map(len, held.groups.values())):
        return []  # as nearly always: all that ever was is
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
        subscribers={
            (cluster, kind, name): dict(who)
            for cluster, kind, names, who in stored["subscribers"]
            for name in names
        },
        waiting={
            channel: [Waiting(*_parcel(row)) for row in rows] for channel, rows in stored["waiting"]
        },
        under_way={
            channel: [UnderWay(*_parcel(row)) for row in rows]
            for channel, rows in stored["under_way"]
        },
        expired={tuple(key): None for key in stored["expired"]},
        removed={tuple(row[:2]): tuple(row[2]) for row in stored["removed"]},
        sequence=stored["sequence"],
        behind=stored["behind"],
        mine={
            (cluster, kind, name): None
            for cluster, kind, names, _ in stored["mine"]
            for name in names
        },
        once_full={tuple(name): None for name in stored["once_full"]},
        restated=False,
    )
    unread = Unread(stored["held"], stored["groups"], stored["ever"])
    for name, owners in unread.few():
        for belief in owners.values():
            repository.lead(name, belief, name[0])
    repository.unread = unread
    return repository


def _parcel(row: list[Any]) -> tuple[Any, ...]:
    cluster, to, when, position, stored, asks, removals = row
    items = tuple(
        Item(owner=owner, sequence=sequence, only=only and tuple(tuple(key) for key in only))
        for owner, sequence, only in stored
    )
    removed = tuple(Removal(**removal) for removal in removals)
    return cluster, to, when, position, items, tuple(tuple(ask) for ask in asks), removed


def _write_published(qmgr: QueueManager) -> bytes:
    """Write a queue manager's publications; what was sent again is written once."""
    place: dict[int, int] = {}
    places: dict[int, list[int]] = {}
    records: list[tuple[Any, ...]] = []
    rows, before = [], None
    for publication in qmgr.published.values():
        which = places.get(id(publication.records))
        if which is None:
            for record in publication.records.values():
                if id(record) not in place:
                    place[id(record)] = len(records)
                    records.append((record.kind, record.name, record.values, record.deleted))
            which = [place[id(record)] for record in publication.records.values()]
            places[id(publication.records)] = which
        rows.append([*publication[:3], None if which == before else which, *publication[4:]])
        before = which
    return to_json({"records": records, "publications": rows})


def _read_published(stored: Any, qmgr: QueueManager) -> dict[int, Publication]:
    del qmgr
    records = [
        RecordPublished(kind=kind, name=name, values=tupled(values), deleted=deleted)
        for kind, name, values, deleted in stored["records"]
    ]
    published: dict[int, Publication] = {}
    mine: dict[tuple[str, str], RecordPublished] = {}
    for cluster, sequence, instant, which, position, rank in stored["publications"]:
        if which is not None:  # else it was all sent again, and shares the records
            mine = {(each.kind, each.name): each for each in map(records.__getitem__, which)}
        published[sequence] = Publication(cluster, sequence, instant, mine, position, rank)
    return published


def _write_running(qmgr: QueueManager) -> bytes:
    activity = qmgr.activity
    return to_json(
        {
            "channels": activity.channels,
            "listeners": activity.listeners,
            "saved": activity.saved,
            "tried": list(activity.tried),
        }
    )


def _read_running(stored: Any, qmgr: QueueManager) -> Running:
    del qmgr
    channels = {name: _state(row) for name, row in stored["channels"].items()}
    return Running(channels, stored["listeners"], stored["saved"], dict.fromkeys(stored["tried"]))


def _state(row: list[Any]) -> ChannelState:
    state = ChannelState._make(row)
    return state._replace(retries=Retries._make(state.retries))


def _write_messaging(qmgr: QueueManager) -> bytes:
    held = qmgr.messaging
    return to_json(
        {
            "local": held.local,
            "waiting": held.waiting,
            "handles": held.handles,
            "uses": [[*route, *use] for route, use in held.workload.uses.items()],
            "last": held.workload.last,
            "assigned": held.assigned,
            "switching": held.switching,
            "held": list(held.held),
            "held_switch": list(held.held_switch),
            "in_doubt": held.in_doubt,
            "at_risk": held.at_risk,
        }
    )


def _read_messaging(stored: Any, qmgr: QueueManager) -> Messaging:
    del qmgr
    uses = {(to, channel): Use(number, factor) for to, channel, number, factor in stored["uses"]}
    return Messaging(
        local={queue: _messages(rows) for queue, rows in stored["local"].items()},
        waiting={
            queue: {channel: _messages(rows) for channel, rows in channels.items()}
            for queue, channels in stored["waiting"].items()
        },
        handles={name: _handle(row) for name, row in stored["handles"].items()},
        workload=Workload(uses, stored["last"]),
        assigned=stored["assigned"],
        switching={channel: Switch._make(row) for channel, row in stored["switching"].items()},
        held=dict.fromkeys(stored["held"]),
        held_switch=dict.fromkeys(stored["held_switch"]),
        in_doubt=stored["in_doubt"],
        at_risk=stored["at_risk"],
    )


def _messages(rows: list[dict[str, Any]]) -> list[Parcel]:
    return [Parcel(**row) for row in rows]


def _handle(row: list[Any]) -> Handle:
    handle = Handle._make(row)
    bound, grouped = (row and _share(row) for row in (handle.bound, handle.grouped))
    return handle._replace(bound=bound, grouped=grouped)


def _share(row: Any) -> Share:
    return Share(**row)


WRITERS: Final[Mapping[Part, Callable[[QueueManager], bytes]]] = {
    "definitions": _write_objects,
    "repository": _write_repository,
    "published": _write_published,
    "activity": _write_running,
    "messaging": _write_messaging,
}
READERS: Final[Mapping[Part, Callable[[Any, QueueManager], Any]]] = {
    "definitions": _read_objects,
    "repository": _read_repository,
    "published": _read_published,
    "activity": _read_running,
    "messaging": _read_messaging,
}
"""How each part is written, and read."""
