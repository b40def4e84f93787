"""A queue manager that was restored from a backup."""

from __future__ import annotations

from twin.events.base import PrimaryFact, Values, event, value
from twin.events.repository import RecordPublished
from twin.model.instants import Instant


@value
class ObjectKept:
    """A definition in a backup."""

    kind: str
    name: str
    type: str
    values: Values
    created: Instant | None = None
    altered: Instant | None = None


@value
class RecordsKept:
    """Records of one publication in a backup, with their sender and the instant of receipt."""

    cluster: str
    owner: str
    sequence: int
    published: Instant
    source: str
    received: Instant
    records: tuple[RecordPublished, ...]


@value
class RequestKept:
    """A subscription in a backup."""

    cluster: str
    kind: str
    name: str
    made: Instant
    referenced: Instant | None = None
    assumed: bool = False


@value
class AskerKept:
    """A subscriber of a full repository, by QMID, and the instant of its subscription."""

    cluster: str
    kind: str
    name: str
    asker: str
    made: Instant


@event
class QueueManagerRestored(PrimaryFact):
    """A queue manager was ended, and restored from a backup of the instant `to`.

    `ranks` are the ranks of its last publications then, by cluster: its next publications continue
    from there, and others discard them as old. `told` is the last publication that it had sent, by
    cluster and QMID.
    """

    qmid: str
    to: Instant
    ranks: tuple[tuple[str, int], ...]
    values: Values
    suspended: dict[str, str]
    objects: tuple[ObjectKept, ...]
    absent: tuple[tuple[str, str], ...]
    records: tuple[RecordsKept, ...]
    requests: tuple[RequestKept, ...]
    askers: tuple[AskerKept, ...]
    told: tuple[tuple[str, str, int], ...]
