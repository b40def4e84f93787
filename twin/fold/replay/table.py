"""The table of handlers: which function folds which event."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from twin import events
from twin.fold.estate import Estate
from twin.fold.handlers import (
    channels,
    commands_in_transit,
    information,
    messages,
    objects,
    queue_managers,
    repository_removal,
    restoring,
    senders,
    subscriptions,
)
from twin.model.instants import Instant

Handler: TypeAlias = Callable[[Estate, Any, Instant, int], object]
"""Folds an event: (estate, event, instant, position)."""


def _nothing(estate: Estate, event: events.Event, at: Instant, position: int) -> None:
    """Change nothing: a command, a request, or evidence that no rule reads."""


HANDLERS: Final[dict[type[events.Event], Handler]] = {
    events.CommandEntered: _nothing,
    events.ControlCommandEntered: _nothing,
    events.QueueOpened: _nothing,
    events.TimePassed: _nothing,
    events.DerivedFactsWithdrawn: _nothing,
    events.ErrorLogged: _nothing,
    events.QueueManagerCreated: queue_managers.created,
    events.QueueManagerFirstSeen: queue_managers.first_seen,
    events.QueueManagerStarted: queue_managers.started,
    events.QueueManagerEnded: queue_managers.ended,
    events.QueueManagerDeleted: queue_managers.deleted,
    events.QueueManagerSuspended: queue_managers.suspended,
    events.QueueManagerResumed: queue_managers.resumed,
    events.QueueManagerRestored: restoring.restored,
    events.QueueManagerAltered: queue_managers.altered,
    events.QueueManagerObserved: queue_managers.altered,
    events.ObjectDefined: objects.defined,
    events.ObjectObserved: objects.defined,
    events.ObjectAltered: objects.altered,
    events.ObjectDeleted: objects.deleted,
    events.ObjectVanished: objects.deleted,
    events.ChannelStatusChanged: channels.status_changed,
    events.ChannelRetryAwaited: channels.retry_awaited,
    events.ChannelObserved: _nothing,
    events.ChannelHeld: senders.held,
    events.ChannelReleased: senders.released,
    events.ChannelBatchInDoubt: senders.in_doubt,
    events.MessagesAtRisk: senders.at_risk,
    events.TransmissionQueueAssigned: senders.assigned,
    events.TransmissionQueueSwitchBegan: senders.switch_began,
    events.TransmissionQueueSwitched: senders.assigned,
    events.LinkChanged: channels.link_changed,
    events.ListenerStarted: channels.listener_started,
    events.ListenerStopped: channels.listener_stopped,
    events.InformationPublished: information.published,
    events.InformationReceived: information.received,
    events.InformationRepublished: information.published,
    events.InformationExpired: repository_removal.expired,
    events.InformationRemoved: repository_removal.removed,
    events.RenewalOverdue: _nothing,
    events.RepositoryRefreshed: repository_removal.refreshed,
    events.MemberForceRemoved: repository_removal.member_removed,
    events.SubscriptionMade: subscriptions.made,
    events.SubscriptionReferenced: subscriptions.referenced,
    events.SubscriptionsRenewed: subscriptions.renewed,
    events.SubscriptionsLapsed: subscriptions.lapsed,
    events.SubscriptionReceived: subscriptions.received,
    events.ClusterCommandsQueued: commands_in_transit.queued,
    events.ClusterCommandsSent: commands_in_transit.sent,
    events.ClusterCommandsExpired: commands_in_transit.expired,
    events.ClusterCommandsUnderWay: commands_in_transit.under_way,
    events.ClusterCommandsArrived: commands_in_transit.arrived,
    events.PutEntered: _nothing,
    events.GetEntered: _nothing,
    events.HandleOpened: messages.opened,
    events.HandleClosed: messages.closed,
    events.MessagesPut: messages.put,
    events.WorkloadHistoryReset: messages.history_reset,
    events.MessagesSent: messages.sent,
    events.MessagesArrived: messages.arrived,
    events.MessagesRedirected: messages.redirected,
    events.MessagesReturned: messages.returned,
    events.MessagesReallocated: messages.reallocated,
    events.MessagesRenewed: messages.renewed,
    events.MessagesSwitched: senders.switched,
    events.MessagesLost: messages.lost,
    events.MessagesGot: messages.got,
}
"""What folds each event; every event of the catalogue has exactly one handler."""


def changes_something(event: events.Event) -> bool:
    """Say whether folding an event changes the estate; commands and requests do not."""
    return HANDLERS[type(event)] is not _nothing
