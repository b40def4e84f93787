"""An estate as pages of JSON, one for each queue manager and part, loaded when touched.

Pages are a cache beside the log. `VERSION` says how they are written; a page of another version is
never read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from pydantic_core import from_json, to_json

from twin.events import Item, RecordPublished
from twin.events.base import Values
from twin.fold.estate import PARTS, ChannelState, Estate, Part, QueueManager, Running
from twin.fold.repository import Belief, Publication, Repository, Subscription, Waiting
from twin.model.objects import Definition
from twin.model.system_objects import system_objects

VERSION: Final = 1
ESTATE: Final = "estate"
"""The page that lists the queue managers; every other page is named by `page_name`."""

_CORE: Final = (
    "name qmid created cmdlevel platform position observed running started values altered channels"
).split()


def page_name(qmid: str, part: Part) -> str:
    """Return the name of the page that holds a part of a queue manager."""
    return f"{part}:{qmid}"


def pages_of(estate: Estate, *, changed: bool = False) -> dict[str, bytes]:
    """Write an estate's pages: all of them, or only those changed since `forget_changes`."""
    pages = {ESTATE: _estate_page(estate)}
    for qmid, part in _all_parts(estate):
        qmgr = estate.owner(qmid)
        if not changed or part in qmgr.changed:
            pages[page_name(qmid, part)] = _WRITERS[part](qmgr)
    return pages


def forget_changes(estate: Estate) -> None:
    """Begin anew to note what changes: the estate has just been written as pages."""
    for qmid in estate.names:
        estate.owner(qmid).changed.clear()


def all_page_names(estate: Estate) -> list[str]:
    """List the pages an estate consists of."""
    return [ESTATE, *(page_name(qmid, part) for qmid, part in _all_parts(estate))]


def _all_parts(estate: Estate) -> Iterable[tuple[str, Part]]:
    return [(qmid, part) for qmid in estate.names for part in PARTS]


def estate_from(page: bytes, load: Callable[[str], bytes]) -> Estate:
    """Rebuild an estate from its list of queue managers; `load` fetches any other page by name."""
    stored = from_json(page)

    def load_part(qmgr: QueueManager, part: Part) -> Any:
        return _READERS[part](from_json(load(page_name(qmgr.qmid, part))), qmgr)

    estate = Estate(instant=stored["instant"], position=stored["position"])
    for place, known in (("qmgrs", estate.qmgrs), ("departed", estate.departed)):
        for row in stored[place]:
            core: dict[str, Any] = dict(zip(_CORE, row, strict=True))
            core["values"] = _tupled(core["values"])
            qmgr = QueueManager(**core, load=load_part)
            known[qmgr.name if place == "qmgrs" else qmgr.qmid] = qmgr
            estate.names[qmgr.qmid] = qmgr.name
            for end in qmgr.channels.items() if place == "qmgrs" else ():
                estate.ends.setdefault(end, {})[qmgr.name] = None
    return estate


def _estate_page(estate: Estate) -> bytes:
    def rows(qmgrs: Mapping[str, QueueManager]) -> list[list[Any]]:
        return [[getattr(qmgr, field) for field in _CORE] for qmgr in qmgrs.values()]

    return to_json(
        {
            "instant": estate.instant,
            "position": estate.position,
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
            "beliefs": [[*name, list(owners.values())] for name, owners in held.beliefs.items()],
            "gone": [[*name, sequence] for name, sequence in held.gone.items()],
            "told": [[*name, sequence] for name, sequence in held.told.items()],
            "subscriptions": [[*name, made] for name, made in held.subscriptions.items()],
            "subscribers": [[*name, list(who)] for name, who in held.subscribers.items()],
            "waiting": [
                [channel, [[*parcel[:4], _items(parcel.items), parcel.asks] for parcel in parcels]]
                for channel, parcels in held.waiting.items()
            ],
            "sequence": held.sequence,
            "mine": list(held.mine),
            "once_full": list(held.once_full),
        }
    )


def _items(items: Iterable[Item]) -> list[Any]:
    return [[item.owner, item.sequence, item.only] for item in items]


def _read_repository(stored: Any, qmgr: QueueManager) -> Repository:
    del qmgr
    repository = Repository(
        gone={tuple(row[:4]): row[4] for row in stored["gone"]},
        told={tuple(row[:2]): row[2] for row in stored["told"]},
        subscriptions={
            tuple(row[:3]): Subscription._make(row[3]) for row in stored["subscriptions"]
        },
        subscribers={tuple(row[:3]): dict.fromkeys(row[3]) for row in stored["subscribers"]},
        waiting={channel: [_parcel(row) for row in rows] for channel, rows in stored["waiting"]},
        sequence=stored["sequence"],
        mine={tuple(name): None for name in stored["mine"]},
        once_full={tuple(name): None for name in stored["once_full"]},
    )
    for cluster, kind, name, owner in repository.gone:
        repository.forget((cluster, kind, name), owner)
    make = Belief._make
    for cluster, kind, name, owners in stored["beliefs"]:
        for row in owners:
            if any(isinstance(value, list) for value in row[4].values()):
                row[4] = _tupled(row[4])
            repository.hold((cluster, kind, name), make(row))
    return repository


def _parcel(row: list[Any]) -> Waiting:
    items = tuple(
        Item(owner=owner, sequence=sequence, only=only and tuple(tuple(key) for key in only))
        for owner, sequence, only in row[4]
    )
    cluster, to, since, position, _, asks = row
    return Waiting(cluster, to, since, position, items, tuple(tuple(ask) for ask in asks))


def _write_published(qmgr: QueueManager) -> bytes:
    return to_json(
        [
            [*publication[:3], list(publication.records.values()), publication.position]
            for publication in qmgr.published.values()
        ]
    )


def _read_published(stored: Any, qmgr: QueueManager) -> dict[int, Publication]:
    del qmgr
    published: dict[int, Publication] = {}
    for cluster, sequence, instant, rows, position in stored:
        records = {}
        for row in rows:
            row["values"] = _tupled(row["values"])
            records[row["kind"], row["name"]] = RecordPublished(**row)
        published[sequence] = Publication(cluster, sequence, instant, records, position)
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
