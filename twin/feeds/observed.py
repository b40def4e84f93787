"""The result of a feed, and the part of the estate that it needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from twin.events import ObjectsObserved
from twin.feeds.detect import FileFormat
from twin.model.attributes import Value
from twin.model.objects import Definition


class KnownQueueManager(Protocol):
    """A queue manager as it is known at the instant of the observation."""

    @property
    def qmid(self) -> str:
        """Its QMID."""

    @property
    def cmdlevel(self) -> int:
        """Its command level."""

    @property
    def values(self) -> Mapping[str, Value]:
        """Its own attributes, sparse."""

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
    """

    line: int
    text: str
    why: str


class PassedOver(NamedTuple):
    """A command of a file that defines nothing that twin models.

    Its parameters may be secret and are left out.

    Attributes:
        line: the line where it starts, from 1.
        command: its verb and its object, such as `START LISTENER`.
        name: the name in it; '' if it has none.
    """

    line: int
    command: str
    name: str


@dataclass(frozen=True, slots=True)
class Observed:
    """What one file says of one queue manager, and what of it was not known.

    Attributes:
        format: the format of the file.
        qmgr: the queue manager, '' if it is unknown.
        events: the primary facts to record, one for each kind of object, in order.
        not_understood: the parts that could not be used, in the order of the file.
        counts: the number of `commands`; of these, the numbers `taken`, `passed over` (they define
            nothing) and `not understood`; the number of objects `recorded`: those that differ from
            what was known. An unknown queue manager, and its own attributes, count as one each.
        passed_over: the commands that define nothing, in the order of the file.
    """

    format: FileFormat
    qmgr: str
    events: tuple[ObjectsObserved, ...] = ()
    not_understood: tuple[NotRecorded, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    passed_over: tuple[PassedOver, ...] = ()
