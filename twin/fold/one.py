"""The fold for one queue manager: of all others only what it may hear, or is defined there.

The estate that comes of it is whole for that queue manager, and true of what others define and
publish, and of how their channels run; their repositories and agenda are as they were. So a view
of one queue manager costs its own rows and not those of two hundred others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from twin import events
from twin.events.catalogue import columns_of, decode_all
from twin.fold import channels, information, objects, queue_managers, restoring
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
    events.InformationPublished: information.published_elsewhere,
    events.InformationRepublished: information.published_elsewhere,
    events.ChannelStatusChanged: channels.status_changed,
    events.LinkChanged: channels.link_changed,
}

ELSEWHERE: Final = tuple(column for cls in _ELSEWHERE for column in columns_of(cls))
"""The type columns of the events that count wherever they happened."""

_HERE: Final[dict[type[events.Event], Handler]] = {
    **HANDLERS,
    events.InformationReceived: information.take_over,
}


def replay_one(estate: Estate, rows: Sequence[Row], name: str) -> Estate:
    """Fold rows, which must come in fold order, for one queue manager, and return the estate.

    The rows are those of that queue manager, and of others those of the types `ELSEWHERE`.
    """
    with gc_paused():
        for start in range(0, len(rows), CHUNK):
            _replay_chunk(estate, rows[start : start + CHUNK], name)
    return estate


def _replay_chunk(estate: Estate, rows: Sequence[Row], name: str) -> None:
    instants, positions, columns, bodies = zip(*rows, strict=True)
    for at, position, event in zip(instants, positions, decode_all(columns, bodies), strict=True):
        fold: Callable[[Estate, Any, Instant, int], None]
        fold = (_HERE if event.qmgr == name else _ELSEWHERE)[type(event)]
        fold(estate, event, at, position)
    estate.instant = instants[-1]
    estate.position = max(estate.position, *positions)
