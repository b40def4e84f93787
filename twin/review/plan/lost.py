"""The messages that a change destroys, for the section of a plan about waiting messages.

CLEAR QLOCAL removes the messages of a queue, and DELETE QLOCAL with PURGE deletes the queue with
its messages (IBM MQ 9.4, "CLEAR QLOCAL", "DELETE queues"). Deleted queue managers, restarts and
channels lose messages too, see `MessagesLost`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from twin.events import MessagesLost

if TYPE_CHECKING:
    from twin.app.rehearsing import Rehearsal
    from twin.review.plan.pair import RehearsedPair


class LostChange(NamedTuple):
    """Messages on one queue of which others are lost with the change than without it.

    Attributes:
        on: the queue manager where they are lost.
        queue: the queue that they were on; if they were discarded on arrival, the one they were
            for.
        why: how they are lost, as in `MessagesLost`.
        before, after: the number of lost messages without the change and with it.
    """

    on: str
    queue: str
    why: str
    before: int
    after: int

    @property
    def loses(self) -> int:
        """How many more messages are lost with the change."""
        return max(0, self.after - self.before)

    @property
    def effect(self) -> str:
        """Whether the change makes more messages 'lost', or fewer, so that some are 'kept'."""
        return "lost" if self.loses else "kept"


def lost_changes(pair: RehearsedPair) -> Iterator[LostChange]:
    """Compare the messages that are lost in the two rehearsals until their end."""
    before, after = _lost(pair, pair.base), _lost(pair, pair.changed)
    for key in sorted(before.keys() | after.keys()):
        if before[key] != after[key]:
            yield LostChange(*key, before[key], after[key])


def _lost(pair: RehearsedPair, rehearsal: Rehearsal) -> Counter[tuple[str, str, str]]:
    """Return how many messages are lost since the change, by queue manager, queue and cause."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for _, event in rehearsal.decided[pair.first :]:
        if isinstance(event, MessagesLost):
            counts[event.qmgr, event.queue, event.why] += event.count
    return counts
