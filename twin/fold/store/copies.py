"""Copy parts of a queue manager in memory, where a copy shares what never changes.

Definitions, publications, statuses, observations, and what a repository holds besides its records
are replaced as wholes and never changed. So a copy of a part has the same ones; only the dicts and
lists that hold them are its own. Records are copied when the copy first changes one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, Final, TypeVar

from twin.fold.beliefs import Publication
from twin.fold.estate import Estate, Part, QueueManager, Running
from twin.fold.repository import Repository
from twin.fold.seen_before import SeenBefore
from twin.fold.seen_states import SeenStates
from twin.fold.store.lazy_records import MemoryRecords
from twin.fold.store.publications import contents_of

_Held = TypeVar("_Held", Running, SeenStates)


def _published(original: QueueManager, copy: QueueManager) -> dict[int, Publication]:
    copy.contents = contents_of(original)
    return dict(original.published)


def _activity(original: QueueManager, _: QueueManager) -> Running:
    running = _with_own_dicts(original.activity)
    running.seen = _with_own_dicts(original.activity.seen)
    return running


def _repository(original: QueueManager, _: QueueManager) -> Repository:
    copy, before = Repository(), original.repository
    for field in fields(before):
        if field.init:
            setattr(copy, field.name, _own(getattr(before, field.name)))
    copy.unread, copy.records_changed = MemoryRecords(before), False
    return copy


def _with_own_dicts(one: _Held) -> _Held:
    copy = type(one)()
    for field in fields(one):
        setattr(copy, field.name, _own(getattr(one, field.name)))
    return copy


def copy_of_indexes(estate: Estate) -> Estate:
    """Return a copy of an estate without its queue managers, and what is indexed of them."""
    copy = Estate(**{name: _own(getattr(estate, name)) for name in _KEPT})
    for each in copy.seen_before:
        before = estate.seen_before[each]
        copy.seen_before[each] = SeenBefore(_with_own_dicts(before.seen), dict(before.facts))
    return copy


_KEPT: Final = tuple(
    field.name
    for field in fields(Estate)
    if field.name not in {"qmgrs", "departed", "named", "names", "ends", "agenda", "simulated"}
)


def _own(value: Any) -> Any:
    """Return the same values in dicts and lists of one's own."""
    if isinstance(value, dict):
        nested = any(isinstance(each, dict | list) for each in value.values())
        return {key: _own(each) for key, each in value.items()} if nested else dict(value)
    return [*value] if isinstance(value, list) else value


def can_copy(qmgr: QueueManager, kind: str) -> bool:
    """Return whether a part of a queue manager can be copied: it is in memory as a whole."""
    if kind not in COPIERS or kind not in vars(qmgr):
        return False
    return kind != "repository" or qmgr.repository.unread is None


COPIERS: Final[Mapping[Part, Callable[[QueueManager, QueueManager], Any]]] = {
    "definitions": lambda original, _: dict(original.definitions),
    "published": _published,
    "activity": _activity,
    "repository": _repository,
}
"""How a part is copied, for the parts that need no page for it: from the original, for the copy."""
