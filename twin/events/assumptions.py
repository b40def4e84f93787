"""Assumptions: what would usually be, where no feed says anything."""

from __future__ import annotations

from typing import ClassVar, Literal

from twin.events.base import ClusterEvent, PrimaryFact, event
from twin.events.repository import Item


@event
class AssumptionSet(PrimaryFact):
    """What is assumed of an observed queue manager was set.

    `used`: it uses every queue that its definitions point to; this is the default. `queue`: it also
    uses `queue`. `nothing`: nothing is assumed of it. `healed` belongs to no queue manager: the
    links of all channels that were seen RETRYING work again.
    """

    understood_since: ClassVar[str] = "0.2.0"

    policy: Literal["used", "queue", "nothing", "healed"]
    queue: str = ""


@event
class SubscriptionsAssumed(ClusterEvent):
    """A partial repository is assumed to have subscribed to names, as (kind, name)."""

    understood_since: ClassVar[str] = "0.2.0"

    asks: tuple[tuple[str, str], ...]


@event
class AssumptionEnded(ClusterEvent):
    """Subscriptions of the queue manager with QMID `subscriber` are no longer assumed.

    At the subscriber they end, and it no longer holds `dropped`: the records that it held for no
    other reason. A full repository that had them no longer has them.
    """

    understood_since: ClassVar[str] = "0.2.0"

    subscriber: str
    asks: tuple[tuple[str, str], ...]
    dropped: tuple[Item, ...] = ()
