"""Large random estates: 30 queue managers in two clusters, in which things happen for 100 days."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Final

from tests.sandbox import Sandbox
from twin import events
from twin.fold.estate import Estate
from twin.model.instants import DAY, HOUR, MINUTE, SECOND, Instant, parse_instant
from twin.rules.deriving import derive
from twin.rules.draft import Draft
from twin.rules.reactions import REACTIONS

BEGIN: Final[Instant] = parse_instant("2025-01-06T00:00:00Z", now=0)
"""When the queue managers are created; 100 days later is in the past of every clock."""

QMGRS: Final = tuple(f"QM{number:02}" for number in range(1, 31))
"""QM01 and QM02 are the full repositories of CA, QM03 and QM04 those of CB."""

GATEWAYS: Final = ("QM05", "QM06")
"""The queue managers that are in both clusters."""

FULL: Final = {"CA": QMGRS[0:2], "CB": QMGRS[2:4]}
_QUEUES: Final = ("ORDERS", "STOCK", "PRICES")
_OPTIONS: Final = (
    "DEFBIND(NOTFIXED)",
    "DEFBIND(OPEN) CLWLPRTY(5)",
    "CLWLRANK(3) DESCR('x (y), z')",
    "PUT(DISABLED) DESCR('it''s')",
)


def members(cluster: str) -> tuple[str, ...]:
    """Return the partial repositories of a cluster."""
    parity = 1 if cluster == "CA" else 0
    others = (name for name in QMGRS[6:] if int(name[2:]) % 2 == parity)
    return (*GATEWAYS, *others)


def clusters_of(qmgr: str) -> tuple[str, ...]:
    """Return the clusters that a queue manager is in."""
    return tuple(each for each in FULL if qmgr in (*FULL[each], *members(each)))


@dataclass
class LargeEstate:
    """A simulated estate, and what will end later: losses, cuts, stops and suspensions.

    Attributes:
        box: the estate.
        random: draws what happens.
        later: instant -> what is done then.
    """

    box: Sandbox
    random: Random
    later: list[tuple[Instant, Callable[[], None]]] = field(default_factory=list)

    @property
    def estate(self) -> Estate:
        """The estate at present."""
        return self.box.estate

    @property
    def now(self) -> Instant:
        """The present."""
        return self.box.draft.at

    def live(self, upto: Instant) -> None:
        """Let things happen until an instant."""
        while True:
            at = self.now + self.random.randrange(10 * MINUTE, 30 * HOUR, SECOND)
            self._catch_up(min(at, upto))
            if at > upto:
                return
            self.random.choice(_ACTS)(self)

    def _catch_up(self, upto: Instant) -> None:
        """End what lasts until then, and let time pass."""
        for due, act in sorted(self.later, key=lambda each: each[0]):
            if due <= upto:
                self.later.remove((due, act))
                self._pass_to(due)
                act()
        self._pass_to(upto)

    def _pass_to(self, instant: Instant) -> None:
        self.box.pass_time(max(0, instant - self.now))

    def after(self, least: int, most: int, act: Callable[[], None]) -> None:
        """Do something after a random time, in microseconds."""
        self.later.append((self.now + self.random.randrange(least, most, SECOND), act))

    def runs(self, qmgr: str) -> bool:
        """Return whether a queue manager runs."""
        return self.estate.qmgr(qmgr).running

    def run(self, qmgr: str, command: str) -> None:
        """Run MQSC, unless the queue manager does not run."""
        if self.runs(qmgr):
            self.box.run(qmgr, command)

    def control(self, command: str, qmgr: str) -> None:
        """Run endmqm or strmqm, unless it has been done."""
        if self.runs(qmgr) == (command == "endmqm"):
            self.box.control(command, qmgr)

    def link(self, one: str, other: str, *, cut: bool) -> None:
        """Cut or heal the network between two queue managers."""
        derive(self.box.draft, events.LinkChanged(qmgr=one, other=other, cut=cut))

    def any_of(self, *qmgrs: str) -> str:
        """Return one of some queue managers."""
        return self.random.choice(qmgrs)


def built(seed: int) -> LargeEstate:
    """Build the clusters; the seed decides what will happen."""
    box = Sandbox(Draft(Estate(), BEGIN, 1, reactions=REACTIONS)).create(*QMGRS)
    for cluster, (one, other) in FULL.items():
        box.full(one, other, cluster=cluster).full(other, one, cluster=cluster)
        for number, name in enumerate(members(cluster)):
            box.member(name, (one, other)[number % 2], cluster=cluster)
            queue = _QUEUES[number % len(_QUEUES)]
            box.run(name, f"DEFINE QLOCAL({queue}) CLUSTER({cluster})")
    for name in FULL["CB"]:
        box.run(name, f"ALTER CHANNEL(CB.{name}) CHLTYPE(CLUSRCVR) DISCINT(0)")
    box.pass_time(HOUR)
    return LargeEstate(box, Random(seed))


def _lose(large: LargeEstate) -> None:
    qmgr = large.any_of(*QMGRS)
    large.control("endmqm", qmgr)
    large.after(5 * MINUTE, 9 * DAY, lambda: large.control("strmqm", qmgr))


def _cut(large: LargeEstate) -> None:
    one, other = large.any_of(*FULL["CA"], *FULL["CB"], *GATEWAYS), large.any_of(*QMGRS)
    if one != other:
        large.link(one, other, cut=True)
        large.after(MINUTE, 20 * DAY, lambda: large.link(one, other, cut=False))


def _stop(large: LargeEstate) -> None:
    qmgr, cluster = _member(large)
    channel = f"{cluster}.{large.any_of(*FULL[cluster])}"
    large.run(qmgr, f"STOP CHANNEL({channel})")
    large.after(MINUTE, 5 * DAY, lambda: large.run(qmgr, f"START CHANNEL({channel})"))


def _suspend(large: LargeEstate) -> None:
    qmgr, cluster = _member(large)
    large.run(qmgr, f"SUSPEND QMGR CLUSTER({cluster})")
    large.after(HOUR, 8 * DAY, lambda: large.run(qmgr, f"RESUME QMGR CLUSTER({cluster})"))


def _refresh(large: LargeEstate) -> None:
    qmgr, cluster = _member(large)
    large.run(qmgr, f"REFRESH CLUSTER({cluster}) REPOS(NO)")


def _define(large: LargeEstate) -> None:
    qmgr, cluster = _member(large)
    queue, option = large.any_of(*_QUEUES), large.any_of(*_OPTIONS)
    large.run(qmgr, f"DEFINE QLOCAL({queue}) CLUSTER({cluster}) {option} REPLACE")


def _define_others(large: LargeEstate) -> None:
    qmgr, cluster = _member(large)
    commands = (
        f"DEFINE TOPIC(T.{cluster}) TOPICSTR('{cluster.lower()}') CLUSTER({cluster}) REPLACE",
        f"DEFINE QALIAS(SALES) TARGET(ORDERS) CLUSTER({cluster}) REPLACE",
        f"DEFINE QLOCAL(LOCAL.{large.random.randrange(3)}) MAXDEPTH(77) REPLACE",
        f"DELETE TOPIC(T.{cluster})",
        "DELETE QALIAS(SALES)",
        "DELETE QLOCAL(LOCAL.1)",
    )
    large.run(qmgr, large.any_of(*commands))


def _alter(large: LargeEstate) -> None:
    qmgr, cluster = _member(large)
    commands = (
        f"ALTER QLOCAL({large.any_of(*_QUEUES)}) PUT(DISABLED)",
        f"ALTER QLOCAL({large.any_of(*_QUEUES)}) PUT(ENABLED) CLWLPRTY(2)",
        f"ALTER CHANNEL({cluster}.{qmgr}) CHLTYPE(CLUSRCVR) DISCINT(300)",
        "ALTER QMGR DESCR('altered')",
    )
    large.run(qmgr, large.any_of(*commands))


def _delete(large: LargeEstate) -> None:
    qmgr, _ = _member(large)
    large.run(qmgr, f"DELETE QLOCAL({large.any_of(*_QUEUES)})")


def _open(large: LargeEstate) -> None:
    qmgr = large.any_of(*QMGRS)
    if large.runs(qmgr):
        large.box.open(qmgr, large.any_of(*_QUEUES))


def _put(large: LargeEstate) -> None:
    qmgr = large.any_of(*QMGRS)
    if large.runs(qmgr):
        large.box.put(qmgr, large.any_of(*_QUEUES))


def _member(large: LargeEstate) -> tuple[str, str]:
    cluster = large.any_of(*FULL)
    return large.any_of(*members(cluster)), cluster


_ACTS: Final = (
    *(_lose, _cut, _stop, _suspend, _refresh),
    *(_define, _define, _define_others, _alter, _delete, _open, _open, _put),
)


def lived(seed: int, instants: list[Instant]) -> Iterator[LargeEstate]:
    """Yield an estate at each of some instants."""
    large = built(seed)
    for instant in instants:
        large.live(instant)
        yield large
