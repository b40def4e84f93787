"""The lifetimes of records: when each should be renewed, expires and is removed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from twin.fold.beliefs import Belief, Name
from twin.fold.estate import Estate, QueueManager
from twin.model.asof import AsOf
from twin.model.instants import DAY, Instant
from twin.questions.answer import Answer, Row
from twin.questions.belief import held, observers
from twin.rules.repository.lifetimes import RESEND_AFTER, expires, removal

ACTIVE: Final = "active"
OVERDUE: Final = "overdue"
EXPIRED: Final = "expired"


class ObservedRecord(NamedTuple):
    """One record as one queue manager holds it."""

    observer: QueueManager
    key: Name
    belief: Belief


def lifetimes(
    estate: Estate,
    as_of: AsOf,
    *,
    on: str | None = None,
    cluster: str | None = None,
    kind: str | None = None,
    name: str | None = None,
    owner: str | None = None,
) -> Answer:
    """List until when each record lives that queue managers hold, and when it should be renewed.

    `on` is the observer. A record is `active` for 27 days from when its owner sent it, `overdue`
    until it expires at 30, and `expired` until it is removed at 90 (IBM MQ 9.4, repository
    information retention); at each of these instants it has become so.

    Days to removal are counted up, as in the warnings AMQ9469 and AMQ9456: n whole days overdue
    and 63 - n days left, so that 0 means gone.
    """
    rows, evidence = [], []
    for record in records(estate, Filters(on, cluster, kind, name, owner)):
        rows.append(_row(record, as_of.valid))
        evidence.append((record.belief.position,))
    return Answer.of("lifetimes", as_of, rows, evidence)


class Filters(NamedTuple):
    """The filters of a question about held records; None for all."""

    on: str | None = None
    cluster: str | None = None
    kind: str | None = None
    name: str | None = None
    owner: str | None = None

    def let(self, observer: str, key: Name, owner: str) -> bool:
        """Return whether a record passes, given the names of observer and owner."""
        return (
            self.on in (None, observer)
            and self.cluster in (None, key[0])
            and self.kind in (None, key[1])
            and self.name in (None, _called(key, owner))
            and self.owner in (None, owner)
        )


def records(estate: Estate, chosen: Filters) -> Iterator[ObservedRecord]:
    """Go through the records that queue managers hold and that pass the filters, in order.

    Raises:
        NoSuchQueueManager: when there is no such observer.
    """
    for observer in observers(estate, chosen.on):
        for key, belief in held(observer):
            if chosen.let(observer.name, key, belief.owner_name):
                yield ObservedRecord(observer, key, belief)


def _called(key: Name, owner: str) -> str:
    """Return the name of a record; that of a queue manager is the name of its owner."""
    return owner if key[1] == "qmgr" else key[2]


def republish_due(published: Instant) -> Instant:
    """Return when the owner should renew a record that it published at `published`."""
    return published + RESEND_AFTER


def state_of(published: Instant, *, at: Instant) -> str:
    """Return whether a record published at `published` is active, overdue or expired."""
    if at >= expires(published):
        return EXPIRED
    return OVERDUE if at >= republish_due(published) else ACTIVE


def days_to_removal(published: Instant, *, at: Instant) -> int:
    """Return how many days remain until a record is removed; a started day counts."""
    return max(0, -((at - removal(published)) // DAY))


def _row(record: ObservedRecord, at: Instant) -> Row:
    published = record.belief.published
    return {
        "observer": record.observer.name,
        "cluster": record.key[0],
        "kind": record.key[1],
        "name": _called(record.key, record.belief.owner_name),
        "owner": record.belief.owner_name,
        "qmid": record.belief.owner,
        "published": published,
        "republish_due": republish_due(published),
        "expires": expires(published),
        "removal": removal(published),
        "state": state_of(published, at=at),
        "days_to_removal": days_to_removal(published, at=at),
    }
