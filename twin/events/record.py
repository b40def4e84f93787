"""Events about the log itself."""

from __future__ import annotations

from typing import ClassVar

from twin.events.base import Event, Position, PrimaryFact, event
from twin.model.instants import Instant


@event
class DerivedFactsWithdrawn(Event):
    """All facts derived after this instant are withdrawn: a fact came late, or was retracted.

    Or newer rules derive everything again (`twin log rederive`).

    The withdrawal has the instant of the late fact, or of the retraction. Derived facts that were
    recorded before it and occurred after that instant no longer count. Their replacements are
    recorded after it.
    """


@event
class FactsRetracted(PrimaryFact):
    """Primary facts were retracted: they no longer count, as if they had never been recorded.

    The event belongs to no queue manager. It has either the positions of the facts, or `since`: all
    primary facts at that instant or later that were recorded before it. Its own instant is earlier
    than theirs. A withdrawal at the same instant precedes it, and what follows from the facts that
    remain is derived again after it.
    """

    understood_since: ClassVar[str] = "0.2.0"

    positions: tuple[Position, ...] = ()
    since: Instant | None = None


@event
class RetractionUndone(PrimaryFact):
    """A retraction was undone: its facts count again. The event belongs to no queue manager.

    `retraction` is the position of the `FactsRetracted`, whose instant the event has. A withdrawal
    precedes it, and everything later is derived again after it.
    """

    understood_since: ClassVar[str] = "0.2.0"

    retraction: Position


@event
class BranchRetired(PrimaryFact):
    """A branch was deleted; this is its last event. Its events stay, and its name is free again.

    The event belongs to no queue manager.
    """

    understood_since: ClassVar[str] = "0.2.0"

    branch: str


@event
class ImportBegun(PrimaryFact):
    """The import of a file or of a part of it began; `digest` is the SHA-256 of its content.

    The event belongs to no queue manager. Its `ImportEnded` has the same digest.
    """

    understood_since: ClassVar[str] = "0.2.0"

    digest: str
    name: str


@event
class ImportEnded(PrimaryFact):
    """The import of this content ended after it recorded a number of events.

    The event belongs to no queue manager.

    Attributes:
        digest: the SHA-256 of the content, in hexadecimal.
        events: how many primary facts it recorded.
        done: whether all of it was imported.
        format: the format of the content; '' if it is unknown.
        qmgrs: the queue managers that its facts are about.
        not_understood: (what, why, count) of its parts that are not facts: a message id or the kind
            of a record, '' if it has none; the reason; how many there are.
        passed_over: (what, count) of its commands from which no fact is taken, the most frequent
            first.
    """

    understood_since: ClassVar[str] = "0.2.0"

    digest: str
    events: int
    done: bool = True
    format: str = ""
    qmgrs: tuple[str, ...] = ()
    not_understood: tuple[tuple[str, str, int], ...] = ()
    passed_over: tuple[tuple[str, int], ...] = ()
