"""The family of each event type: the folders of the lake.

The log's type column has `Name`, or `Name@N` for a later schema. The family is the file of
`twin/events` that defines the type. A test compares both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

FAMILIES: Final[Mapping[str, tuple[str, ...]]] = {
    "channels": (
        "ChannelBatchInDoubt",
        "ChannelEndHeard",
        "ChannelEndSilent",
        "ChannelHeld",
        "ChannelObserved",
        "ChannelReleased",
        "ChannelRetryAwaited",
        "ChannelStatusChanged",
        "ListenerStarted",
        "ListenerStopped",
        "MessageRetryAwaited",
        "MessagesAtRisk",
        "ReceivingEndEnded",
        "ServiceStarted",
        "ServiceStopped",
        "TransmissionQueueAssigned",
        "TransmissionQueueInhibited",
        "TransmissionQueueKept",
        "TransmissionQueueRestored",
        "TransmissionQueueSwitchBegan",
        "TransmissionQueueSwitchStopped",
        "TransmissionQueueSwitched",
    ),
    "clusters": (
        "ErrorLogged",
        "MemberForceRemoved",
        "QueueManagerResumed",
        "QueueManagerSuspended",
        "RepositoryRefreshed",
    ),
    "commands": (
        "CommandEntered",
        "ControlCommandEntered",
        "LinkChanged",
        "QueueOpened",
        "ReadingChosen",
        "TimePassed",
    ),
    "messages": (
        "AnswerAwaited",
        "AnswerWaitEnded",
        "DeadLettersHandled",
        "GetEntered",
        "HandleClosed",
        "HandleOpened",
        "WorkloadExitFailed",
        "MessagesArrived",
        "MessagesGot",
        "MessagesLost",
        "MessagesPut",
        "MessagesReallocated",
        "MessagesRedirected",
        "MessagesRenewed",
        "MessagesReturned",
        "MessagesSent",
        "MessagesSwitched",
        "PutEntered",
        "WorkloadHistoryReset",
    ),
    "objects": (
        "ObjectAltered",
        "ObjectDefined",
        "ObjectDeleted",
        "ObjectObserved",
        "ObjectVanished",
        "ObjectsObserved",
    ),
    "queue_managers": (
        "QueueManagerAltered",
        "QueueManagerCreated",
        "QueueManagerDeleted",
        "QueueManagerEnded",
        "QueueManagerFirstSeen",
        "QueueManagerObserved",
        "QueueManagerStarted",
    ),
    "record": (
        "BranchRetired",
        "DerivedFactsWithdrawn",
        "FactsRetracted",
        "ImportBegun",
        "ImportEnded",
        "RetractionUndone",
    ),
    "repository": (
        "ClusterCommandsArrived",
        "ClusterCommandsExpired",
        "ClusterCommandsKept",
        "ClusterCommandsPut",
        "ClusterCommandsQueued",
        "ClusterCommandsResumed",
        "ClusterCommandsSent",
        "ClusterCommandsTaken",
        "ClusterCommandsUnderWay",
        "InformationExpired",
        "InformationPublished",
        "InformationReceived",
        "InformationRemoved",
        "InformationRepublished",
        "RenewalOverdue",
        "RepositoryManagerFailed",
        "RepositoryManagerPostponed",
        "RepositoryManagerRestarted",
        "RepositoryStorageExhausted",
    ),
    "restoring": ("QueueManagerRestored",),
    "subscriptions": (
        "SubscriptionMade",
        "SubscriptionReceived",
        "SubscriptionReferenced",
        "SubscriptionsLapsed",
        "SubscriptionsRenewed",
    ),
}
"""The types of each family, without their schema numbers."""

OTHER: Final = "other"
"""The family of event types that this version does not know."""
