"""Replay: fold rows of the log into an estate, each with the handler of its event.

Fold order is (occurred_at, position). Replaying the same rows gives the same estate, even if the
rules have changed since they were recorded.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from operator import itemgetter
from typing import Any, Final, TypeAlias

from twin import events
from twin.errors import SubjectError, TwinError
from twin.events.catalogue import decode_all
from twin.fold.estate import Estate
from twin.fold.handlers import (
    channels,
    commands_in_transit,
    information,
    messages,
    objects,
    observations,
    observed_beliefs,
    queue_managers,
    repository_removal,
    restoring,
    subscriptions,
)
from twin.fold.replay.one_instant import STATEMENTS, in_order
from twin.model.instants import Instant

Encoded: TypeAlias = tuple[Instant, int, str, str]
"""(occurred_at, position, type column, body)."""

Decoded: TypeAlias = tuple[Instant, int, events.Event]
"""(occurred_at, position, event): a decoded row."""

EventFilter: TypeAlias = Callable[[Iterable[Decoded]], Iterable[Decoded]]
"""A generator function that yields the events to fold.

It takes each event from its input only after all events that it yielded before were folded.
"""

_UNFIT: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What handlers raise if an event names what is not there: only an altered event does."""


class UnfitEvent(
    SubjectError,
    ValueError,
    message="the event at position {} does not fit those before it; twin log verify says whether "
    "the log was altered",
):
    """A recorded event that cannot be folded."""


CHUNK: Final = 4096
"""How many rows are decoded at a time; more takes memory and is no faster."""


Handler: TypeAlias = Callable[[Estate, Any, Instant, int], object]
"""Folds an event: (estate, event, instant, position)."""


def _nothing(estate: Estate, event: events.Event, at: Instant, position: int) -> None:
    """Change nothing: the event is a command or a request, or is about the log itself."""


def _where_it_exists(handler: Handler) -> Handler:
    """Return a handler that ignores a command at an unknown queue manager.

    Its creation was retracted; as a command that MQ refuses, this one has no consequences.
    """

    def handle(estate: Estate, event: events.Event, at: Instant, position: int) -> None:
        if event.qmgr in estate.qmgrs:
            handler(estate, event, at, position)

    return handle


HANDLERS: Final[dict[type[events.Event], Handler]] = {
    events.CommandEntered: _nothing,
    events.ControlCommandEntered: _nothing,
    events.QueueOpened: _nothing,
    events.TimePassed: _nothing,
    events.DerivedFactsWithdrawn: _nothing,
    events.FactsRetracted: _nothing,
    events.RetractionUndone: _nothing,
    events.BranchRetired: _nothing,
    events.ImportBegun: _nothing,
    events.ImportEnded: _nothing,
    events.SeenAgain: _nothing,  # the log is read with what it stands for
    events.ErrorLogged: _nothing,
    events.EvidenceObserved: observations.record,
    events.IntervalCounted: observations.note_unknown,
    events.RenewalOverdueObserved: information.warned,
    events.QueueManagerReplaced: observations.replaced,
    events.RepositoryManagerObserved: observations.repository_manager,
    events.ClusterCommandObserved: observations.note_unknown,
    events.ListenersObserved: observations.listeners,
    events.SuspensionObserved: observations.note_unknown,
    events.TransmissionQueueObserved: observations.note_unknown,
    events.QueueManagerStatusObserved: observations.queue_manager,
    events.ChannelsListed: observations.listed,
    events.ChannelSequenceReset: observations.sequence_reset,
    events.DepthsObserved: observations.depths,
    events.ConfigurationObserved: observations.configuration,
    events.ZoneStated: observations.zone,
    events.QueueManagerGone: queue_managers.gone,
    events.QueueManagerCreated: queue_managers.created,
    events.QueueManagerFirstSeen: queue_managers.first_seen,
    events.QueueManagerStarted: queue_managers.started,
    events.QueueManagerEnded: queue_managers.ended,
    events.QueueManagerDeleted: queue_managers.deleted,
    events.QueueManagerSuspended: queue_managers.suspended,
    events.QueueManagerResumed: queue_managers.resumed,
    events.QueueManagerRestored: _where_it_exists(restoring.restored),
    events.QueueManagerAltered: queue_managers.altered,
    events.QueueManagerObserved: queue_managers.altered,
    events.ObjectDefined: objects.defined,
    events.ObjectObserved: objects.defined,
    events.ObjectsObserved: objects.observed,
    events.ObjectsDated: objects.dated,
    events.ObjectsImplied: objects.implied,
    events.ObjectsUnsure: objects.unsure,
    events.QueueManagerIdentified: queue_managers.identified,
    events.ObjectAltered: objects.altered,
    events.ObjectDeleted: objects.deleted,
    events.ObjectVanished: objects.deleted,
    events.ChannelStatusChanged: channels.status_changed,
    events.ChannelRetryAwaited: channels.retry_awaited,
    events.ChannelEndSilent: channels.end_silent,
    events.ChannelEndHeard: channels.end_heard,
    events.ReceivingEndEnded: channels.receiving_end_ended,
    events.ChannelObserved: observations.channel,
    events.ChannelHeld: _where_it_exists(channels.held),
    events.ChannelReleased: _where_it_exists(channels.released),
    events.ChannelBatchInDoubt: channels.in_doubt,
    events.MessagesAtRisk: channels.at_risk,
    events.TransmissionQueueAssigned: channels.assigned,
    events.TransmissionQueueKept: channels.kept,
    events.TransmissionQueueInhibited: channels.inhibited,
    events.TransmissionQueueRestored: channels.restored,
    events.TransmissionQueueSwitchBegan: channels.switch_began,
    events.TransmissionQueueSwitchStopped: channels.switch_stopped,
    events.TransmissionQueueSwitched: channels.assigned,
    events.PortionAwaited: channels.portion_awaited,
    events.LinkChanged: channels.link_changed,
    events.ReadingChosen: queue_managers.reading_chosen,
    events.ListenerStarted: channels.listener_started,
    events.ListenerStopped: channels.listener_stopped,
    events.ServiceStarted: channels.service_started,
    events.ServiceStopped: channels.service_stopped,
    events.InformationPublished: information.published,
    events.InformationReceived: information.received,
    events.InformationRepublished: information.published,
    events.BeliefsObserved: observed_beliefs.observed,
    events.RecordsDated: information.dated,
    events.InformationExpired: repository_removal.expired,
    events.InformationRemoved: repository_removal.removed,
    events.RenewalOverdue: _nothing,
    events.RepositoryRefreshed: repository_removal.refreshed,
    events.MemberForceRemoved: repository_removal.member_removed,
    events.AssumptionSet: queue_managers.assumption_set,
    events.AssumptionEnded: subscriptions.assumption_ended,
    events.SubscriptionMade: subscriptions.made,
    events.SubscriptionsAssumed: subscriptions.assumed,
    events.SubscriptionReferenced: subscriptions.referenced,
    events.SubscriptionsRenewed: subscriptions.renewed,
    events.SubscriptionsLapsed: subscriptions.lapsed,
    events.SubscriptionReceived: subscriptions.received,
    events.ClusterCommandsQueued: commands_in_transit.queued,
    events.ClusterCommandsKept: commands_in_transit.kept,
    events.ClusterCommandsResumed: commands_in_transit.resumed,
    events.ClusterCommandsPut: commands_in_transit.put,
    events.ClusterCommandsTaken: commands_in_transit.taken,
    events.RepositoryStorageExhausted: _where_it_exists(commands_in_transit.exhausted),
    events.PageSetFilled: _where_it_exists(commands_in_transit.page_set_filled),
    events.RepositoryManagerFailed: commands_in_transit.failed,
    events.RepositoryManagerPostponed: commands_in_transit.postponed,
    events.RepositoryManagerRestarted: commands_in_transit.restarted,
    events.DeadLettersHandled: messages.dead_letters_handled,
    events.MessageRetryAwaited: channels.message_retry_awaited,
    events.ClusterCommandsSent: commands_in_transit.sent,
    events.ClusterCommandsExpired: commands_in_transit.expired,
    events.ClusterCommandsUnderWay: commands_in_transit.under_way,
    events.ClusterCommandsArrived: commands_in_transit.arrived,
    events.PutEntered: _nothing,
    events.GetEntered: _nothing,
    events.HandleOpened: messages.opened,
    events.WorkloadExitFailed: messages.exit_failed,
    events.HandleClosed: _where_it_exists(messages.closed),
    events.AnswerAwaited: messages.answer_awaited,
    events.AnswerWaitEnded: messages.answer_wait_ended,
    events.MessagesPut: messages.put,
    events.WorkloadHistoryReset: messages.history_reset,
    events.MessagesSent: messages.sent,
    events.MessagesArrived: messages.arrived,
    events.MessagesRedirected: messages.redirected,
    events.MessagesCirculated: messages.circulated,
    events.MessagesReturned: messages.returned,
    events.MessagesReallocated: messages.reallocated,
    events.MessagesRenewed: messages.renewed,
    events.MessagesSwitched: channels.switched,
    events.MessagesLost: messages.lost,
    events.MessagesGot: messages.got,
}
"""Type of event -> its handler; every event of the catalogue has exactly one."""


_NOTED: Final = frozenset(
    {
        *(_nothing, observations.note_unknown, observations.channel, observations.listed),
        *(observations.queue_manager, observations.depths, observations.zone),
        *(observations.replaced, observations.overdue),
        *(observations.record, observations.repository_manager),
    }
)
"""The handlers that change nothing that a rule reads."""


def changes_something(event: events.Event) -> bool:
    """Return whether folding an event changes what rules read; commands and requests do not."""
    return HANDLERS[type(event)] not in _NOTED


def apply(estate: Estate, event: events.Event, at: Instant, position: int) -> None:
    """Fold one event into the estate."""
    HANDLERS[type(event)](estate, event, at, position)
    estate.instant = at
    estate.position = max(position, estate.position)


def fold(estate: Estate, decoded: Iterable[Decoded]) -> None:
    """Fold decoded rows into the estate; its instant and position stay as they are.

    Raises:
        UnfitEvent: if a row does not fit the rows before it.
    """
    handlers, position = HANDLERS, 0
    try:
        for at, position, event in decoded:
            handlers[type(event)](estate, event, at, position)
    except TwinError:
        raise
    except _UNFIT as error:
        raise UnfitEvent(position) from error


def replay(estate: Estate, rows: Sequence[Encoded], *, only: EventFilter = iter) -> Estate:
    """Fold rows into the estate, and return it. The rows must be in fold order.

    With `only`, only the events that it yields are folded; the estate's instant and position are
    still those after the last row.
    """
    with gc_paused():
        fold(estate, only(decode(rows)))
    if rows:
        estate.instant = rows[-1][0]
        last = max(map(itemgetter(1), rows))
        estate.position = max(estate.position, last)
    return estate


def decode(rows: Sequence[Encoded]) -> Iterator[Decoded]:
    """Iterate over decoded rows, with the observations of one instant in their canonical order.

    `CHUNK` rows are decoded at a time, which is faster.
    """
    starts = range(0, len(rows), CHUNK)
    decoded = chain.from_iterable(_decode_all(rows[start : start + CHUNK]) for start in starts)
    if not STATEMENTS.isdisjoint(map(itemgetter(2), rows)):
        return in_order(decoded, changes_something)
    return decoded


def _decode_all(rows: Sequence[Encoded]) -> Iterable[Decoded]:
    instants, positions, columns, bodies = zip(*rows, strict=True)
    return zip(instants, positions, decode_all(columns, bodies), strict=True)


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause the garbage collector, because a replay makes many objects and no cycles.

    At the end all new objects are moved to the oldest generation (freezing and unfreezing does that
    at no cost). Otherwise the first collection would visit every one of them.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.freeze()
            gc.unfreeze()
            gc.enable()
