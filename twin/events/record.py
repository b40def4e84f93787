"""Events about the log itself."""

from __future__ import annotations

from twin.events.base import Event, event


@event
class DerivedFactsWithdrawn(Event):
    """A fact was recorded late; the facts that the rules derived after its instant are withdrawn.

    The withdrawal has the instant of the late fact. Derived facts recorded before it and dated
    after that instant no longer count; their replacements are recorded after it.
    """
