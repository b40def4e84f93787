"""An estate as pages of JSON, one for each queue manager and part, loaded when touched.

Pages are a cache beside the log. `VERSION` says how they are written; a page of another version is
never read.
"""

from __future__ import annotations

import weakref
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any, Final

from pydantic_core import from_json, to_json

from twin.events import Item, RecordPublished, Removal
from twin.events.base import Values
from twin.fold.agenda import Waits, earliest, enlist_activity, enlist_repository, enlist_unloaded
from twin.fold.estate import PARTS, ChannelState, Estate, Link, Part, QueueManager, Running
from twin.fold.repository import (
    Belief,
    Name,
    Publication,
    Repository,
    Subscription,
    UnderWay,
    Waiting,
)
from twin.model.objects import Definition
from twin.model.system_objects import system_objects

VERSION: Final = 4
ESTATE: Final = "estate"
"""The page that lists the queue managers; every other page is named by `page_name`."""

_CORE: Final = (
    "name qmid created cmdlevel platform position observed running started values altered channels"
    " suspended restored waits"
).split()


_HELD: Final = "held"
"""The page of what a repository holds; when it came, and by which publication, is another page's.

Sent again as it was, a record changes only the latter, which is small.
"""


def page_name(qmid: str, part: str) -> str:
    """Return the name of the page that holds a part of a queue manager."""
    return f"{part}:{qmid}"


def pages_of(estate: Estate, kept: Container[str] = ()) -> dict[str, bytes]:
    """Write an estate's pages: all but those `kept` that did not change since `forget_changes`."""
    pages = {ESTATE: _estate_page(estate)}
    for qmid in estate.names:
        qmgr = estate.owner(qmid)
        for part in PARTS:
            name = page_name(qmid, part)
            if part in qmgr.changed or name not in kept:
                pages[name] = _WRITERS[part](qmgr)
        name = page_name(qmid, _HELD)
        if name not in kept or ("repository" in vars(qmgr) and qmgr.repository.restated):
            pages[name] = _write_held(qmgr.repository)
    return pages


def forget_changes(estate: Estate) -> None:
    """Begin anew to note what changes: the estate has just been written as pages."""
    for qmid in estate.names:
        qmgr = estate.owner(qmid)
        qmgr.changed.clear()
        if "repository" in vars(qmgr):
            qmgr.repository.restated = False


def all_page_names(estate: Estate) -> list[str]:
    """List the pages an estate consists of."""
    parts = (*PARTS, _HELD)
    return [ESTATE, *(page_name(qmid, part) for qmid in estate.names for part in parts)]


def estate_from(page: bytes, load: Callable[[str], bytes]) -> Estate:
    """Rebuild an estate from its list of queue managers; `load` fetches any other page by name."""
    stored = from_json(page)

    def load_part(qmgr: QueueManager, part: Part) -> Any:
        stored = from_json(load(page_name(qmgr.qmid, part)))
        if part == "repository":
            stored["held"] = from_json(load(page_name(qmgr.qmid, _HELD)))
        found = _READERS[part](stored, qmgr)
        estate = whole()
        if estate is not None and qmgr.running and part == "repository":
            enlist_repository(estate, qmgr, found)
        elif estate is not None and qmgr.running and part == "activity":
            enlist_activity(estate, qmgr, found)
        return found

    estate = Estate(
        instant=stored["instant"],
        position=stored["position"],
        links={(one, other): Link(*link) for one, other, link in stored["links"]},
    )
    # A queue manager that held its estate would make a ring, which only a collection would free.
    whole = weakref.ref(estate)
    for place, known in (("qmgrs", estate.qmgrs), ("departed", estate.departed)):
        for row in stored[place]:
            core: dict[str, Any] = dict(zip(_CORE, row, strict=True))
            core["values"] = _tupled(core["values"])
            core["waits"] = {Waits(int(kind)): since for kind, since in core["waits"].items()}
            qmgr = QueueManager(**core, load=load_part)
            known[qmgr.name if place == "qmgrs" else qmgr.qmid] = qmgr
            estate.names[qmgr.qmid] = qmgr.name
            if qmgr.running:
                enlist_unloaded(estate, qmgr, qmgr.waits)
            for end in qmgr.channels.items() if place == "qmgrs" else ():
                estate.ends.setdefault(end, {})[qmgr.name] = None
    return estate


_WAITING: Final[frozenset[Part]] = frozenset({"repository", "activity"})
"""The parts in which something may wait for the clock."""


def _estate_page(estate: Estate) -> bytes:
    def rows(qmgrs: Mapping[str, QueueManager]) -> list[list[Any]]:
        for qmgr in qmgrs.values():
            if qmgr.changed & _WAITING:
                qmgr.waits = earliest(qmgr)
        return [[getattr(qmgr, field) for field in _CORE] for qmgr in qmgrs.values()]

    return to_json(
        {
            "instant": estate.instant,
            "position": estate.position,
            "links": [[*pair, link] for pair, link in estate.links.items()],
            "qmgrs": rows(estate.qmgrs),
            "departed": rows(estate.departed),
        }
    )


def _tupled(values: dict[str, Any]) -> Values:
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
        row[3] = _tupled(row[3])
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
    found = (
        [cluster, owner, kind, name]
        for (cluster, owner), names in held.ever.items()
        for kind, name in names
        if owner not in held.beliefs.get((cluster, kind, name), ())
    )
    return list(found)


def _groups(held: Repository) -> list[list[Any]]:
    """Write what is held by publication; a group that did not change since is written already."""
    rows = held.rows
    for key, names in held.groups.items():
        if key not in rows:
            rows[key] = _group(held, key, names)
    written = [rows[key] for key in held.groups]
    number = Counter((row[0], row[1]) for row in written)
    return [_short(row) if number[row[0], row[1]] == 1 else row for row in written]


def _short(row: list[Any]) -> list[Any]:
    """Leave the names out where all that is held of an owner came at once, as it mostly does."""
    *which, parts = row
    return [*which, [[*parts[0][:3], None]]] if len(parts) == 1 else row


def _group(held: Repository, key: tuple[str, int], names: Iterable[Name]) -> list[Any]:
    """Write what is held of one publication; what came with it mostly came at once."""
    owner, sequence = key
    came: dict[tuple[Any, ...], list[Name]] = defaultdict(list)
    for name in names:
        belief = held.beliefs[name][owner]
        came[belief.received, belief.position, belief.source].append(name)
    cluster = name[0]
    parts = [[*how, [(kind, called) for _, kind, called in which]] for how, which in came.items()]
    return [cluster, owner, sequence, belief.published, parts]


def _write_held(held: Repository) -> bytes:
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
    came: dict[tuple[str, str, str, str], tuple[Any, ...]] = {}
    at_once: dict[tuple[str, str], tuple[Any, ...]] = {}
    for cluster, owner, sequence, published, parts in groups:
        for received, position, source, which in parts:
            how = (sequence, published, source, received, position)
            if which is None:
                at_once[cluster, owner] = how
            for kind, called in which or ():
                came[cluster, kind, called, owner] = how
    beliefs, ever, grouped = repository.beliefs, repository.ever, repository.groups
    for cluster, kind, called, owners in held:
        name = (cluster, kind, called)
        mine = beliefs[name] = {}
        for owner, owner_name, values, since, has_lists in owners:
            sequence, published, source, received, position = (
                at_once.get((cluster, owner)) or came[cluster, kind, called, owner]
            )
            if has_lists:
                values = _tupled(values)  # noqa: PLW2901 - as they were written
            mine[owner] = Belief(
                owner,
                owner_name,
                sequence,
                published,
                values,
                source,
                received,
                position,
                since,
            )
            ever.setdefault((cluster, owner), {})[kind, called] = None
            grouped.setdefault((owner, sequence), {})[name] = None
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
    records: list[RecordPublished] = []
    rows = []
    for publication in qmgr.published.values():
        for record in publication.records.values():
            if id(record) not in place:
                place[id(record)] = len(records)
                records.append(record)
        which = [place[id(record)] for record in publication.records.values()]
        rows.append([*publication[:3], which, *publication[4:]])
    return to_json({"records": records, "publications": rows})


def _read_published(stored: Any, qmgr: QueueManager) -> dict[int, Publication]:
    del qmgr
    records = []
    for row in stored["records"]:
        row["values"] = _tupled(row["values"])
        records.append(RecordPublished(**row))
    published: dict[int, Publication] = {}
    for cluster, sequence, instant, which, position, rank in stored["publications"]:
        mine = {(each.kind, each.name): each for each in map(records.__getitem__, which)}
        published[sequence] = Publication(cluster, sequence, instant, mine, position, rank)
    return published


def _write_running(qmgr: QueueManager) -> bytes:
    activity = qmgr.activity
    return to_json({"channels": activity.channels, "listeners": activity.listeners})


def _read_running(stored: Any, qmgr: QueueManager) -> Running:
    del qmgr
    channels = {name: ChannelState._make(row) for name, row in stored["channels"].items()}
    return Running(channels, stored["listeners"])


_WRITERS: Final[Mapping[Part, Callable[[QueueManager], bytes]]] = {
    "definitions": _write_objects,
    "repository": _write_repository,
    "published": _write_published,
    "activity": _write_running,
}
_READERS: Final[Mapping[Part, Callable[[Any, QueueManager], Any]]] = {
    "definitions": _read_objects,
    "repository": _read_repository,
    "published": _read_published,
    "activity": _read_running,
}
