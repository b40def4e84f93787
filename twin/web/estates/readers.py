"""A pool of read-only twins: each has its own connection, and keeps the estate of now.

A request borrows one for as long as it reads. So readers never wait for the writer, and the writer
never waits for them: what it has committed is folded into the estate of a reader at its next use.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from queue import Empty, LifoQueue
from typing import Final

from twin.app.exits import WorkloadExit
from twin.app.twin import Twin
from twin.log import LogPlace, LogUnreachable
from twin.model.instants import MAIN
from twin.web.errors import Busy


@dataclass(frozen=True, slots=True)
class LogOpening:
    """The options with which every twin of a service is opened.

    Attributes:
        url: the URL of the log.
        simulate_on_main: whether commands on main may change observed queue managers.
        exits: the workload exits that CLWLEXIT may name: functions of modules.
        place: the file of the log when the service began; None if it is no file.
    """

    url: str
    simulate_on_main: bool = False
    exits: Mapping[str, WorkloadExit] = field(default_factory=dict)
    place: LogPlace | None = None

    def demand_place(self) -> None:
        """Check that the log is still the file that the service began with.

        Raises:
            LogMoved: if it is not.
        """
        if self.place is not None:
            self.place.demand()

    def reader(self) -> Twin:
        """Open the log for reading.

        Raises:
            LogMoved, TwinError: if it cannot be opened.
        """
        self.demand_place()
        return Twin.open(
            self.url,
            read_only=True,
            keeps_caches=True,
            simulate_on_main=self.simulate_on_main,
            exits=self.exits,
        )

    def writer(self) -> Twin:
        """Open the log for writing; it must be there.

        Raises:
            LogMoved, TwinError: if it cannot be opened.
        """
        self.demand_place()
        return Twin.open(
            self.url,
            create=False,
            simulate_on_main=self.simulate_on_main,
            exits=self.exits,
            instead=_on_branch,
        )


def _on_branch(name: str) -> str:
    """Return how a request does on a new branch what is refused on main."""
    return f"twin branch create {name}, then repeat the request with the header twin-branch: {name}"


_WAITS: Final = 30.0
"""The seconds that a request waits for a reader."""


class Reader:
    """One connection, opened at its first use, and a twin for each branch that was read.

    It knows the branches by their numbers: the name of a deleted branch may be used again.
    """

    def __init__(self, opening: LogOpening) -> None:
        """Open nothing yet."""
        self._opening = opening
        self._main: Twin | None = None
        self._others: dict[int, Twin] = {}

    def on(self, branch: str) -> Twin:
        """Return the twin of a branch.

        Raises:
            NoSuchBranch: if the branch does not exist, or was deleted.
            LogMoved, TwinError: if the log cannot be opened.
        """
        if self._main is None:
            self._main = self._opening.reader()
        if branch == MAIN:
            return self._main
        number = self._main.log.branch(branch).id
        if number not in self._others:
            live = {each.id for each in self._main.log.branches()}
            self._others = {each: twin for each, twin in self._others.items() if each in live}
            self._others[number] = self._main.on_branch(branch)
        return self._others[number]

    @property
    def kept(self) -> frozenset[int]:
        """The numbers of the branches besides main whose twins it keeps."""
        return frozenset(self._others)

    def close(self) -> None:
        """Close the connection; the next use opens it again."""
        self._others.clear()
        if self._main is not None:
            self._main.close()
            self._main = None


class Readers:
    """Some readers of one log. The one used last is borrowed first: its estate is the latest."""

    def __init__(self, opening: LogOpening, size: int) -> None:
        """Make `size` readers."""
        self._opening = opening
        self._idle: LifoQueue[Reader] = LifoQueue()
        self._all = [Reader(opening) for _ in range(size)]
        self._doubtful: set[Reader] = set()
        """The readers that are opened again before their next use: one of them could not reach the
        log, so the connections of the others may be dead too."""
        for reader in self._all:
            self._idle.put(reader)

    @contextmanager
    def borrow(self, branch: str = MAIN) -> Iterator[Twin]:
        """Lend a twin of a branch, which nobody else uses meanwhile.

        Raises:
            NoSuchBranch: if the branch does not exist, or was deleted.
            Busy: if no reader becomes free.
            LogMoved: if the log is not the file that the service began with.
        """
        self._opening.demand_place()
        try:
            reader = self._idle.get(timeout=_WAITS)
        except Empty:
            raise Busy from None
        try:
            if reader in self._doubtful:
                self._doubtful.discard(reader)
                reader.close()
            yield reader.on(branch)
        except LogUnreachable:
            self._doubtful.update(self._all)
            raise
        finally:
            self._idle.put(reader)

    def close(self) -> None:
        """Close all readers; no request may use them any more."""
        for reader in self._all:
            reader.close()
