"""The last fact that changed each field, between two points."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from twin import events
from twin.fold.beliefs import Belief, RecordName
from twin.fold.estate import Estate
from twin.fold.handlers.observed_beliefs import of_others
from twin.fold.replay import fold, gc_paused
from twin.fold.store.pages import private_copy
from twin.model.instants import Instant
from twin.questions import field_differences
from twin.questions.answer import FoldedFact

IndexedSubject: TypeAlias = tuple[str, ...]
"""A queue manager, object or record: see `of_qmgr`, `of_object` and `of_belief`."""

_EXISTENCE: Final = ""
"""The field that stands for a queue manager as a whole."""

_WHOLES: Final = (_EXISTENCE, "definition", "record")
"""The fields that stand for their subject as a whole."""

FactKey: TypeAlias = tuple[Instant, int]
"""The instant and position of a fact; keys have the fold order."""


def of_qmgr(qmgr: str) -> IndexedSubject:
    """Return a queue manager as a subject; its fields are `status` and its attributes."""
    return (qmgr,)


def of_object(qmgr: str, kind: str, name: str) -> IndexedSubject:
    """Return an object of a queue manager as a subject."""
    return (qmgr, kind, name)


def of_belief(qmgr: str, name: RecordName, owner: str) -> IndexedSubject:
    """Return a record that a queue manager holds as a subject; `owner` is a QMID."""
    return (qmgr, *name, owner)


class ChangeIndex:
    """For each field of each subject, the last fact that changed it."""

    def __init__(self) -> None:
        """Start with no changes."""
        self._notes: dict[IndexedSubject, dict[str, FactKey]] = {}

    def note(self, subject: IndexedSubject, changed: Sequence[str], mark: FactKey) -> None:
        """Note that a fact changed fields; it is later than all facts noted before."""
        if changed:
            self._notes.setdefault(subject, {}).update(dict.fromkeys(changed, mark))

    def last(self, subject: IndexedSubject, field: str) -> FactKey | None:
        """Return the last fact that changed a field, or its subject or queue manager as a whole."""
        whole = self._notes.get(subject[:1], {}).get(_EXISTENCE)
        noted = self._notes.get(subject, {})
        marks = [whole, *(noted.get(each) for each in (*_WHOLES, field))]
        return max((mark for mark in marks if mark is not None), default=None)


def index_changes(estate: Estate, facts: Iterable[FoldedFact]) -> ChangeIndex:
    """Fold facts, in fold order, from an estate on, and note what each of them changed.

    The estate is that of the earlier of two points. Facts are folded into a private copy of it.
    """
    index, estate = ChangeIndex(), private_copy(estate)
    with gc_paused():
        fold(estate, _watched(estate, facts, index))
    return index


def _watched(
    estate: Estate, facts: Iterable[FoldedFact], index: ChangeIndex
) -> Iterator[FoldedFact]:
    """Yield facts to be folded, and compare their subjects before and after each of them."""
    for fact in facts:
        watch = _WATCHES.get(type(fact.event))
        if watch is None:
            yield fact
        else:
            yield from watch(index, estate, fact, fact.event)


def _life(
    index: ChangeIndex, estate: Estate, fact: FoldedFact, event: events.Event
) -> Iterator[FoldedFact]:
    before = estate.qmgrs.get(event.qmgr)
    running = before is not None and before.running
    yield fact
    after = estate.qmgrs.get(event.qmgr)
    if after is not before:
        index.note(of_qmgr(event.qmgr), (_EXISTENCE,), fact[:2])
    elif after is not None and after.running != running:
        index.note(of_qmgr(event.qmgr), ("status",), fact[:2])


def _attributes(
    index: ChangeIndex, estate: Estate, fact: FoldedFact, event: events.Event
) -> Iterator[FoldedFact]:
    qmgr = estate.qmgrs.get(event.qmgr)
    before = {} if qmgr is None else qmgr.values
    yield fact
    if qmgr is not None:
        differing = field_differences.of_attributes(qmgr, before, qmgr.values)
        index.note(of_qmgr(event.qmgr), [each.field for each in differing], fact[:2])


_Whole: TypeAlias = (
    events.ObjectDefined | events.ObjectObserved | events.ObjectDeleted | events.ObjectVanished
)


def _object(
    index: ChangeIndex, estate: Estate, fact: FoldedFact, event: _Whole
) -> Iterator[FoldedFact]:
    qmgr = estate.qmgrs.get(event.qmgr)
    key = (event.kind, event.name)
    before = None if qmgr is None else qmgr.definitions.get(key)
    yield fact
    after = None if qmgr is None else qmgr.definitions.get(key)
    differing = field_differences.of_definitions(before, after)
    index.note(of_object(event.qmgr, *key), [each.field for each in differing], fact[:2])


def _observed(
    index: ChangeIndex,
    estate: Estate,
    fact: FoldedFact,
    event: events.ObjectsObserved | events.ObjectsDated | events.ObjectsImplied,
) -> Iterator[FoldedFact]:
    known = estate.qmgrs.get(event.qmgr)
    before = {} if known is None else dict(known.definitions)
    values = {} if known is None else known.values
    yield fact
    qmgr = estate.qmgrs.get(event.qmgr)
    if known is None or qmgr is None:
        index.note(of_qmgr(event.qmgr), (_EXISTENCE,) if qmgr else (), fact[:2])
        return
    if values is not qmgr.values:
        differing = field_differences.of_attributes(qmgr, values, qmgr.values)
        when = fact[0] if qmgr.altered is None else qmgr.altered
        index.note(of_qmgr(event.qmgr), [each.field for each in differing], (when, fact[1]))
    for key in {**before, **qmgr.definitions}:
        was, now = before.get(key), qmgr.definitions.get(key)
        if was is not now:
            differing = field_differences.of_definitions(was, now)
            dated = now is not None and now.altered and (was is None or was.altered != now.altered)
            when = now.altered if now and now.altered and dated else fact[0]
            fields = [each.field for each in differing]
            index.note(of_object(event.qmgr, *key), fields, (when, fact[1]))


def _altered(
    index: ChangeIndex, estate: Estate, fact: FoldedFact, event: events.ObjectAltered
) -> Iterator[FoldedFact]:
    before = estate.qmgrs[event.qmgr].definitions.get((event.kind, event.name))
    if before is None:
        yield fact
        return
    values = before.values
    changed = [
        field
        for field, value in event.values.items()
        if value
        != (values[field] if field in values else field_differences.default_of(before.type, field))
    ]
    yield fact
    index.note(of_object(event.qmgr, event.kind, event.name), changed, fact[:2])


_OfRecords: TypeAlias = (
    events.BeliefsObserved
    | events.InformationReceived
    | events.InformationRemoved
    | events.RepositoryRefreshed
    | events.MemberForceRemoved
)


def _information(
    index: ChangeIndex, estate: Estate, fact: FoldedFact, event: _OfRecords
) -> Iterator[FoldedFact]:
    if event.qmgr not in estate.qmgrs:
        yield from _life(index, estate, fact, event)
        return
    beliefs = estate.qmgrs[event.qmgr].repository.beliefs
    before = [
        (name, owner, beliefs.get(name, _NO_OWNERS).get(owner))
        for name, owner in _touched(estate, event)
    ]
    yield fact
    for name, owner, was in before:
        now = beliefs.get(name, _NO_OWNERS).get(owner)
        differing = field_differences.of_records(name[1], was and was.values, now and now.values)
        index.note(of_belief(event.qmgr, name, owner), [each.field for each in differing], fact[:2])


def _touched(estate: Estate, event: _OfRecords) -> list[tuple[RecordName, str]]:
    """List the records an event may change, with their owners."""
    repository = estate.qmgrs[event.qmgr].repository
    if isinstance(event, events.MemberForceRemoved):
        known = repository.ever_held.get((event.cluster, event.member), ())
        return [((event.cluster, *key), event.member) for key in known]
    if isinstance(event, events.InformationReceived):
        return [
            ((publication.cluster, *key), item.owner)
            for item in event.items
            for publication in (estate.owner(item.owner).published[item.sequence],)
            for key in (publication.records if item.only is None else item.only)
        ]
    if isinstance(event, events.BeliefsObserved):
        event = of_others(estate, event)
        said = {((each.cluster, event.kind, each.name), each.owner): None for each in event.said}
        held = {} if event.complete is None else dict(repository.of_kind(event.kind))
        return [*said, *((name, owner) for name in held for owner in repository.beliefs[name])]
    items = event.dropped if isinstance(event, events.RepositoryRefreshed) else event.items
    return [
        (name, item.owner)
        for item in items
        for name in repository.by_publication.get((item.owner, item.sequence), ())
    ]


_NO_OWNERS: Final[Mapping[str, Belief]] = {}

_WATCHES: Final[
    Mapping[
        type[events.Event], Callable[[ChangeIndex, Estate, FoldedFact, Any], Iterator[FoldedFact]]
    ]
] = {
    events.QueueManagerCreated: _life,
    events.QueueManagerFirstSeen: _life,
    events.QueueManagerStarted: _life,
    events.QueueManagerEnded: _life,
    events.QueueManagerDeleted: _life,
    events.QueueManagerAltered: _attributes,
    events.QueueManagerObserved: _attributes,
    events.ObjectDefined: _object,
    events.ObjectObserved: _object,
    events.ObjectAltered: _altered,
    events.ObjectDeleted: _object,
    events.ObjectVanished: _object,
    events.ObjectsDated: _observed,
    events.ObjectsImplied: _observed,
    events.ObjectsObserved: _observed,
    events.BeliefsObserved: _information,
    events.InformationReceived: _information,
    events.InformationRemoved: _information,
    events.RepositoryRefreshed: _information,
    events.MemberForceRemoved: _information,
}
"""The function that compares an event's subjects before and after its fold; other events change
none.
"""
