"""The messages that a change destroys, for the section of a plan about waiting messages.

CLEAR QLOCAL removes the messages of a queue, and DELETE QLOCAL with PURGE deletes the queue with
its messages (IBM MQ 9.4, "CLEAR QLOCAL", "DELETE queues"). Deleted queue managers, restarts and
channels lose messages too, see `MessagesLost`. DELETE without PURGE is refused for a queue with
messages; at observed queue managers, and those of files, it is not known which queues have some,
unless their depth was seen.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from twin.events import MessagesLost
from twin.model.amounts import counted
from twin.model.instants import format_instant
from twin.mqsc.statement import Statement, parse
from twin.questions.doctor.finding import some
from twin.questions.two_sides import differences

if TYPE_CHECKING:
    from twin.app.rehearsing import Rehearsal
    from twin.review.plan.pair import RehearsedPair
    from twin.review.plan.planned import RehearsedCommand


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
    lost = (_lost(pair, each) for each in (pair.base, pair.changed))
    for key, before, after in differences(*lost):
        yield LostChange(*key, before or 0, after or 0)


def _lost(pair: RehearsedPair, rehearsal: Rehearsal) -> Counter[tuple[str, str, str]]:
    """Return how many messages are lost since the change, by queue manager, queue and cause."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for _, event in rehearsal.decided[pair.first :]:
        if isinstance(event, MessagesLost):
            counts[event.qmgr, event.queue, event.why] += event.count
    return counts


def notes_of_unseen_messages(
    pair: RehearsedPair, commands: Iterable[RehearsedCommand]
) -> Iterator[str]:
    """Yield lines about queues that are cleared or deleted where messages cannot be seen."""
    unknown: dict[tuple[str, str], list[str]] = defaultdict(list)
    for command in commands:
        qmgr = pair.base.estate.qmgrs.get(command.on)
        if qmgr is None or not qmgr.observed or not command.accepted:
            continue
        queue, then = _destroys(command.text)
        if ("QUEUE", queue) not in qmgr.definitions:
            continue
        seen = qmgr.activity.seen.depths.get(queue)
        if seen is None:
            unknown[qmgr.name, then].append(queue)
        else:
            found = f"{counted(seen.depth, 'message')} on {queue} at {qmgr.name}"
            yield f"{found} when last observed, at {format_instant(seen.at)}: {then}"
    for (on, then), queues in unknown.items():
        yield f"how many messages are on {some(queues)} at {on} is not known: {then}"


def _destroys(command: str) -> tuple[str, str]:
    """Return the queue of which a command destroys messages, and in which way; '' if of none."""
    read = parse(command)
    if not isinstance(read, Statement) or read.name is None or read.object != "QLOCAL":
        return "", ""
    if read.verb == "CLEAR" or any(each.keyword == "PURGE" for each in read.parameters):
        return read.name.text, "messages on it are lost"
    return (read.name.text, _REFUSED) if read.verb == "DELETE" else ("", "")


_REFUSED: Final = "with messages on it, DELETE is refused (AMQ8143)"
"""What becomes of a DELETE without PURGE."""
