"""Why a queue manager does not hear of what another one published."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from twin.questions.blocked import block_of

if TYPE_CHECKING:
    from twin.events.repository import Item
    from twin.fold.beliefs import RecordName
    from twin.fold.estate import Estate, QueueManager
    from twin.model.instants import Instant


class WaitingPlace(NamedTuple):
    """The queue manager and the channel at which repository commands wait."""

    sender: str
    channel: str


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
    block = block_of(estate.qmgrs[place.sender], place.channel, at)
    return f"its commands wait at {place.sender}: {block or place.channel}"


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
    for sender in sorted(estate.qmgrs):
        for channel, queued in estate.qmgrs[sender].repository.waiting.items():
            for commands in queued:
                if commands.to == observer.qmid:
                    for item in commands.items:
                        yield WaitingPlace(sender, channel), commands.cluster, item
