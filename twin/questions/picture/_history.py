"""The history of records: when they were sent, received, lost and removed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from twin import events
from twin.fold.beliefs import RecordName
from twin.fold.estate import Estate
from twin.model.instants import Instant
from twin.questions.facts import Facts, qmid_of

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
        found = self.sent[owner].get(sequence)
        if found is None and owner in self.estate.names:
            kept = self.estate.owner(owner).published.get(sequence)
            if kept is not None:
                deleted = frozenset(key for key, record in kept.records.items() if record.deleted)
                names = frozenset(kept.records) - deleted
                found = Sent(kept.instant, kept.cluster, names, deleted)
                self.sent[owner][sequence] = found
        return found


def history(estate: Estate, facts: Facts) -> RecordHistory:
    """Read facts, which come in fold order."""
    found = RecordHistory(estate)
    for at, _, event in facts:
        if (reader := _READERS.get(type(event))) is not None:
            reader(found, at, event)
    return found


def _published(found: RecordHistory, at: Instant, event: events.InformationPublished) -> None:
    deleted = frozenset((one.kind, one.name) for one in event.records if one.deleted)
    names = frozenset((one.kind, one.name) for one in event.records) - deleted
    _own(found, Sent(at, event.cluster, names, deleted), event.qmid, event.sequence)


def _own(found: RecordHistory, sent: Sent, owner: str, sequence: int) -> None:
    """Note a publication; its owner itself holds the records from then on."""
    found.sent[owner][sequence] = sent
    _came(found, owner, sent.at, owner, sent, sent.names | sent.deleted)


def _came(
    found: RecordHistory, observer: str, at: Instant, owner: str, sent: Sent, names: frozenset[_Key]
) -> None:
    for key in names:
        published = None if key in sent.deleted else sent.at
        found.changes[Holding(observer, (sent.cluster, *key), owner)].append(
            RecordChange(at, published)
        )


def _received(found: RecordHistory, at: Instant, event: events.InformationReceived) -> None:
    observer = qmid_of(found.estate, event.qmgr, at)
    for item, sent, names in _known(found, event.items):
        _came(found, observer, at, item.owner, sent, names)


def _went(
    found: RecordHistory, at: Instant, qmgr: str, items: tuple[events.Item, ...], *, removed: bool
) -> None:
    observer = qmid_of(found.estate, qmgr, at)
    for item, sent, names in _known(found, items):
        for key in names:
            changes = found.changes[Holding(observer, (sent.cluster, *key), item.owner)]
            if _held_as(changes, sent.at):
                changes.append(RecordChange(at, None, removed))


def _held_as(changes: list[RecordChange], published: Instant) -> bool:
    """Return whether a record is held as it was sent at an instant, or is unknown.

    Only records of the removed publication are removed: a record received later stays.
    """
    return not changes or changes[-1].published == published


def _known(
    found: RecordHistory, items: tuple[events.Item, ...]
) -> Iterator[tuple[events.Item, Sent, frozenset[_Key]]]:
    for item in items:
        sent = found.find(item.owner, item.sequence)
        if sent is not None:
            every = sent.names | sent.deleted
            yield item, sent, every if item.only is None else every & frozenset(item.only)


def _forced(found: RecordHistory, at: Instant, event: events.MemberForceRemoved) -> None:
    observer = qmid_of(found.estate, event.qmgr, at)
    for (holder, name, owner), changes in found.changes.items():
        if (holder, name[0], owner) == (observer, event.cluster, event.member) and (
            event.queues or name[1] == "qmgr"
        ):
            changes.append(RecordChange(at, None))


_READERS: Final[Mapping[type[events.Event], Callable[[RecordHistory, Instant, Any], None]]] = (
    MappingProxyType(
        {
            events.InformationPublished: _published,
            events.InformationRepublished: lambda found, at, event: _own(
                found, Sent(at, event.cluster, frozenset(event.names)), event.qmid, event.sequence
            ),
            events.InformationReceived: _received,
            events.InformationRemoved: lambda found, at, event: _went(
                found, at, event.qmgr, event.items, removed=True
            ),
            events.RepositoryRefreshed: lambda found, at, event: _went(
                found, at, event.qmgr, event.dropped, removed=False
            ),
            events.MemberForceRemoved: _forced,
        }
    )
)

READS: Final = frozenset(_READERS)
"""The events that change records."""
