"""Write and read each part of a queue manager as JSON.

Raise `pages.VERSION` whenever the written form changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias, cast

from pydantic_core import to_json

from twin.events import AnswerAwaited, Caller, Item, Parcel, Portion, Removal, Share
from twin.events.catalogue import column_of, decode, encode
from twin.fold.beliefs import (
    AnswerWait,
    CommandsInTransit,
    LastSeen,
    QueuedCommands,
    Receipt,
    RecordName,
    Subscription,
    Trouble,
    WaitingCall,
    Warned,
)
from twin.fold.estate import ChannelState, Part, QueueManager, Running, Silence
from twin.fold.messaging import Handle, Messaging, RouteUse, Switch, Workload
from twin.fold.repository import Repository
from twin.fold.store.lazy_records import HELD, PageRecords, runs, tupled
from twin.fold.store.publications import read_published, write_published
from twin.fold.store.seen import read_seen, write_seen
from twin.model.objects import Definition
from twin.model.retries import Retries
from twin.model.system_objects import system_objects


def _write_objects(qmgr: QueueManager) -> bytes:
    default = system_objects(qmgr.cmdlevel)
    plain: list[Definition] = []
    with_lists: list[Definition] = []
    for key, definition in qmgr.definitions.items():
        if definition is not default.get(key):
            values = (*definition.values.values(), definition.given)
            has_list = any(isinstance(value, tuple) for value in values)
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
        row[3], row[-1] = tupled(row[3]), row[-1] and tuple(row[-1])
        definitions[row[0], row[1]] = make(row)
    return definitions


def _write_repository(qmgr: QueueManager) -> bytes:
    repository = qmgr.repository
    at_once, apart = _receipts(repository)
    return to_json(
        {
            "at_once": at_once,
            "apart": apart,
            "ever": _once_held(repository),
            "gone": [[*name, deletion] for name, deletion in repository.deletions.items()],
            "told": [[*name, sequence] for name, sequence in repository.last_sent.items()],
            "subscriptions": runs(repository.subscriptions),
            "lapsed": [[*name, made] for name, made in repository.lapsed],
            "subscribers": runs(repository.subscribers),
            "waiting": _parcels(repository.waiting),
            "under_way": _parcels(repository.under_way),
            "kept": [_parcels({channel: [each]})[0] for channel, each in repository.kept],
            "trouble": repository.trouble,
            "exhausted": repository.exhausted,
            "expired": list(repository.expired),
            "removed": [[*member, how] for member, how in repository.force_removed.items()],
            "sequence": repository.sequence,
            "behind": repository.rank_offset,
            "refreshed": repository.refreshed,
            "shown": [[*name, owner, *seen] for (name, owner), seen in repository.shown.items()],
            "warned": [[*name, owner, *last] for (name, owner), last in repository.warned.items()],
            "once_full": list(repository.known_full_repositories),
        }
    )


def _once_held(repository: Repository) -> list[list[Any]]:
    """Write the names of records no longer held; the rest of `ever_held` follows from records."""
    if sum(map(len, repository.ever_held.values())) == sum(
        map(len, repository.by_publication.values())
    ):
        return []  # usual case: everything that was held still is
    return [
        [cluster, owner, kind, name]
        for (cluster, owner), names in repository.ever_held.items()
        for kind, name in names
        if owner not in repository.beliefs.get((cluster, kind, name), ())
    ]


def _receipts(repository: Repository) -> tuple[list[_Row], list[_Row]]:
    """Write the receipts of all records: those of owners with one receipt, and all others.

    Nearly always, all records of an owner in a cluster have the same receipt. If not, the names of
    the records are written with each receipt.
    """
    at_once: dict[tuple[str, str], _Row | None] = {}
    apart: list[tuple[str, int]] = []
    beliefs = repository.beliefs
    for key, names in repository.by_publication.items():
        owner, first = key[0], next(iter(names))
        receipt, whose = beliefs[first][owner].receipt, (first[0], owner)
        if receipt.record_count == len(names) and whose not in at_once:
            at_once[whose] = _row(whose, receipt)
            continue
        if (before := at_once.get(whose)) is not None:
            apart.append((owner, before[2]))
        at_once[whose] = None
        apart.append(key)
    return [row for row in at_once.values() if row], [
        row for key in apart for row in _rows(repository, key)
    ]


def _rows(repository: Repository, key: tuple[str, int]) -> Iterator[_Row]:
    """Write the receipts of the records of one publication, with their names."""
    owner = key[0]
    by_receipt: dict[int, tuple[Receipt, list[RecordName]]] = {}
    for name in repository.by_publication[key]:
        receipt = repository.beliefs[name][owner].receipt
        by_receipt.setdefault(id(receipt), (receipt, []))[1].append(name)
    for receipt, names in by_receipt.values():
        yield (*_row((names[0][0], owner), receipt), [name[1:] for name in names])


def _row(whose: tuple[str, str], receipt: Receipt) -> _Row:
    return (
        *whose,
        receipt.sequence,
        receipt.published,
        receipt.received,
        receipt.position,
        receipt.source,
    )


_Row: TypeAlias = tuple[Any, ...]
"""(cluster, owner, sequence, published, received, position, source), and the names if needed."""


def _parcels(by_channel: Mapping[str, Iterable[QueuedCommands | CommandsInTransit]]) -> list[Any]:
    return [
        [
            channel,
            [
                [
                    *commands[:4],
                    [[item.owner, item.sequence, item.only] for item in commands.items],
                    *commands[5:],
                ]
                for commands in all_commands
            ],
        ]
        for channel, all_commands in by_channel.items()
    ]


def _read_repository(stored: Any, qmgr: QueueManager) -> Repository:
    unread = PageRecords(stored[HELD], stored["at_once"], stored["apart"], stored["ever"])
    repository = Repository(
        deletions={tuple(row[:4]): tuple(row[4]) for row in stored["gone"]},
        last_sent={tuple(row[:2]): row[2] for row in stored["told"]},
        subscriptions={
            (cluster, kind, name): made
            for cluster, kind, names, row in stored["subscriptions"]
            for made in (Subscription(*row),)
            for name in names
        },
        lapsed=[(tuple(row[:3]), Subscription(*row[3])) for row in stored["lapsed"]],
        subscribers={
            (cluster, kind, name): dict(who)
            for cluster, kind, names, who in stored["subscribers"]
            for name in names
        },
        waiting={
            channel: [QueuedCommands(*_parcel(row)) for row in rows]
            for channel, rows in stored["waiting"]
        },
        under_way={
            channel: [CommandsInTransit(*_parcel(row)) for row in rows]
            for channel, rows in stored["under_way"]
        },
        kept=[(channel, QueuedCommands(*_parcel(row))) for channel, (row,) in stored["kept"]],
        trouble=stored["trouble"] and Trouble._make(stored["trouble"]),
        exhausted=stored["exhausted"],
        expired={tuple(key): None for key in stored["expired"]},
        force_removed={tuple(row[:2]): tuple(row[2]) for row in stored["removed"]},
        sequence=stored["sequence"],
        rank_offset=stored["behind"],
        refreshed=stored["refreshed"],
        shown={
            ((cluster, kind, name), owner): LastSeen(*seen)
            for cluster, kind, name, owner, *seen in stored["shown"]
        },
        warned={
            ((cluster, kind, name), owner): Warned(*last)
            for cluster, kind, name, owner, *last in stored.get("warned", ())
        },
        own_records=unread.own_records(),
        known_full_repositories={tuple(name): None for name in stored["once_full"]},
        records_changed=False,
    )
    for name, owners in unread.few():
        for belief in owners.values():
            repository.index_by_kind(name, belief)
    repository.unread = unread
    return repository


def _parcel(row: list[Any]) -> tuple[Any, ...]:
    cluster, to, when, position, stored, asks, removals, answers = row
    items = tuple(
        Item(owner=owner, sequence=sequence, only=only and tuple(tuple(key) for key in only))
        for owner, sequence, only in stored
    )
    removed = tuple(Removal(**removal) for removal in removals)
    return cluster, to, when, position, items, _pairs(asks), removed, _pairs(answers)


def _write_running(qmgr: QueueManager) -> bytes:
    activity = qmgr.activity
    return to_json(
        {
            "channels": activity.channels,
            "listeners": activity.listeners,
            "saved": activity.saved,
            "tried": list(activity.tried),
            "services": activity.services,
            "waits": [
                [names, wait.since, [[*each[:2], encode(each.call)] for each in wait.calls]]
                for names, wait in activity.waits.items()
            ],
            "silent": [[*key, silence] for key, silence in activity.silent.items()],
            "portions": [[*key, portion] for key, portion in activity.portions.items()],
            "seen": write_seen(activity.seen),
        }
    )


def _read_running(stored: Any, qmgr: QueueManager) -> Running:
    channels = {name: _state(row) for name, row in stored["channels"].items()}
    tried, services = dict.fromkeys(stored["tried"]), stored["services"]
    waits = {
        _pairs(names): AnswerWait(since, _calls(rows)) for names, since, rows in stored["waits"]
    }
    silent = {(channel, partner): Silence._make(row) for channel, partner, row in stored["silent"]}
    rows = stored.get("portions", ())  # older pages have none
    portions = {(channel, work): Portion(**row) for channel, work, row in rows}
    started, seen = (stored["listeners"], stored["saved"]), read_seen(stored["seen"])
    return Running(channels, *started, tried, services, waits, silent, seen, portions)


def _calls(rows: list[list[Any]]) -> tuple[WaitingCall, ...]:
    column = column_of(AnswerAwaited)
    calls = (cast("AnswerAwaited", decode(column, body)) for _, _, body in rows)
    return tuple(
        WaitingCall(position, at, call) for (position, at, _), call in zip(rows, calls, strict=True)
    )


def _pairs(rows: Iterable[Iterable[str]]) -> Any:
    return tuple(tuple(row) for row in rows)


def _state(row: list[Any]) -> ChannelState:
    state = ChannelState._make(row)
    retry = state.message_retry
    return state._replace(
        retries=Retries._make(state.retries),
        message_retry=retry and (retry[0], retry[1]),
        silence=None if state.silence is None else Silence._make(state.silence),
    )


def _write_messaging(qmgr: QueueManager) -> bytes:
    messaging = qmgr.messaging
    return to_json(
        {
            "local": messaging.local,
            "waiting": messaging.waiting,
            "handles": messaging.handles,
            "uses": [[*route, *use] for route, use in messaging.workload.uses.items()],
            "last": messaging.workload.last,
            "assigned": messaging.assigned,
            "switching": messaging.switching,
            "held": list(messaging.held),
            "held_switch": list(messaging.held_switch),
            "in_doubt": messaging.in_doubt,
            "at_risk": messaging.at_risk,
            "kept": messaging.kept,
            "inhibited": messaging.inhibited,
            "full_classes": list(messaging.full_classes),
        }
    )


def _read_messaging(stored: Any, qmgr: QueueManager) -> Messaging:
    uses = {
        (to, channel): RouteUse(number, factor) for to, channel, number, factor in stored["uses"]
    }
    return Messaging(
        local={queue: _messages(rows) for queue, rows in stored["local"].items()},
        waiting={
            queue: {channel: _messages(rows) for channel, rows in channels.items()}
            for queue, channels in stored["waiting"].items()
        },
        handles={name: _handle(row) for name, row in stored["handles"].items()},
        workload=Workload(uses, stored["last"]),
        assigned=stored["assigned"],
        switching={channel: Switch(*row) for channel, row in stored["switching"].items()},
        held=dict.fromkeys(stored["held"]),
        held_switch=dict.fromkeys(stored["held_switch"]),
        in_doubt=stored["in_doubt"],
        at_risk=stored["at_risk"],
        kept=stored["kept"],
        inhibited={queue: (get, trigger) for queue, (get, trigger) in stored["inhibited"].items()},
        full_classes=dict.fromkeys(stored.get("full_classes", ())),
    )


def _messages(rows: list[dict[str, Any]]) -> list[Parcel]:
    return [Parcel(**row) for row in rows]


def _handle(row: list[Any]) -> Handle:
    handle = Handle._make(row)
    bound, grouped = (row and Share(**cast("Any", row)) for row in (handle.bound, handle.grouped))
    caller = handle.caller and Caller(**cast("Any", handle.caller))
    return handle._replace(bound=bound, grouped=grouped, caller=caller)


WRITERS: Final[Mapping[Part, Callable[[QueueManager], bytes]]] = {
    "definitions": _write_objects,
    "repository": _write_repository,
    "published": write_published,
    "activity": _write_running,
    "messaging": _write_messaging,
}
READERS: Final[Mapping[Part, Callable[[Any, QueueManager], Any]]] = {
    "definitions": _read_objects,
    "repository": _read_repository,
    "published": read_published,
    "activity": _read_running,
    "messaging": _read_messaging,
}
"""How each part is written and read."""
