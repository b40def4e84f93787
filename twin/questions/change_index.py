"""The last fact that changed each field, between two points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias, get_args

from twin import events
from twin.fold.beliefs import Belief, RecordName
from twin.fold.estate import Estate, QueueManager
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
    """Yield facts to be folded, and compare their queue managers before and after each of them."""
    for fact in facts:
        if not isinstance(fact.event, _WATCHED):
            yield fact
        elif (qmgr := estate.qmgrs.get(fact.event.qmgr)) is not None:
            yield from _compared(index, estate, fact, qmgr)
        else:
            yield fact
            if fact.event.qmgr in estate.qmgrs:
                index.note(of_qmgr(fact.event.qmgr), (_EXISTENCE,), fact[:2])


def _compared(
    index: ChangeIndex, estate: Estate, fact: FoldedFact, qmgr: QueueManager
) -> Iterator[FoldedFact]:
    """Yield a fact to be folded; then note what it changed of a queue manager.

    What was seen of definitions counts from the ALTDATE and ALTTIME that came with it.
    """
    event, mark, subject = fact.event, fact[:2], of_qmgr(qmgr.name)
    running, values, definitions = qmgr.running, qmgr.values, qmgr.definitions
    if isinstance(event, _OF_OBJECTS):
        definitions = dict(definitions)
    beliefs = qmgr.repository.beliefs
    records = {
        (name, owner): beliefs.get(name, _NO_OWNERS).get(owner)
        for name, owner in (_touched(estate, event) if isinstance(event, _OF_RECORDS) else ())
    }
    yield fact
    after = estate.qmgrs.get(qmgr.name)
    if after is not qmgr:
        index.note(subject, (_EXISTENCE,), mark)
        return
    dates = isinstance(event, _DATED)
    if running != after.running:
        index.note(subject, ("status",), mark)
    if values is not after.values:
        when = after.altered if dates and after.altered is not None else fact.at
        for each in field_differences.of_attributes(after, values, after.values):
            index.note(subject, (each.field,), (when, fact.position))
    for (key, was, now), each in field_differences.of_objects(definitions, after.definitions):
        is_new = dates and now is not None and (was is None or was.altered != now.altered)
        when = (now.altered if is_new and now else None) or fact.at
        index.note(of_object(qmgr.name, *key), (each.field,), (when, fact.position))
    for (name, owner), held in records.items():
        holds = beliefs.get(name, _NO_OWNERS).get(owner)
        for each in field_differences.of_records(
            name[1], held and held.values, holds and holds.values
        ):
            index.note(of_belief(qmgr.name, name, owner), (each.field,), mark)


_OfRecords: TypeAlias = (
    events.BeliefsObserved
    | events.InformationReceived
    | events.InformationRemoved
    | events.RepositoryRefreshed
    | events.MemberForceRemoved
)


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

_DATED: Final = (events.ObjectsDated, events.ObjectsImplied, events.ObjectsObserved)
_OF_OBJECTS: Final = (
    *_DATED,
    *(events.ObjectDefined, events.ObjectObserved, events.ObjectAltered),
    *(events.ObjectDeleted, events.ObjectVanished),
)
_OF_RECORDS: Final = get_args(_OfRecords)
_WATCHED: Final = (
    *_OF_OBJECTS,
    *_OF_RECORDS,
    *(events.QueueManagerCreated, events.QueueManagerFirstSeen, events.QueueManagerStarted),
    *(events.QueueManagerEnded, events.QueueManagerDeleted),
    *(events.QueueManagerAltered, events.QueueManagerObserved),
)
"""The events that change what is compared."""
