"""What can happen, in the past tense: one file per family, and the catalogue that stores them."""

from twin.events.base import Event, Observation, Value, Values
from twin.events.channels import ChannelStatusChanged, ListenerStarted, ListenerStopped
from twin.events.commands import CommandEntered, ControlCommandEntered, QueueOpened
from twin.events.objects import (
    ObjectAltered,
    ObjectDefined,
    ObjectDeleted,
    ObjectObserved,
    ObjectVanished,
)
from twin.events.queue_managers import (
    QueueManagerAltered,
    QueueManagerCreated,
    QueueManagerDeleted,
    QueueManagerEnded,
    QueueManagerFirstSeen,
    QueueManagerObserved,
    QueueManagerStarted,
)
from twin.events.record import DerivedFactsWithdrawn
from twin.events.repository import (
    ClusterCommandsQueued,
    ClusterCommandsSent,
    InformationPublished,
    InformationReceived,
    Item,
    RecordPublished,
    SubscriptionMade,
    SubscriptionReceived,
    SubscriptionReferenced,
)

__all__ = [
    "ChannelStatusChanged",
    "ClusterCommandsQueued",
    "ClusterCommandsSent",
    "CommandEntered",
    "ControlCommandEntered",
    "DerivedFactsWithdrawn",
    "Event",
    "InformationPublished",
    "InformationReceived",
    "Item",
    "ListenerStarted",
    "ListenerStopped",
    "ObjectAltered",
    "ObjectDefined",
    "ObjectDeleted",
    "ObjectObserved",
    "ObjectVanished",
    "Observation",
    "QueueManagerAltered",
    "QueueManagerCreated",
    "QueueManagerDeleted",
    "QueueManagerEnded",
    "QueueManagerFirstSeen",
    "QueueManagerObserved",
    "QueueManagerStarted",
    "QueueOpened",
    "RecordPublished",
    "SubscriptionMade",
    "SubscriptionReceived",
    "SubscriptionReferenced",
    "Value",
    "Values",
]
