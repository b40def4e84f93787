"""The history of records, and of outages.

Records are sent, received, lost and removed; queue managers are down, and links are cut.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from twin import events
from twin.fold.beliefs import RecordName
from twin.fold.estate import Estate
from twin.model.instants import Instant
from twin.questions.answer import Facts, qmid_of

Pair: TypeAlias = tuple[str, str]
"""The names of the queue managers at the ends of a link, in order."""

LONG_AGO: Final[Instant] = -(1 << 62)
"""The start of an outage that began before all facts."""


class OutagePeriod(NamedTuple):
    """The time of an outage; if it goes on, its end is the last instant that is known."""

    start: Instant
    end: Instant


class Outages(NamedTuple):
    """When queue managers were down, by QMID, and links cut."""

    down: Mapping[str, tuple[OutagePeriod, ...]]
    cut: Mapping[Pair, tuple[OutagePeriod, ...]]


_Turns: TypeAlias = list[tuple[Instant, bool]]
"""The instants at which an outage began (True) or ended, in the order of time."""

_TURNS: Final = (
    events.QueueManagerCreated,
    events.QueueManagerStarted,
    events.QueueManagerEnded,
    events.QueueManagerDeleted,
)

_OF_OUTAGES: Final[frozenset[type[events.Event]]] = frozenset(
    {*_TURNS, events.QueueManagerFirstSeen, events.LinkChanged}
)
"""The events that begin or end outages."""


def outages(estate: Estate, facts: Facts, *, until: Instant) -> Outages:
    """Return when queue managers were down and links cut, up to an instant.

    The state before the first fact follows from that fact, or from the estate if there is no fact.
    """
    down: dict[str, _Turns] = defaultdict(list)
    cut: dict[Pair, _Turns] = defaultdict(list)
    for at, _, event in facts:
        if isinstance(event, events.LinkChanged):
            if event.cut is not None:
                cut[pair(event.qmgr, event.other)].append((at, event.cut))
        elif isinstance(event, events.QueueManagerFirstSeen):
            down[qmid_of(estate, event.qmgr, at)] += [(at, True), (at, False)]
        elif isinstance(event, _TURNS):
            begins = not isinstance(event, events.QueueManagerStarted)
            down[qmid_of(estate, event.qmgr, at)].append((at, begins))
    for qmgr in (*estate.qmgrs.values(), *estate.departed.values()):
        if not qmgr.running and qmgr.qmid not in down:
            down[qmgr.qmid].append((LONG_AGO, True))
    for ends, link in estate.links.items():
        if link.cut and ends not in cut:
            cut[ends].append((LONG_AGO, True))
    return Outages(_spans(down, until), _spans(cut, until))


def pair(one: str, other: str) -> Pair:
    """Return the two ends of a link in order."""
    return (one, other) if one <= other else (other, one)


_T = TypeVar("_T")


def _spans(turns: Mapping[_T, _Turns], until: Instant) -> dict[_T, tuple[OutagePeriod, ...]]:
    return {key: tuple(_of(each, until)) for key, each in turns.items()}


def _of(turns: _Turns, until: Instant) -> Iterator[OutagePeriod]:
    """Pair beginnings with ends; an outage without a beginning began before all facts."""
    begun = LONG_AGO if turns and not turns[0][1] else None
    for at, begins in turns:
        if begins:
            begun = at if begun is None else begun
        elif begun is not None:
            if begun < at:
                yield OutagePeriod(begun, at)
            begun = None
    if begun is not None and begun < until:
        yield OutagePeriod(begun, until)


_Key: TypeAlias = tuple[str, str]
"""(kind, name) of a record."""


class Holding(NamedTuple):
    """A record at its observer; observer and owner are QMIDs."""

    observer: str
    name: RecordName
    owner: str


class Sent(NamedTuple):
    """What an owner sent at an instant; `deleted` are records it no longer has."""

    at: Instant
    cluster: str
    names: frozenset[_Key]
    deleted: frozenset[_Key] = frozenset()


class RecordChange(NamedTuple):
    """A change of a held record: received, as sent at `published`; or lost, if that is None."""

    at: Instant
    published: Instant | None
    removed: bool = False


@dataclass(slots=True)
class RecordHistory:
    """The history of records according to facts.

    Attributes:
        estate: the estate at the end.
        sent: owner's QMID -> sequence number -> what was sent; taken from the estate if no fact has
            it.
        changes: the changes of each held record, in the order of time.
    """

    estate: Estate
    sent: dict[str, dict[int, Sent]] = field(default_factory=lambda: defaultdict(dict))
    changes: dict[Holding, list[RecordChange]] = field(default_factory=lambda: defaultdict(list))

    def publications(self, name: RecordName, owner: str) -> list[Instant]:
        """Return when an owner sent a record, as far back as is known."""
        for sequence in self.estate.owner(owner).published:
            self.find(owner, sequence)
        cluster, key = name[0], name[1:]
        every = self.sent[owner].values()
        return sorted(one.at for one in every if one.cluster == cluster and key in one.names)

    def find(self, owner: str, sequence: int) -> Sent | None:
        """Return a publication; None if it is no longer stored."""
        sent = self.sent[owner].get(sequence)
        if sent is None and owner in self.estate.names:
            stored = self.estate.owner(owner).published.get(sequence)
            if stored is not None:
                deleted = frozenset(key for key, record in stored.records.items() if record.deleted)
                names = frozenset(stored.records) - deleted
                sent = Sent(stored.instant, stored.cluster, names, deleted)
                self.sent[owner][sequence] = sent
        return sent


def history(estate: Estate, facts: Facts) -> RecordHistory:
    """Read facts, which come in fold order."""
    past = RecordHistory(estate)
    for at, _, event in facts:
        if (reader := _READERS.get(type(event))) is not None:
            reader(past, at, event)
    return past


def _published(past: RecordHistory, at: Instant, event: events.InformationPublished) -> None:
    deleted = frozenset((one.kind, one.name) for one in event.records if one.deleted)
    names = frozenset((one.kind, one.name) for one in event.records) - deleted
    _own(past, Sent(at, event.cluster, names, deleted), event.qmid, event.sequence)


def _own(past: RecordHistory, sent: Sent, owner: str, sequence: int) -> None:
    """Note a publication; its owner itself holds the records from then on."""
    past.sent[owner][sequence] = sent
    _came(past, owner, sent.at, owner, sent, sent.names | sent.deleted)


def _came(
    past: RecordHistory, observer: str, at: Instant, owner: str, sent: Sent, names: frozenset[_Key]
) -> None:
    for key in names:
        published = None if key in sent.deleted else sent.at
        past.changes[Holding(observer, (sent.cluster, *key), owner)].append(
            RecordChange(at, published)
        )


def _received(past: RecordHistory, at: Instant, event: events.InformationReceived) -> None:
    observer = qmid_of(past.estate, event.qmgr, at)
    for item, sent, names in _known(past, event.items):
        _came(past, observer, at, item.owner, sent, names)


def _went(
    past: RecordHistory, at: Instant, qmgr: str, items: tuple[events.Item, ...], *, removed: bool
) -> None:
    observer = qmid_of(past.estate, qmgr, at)
    for item, sent, names in _known(past, items):
        for key in names:
            changes = past.changes[Holding(observer, (sent.cluster, *key), item.owner)]
            if _held_as(changes, sent.at):
                changes.append(RecordChange(at, None, removed))


def _held_as(changes: list[RecordChange], published: Instant) -> bool:
    """Return whether a record is held as it was sent at an instant, or is unknown.

    Only records of the removed publication are removed: a record received later stays.
    """
    return not changes or changes[-1].published == published


def _known(
    past: RecordHistory, items: tuple[events.Item, ...]
) -> Iterator[tuple[events.Item, Sent, frozenset[_Key]]]:
    for item in items:
        sent = past.find(item.owner, item.sequence)
        if sent is not None:
            every = sent.names | sent.deleted
            yield item, sent, every if item.only is None else every & frozenset(item.only)


def _forced(past: RecordHistory, at: Instant, event: events.MemberForceRemoved) -> None:
    observer = qmid_of(past.estate, event.qmgr, at)
    for (holder, name, owner), changes in past.changes.items():
        if (holder, name[0], owner) == (observer, event.cluster, event.member) and (
            event.queues or name[1] == "qmgr"
        ):
            changes.append(RecordChange(at, None))


_READERS: Final[Mapping[type[events.Event], Callable[[RecordHistory, Instant, Any], None]]] = (
    MappingProxyType(
        {
            events.InformationPublished: _published,
            events.InformationRepublished: lambda past, at, event: _own(
                past, Sent(at, event.cluster, frozenset(event.names)), event.qmid, event.sequence
            ),
            events.InformationReceived: _received,
            events.InformationRemoved: lambda past, at, event: _went(
                past, at, event.qmgr, event.items, removed=True
            ),
            events.RepositoryRefreshed: lambda past, at, event: _went(
                past, at, event.qmgr, event.dropped, removed=False
            ),
            events.MemberForceRemoved: _forced,
        }
    )
)

READS: Final = frozenset(_READERS) | _OF_OUTAGES
"""The events that change records."""
