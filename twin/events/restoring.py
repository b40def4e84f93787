"""A queue manager put back as from a backup."""

from __future__ import annotations

from twin.events.base import PrimaryFact, Values, event, value
from twin.events.repository import RecordPublished
from twin.model.instants import Instant


@value
class ObjectKept:
    """A definition as the backup has it."""

    kind: str
    name: str
    type: str
    values: Values
    created: Instant | None = None
    altered: Instant | None = None


@value
class RecordsKept:
    """Records of one publication as the backup has them, with whence and when they came."""

    cluster: str
    owner: str
    sequence: int
    published: Instant
    source: str
    received: Instant
    records: tuple[RecordPublished, ...]


@value
class RequestKept:
    """A subscription as the backup has it."""

    cluster: str
    kind: str
    name: str
    made: Instant
    referenced: Instant | None = None


@value
class AskerKept:
    """Who had asked a full repository for a name, by QMID, and when the request was made."""

    cluster: str
    kind: str
    name: str
    asker: str
    made: Instant


@event
class QueueManagerRestored(PrimaryFact):
    """A queue manager was ended, and put back as it was at `to`, from a backup of that instant.

    `ranks` are those of its last publication then, by cluster: what it publishes next counts on
    from there, and others discard it as old. `told` says up to which publication it had told whom,
    by cluster and QMID.
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
