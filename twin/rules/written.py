"""When a queue manager writes each message to its error log: what follows from an event.

What no event of its own says is recorded as `ErrorLogged`, with the id of the message. That
channels run and end, the question `errorlog` finds from the changes of their status. The texts are
in `twin.model.messages`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from twin import events
from twin.model.instants import MINUTE, RESTART_AFTER, SECOND
from twin.model.messages import CANNOT_OPEN, ENDED_ABNORMALLY, NOT_PUT, Message

_Writer: TypeAlias = Callable[[Any], Iterable[Message]]


def messages_of(event: events.Event) -> Iterable[Message]:
    """Return what an event makes its queue manager write; () if it writes nothing.

    A message that names a host names the partner or the channel here: what it was called then, the
    question `errorlog` finds.
    """
    writer = WRITTEN_FOR.get(type(event))
    return () if writer is None else writer(event)


def _removed(event: events.MemberForceRemoved) -> Iterator[Message]:
    """Yield the message that RESET CLUSTER was processed, at the queue manager that ran it."""
    if event.source != event.qmgr:
        return
    if event.queues:
        yield Message("AMQ9405", event.member, event.cluster)
    yield Message("AMQ9441", event.cluster, event.member)


def _receiving_end_ended(event: events.ReceivingEndEnded) -> Iterator[Message]:
    """Yield the messages of a receiving end that heard nothing; none if it was stopped."""
    if event.reason:
        yield Message(event.reason, event.partner)
        yield Message(ENDED_ABNORMALLY, event.channel)


def _channel_ended(event: events.ChannelStatusChanged) -> Iterator[Message]:
    """Yield the messages that a channel failed or could not start, and that it ended."""
    if not event.reason:
        return
    if event.reason != CANNOT_OPEN:  # that is logged with its inserts
        yield Message(event.reason, event.channel)
    yield Message(ENDED_ABNORMALLY, event.channel)


def _repository_manager_failed(event: events.RepositoryManagerFailed) -> Iterator[Message]:
    """Yield the messages that an operation failed, and when it is run again.

    Of one that an error log says, they are there already.
    """
    if event.seen:
        return
    yield Message("AMQ9511", event.queue, event.reason) if event.queue else Message("TWN0011")
    if event.after is None or event.left is None:
        yield Message("CSQX448", RESTART_AFTER // SECOND)
    else:
        yield Message("AMQ9448", event.after // MINUTE, event.left // MINUTE)


def _not_put(event: events.ClusterCommandsPut | events.MessagesArrived) -> Iterable[Message]:
    """Return the message that messages were put on the dead-letter queue, if a reason says so."""
    return (Message(NOT_PUT, event.channel),) if event.reason else ()


WRITTEN_FOR: Final[Mapping[type[events.Event], _Writer]] = MappingProxyType(
    {
        events.QueueManagerStarted: lambda _: (Message("AMQ9410"),),
        events.QueueManagerEnded: lambda event: (
            Message("AMQ9409" if event.failed else "AMQ9411"),
        ),
        events.RepositoryManagerFailed: _repository_manager_failed,
        events.RepositoryManagerRestarted: lambda _: (Message("AMQ9449"),),
        events.ClusterCommandsPut: _not_put,
        events.RepositoryRefreshed: lambda event: (
            Message("AMQ9442", event.refreshed, event.republished),
        ),
        events.QueueManagerSuspended: lambda event: (Message("AMQ9443", event.cluster),),
        events.QueueManagerResumed: lambda event: (Message("AMQ9444", event.cluster),),
        events.MemberForceRemoved: _removed,
        events.RenewalOverdue: lambda event: (
            Message(event.id, name, event.owner, event.cluster, event.days, event.left)
            for _, name in event.names
        ),
        events.ErrorLogged: lambda event: (Message(event.id, *event.inserts),),
        events.ChannelStatusChanged: _channel_ended,
        events.ReceivingEndEnded: _receiving_end_ended,
        events.MessagesArrived: _not_put,
    }
)
"""The function that writes the messages of each event: repository and channel messages."""
