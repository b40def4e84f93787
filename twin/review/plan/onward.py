"""What becomes of a message behind the queue manager that it goes to first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple

from twin.questions.hops import end_text, rerouted_text, returned_text, way_to
from twin.rules.queues.local_queues import depth_left, local_queue

if TYPE_CHECKING:
    from twin.fold.estate import Estate
    from twin.questions.hops import Hop


_ALL: Final = 100


class RouteEnd(NamedTuple):
    """An end of a message that goes on from the queue manager that it was put to.

    Attributes:
        through: the queue managers that it passes, the one where it ends last.
        queue: the name under which it comes to the last one.
        end: what becomes of it there, as in `route`.
        reason: the reason code; 0 for none.
        waits: what it would wait for on its way behind the first queue manager; '' if nothing.
        channel: if it cannot be put at the end: the channel that brought it, which ends and is
            retried, so that it waits at the queue manager before; else ''.
        share: how many of 100 puts end so, if all routes take their turns.
        rerouted: which channels would fail on its way, and where it then goes, as it is not bound;
            '' if none.
    """

    through: tuple[str, ...]
    queue: str
    end: str
    reason: int
    waits: str
    channel: str = ""
    share: int = 100
    rerouted: str = ""

    @property
    def is_bad(self) -> bool:
        """Whether the message does not come to a queue, or waits."""
        return self.end != "delivered" or bool(self.waits)

    @property
    def way(self) -> RouteEnd:
        """The same end, whatever its share."""
        return self._replace(share=_ALL)

    def __str__(self) -> str:
        """Write it as a phrase."""
        way = " to ".join(self.through)
        way += f" {self.share}%" if self.share != _ALL else ""
        waits = f"it waits: {self.waits}" if self.waits else ""
        end = "" if self.end == "waits" and waits else end_text(self.end, self.reason)
        if self.end == "returned":
            sender = self.through[-2] if len(self.through) > 1 else "its sender"
            end += f": {returned_text(self.channel, sender)}"
        return f"{way}: {'; '.join(filter(None, (self.rerouted, end, waits)))}"


def leads_on(estate: Estate, qmgr: str, name: str) -> bool:
    """Return whether a message that comes to a queue manager is not just put on a queue there."""
    receiver = estate.qmgrs.get(qmgr)
    if receiver is None:
        return False
    queue = local_queue(receiver, name)
    return queue is None or not depth_left(receiver, queue)


def ends_of(estate: Estate, hops: Sequence[Hop]) -> tuple[RouteEnd, ...]:
    """Return the ends of a route behind its first queue manager.

    What is delivered where it goes first, or waits for that one, is no end of these.
    """
    shares: dict[RouteEnd, Fraction] = defaultdict(Fraction)
    for hop in hops:
        if hop.end:
            way = [each for each in way_to(hop, hops) if "." in each.step or each.home]
            end = _end(estate, hop, way)
            if end is not None:
                shares[end] += hop.share
    return tuple(sorted(end._replace(share=round(_ALL * part)) for end, part in shares.items()))


def _end(estate: Estate, hop: Hop, way: Sequence[Hop]) -> RouteEnd | None:
    """Return where a message ends that takes these steps, the first queue manager first.

    It waits for the first one that has ended.
    """
    again = "; ".join(rerouted_text(each.fails, each.then) for each in way if each.then)
    way = [each for each in way if each.then != each.on]
    through = tuple(each.on for each in way)
    ended = [name in estate.qmgrs and not estate.qmgrs[name].running for name in through]
    upto = ended.index(True) if any(ended) else len(way)
    waits = "; ".join(each.waits for each in way[:upto] if each.waits)
    if upto < len(way):
        end = RouteEnd(through[: upto + 1], way[upto].queue, "waits", 0, waits, rerouted=again)
    else:
        channel = hop.came if hop.end == "returned" else ""
        end = RouteEnd(through, hop.queue, hop.end, hop.reason, waits, channel, rerouted=again)
    goes_on = len(end.through) > 1
    stays_badly = upto == len(way) == 1 and (hop.end != "delivered" or bool(waits))
    return end if goes_on or stays_badly else None
