"""One workload for both sides: a cluster that joins on one day, and a year of its applications.

Queue managers join a minute apart, so that their republications every 27 days never coincide. At
each partial repository an application opens its queues again every 25 days, at its own instant.
This keeps its requests in use, so that each is renewed at its check after 27 days, and nothing ever
lapses or expires.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from twin import events
from twin.app.acting import COMMAND, Fact
from twin.app.twin import Twin
from twin.model.instants import DAY, MINUTE, SECOND, Instant, parse_instant
from twin_scheduler.virtual import VirtualScheduler

START: Final = parse_instant("2026-01-01T00:00:00Z", now=0)
"""The instant at which the first queue manager joins."""

BEGIN: Final = START + DAY
"""The begin of the year: all have joined."""

NOW: Final = parse_instant("2030-01-01T00:00:00Z", now=0)
"""The wall clock: the whole workload is in the past, so that main can contain it."""

CLUSTER: Final = "CA"
BRANCH: Final = "year"
FULL: Final = 2
OPEN_EVERY: Final = 25 * DAY


@dataclass(frozen=True, slots=True)
class Size:
    """The size of the cluster, and the length of its year.

    Attributes:
        qmgrs: the number of queue managers, including the two full repositories.
        queues: the number of clustered queues of each.
        opened: the number of queues that the application at each partial repository opens.
        days: the length of the year.
        hosts: how many queue managers have a queue of the same name; more of them cause more
            updates to more members.
    """

    qmgrs: int = 200
    queues: int = 50
    opened: int = 20
    days: int = 365
    hosts: int = 1

    def scaled(self, factor: float) -> Size:
        """Return the size of a quick run: the queue managers times a factor, but at least 6."""
        return replace(self, qmgrs=max(6, round(self.qmgrs * factor)))

    @property
    def end(self) -> Instant:
        """The end of the year."""
        return BEGIN + self.days * DAY

    @property
    def names(self) -> list[str]:
        """The queue managers in the order in which they join, full repositories first."""
        return [f"QM{number:04d}" for number in range(self.qmgrs)]

    def hosted(self, number: int) -> list[str]:
        """Return the queues of one queue manager."""
        different = max(self.queues, self.qmgrs * self.queues // self.hosts)
        first = number * self.queues
        return [f"APP.{place % different:05d}" for place in range(first, first + self.queues)]

    def __str__(self) -> str:
        """Say it in a few words."""
        requests = f" and {self.opened} requests" if self.opened else ""
        each = f"{self.queues} objects{requests} each"
        return f"{self.qmgrs:,} queue managers with {each}, {self.days} days"


STANDARD: Final = Size()
LARGE: Final = Size(qmgrs=1000, queues=10, opened=0)
BUSY: Final = Size(qmgrs=1000, queues=10)


class Use(NamedTuple):
    """An application opens its queues at one instant."""

    at: Instant
    qmgr: str
    queues: tuple[str, ...]

    def facts(self) -> list[Fact]:
        """Return the primary facts of this use."""
        return [
            Fact(events.QueueOpened(qmgr=self.qmgr, queue=queue, bind="notfixed"), COMMAND)
            for queue in self.queues
        ]


def uses(size: Size) -> list[Use]:
    """List the uses of the year, in the order of time."""
    return sorted(_uses(size)) if size.opened else []


def _uses(size: Size) -> Iterator[Use]:
    chance = random.Random(27)
    slot = DAY // size.qmgrs // (2 * SECOND) * 2 * SECOND
    everything = sorted({queue for number in range(size.qmgrs) for queue in size.hosted(number)})
    for number in range(FULL, size.qmgrs):
        own = set(size.hosted(number))
        others = [queue for queue in everything if queue not in own]
        queues = tuple(chance.sample(others, min(size.opened, len(others))))
        # Each has its own second of the day, so that no two ever act at one instant.
        first = BEGIN + number * slot + 7 * SECOND + chance.randrange(25) * DAY
        for at in range(first, size.end, OPEN_EVERY):
            yield Use(at, size.names[number], queues)


def set_up(twin: Twin, size: Size) -> None:
    """Let all queue managers join, on main."""
    for number, name in enumerate(size.names):
        control = events.ControlCommandEntered
        facts: list[events.Event] = [
            control(qmgr=name, command="crtmqm", arguments=("cmdlevel=940", "platform=UNIX")),
            control(qmgr=name, command="strmqm"),
        ]
        script = _script(size, number)
        facts += [events.CommandEntered(qmgr=name, text=text) for text in script]
        at = START + number * MINUTE
        outcomes = twin.record([Fact(fact, COMMAND) for fact in facts], at=at)
        assert not any(outcome.failed for outcome in outcomes)
    twin.snapshot()


def _script(size: Size, number: int) -> list[str]:
    names = size.names
    is_full = number < FULL
    to = names[1 - number if is_full else number % FULL]
    return [
        *([f"ALTER QMGR REPOS({CLUSTER})"] if is_full else []),
        *(f"DEFINE QLOCAL({queue}) CLUSTER({CLUSTER})" for queue in size.hosted(number)),
        _channel(names[number], "CLUSRCVR"),
        _channel(to, "CLUSSDR"),
    ]


def _channel(name: str, channel_type: str) -> str:
    address = f"CONNAME('{name.lower()}(1414)')"
    return f"DEFINE CHANNEL({CLUSTER}.{name}) CHLTYPE({channel_type}) {address} CLUSTER({CLUSTER})"


def drive(twin: Twin, given: Sequence[Use], *, end: Instant) -> None:
    """Play the year on a branch: every use, and everything that falls due before and after."""
    for use in given:
        twin.record(use.facts(), at=use.at)
    with VirtualScheduler(twin) as virtual:
        for _ in virtual.advance(end):
            pass
