"""The outcome of a put: its messages delivered, dead-lettered, redirected, waiting or lost.

Messages that a receiver cannot put go to another instance, to its dead-letter queue, or back (IBM
MQ, "Cluster-administration considerations", "What happens if I put-disable a cluster queue?"). A
message is delivered once it was put on its target queue.

The queue managers that got no message of a put, by the rule that excluded them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from twin.events import (
    Event,
    MessagesArrived,
    MessagesCirculated,
    MessagesReallocated,
    MessagesRedirected,
    MessagesReturned,
    Share,
)
from twin.fold.estate import Estate
from twin.fold.parcels import split
from twin.model.amounts import verb
from twin.model.instants import Instant
from twin.model.reasons import reason_name
from twin.questions.blocked import BlockedMessages, blocked_messages
from twin.rules.messages.putting import Put
from twin.rules.workload.choosing import Trace, attribute_of

_MOVED: Final = (MessagesArrived, MessagesRedirected, MessagesReturned)
READS: Final = (*_MOVED, MessagesCirculated, MessagesReallocated)
"""The events that show the outcome of messages in transit."""


class DeadLettered(NamedTuple):
    """Messages on the dead-letter queue of a queue manager, with the reason code."""

    messages: int
    on: str
    queue: str
    reason: int

    def __str__(self) -> str:
        """Return where they are, and why."""
        return (
            f"{self.messages} on the dead-letter queue {self.queue} of {self.on} "
            f"({_named(self.reason)})"
        )


class Redirected(NamedTuple):
    """Messages that a queue manager could not put and sent to another instance.

    `reason` is why it could not put them; `waits` are those that have not left it yet.
    """

    messages: int
    by: str
    to: str
    reason: int
    waits: tuple[BlockedMessages, ...] = ()

    def __str__(self) -> str:
        """Return who sent them on, why, and how many wait there."""
        text = f"{self.messages} redirected by {self.by} to {self.to} ({_named(self.reason)})"
        return "".join([text, *(f", {_wait(each, self.messages)}" for each in self.waits)])


class Circulating(NamedTuple):
    """Messages that go round for ever; the twin followed them until they arrived `on` again."""

    messages: int
    on: str
    queue: str

    def __str__(self) -> str:
        """Return that definitions form a loop, and where."""
        return (
            f"{self.messages} {verb(self.messages, 'circulate')} for ever: "
            f"definitions form a loop, and {self.on} forwards {self.queue} again "
            "(twin explain --route)"
        )


class Rerouted(NamedTuple):
    """Messages that a pass moved away from a channel; `to` is their new destination."""

    messages: int
    channel: str
    on: str
    to: str

    def __str__(self) -> str:
        """Return which channel did not take them, and where they go instead."""
        why = f"{self.channel} of {self.on} does not run"
        return f"{self.messages} rerouted to {self.to}, because {why}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PutOutcome:
    """The outcome of the messages of a put.

    Attributes:
        messages: the number of messages.
        delivered: the number that were put on their target queue.
        waits: those that wait for a channel, where they were put or at another queue manager.
        redirected: those that a queue manager sent to another instance, delivered there or not.
        dead_lettered: those on a dead-letter queue.
        circulating: those that go round for ever in a loop of definitions.
        rerouted: those that a pass moved to another destination, delivered there or not.
    """

    messages: int = 0
    delivered: int = 0
    waits: tuple[BlockedMessages, ...] = ()
    redirected: tuple[Redirected, ...] = ()
    dead_lettered: tuple[DeadLettered, ...] = ()
    circulating: tuple[Circulating, ...] = ()
    rerouted: tuple[Rerouted, ...] = ()

    @property
    def waiting(self) -> int:
        """The number of messages that wait for a channel, anywhere."""
        return sum(each.messages for each in self.waits)

    @property
    def lost(self) -> int:
        """The number of lost messages: not persistent, and no queue accepted them."""
        dead = sum(each.messages for each in self.dead_lettered)
        circulating = sum(each.messages for each in self.circulating)
        return self.messages - self.delivered - self.waiting - dead - circulating

    def lines(self, *, at: str) -> Iterator[str]:
        """Go through lines about messages that were not simply delivered; they were put `at`."""
        if self.delivered == self.messages and not self.redirected and not self.rerouted:
            return
        yield f"{self.delivered} delivered"
        yield from map(str, self.rerouted)
        redirected_waits = {each for redirected in self.redirected for each in redirected.waits}
        for each in self.waits:
            if each not in redirected_waits:
                where = f"{each.queue}{'' if each.on == at else f' at {each.on}'}"
                yield f"{each.messages} {verb(each.messages, 'wait')} on {where}: {each}"
        yield from map(str, self.redirected)
        yield from map(str, self.dead_lettered)
        yield from map(str, self.circulating)
        if self.lost:
            yield f"{self.lost} lost: not persistent, and no queue accepted them"


def _wait(waits: BlockedMessages, of: int) -> str:
    many = f"{waits.messages} " if waits.messages != of else ""
    return f"{many}{verb(waits.messages, 'wait')} there on {waits.queue}: {waits}"


def _named(reason: int) -> str:
    return f"{reason} {reason_name(reason)}"


@dataclass(slots=True)
class _Tally:
    """The outcome of a put's messages according to the events after it."""

    puts: Collection[int]
    delivered: int = 0
    dead: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    circulating: Counter[tuple[str, str]] = field(default_factory=Counter)
    redirected: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    rerouted: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    returned: dict[tuple[str, str, str], int] = field(default_factory=dict)
    reached: dict[str, None] = field(default_factory=dict)

    def add(self, event: Event) -> None:
        """Count the messages of an event."""
        if isinstance(event, MessagesReallocated):
            for share in (each.share for each in event.moves if each.put in self.puts):
                self.rerouted[event.channel, event.qmgr, share.to] += share.count
                if _is_home(share):
                    self.delivered += share.count
        elif isinstance(event, MessagesCirculated):
            mine = sum(each.count for each in event.parcels if each.put in self.puts)
            self.circulating += Counter({(event.qmgr, event.queue): mine})
        elif isinstance(event, _MOVED):
            self._moved(event)

    def _moved(self, event: MessagesArrived | MessagesRedirected | MessagesReturned) -> None:
        mine = sum(each.count for each in event.parcels if each.put in self.puts)
        if not mine:
            return
        self.reached[event.qmgr] = None
        if isinstance(event, MessagesReturned):
            self.returned[event.qmgr, event.queue, event.channel] = event.reason
        elif isinstance(event, MessagesRedirected):
            self._redirected(event)
        elif event.reason:
            self.dead[event.qmgr, event.queue, event.reason] += mine
        else:
            self.delivered += mine

    def _redirected(self, event: MessagesRedirected) -> None:
        coming = list(event.parcels)
        for share in event.shares:
            taken, coming = split(coming, share.count)
            mine = sum(each.count for each in taken if each.put in self.puts)
            if _is_home(share):
                self.delivered += mine
            if event.reason and mine:
                self.redirected[event.qmgr, share.to, event.reason] += mine


def _is_home(share: Share) -> bool:
    """Return whether a share is on a local queue, not on a transmission queue."""
    return bool(share.to) and not share.channel


def put_outcome(
    estate: Estate, qmgr: str, put: Put, facts: Iterable[Event], *, at: Instant
) -> PutOutcome:
    """Return the outcome of messages put at a queue manager, as of an instant.

    `facts` are the events of the types in `READS` that are recorded after the put.
    """
    tally = _Tally(frozenset(put.positions))
    tally.delivered = sum(share.count for share in put.shares if _is_home(share))
    for event in facts:
        tally.add(event)
    names = dict.fromkeys([qmgr, *tally.reached])
    waits = tuple(
        each._replace(returned=tally.returned.get((name, each.queue, each.block.channel), 0))
        for name in names
        if name in estate.qmgrs
        for each in blocked_messages(estate.qmgrs[name], at, puts=tally.puts, estate=estate)
    )
    return PutOutcome(
        messages=put.count,
        delivered=tally.delivered,
        waits=waits,
        redirected=tuple(_redirections(tally.redirected, waits, estate.names)),
        dead_lettered=tuple(
            DeadLettered(count, on, queue, reason)
            for (on, queue, reason), count in tally.dead.items()
        ),
        circulating=tuple(
            Circulating(count, on, queue) for (on, queue), count in tally.circulating.items()
        ),
        rerouted=tuple(
            Rerouted(count, channel, on, estate.names.get(to, to))
            for (channel, on, to), count in tally.rerouted.items()
        ),
    )


def _redirections(
    counts: Mapping[tuple[str, str, int], int],
    waits: Iterable[BlockedMessages],
    names: Mapping[str, str],
) -> Iterator[Redirected]:
    """Go through redirected messages, each with those that still wait."""
    rest = [each for each in waits if each.redirected]
    for (by, to, reason), count in counts.items():
        waiting = [each for each in rest if (each.on, each.to) == (by, to)]
        rest = [each for each in rest if each not in waiting]
        yield Redirected(count, by, names.get(to, to), reason, tuple(waiting))


def not_chosen(put: Put) -> Mapping[str, Sequence[str]]:
    """Return queue managers by the reason why they were not chosen, in the order of the trace.

    If the put failed, the next route in turn is unknown, so only rules are reasons.
    """
    candidates: Any = put.opened.candidates if put.opened is not None else None
    if candidates is None:
        return {}
    reached = {share.to for share in put.shares}
    excluded: dict[str, dict[str, None]] = defaultdict(dict)
    trace = Trace.of(candidates.routes, candidates.context, put.counted)
    for route, rule, fall in trace.removals():
        if route.qmid in reached or rule is None or fall is None:
            continue
        if rule.name != "weight":
            by = attribute_of(rule, fall)
            excluded[f"excluded by rule {rule.name}: {by}"][route.qmgr] = None
        elif not put.reason:
            excluded["not chosen: not its turn"][route.qmgr] = None
    return {reason: list(qmgrs) for reason, qmgrs in excluded.items()}
