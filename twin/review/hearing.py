"""Why a queue manager does not hear of what another one published, and what mends that.

A command queue may be disabled, and commands may lie at their target.

Sources: IBM MQ, "What happens when a repository fails?" (the repository manager does nothing while
its command queue is GET(DISABLED)); "DEFINE CHANNEL", MRRTY (a command that cannot be put on it
goes to the dead-letter queue); IBM MQ 9.1, "The DLQ handler rules table".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from twin.events.repository import Item, RepositoryCommand
from twin.fold.beliefs import QueuedCommands, RecordName
from twin.fold.estate import Estate, QueueManager
from twin.model.instants import Instant
from twin.model.names import COMMAND_QUEUE
from twin.model.objects import text_of
from twin.questions.blocked import block_of
from twin.questions.sender_channels import messaging_of
from twin.rules.queues.local_queues import local_queue

_ATTRIBUTES = ("GET", "PUT")


class ArrivedCommand(NamedTuple):
    """A repository command on a local queue of its target, and the position of its event.

    The queue is the command queue, or a dead-letter queue.
    """

    queue: str
    command: RepositoryCommand
    position: int


def disabled(qmgr: QueueManager, attributes: tuple[str, ...] = _ATTRIBUTES) -> tuple[str, ...]:
    """Return which of GET and PUT are DISABLED at the command queue of a queue manager."""
    queue = local_queue(qmgr, COMMAND_QUEUE)
    if queue is None:
        return ()
    return tuple(each for each in attributes if text_of(queue, each) == "DISABLED")


def enabling(qmgr: QueueManager, attributes: tuple[str, ...] = _ATTRIBUTES) -> str:
    """Return how a disabled command queue is enabled; '' if it is enabled."""
    values = " ".join(f"{each}(ENABLED)" for each in disabled(qmgr, attributes))
    if not values:
        return ""
    return f"enable the queue: ALTER QLOCAL({COMMAND_QUEUE}) {values} at {qmgr.name}"


def arrived(qmgr: QueueManager) -> Iterator[ArrivedCommand]:
    """Go through the repository commands that lie on local queues of a queue manager."""
    for queue, parcels in sorted(messaging_of(qmgr).local.items()):
        for parcel in parcels:
            if parcel.command is not None:
                yield ArrivedCommand(queue, parcel.command, parcel.put)


def processing(qmgr: QueueManager, queue: str) -> str:
    """Return how the commands are processed that lie on a local queue of a queue manager."""
    if queue == COMMAND_QUEUE:
        return going_on(qmgr)
    retry = (
        f"put the commands on {queue} of {qmgr.name} again: runmqdlq, with DESTQ({COMMAND_QUEUE}) "
        "ACTION(RETRY)"
    )
    enable = enabling(qmgr)
    return f"{enable}; then {retry}" if enable else retry


def going_on(qmgr: QueueManager) -> str:
    """Return how a repository manager that does nothing is made to go on."""
    if not qmgr.running:
        return f"start {qmgr.name}"
    return enabling(qmgr) or f"repair the repository manager of {qmgr.name} (AMQ9511, AMQ9448)"


class WaitingPlace(NamedTuple):
    """Where repository commands wait.

    Attributes:
        sender: the queue manager that sent them, or is to send them.
        channel: the channel for which they wait; '' if they wait for none.
        arrived_on: the queue on which they lie at their target; '' if they have not arrived.
    """

    sender: str
    channel: str
    arrived_on: str = ""


def why_not_heard(
    estate: Estate,
    observer: QueueManager,
    owner: str,
    *,
    at: Instant,
    records: Collection[RecordName] | None = None,
) -> str:
    """Return what keeps an observer from hearing of an owner, by QMID; '' if nothing is under way.

    It is that the observer has ended, or what blocks the channel on which commands for it wait:
    those about all of these records, or by default about any record of the owner.
    """
    if not observer.running:
        return f"{observer.name} has ended"
    if records is None:
        place = next(
            (each for each, _, item in _waiting(estate, observer) if item.owner == owner), None
        )
    else:
        place = where_waiting(estate, observer, [(record, owner) for record in records])
    if place is None:
        return ""
    if place.arrived_on:
        return f"commands for it lie on {place.arrived_on} of {observer.name}"
    if not place.channel:
        return f"the repository manager of {place.sender} sends nothing"
    block = block_of(estate.qmgrs[place.sender], place.channel, at)
    return f"its commands wait at {place.sender}: {block or place.channel}"


def what_delivers(estate: Estate, observer: QueueManager, place: WaitingPlace) -> str:
    """Return what delivers commands for an observer that wait at a place."""
    if place.arrived_on:
        return processing(observer, place.arrived_on)
    if not place.channel:
        return going_on(estate.qmgrs[place.sender])
    return enabling(observer) or (
        f"repair the channel {place.channel} of {place.sender}, on which commands for it wait"
    )


def where_waiting(
    estate: Estate, observer: QueueManager, records: Iterable[tuple[RecordName, str]]
) -> WaitingPlace | None:
    """Return where the first command waits for an observer that is about some of these records.

    Each record has the QMID of its owner. None if not all of them are in commands that wait.
    """
    left, first = {*records}, None
    for place, cluster, item in _waiting(estate, observer):
        keys: Iterable[tuple[str, str]] = item.only or ()
        if not keys and item.owner in estate.names:
            published = estate.owner(item.owner).published.get(item.sequence)
            keys = published.records if published is not None else ()
        heard = {((cluster, *key), item.owner) for key in keys} & left
        if heard:
            left, first = left - heard, first or place
    return None if left else first


def _waiting(estate: Estate, observer: QueueManager) -> Iterator[tuple[WaitingPlace, str, Item]]:
    """Yield where repository commands wait for an observer, their cluster, and their items."""
    every: Iterable[tuple[WaitingPlace, QueuedCommands | RepositoryCommand]]
    every = chain(_to_be_sent(estate, observer), _arrived(estate, observer))
    for place, commands in every:
        yield from ((place, commands.cluster, item) for item in commands.items)


def _to_be_sent(
    estate: Estate, observer: QueueManager
) -> Iterator[tuple[WaitingPlace, QueuedCommands]]:
    for name in sorted(estate.qmgrs):
        repository = estate.qmgrs[name].repository
        for channel, queued in repository.waiting.items():
            for commands in queued:
                if commands.to == observer.qmid:
                    yield WaitingPlace(name, channel), commands
        for _, commands in repository.kept:
            if commands.to == observer.qmid:
                yield WaitingPlace(name, ""), commands


def _arrived(
    estate: Estate, observer: QueueManager
) -> Iterator[tuple[WaitingPlace, RepositoryCommand]]:
    for queue, command, _ in arrived(observer):
        yield WaitingPlace(estate.names.get(command.sender, ""), "", queue), command
