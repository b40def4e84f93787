"""A cell: one cluster with full repositories, gateways that put, and servers that host queues."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from twin.sampling.errors import BadSize

FULL: Final = 2
LEAST: Final = 6
"""A cell has two gateways and two servers at least."""

TAG: Final = "ZZZ"
"""What stands in the names of a simulated cell for the number of the cell: three characters."""

USUAL: Final = 12
MOST: Final = 999 * USUAL
"""The number of a cell has three digits."""

_SPREAD: Final = "DEFBIND(NOTFIXED) MAXDEPTH(100000)"
_BOUND: Final = "DEFBIND(OPEN) MAXDEPTH(100000)"


class App(NamedTuple):
    """An application: where it puts, how often beside the others, and how many at once."""

    qmgr: str
    queue: str
    weight: int
    most: int


@dataclass(frozen=True, slots=True)
class Cell:
    """The names in a cell of so many queue managers; `tag` tells it from other cells."""

    size: int
    tag: str = TAG

    def __post_init__(self) -> None:
        """Check the size.

        Raises:
            BadSize: where it is too small.
        """
        if self.size < LEAST:
            raise BadSize(self.size, least=LEAST, most=MOST)

    @property
    def cluster(self) -> str:
        """The cluster."""
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
        """All of them, in the order in which they join."""
        return (*self.full, *self.gateways, *self.servers)

    def _named(self, role: str, first: int, count: int) -> tuple[str, ...]:
        return tuple(f"{role}{self.tag}{number:02d}" for number in range(first, first + count))

    @property
    def queues(self) -> Mapping[str, tuple[str, ...]]:
        """The clustered queues, with the servers that host them."""
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
        """The applications: each gateway has a few."""
        found = []
        for number, qmgr in enumerate(self.gateways):
            found += [App(qmgr, "ORDERS", 4, 40), App(qmgr, "PAYMENTS", 5, 30)]
            found += [App(qmgr, "QUOTES", 5, 12)] if number % 2 else [App(qmgr, "BILLING", 6, 24)]
            found += [App(qmgr, "AUDIT", 4, 6)]
        return tuple(found)

    def channel(self, qmgr: str) -> str:
        """Name the channels that lead to a queue manager."""
        return f"{self.cluster}.{qmgr}"

    def script(self, qmgr: str) -> Iterator[str]:
        """Go through the MQSC commands with which a queue manager joins."""
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
    """Divide queue managers into cells: all of twelve but the first, which has what is left too.

    Raises:
        BadSize: where there are too few or too many.
    """
    cells = max(1, qmgrs // USUAL)
    if qmgrs > MOST:
        raise BadSize(qmgrs, least=LEAST, most=MOST)
    first = Cell(qmgrs - USUAL * (cells - 1)).size
    return [first, *[USUAL] * (cells - 1)]
