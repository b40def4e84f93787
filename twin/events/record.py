"""Events about the record itself."""

from __future__ import annotations

from twin.events.base import Event, event


@event
class DerivedFactsWithdrawn(Event):
    """A fact arrived late: what the rules had derived after its instant no longer counts.

    The withdrawal stands at the late fact's instant. Derived facts recorded before it and dated
    after that instant are withdrawn; what takes their place is recorded behind it.
    """
