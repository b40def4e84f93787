"""Events about the log itself."""

from __future__ import annotations

from twin.events.base import Event, Position, PrimaryFact, event
from twin.model.instants import Instant


@event
class DerivedFactsWithdrawn(Event):
    """A fact was recorded late; the facts that the rules derived after its instant are withdrawn.

    The withdrawal has the instant of the late fact. Derived facts recorded before it and dated
    after that instant no longer count; their replacements are recorded after it.
    """


@event
class FactsRetracted(PrimaryFact):
    """Primary facts were retracted: they no longer count, as if they had never been recorded.

    The event belongs to no queue manager. It names the positions of the facts. Or it has `since`:
    it then retracts every primary fact at that instant or later that was recorded before it. Its
    own instant is earlier than those of the facts. All that was derived later is withdrawn with
    it, and derived again after it from the facts that remain.
    """

    positions: tuple[Position, ...] = ()
    since: Instant | None = None


@event
class RetractionUndone(PrimaryFact):
    """A retraction was undone: its facts count again. The event belongs to no queue manager.

    `retraction` is the position of the `FactsRetracted`. All that was derived later is withdrawn
    with it, and derived again after it.
    """

    retraction: Position
