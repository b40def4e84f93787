"""What a feed gives back, and what it may ask of the estate it compares with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from twin.events import Observation
from twin.feeds.detect import Format
from twin.model.attributes import Value
from twin.model.objects import Definition


class KnownQueueManager(Protocol):
    """What is known of a queue manager at the instant of the observation."""

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
    """The estate at the instant of the observation; it is only read."""

    @property
    def qmgrs(self) -> Mapping[str, KnownQueueManager]:
        """The queue managers by name."""

    @property
    def names(self) -> Mapping[str, str]:
        """The QMIDs ever seen, with their names."""


class Ununderstood(NamedTuple):
    """A piece of a file that could not be taken.

    `line` counts from 1 and is where the command starts; `text` is what is wrong, cut where it is
    long; `why` is a sentence for people.
    """

    line: int
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Observed:
    """What one file says of one queue manager, as far as it was not known.

    Attributes:
        format: what the file is.
        qmgr: the queue manager it is about, '' where nobody says.
        events: primary facts, in the order in which they are to be recorded.
        not_understood: what could not be taken, in the order of the file.
        counts: `commands` in the file, of which `taken`, `passed over` (no definitions) and
            `not understood`; `recorded` events.
    """

    format: Format
    qmgr: str
    events: tuple[Observation, ...] = ()
    not_understood: tuple[Ununderstood, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
