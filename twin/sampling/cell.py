"""A cell: one cluster of full repositories, gateways that put, and servers that host queues."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from twin.errors import SubjectError, TwinError


class LogExists(
    SubjectError,
    FileExistsError,
    message="a log exists at {}; a sample needs a new log",
):
    """A log exists already at the place of the new sample."""


class NoSuchSample(TwinError, ValueError):
    """A sample of this size cannot be made."""


class BadSize(NoSuchSample, message="a sample has {least} to {most} queue managers, not {}"):
    """Too few queue managers for a cluster, or more than the names can distinguish."""


class TooShort(NoSuchSample, message="a sample covers {least} days or more, not {}"):
    """The time is too short for the planted faults."""


class TooLong(NoSuchSample, message="a sample covers {most} years at most, not {:g}"):
    """The time is too long."""


FULL: Final = 2
LEAST: Final = 6
"""The fewest queue managers of a cell: two of each role."""

TAG: Final = "ZZZ"
"""The characters in the names of a simulated cell that each copy replaces by its own number."""

USUAL: Final = 12
MOST: Final = 999 * USUAL
"""The most queue managers of a sample: the number of a cell has three digits."""

_SPREAD: Final = "DEFBIND(NOTFIXED) MAXDEPTH(100000)"
_BOUND: Final = "DEFBIND(OPEN) MAXDEPTH(100000)"


class App(NamedTuple):
    """An application: where it puts, how often relative to others, and at most how many at once."""

    qmgr: str
    queue: str
    weight: int
    most: int


@dataclass(frozen=True, slots=True)
class Cell:
    """The names in a cell of `size` queue managers; `tag` tells the cell from other cells."""

    size: int
    tag: str = TAG

    def __post_init__(self) -> None:
        """Check the size.

        Raises:
            BadSize: when it is too small.
        """
        if self.size < LEAST:
            raise BadSize(self.size, least=LEAST, most=MOST)

    @property
    def cluster(self) -> str:
        """The name of the cluster."""
        return f"CL{self.tag}"

    @property
    def full(self) -> tuple[str, ...]:
        """The full repositories."""
        return self._named("FR", 1, FULL)

    @property
    def gateways(self) -> tuple[str, ...]:
        """The queue managers that applications put at."""
        return self._named("GW", FULL + 1, (self.size - FULL) // 2)

    @property
    def servers(self) -> tuple[str, ...]:
        """The queue managers that host queues."""
        gateways = (self.size - FULL) // 2
        return self._named("SV", FULL + 1 + gateways, self.size - FULL - gateways)

    @property
    def names(self) -> tuple[str, ...]:
        """All queue managers, in the order in which they join."""
        return (*self.full, *self.gateways, *self.servers)

    def _named(self, role: str, first: int, count: int) -> tuple[str, ...]:
        return tuple(f"{role}{self.tag}{number:02d}" for number in range(first, first + count))

    @property
    def queues(self) -> Mapping[str, tuple[str, ...]]:
        """The clustered queues, each with the servers that host it."""
        servers = self.servers
        return {
            "ORDERS": servers,
            "PAYMENTS": servers[:3],
            "BILLING": servers[:3],
            "QUOTES": servers[:2],
            "AUDIT": servers[:1],
        }

    @property
    def apps(self) -> tuple[App, ...]:
        """The applications of all gateways."""
        apps = []
        for number, qmgr in enumerate(self.gateways):
            apps += [App(qmgr, "ORDERS", 4, 40), App(qmgr, "PAYMENTS", 5, 30)]
            apps += [App(qmgr, "QUOTES", 5, 12)] if number % 2 else [App(qmgr, "BILLING", 6, 24)]
            apps += [App(qmgr, "AUDIT", 4, 6)]
        return tuple(apps)

    def channel(self, qmgr: str) -> str:
        """Return the name of the channels that lead to a queue manager."""
        return f"{self.cluster}.{qmgr}"

    def script(self, qmgr: str) -> Iterator[str]:
        """Yield the MQSC commands with which a queue manager joins."""
        full = self.full
        number = self.names.index(qmgr)
        if qmgr in full:
            yield f"ALTER QMGR REPOS({self.cluster})"
        for queue, hosts in self.queues.items():
            if qmgr in hosts:
                options = _BOUND if queue == "QUOTES" else _SPREAD
                yield f"DEFINE QLOCAL({queue}) CLUSTER({self.cluster}) {options}"
        yield self._channel(qmgr, "CLUSRCVR")
        yield self._channel(full[1 - number if qmgr in full else number % FULL], "CLUSSDR")

    def _channel(self, qmgr: str, channel_type: str) -> str:
        return (
            f"DEFINE CHANNEL({self.channel(qmgr)}) CHLTYPE({channel_type}) "
            f"CONNAME('{qmgr.lower()}.example(1414)') CLUSTER({self.cluster}) DISCINT(0)"
        )


def sizes(qmgrs: int) -> list[int]:
    """Divide queue managers into cells of twelve; the first cell also has the remainder.

    Raises:
        BadSize: when there are too few or too many.
    """
    cells = max(1, qmgrs // USUAL)
    if qmgrs > MOST:
        raise BadSize(qmgrs, least=LEAST, most=MOST)
    first = Cell(qmgrs - USUAL * (cells - 1)).size
    return [first, *[USUAL] * (cells - 1)]
