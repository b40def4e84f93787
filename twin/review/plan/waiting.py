"""The section of a plan about messages that wait on transmission queues."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from twin.questions.transmission import SYSTEM, transmission

if TYPE_CHECKING:
    from twin.app.rehearsing import Rehearsal
    from twin.review.plan.pair import RehearsedPair


class _Group(NamedTuple):
    """Messages that wait alike."""

    on: str
    queue: str
    qmgr: str
    channel: str
    why: str
    stranded: bool


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
    before, after = _waiting(pair.base, names), _waiting(pair.changed, names)
    for group in sorted(before.keys() | after.keys()):
        if before[group] != after[group]:
            yield WaitingChange(*group, before[group], after[group])


def _waiting(rehearsal: Rehearsal, names: set[str]) -> Counter[_Group]:
    groups: Counter[_Group] = Counter()
    for name in sorted(names & rehearsal.estate.qmgrs.keys()):
        for row in transmission(rehearsal.estate, rehearsal.point, on=name).rows:
            if row["why"] != SYSTEM:
                queue, qmgr, channel, why = (
                    str(row[column] or "") for column in ("queue", "qmgr", "channel", "why")
                )
                group = _Group(name, queue, qmgr, channel, why, bool(row["stranded"]))
                groups[group] += int(str(row["count"]))
    return groups
