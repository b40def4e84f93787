"""Subscriptions of partial repositories at full repositories."""

from __future__ import annotations

from typing import Any, ClassVar

from twin.events.base import ClusterEvent, Event, event
from twin.model.instants import Instant


@event
class SubscriptionMade(ClusterEvent):
    """A partial repository subscribed to a name, for 30 days."""

    kind: str
    name: str


@event
class SubscriptionReferenced(ClusterEvent):
    """A subscription was used for the first time since it was made or renewed."""

    kind: str
    name: str


@event
class SubscriptionsRenewed(ClusterEvent):
    """Subscriptions in use, as (kind, name), were renewed at their check."""

    asks: tuple[tuple[str, str], ...]


@event
class SubscriptionsLapsed(ClusterEvent):
    """Unused subscriptions, as (kind, name), ended."""

    asks: tuple[tuple[str, str], ...]


def _several_asks(body: dict[str, Any]) -> dict[str, Any]:
    """Turn the receipt of one subscription into the receipt of several."""
    kind, name = body.pop("kind"), body.pop("name")
    return {**body, "asks": [[kind, name]]}


@event
class SubscriptionReceived(Event):
    """A full repository received subscriptions of another queue manager, by QMID.

    `asks` are (kind, name); they were made at `made`, and end 30 days after that.
    """

    upcasts: ClassVar = (_several_asks,)

    subscriber: str
    cluster: str
    asks: tuple[tuple[str, str], ...]
    made: Instant | None = None
