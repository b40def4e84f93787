"""The section of a plan about messages that wait on transmission queues."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from twin.model.instants import Instant
from twin.questions.seen_messages import bounds_for
from twin.questions.sender_channels import SenderChannels
from twin.questions.transmission import SYSTEM, transmission
from twin.questions.two_sides import differences

if TYPE_CHECKING:
    from twin.app.rehearsing import Rehearsal
    from twin.review.plan.pair import RehearsedPair


_Group: TypeAlias = tuple[str, str, str, str, str, bool]
"""The fields of a `WaitingChange` that messages which wait alike have in common."""


class WaitingChange(NamedTuple):
    """Messages of which others wait with the change than without it.

    Attributes:
        on: the queue manager where they wait.
        queue: the queue at their destination.
        qmgr: their destination; '' if it is not known.
        channel: the channel that they wait for; '' if no channel gets them.
        why: why no reallocation moves them, as in `transmission`; '' if one may.
        stranded: whether their channel no longer reads their transmission queue.
        before, after: the number of messages without the change and with it.
    """

    on: str
    queue: str
    qmgr: str
    channel: str
    why: str
    stranded: bool
    before: int
    after: int

    @property
    def strands(self) -> int:
        """How many more messages wait that nothing moves."""
        return max(0, self.after - self.before) if self.why or self.stranded else 0


def waiting_changes(pair: RehearsedPair) -> Iterator[WaitingChange]:
    """Compare the messages that wait in the two rehearsals, without repository commands."""
    names = (
        pair.base.estate.qmgrs_with_waiting_messages.keys()
        | pair.changed.estate.qmgrs_with_waiting_messages.keys()
    )
    for group, before, after in differences(
        _waiting(pair.base, names), _waiting(pair.changed, names)
    ):
        yield WaitingChange(*group, before or 0, after or 0)


class SeenWaiting(NamedTuple):
    """Messages that captures show for a channel that the change stops.

    Attributes:
        on: the queue manager where they are.
        channel: the channel.
        xmitq: its transmission queue.
        least: how many there are at least; None if nobody saw how many.
        most: how many there are at most; None if that is not known.
        at: when they were seen; None if they were not.
    """

    on: str
    channel: str
    xmitq: str
    least: int | None
    most: int | None
    at: Instant | None


def seen_waiting(pair: RehearsedPair) -> Iterator[SeenWaiting]:
    """Yield what is known of the messages for channels to queue managers that the change ends.

    What lies at an imported queue manager is known from captures only: how many, and not what. It
    goes on to lie there.
    """
    before, after = pair.base.estate, pair.changed.estate
    ended = [
        qmgr
        for name, qmgr in sorted(before.qmgrs.items())
        if qmgr.running and not (name in after.qmgrs and after.qmgrs[name].running)
    ]
    for name, qmgr in sorted(before.qmgrs.items()) if ended else ():
        if not qmgr.observed or qmgr in ended:
            continue
        senders, depths = SenderChannels(qmgr), qmgr.activity.seen.depths
        to_ended = {
            channel
            for other in ended
            for channel, kind in other.channels.items()
            if kind == "CLUSRCVR"
            and any(
                channel in qmgr.repository.routes.get((cluster, other.qmid), ())
                for cluster in qmgr.repository.clusters
            )
        }
        for channel in sorted(to_ended):
            queue = senders.association(channel).queue
            least, most = bounds_for(qmgr, channel, queue)
            if most != 0 or least != 0:
                seen = depths.get(queue)
                yield SeenWaiting(name, channel, queue, least, most, seen.at if seen else None)


def _waiting(rehearsal: Rehearsal, names: set[str]) -> Counter[_Group]:
    groups: Counter[_Group] = Counter()
    for name in sorted(names & rehearsal.estate.qmgrs.keys()):
        for row in transmission(rehearsal.estate, rehearsal.point, on=name).rows:
            if row["why"] != SYSTEM:
                shown = (str(row[column] or "") for column in ("queue", "qmgr", "channel", "why"))
                queue, qmgr, channel, why = shown
                group = (name, queue, qmgr, channel, why, bool(row["stranded"]))
                groups[group] += int(str(row["count"]))
    return groups
