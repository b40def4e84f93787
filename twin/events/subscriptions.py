"""What partial repositories ask for, and what full repositories note of it."""

from __future__ import annotations

from typing import Any, ClassVar

from twin.events.base import Event, event
from twin.model.instants import Instant


@event
class SubscriptionMade(Event):
    """A partial repository asked for everything of a name, now and for 30 days."""

    cluster: str
    kind: str
    name: str


@event
class SubscriptionReferenced(Event):
    """A subscription was used again for the first time since it was made or renewed."""

    cluster: str
    kind: str
    name: str


@event
class SubscriptionsRenewed(Event):
    """Subscriptions that were in use, as (kind, name), were made again at their check."""

    cluster: str
    asks: tuple[tuple[str, str], ...]


@event
class SubscriptionsLapsed(Event):
    """Subscriptions that nobody used, as (kind, name), came to their end."""

    cluster: str
    asks: tuple[tuple[str, str], ...]


def _several_asks(body: dict[str, Any]) -> dict[str, Any]:
    """Turn the receipt of one subscription into the receipt of several."""
    kind, name = body.pop("kind"), body.pop("name")
    return {**body, "asks": [[kind, name]]}


@event
class SubscriptionReceived(Event):
    """A full repository took note of subscriptions of another queue manager, by its QMID.

    `asks` are (kind, name); they were made at `made`, and lapse 30 days after that.
    """

    upcasts: ClassVar = (_several_asks,)

    subscriber: str
    cluster: str
    asks: tuple[tuple[str, str], ...]
    made: Instant | None = None
