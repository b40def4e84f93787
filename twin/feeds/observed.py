"""The result of a feed, and the part of the estate that it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import NamedTuple, Protocol, TypeAlias

from twin.events import BeliefsObserved, ObjectsObserved, Observation, StatedObject
from twin.events.base import Event
from twin.feeds.detect import FileFormat
from twin.feeds.reading.local_time import DateOrder
from twin.model.attributes import Value
from twin.model.instants import Instant
from twin.model.objects import Definition


class KnownQueueManager(Protocol):
    """A queue manager as it is known at the instant of the observation."""

    @property
    def qmid(self) -> str:
        """Its QMID."""

    @property
    def says_qmid(self) -> bool:
        """Whether its QMID was in its first observation, so that another one is another's."""

    @property
    def cmdlevel(self) -> int:
        """Its command level."""

    @property
    def values(self) -> Mapping[str, Value]:
        """Its own attributes, sparse."""

    def not_seen(self, kind: str, said: Sequence[StatedObject]) -> tuple[StatedObject, ...]:
        """Return what is said of objects that nobody saw."""

    @property
    def definitions(self) -> Mapping[tuple[str, str], Definition]:
        """Its objects by kind and name."""


class KnownEstate(Protocol):
    """The estate at the instant of the observation; a feed only reads it."""

    @property
    def qmgrs(self) -> Mapping[str, KnownQueueManager]:
        """The queue managers by name."""


class NotRecorded(NamedTuple):
    """A part of a file that could not be used.

    Attributes:
        line: the line where the command starts, from 1.
        text: the wrong part, shortened if it is long.
        why: the reason, for people.
        id: the id of the message that it is, as written; '' if it is none.
        number: how many parts it stands for; of more than one, the line is that of the first.
        rests_on_known: whether it is a problem only beside what was known as the file was read.
    """

    line: int
    text: str
    why: str
    id: str = ""
    number: int = 1
    rests_on_known: bool = False

    @classmethod
    def other_qmid(cls, line: int, qmid: str, known: str) -> NotRecorded:
        """Return that a file shows another QMID than the known one."""
        why = f"differs from the known QMID {known}, which is kept"
        return cls(line, f"QMID({qmid})", why, rests_on_known=True)


class PassedOver(NamedTuple):
    """A command of a file that defines nothing that twin models.

    Its parameters may be secret and are left out.

    Attributes:
        line: the line where it starts, from 1.
        command: its verb and its object, such as `START LISTENER`.
        name: the name in it; '' if it has none.
        rows: how many objects its answer shows; 0 if it has no answer.
        number: how many such commands it stands for; of more than one, the line is that of the
            first.
    """

    line: int
    command: str
    name: str
    rows: int = 0
    number: int = 1


class FeedSource(NamedTuple):
    """What is known of a feed beside its text.

    Attributes:
        qmgr: the queue manager of records that name none; '' if it is unknown.
        file: the path of the file as it was given, for the origin of the facts; None if it has
            none.
        zone: the zone of dates without one; None if it is unknown.
        order: the order of dates that may have two; None if it is unknown.
        at: the instant of what has no instant of its own; None if it is unknown.
    """

    qmgr: str = ""
    file: str | None = None
    zone: tzinfo | None = None
    order: DateOrder | None = None
    at: Instant | None = None


class DatedFact(NamedTuple):
    """One fact with an instant of its own.

    Attributes:
        at: when it was so, in microseconds since the epoch, UTC.
        event: the primary observation, with its origin and without secrets.
        identity: equal for the same record in any file (grown, rotated, in another form), different
            for another record.
        evidence: the text that says so, with its secrets masked; '' if nothing is kept beside the
            event.
    """

    at: Instant
    event: Event
    identity: str
    evidence: str = ""


Converted: TypeAlias = DatedFact | NotRecorded | PassedOver
"""What one record of a feed comes to: a fact, or why there is none."""

Converter: TypeAlias = Callable[[Iterable[str], FeedSource], Iterator[Converted]]
"""A function from the lines of a feed to its facts.

It is pure and knows no estate: what a fact means for a queue manager or a channel, known or not, is
decided by the rules. It never raises because of a text, and holds one record at a time, or as many
as one fact needs. Facts are not in the order of the lines.
"""


@dataclass(frozen=True, slots=True)
class Observed:
    """What one file says of queue managers, and what of it was not known.

    Attributes:
        format: the format of the file.
        qmgrs: the queue managers; () if none is known.
        events: the primary facts to record, one for each kind of object, in order.
        not_understood: the parts that could not be used, in the order of the file.
        counts: the number of `commands`; of these, the numbers `taken`, `passed over` (they define
            nothing) and `not understood`; the number of objects `recorded`: those that differ from
            what was known. An unknown queue manager, and its own attributes, count as one each.
            Once the file is recorded, `appended` is the number of its facts in the log, also of
            those that only confirm what is known.
        passed_over: the commands that define nothing, in the order of the file.
        digest: the SHA-256 of the lines of the file, in hexadecimal; '' if it was read as a whole.
        states: what it says of statuses, depths and suspensions.
    """

    format: FileFormat
    qmgrs: tuple[str, ...]
    events: tuple[ObjectsObserved | BeliefsObserved, ...] = ()
    not_understood: tuple[NotRecorded, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    passed_over: tuple[PassedOver, ...] = ()
    digest: str = ""
    states: tuple[Observation, ...] = ()

    @property
    def qmgr(self) -> str:
        """The names of the queue managers, for people; '' if none is known."""
        return ", ".join(self.qmgrs)
