"""The fold for one queue manager: of all others only what it may hear, or is defined there.

The estate that comes of it is whole for that queue manager, and true of what others define and
publish, and of how their channels run; their repositories and agenda are as they were. So a view
of one queue manager costs its own rows and not those of two hundred others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from twin import events
from twin.events.catalogue import columns_of, decode_all
from twin.fold import channels, information, objects, queue_managers, restoring, senders
from twin.fold.beliefs import Receipt
from twin.fold.estate import Estate
from twin.fold.replay import CHUNK, HANDLERS, Handler, Row, gc_paused
from twin.model.instants import Instant


def _began(estate: Estate, event: events.QueueManagerStarted, at: Instant, position: int) -> None:
    del position
    qmgr = estate.qmgrs[event.qmgr]
    qmgr.running, qmgr.started = True, at


_ELSEWHERE: Final[dict[type[events.Event], Handler]] = {
    events.QueueManagerCreated: queue_managers.created,
    events.QueueManagerFirstSeen: queue_managers.first_seen,
    events.QueueManagerStarted: _began,
    events.QueueManagerEnded: queue_managers.ended,
    events.QueueManagerDeleted: queue_managers.deleted,
    events.QueueManagerRestored: restoring.restored,
    events.QueueManagerAltered: queue_managers.altered,
    events.QueueManagerObserved: queue_managers.altered,
    events.QueueManagerSuspended: queue_managers.suspended,
    events.QueueManagerResumed: queue_managers.resumed,
    events.ObjectDefined: objects.defined,
    events.ObjectObserved: objects.defined,
    events.ObjectAltered: objects.altered,
    events.ObjectDeleted: objects.deleted,
    events.ObjectVanished: objects.deleted,
    events.ChannelStatusChanged: channels.status_changed,
    events.ChannelHeld: senders.held,
    events.ChannelReleased: senders.released,
    events.ChannelBatchInDoubt: senders.in_doubt,
    events.MessagesAtRisk: senders.at_risk,
    events.LinkChanged: channels.link_changed,
}

_PUBLICATIONS: Final = (events.InformationPublished, events.InformationRepublished)

ELSEWHERE: Final = tuple(
    column for cls in (*_ELSEWHERE, *_PUBLICATIONS) for column in columns_of(cls)
)
"""The type columns of the events that count wherever they happened."""

_Publication: TypeAlias = events.InformationPublished | events.InformationRepublished


def replay_one(estate: Estate, rows: Sequence[Row], name: str) -> Estate:
    """Fold rows, which must come in fold order, for one queue manager, and return the estate.

    The rows are those of that queue manager, and of others those of the types `ELSEWHERE`.
    """
    fold = _One(estate, name)
    with gc_paused():
        for start in range(0, len(rows), CHUNK):
            fold.replay(rows[start : start + CHUNK])
    return estate


class _One:
    """A fold under way: what others published is put aside until it turns out to be needed."""

    def __init__(self, estate: Estate, name: str) -> None:
        self._estate = estate
        self._name = name
        self._aside: dict[str, list[tuple[_Publication, Instant, int]]] = defaultdict(list)
        self._sent_again: dict[tuple[str, int], tuple[events.InformationRepublished, Instant]] = {}

    def replay(self, rows: Sequence[Row]) -> None:
        """Fold some rows."""
        estate = self._estate
        instants, positions, columns, bodies = zip(*rows, strict=True)
        decoded = decode_all(columns, bodies)
        for at, position, event in zip(instants, positions, decoded, strict=True):
            if event.qmgr == self._name:
                self._fold_here(event, at, position)
            elif isinstance(event, _PUBLICATIONS):
                if estate.owner(event.qmid).restored:
                    HANDLERS[type(event)](estate, event, at, position)
                else:
                    self._put_aside(event, at, position)
            else:
                self._fold_elsewhere(event, at, position)
        estate.instant = instants[-1]
        estate.position = max(estate.position, *positions)

    def _put_aside(self, event: _Publication, at: Instant, position: int) -> None:
        self._aside[event.qmid].append((event, at, position))
        if isinstance(event, events.InformationRepublished):
            self._sent_again[event.qmid, event.sequence] = (event, at)

    def _fold_here(self, event: events.Event, at: Instant, position: int) -> None:
        if isinstance(event, events.InformationReceived):
            rest = [each for each in event.items if not self._renew(event, each, at, position)]
            if not rest:
                return
            for item in rest:
                self._take_up(item.owner)
            event = replace(event, items=tuple(rest))
            information.take_over(self._estate, event, at, position)
            return
        HANDLERS[type(event)](self._estate, event, at, position)

    def _fold_elsewhere(self, event: events.Event, at: Instant, position: int) -> None:
        if isinstance(event, events.QueueManagerRestored):
            self._take_up(event.qmid)
        _ELSEWHERE[type(event)](self._estate, event, at, position)

    def _take_up(self, owner: str) -> None:
        """Fold what an owner published and was put aside."""
        for event, at, position in self._aside.pop(owner, ()):
            information.published_elsewhere(self._estate, event, at, position)

    def _renew(
        self, event: events.InformationReceived, item: events.Item, at: Instant, position: int
    ) -> bool:
        """Renew what was sent again as it is held, without a look at its owner; say if it was."""
        sent, published = self._sent_again.get((item.owner, item.sequence), (None, 0))
        if sent is None or sent.was is None:
            return False
        repository = self._estate.qmgrs[self._name].repository
        keys = sent.names if item.only is None else item.only
        receipt = Receipt(item.sequence, published, event.sender, at, position)
        return repository.renew_whole(event.cluster, item.owner, sent.was, keys, receipt)
