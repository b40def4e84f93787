"""Replay for one queue manager: fold only those events of others that it depends on.

The estate is then complete for that queue manager. Of other queue managers it has the definitions,
the publications and the channel statuses; their repositories and timers are not updated. So a view
of one queue manager costs the rows of that one, and not those of two hundred others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from twin import events
from twin.events.catalogue import columns_of_all
from twin.fold.beliefs import Receipt
from twin.fold.estate import Estate
from twin.fold.handlers import information, observations, observed_beliefs
from twin.fold.replay import Decoded, Encoded, replay
from twin.model.instants import Instant

_PUBLICATIONS: Final = (events.InformationPublished, events.InformationRepublished)

_ELSEWHERE: Final = (
    events.QueueManagerCreated,
    events.QueueManagerFirstSeen,
    events.QueueManagerIdentified,
    events.QueueManagerStarted,
    events.QueueManagerEnded,
    events.QueueManagerDeleted,
    events.QueueManagerRestored,
    events.QueueManagerAltered,
    events.QueueManagerObserved,
    events.QueueManagerSuspended,
    events.QueueManagerResumed,
    events.ObjectDefined,
    events.ObjectObserved,
    events.ObjectsDated,
    events.ObjectsImplied,
    events.ObjectsObserved,
    events.ObjectsUnsure,
    events.ObjectAltered,
    events.ObjectDeleted,
    events.ObjectVanished,
    events.ChannelStatusChanged,
    events.ChannelEndSilent,
    events.ChannelEndHeard,
    events.ReceivingEndEnded,
    events.ChannelHeld,
    events.ChannelReleased,
    events.ChannelBatchInDoubt,
    events.MessagesAtRisk,
    events.MessageRetryAwaited,
    events.LinkChanged,
    events.ReadingChosen,
    events.AssumptionSet,
    events.BeliefsObserved,
    events.ChannelObserved,
    events.ChannelsListed,
    events.ConfigurationObserved,
    *_PUBLICATIONS,
)

ELSEWHERE: Final = tuple(columns_of_all(_ELSEWHERE))
"""The type columns of the events that are folded for every queue manager."""


def replay_one(estate: Estate, rows: Sequence[Encoded], name: str) -> Estate:
    """Fold rows for one queue manager, and return the estate. The rows must be in fold order.

    They are all rows of that queue manager, and the rows of others with a type in `ELSEWHERE`.
    """
    return replay(estate, rows, only=_Needed(estate, name).among)


class _Needed:
    """A filter for `replay` that yields the events one queue manager needs.

    Publications of others are set aside until that queue manager receives them.
    """

    def __init__(self, estate: Estate, name: str) -> None:
        self._estate = estate
        self._name = name
        self._aside: dict[str, list[tuple[information.OwnPublication, Instant, int]]] = defaultdict(
            list
        )
        self._renewals: dict[tuple[str, int], tuple[events.InformationRepublished, Instant]] = {}

    def among(self, decoded: Iterable[Decoded]) -> Iterator[Decoded]:
        """Yield the events to fold."""
        for at, position, event in decoded:
            if event.qmgr == self._name:
                if isinstance(event, events.InformationReceived):
                    self._receive(event, at, position)
                    continue
            elif isinstance(event, _PUBLICATIONS):
                if not self._estate.owner(event.qmid).restored:
                    self._set_aside(event, at, position)
                    continue
            elif isinstance(event, events.BeliefsObserved):
                observed_beliefs.elsewhere(self._estate, event, at, position)
                continue
            elif isinstance(event, events.ChannelsListed):
                observations.listed_elsewhere(self._estate, event, at, position)
                continue
            elif isinstance(event, events.QueueManagerRestored):
                self._take_up(event.qmid)
            yield at, position, event

    def _set_aside(self, event: information.OwnPublication, at: Instant, position: int) -> None:
        self._aside[event.qmid].append((event, at, position))
        if isinstance(event, events.InformationRepublished):
            self._renewals[event.qmid, event.sequence] = (event, at)

    def _receive(self, event: events.InformationReceived, at: Instant, position: int) -> None:
        """Add the received records, and change nothing at their sender."""
        rest = [item for item in event.items if not self._renew(event, item, at, position)]
        for item in rest:
            self._take_up(item.owner)
        if rest:
            information.take_over(self._estate, replace(event, items=tuple(rest)), at, position)

    def _take_up(self, owner: str) -> None:
        """Fold the publications of an owner that were set aside."""
        for event, at, position in self._aside.pop(owner, ()):
            information.published_elsewhere(self._estate, event, at, position)

    def _renew(
        self, event: events.InformationReceived, item: events.Item, at: Instant, position: int
    ) -> bool:
        """Renew records that were received again unchanged, without loading their owner.

        Return whether they were unchanged.
        """
        renewal, published = self._renewals.get((item.owner, item.sequence), (None, 0))
        if renewal is None or renewal.was is None:
            return False
        repository = self._estate.qmgrs[self._name].repository
        keys = renewal.names if item.only is None else item.only
        receipt = Receipt(item.sequence, published, event.sender, at, position)
        return repository.renew_whole(event.cluster, item.owner, renewal.was, keys, receipt)
