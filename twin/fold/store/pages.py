"""Write an estate as JSON pages, one for each part of each queue manager; read them lazily."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Container, Iterable, Mapping
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeAlias, cast

from pydantic_core import from_json, to_json

from twin.events import AutomaticConfiguration
from twin.fold.agenda import TimerKind
from twin.fold.estate import (
    PARTS,
    Assumption,
    Confirmation,
    Estate,
    Link,
    Part,
    QueueManager,
    SignOfDeath,
    Unsure,
)
from twin.fold.messaging import Messaging
from twin.fold.store.codecs import READERS, WRITERS
from twin.fold.store.copies import COPIERS, can_copy, copy_of_indexes
from twin.fold.store.lazy_records import HELD, reading, tupled, write_held
from twin.fold.store.publications import CONTENTS, contents_changed, contents_of, write_contents
from twin.fold.store.seen import read_seen_before, write_seen_before
from twin.fold.timers import TIMED_PARTS, earliest, enlist, enlist_part

VERSION: Final = 44
"""The version of the written form; pages of another version are not read."""

PageLoader: TypeAlias = Callable[[str], Any]
"""Returns a page by name as bytes.

A copy may get a queue manager to copy the part from instead.
"""

ESTATE: Final = "estate"
"""The page that lists the queue managers; every other page is named by `page_name`."""

_CORE: Final = (
    "name qmid created cmdlevel platform position observed running started failed values altered"
    " channels suspended configuration confirmed unsure built made_qmid identified dated zone"
    " made_level version deleted restored has_messaging cluster_queues_changed earliest_timers"
).split()

_CORE_OF: Final = attrgetter(*_CORE)

_CHANGING: Final = ("channels", "suspended", "confirmed", "earliest_timers")
"""Those that the fold changes in place, besides `unsure`; it replaces the others as wholes."""

_PLACES: Final = ("qmgrs", "departed", "named")
"""Where an estate has its queue managers."""

_KINDS: Final = {str(int(kind)): kind for kind in TimerKind}
"""The written form of a kind of timer -> the kind."""


class _Lasting(NamedTuple):
    """A second page of a part, for data that a renewal leaves unchanged."""

    name: str
    part: Part
    changed: Callable[[QueueManager], bool]
    write: Callable[[QueueManager], bytes]


_LASTING: Final = {
    lasting.name: lasting
    for lasting in (
        _Lasting(
            HELD,
            "repository",
            lambda qmgr: qmgr.repository.records_changed,
            lambda qmgr: write_held(qmgr.repository),
        ),
        _Lasting(CONTENTS, "published", contents_changed, write_contents),
    )
}


def lasts(name: str) -> bool:
    """Return whether a page stays the same while records are only renewed."""
    return name.partition(":")[0] in _LASTING


def page_name(qmid: str, part: str) -> str:
    """Return the name of the page that holds a part of a queue manager."""
    return f"{part}:{qmid}"


def pages_of(estate: Estate, saved: Container[str] = ()) -> dict[str, bytes]:
    """Write the pages of an estate, except those in `saved` that have not changed."""
    pages: dict[str, bytes] = {}
    for qmid in estate.names:
        qmgr = estate.owner(qmid)
        for part in _stored(qmgr):
            name = page_name(qmid, part)
            if part in qmgr.changed or name not in saved:
                pages[name] = page_of(qmgr, part)
        for lasting in _LASTING.values():
            name = page_name(qmid, lasting.name)
            if name not in saved or (lasting.part in qmgr.changed and lasting.changed(qmgr)):
                pages[name] = lasting.write(qmgr)
    pages[ESTATE] = _estate_page(estate)
    return pages


def forget_changes(estate: Estate) -> None:
    """Mark all parts as unchanged, because the estate was just written as pages."""
    for qmid in estate.names:
        qmgr = estate.owner(qmid)
        if qmgr.changed:
            qmgr.page = None  # it returns pages from before the changes
        if "repository" in qmgr.changed:
            qmgr.repository.records_changed = False
        if "published" in qmgr.changed:
            qmgr.contents = contents_of(qmgr)
        qmgr.changed.clear()


def all_page_names(estate: Estate) -> list[str]:
    """Return the names of all pages of an estate."""
    return [
        ESTATE,
        *(
            page_name(qmid, part)
            for qmid in estate.names
            for part in (*_stored(estate.owner(qmid)), *_LASTING)
        ),
    ]


def _stored(qmgr: QueueManager) -> tuple[Part, ...]:
    """Return the parts of a queue manager that have a page; messaging often has none."""
    return PARTS if qmgr.has_messaging else _WITHOUT_MESSAGES


def estate_from(page: bytes, load: PageLoader) -> Estate:
    """Rebuild an estate from its list of queue managers; `load` reads any other page by name.

    Raises:
        UnusablePage: if the page cannot be read. Later, the estate raises it at the first use of a
            part whose page cannot be read.
    """
    with reading(ESTATE):
        stored: Any = from_json(page)
        estate = Estate(
            instant=stored["instant"],
            position=stored["position"],
            links={(one, other): Link(*link) for one, other, link in stored["links"]},
            readings=stored["readings"],
            seen_qmids=stored["seen_qmids"],
            signs_of_death={
                qmid: SignOfDeath(*each) for qmid, each in stored["signs_of_death"].items()
            },
            zones=stored["zones"],
            undefined=stored["undefined"],
            seen_before={
                name: read_seen_before(each) for name, each in stored["seen_before"].items()
            },
            healed={(one, other): at for one, other, at in stored["healed"]},
            assumptions={
                name: Assumption(used, tuple(queues), since)
                for name, (used, queues, since) in stored["assumptions"].items()
            },
            qmgrs_with_waiting_messages=dict.fromkeys(stored["stuck"]),
            qmgrs_holding_channels=dict.fromkeys(stored["holding"]),
        )
        _fill(estate, {place: map(_core_from, stored[place]) for place in _PLACES}, load)
    return estate


def _core_from(row: list[Any]) -> dict[str, Any]:
    """Read what an estate's page has of a queue manager."""
    core: dict[str, Any] = dict(zip(_CORE, row, strict=True))
    core["values"] = tupled(core["values"])
    if (given := core["configuration"]) is not None:
        core["configuration"] = AutomaticConfiguration(**given)
    core["confirmed"] = {kind: Confirmation(*seen) for kind, seen in core["confirmed"].items()}
    core["unsure"] = {
        kind: {
            name: Unsure(since, type_, tupled(values))
            for name, (since, type_, values) in each.items()
        }
        for kind, each in core["unsure"].items()
    }
    timers = core["earliest_timers"]
    core["earliest_timers"] = {_KINDS[kind]: since for kind, since in timers.items()}
    return core


def _fill(
    estate: Estate, cores: Mapping[str, Iterable[Mapping[str, Any]]], load: PageLoader
) -> None:
    """Enter queue managers in an estate; their parts are loaded when they are first used."""

    def load_part(qmgr: QueueManager, part: Part) -> Any:
        value, estate = read_part(qmgr, part, load), whole()
        if estate is not None and qmgr.running:
            enlist_part(estate, qmgr, part, value)
        return value

    # A strong reference from queue manager to estate would make a cycle, which only gc frees.
    whole = weakref.ref(estate)
    for place, rows in cores.items():
        known: dict[str, QueueManager] = getattr(estate, place)
        for core in rows:
            qmgr = QueueManager(**core, load=load_part, page=load)
            known[qmgr.name if place == "qmgrs" else qmgr.qmid] = qmgr
            estate.names[qmgr.qmid] = qmgr.name
            if qmgr.running:
                enlist(estate, qmgr)
            for end in qmgr.channels.items() if place == "qmgrs" else ():
                estate.ends.setdefault(end, {})[qmgr.name] = None


def page_of(qmgr: QueueManager, kind: str) -> bytes:
    """Write one page of a queue manager."""
    lasting, part = _LASTING.get(kind), cast("Part", kind)
    return WRITERS[part](qmgr) if lasting is None else lasting.write(qmgr)


def private_copy(estate: Estate) -> Estate:
    """Return a copy of an estate that can be folded into without changing the estate.

    A part is copied when the copy first uses it. So the original must not change after this call.
    A part that did not change since it was read is not written again: the copy reads its page.
    What the original has in memory is copied from there, where a copy needs no page for it.
    """

    def load(name: str) -> Any:
        kind, _, qmid = name.partition(":")
        qmgr, lasting = estate.owner(qmid), _LASTING.get(kind)
        if can_copy(qmgr, kind):
            return qmgr
        changed = (lasting.part if lasting else kind) in qmgr.changed
        if changed and lasting is not None:
            changed = lasting.changed(qmgr)
        return page_of(qmgr, kind) if changed or qmgr.page is None else qmgr.page(name)

    copy = copy_of_indexes(estate)
    _fill(
        copy,
        {place: map(_own_core, getattr(estate, place).values()) for place in _PLACES},
        load,
    )
    if estate.simulated:
        copy.simulate()
    return copy


def share_parts(reader: Estate, other: Estate, apart: Container[tuple[str, Part]]) -> None:
    """Let an estate use the parts of another one that it has not read yet.

    Both are copies of one estate, and neither changes after this call. `apart` are the parts, with
    their QMIDs, that are not the same in both.
    """

    def load(qmgr: QueueManager, part: Part) -> Any:
        if (qmgr.qmid, part) in apart or qmgr.qmid not in other.names:
            return own[qmgr.qmid](qmgr, part)
        return getattr(other.owner(qmgr.qmid), part)

    own: dict[str, Callable[[QueueManager, Part], Any]] = {}
    for qmid in reader.names:
        qmgr = reader.owner(qmid)
        if qmgr.load is not None:
            own[qmid], qmgr.load = qmgr.load, load


def read_part(qmgr: QueueManager, part: Part, load: PageLoader) -> Any:
    """Read a part of a queue manager; messaging that was never changed has no page."""
    if part == "messaging" and not qmgr.has_messaging:
        return Messaging()
    name = page_name(qmgr.qmid, part)
    with reading(name):
        page = load(name)
        if isinstance(page, QueueManager):
            return COPIERS[part](page, qmgr)
        stored = from_json(page)
        for kind, lasting in _LASTING.items():
            if lasting.part == part:
                stored[kind] = load(page_name(qmgr.qmid, kind))
        return READERS[part](stored, qmgr)


_WITHOUT_MESSAGES: Final = tuple(part for part in PARTS if part != "messaging")


def _estate_page(estate: Estate) -> bytes:
    return to_json(
        {
            "instant": estate.instant,
            "position": estate.position,
            "links": [[*pair, link] for pair, link in estate.links.items()],
            "readings": dict(estate.readings),
            "seen_qmids": estate.seen_qmids,
            "signs_of_death": estate.signs_of_death,
            "zones": dict(estate.zones),
            "assumptions": dict(estate.assumptions),
            "undefined": dict(estate.undefined),
            "seen_before": {
                name: write_seen_before(each) for name, each in sorted(estate.seen_before.items())
            },
            "healed": [[*pair, at] for pair, at in estate.healed.items()],
            "stuck": list(estate.qmgrs_with_waiting_messages),
            "holding": list(estate.qmgrs_holding_channels),
        }
        | {place: [*map(_core, getattr(estate, place).values())] for place in _PLACES}
    )


def _core(qmgr: QueueManager) -> tuple[Any, ...]:
    """Return what an estate's page has of a queue manager."""
    if qmgr.changed & TIMED_PARTS:
        qmgr.earliest_timers = earliest(qmgr)
    return _CORE_OF(qmgr)


def _own_core(qmgr: QueueManager) -> dict[str, Any]:
    """Return the same for a copy, which gets dicts of its own."""
    core = dict(zip(_CORE, _core(qmgr), strict=True))
    for field in _CHANGING:
        core[field] = dict(core[field])
    core["unsure"] = {kind: dict(each) for kind, each in core["unsure"].items()}
    return core
