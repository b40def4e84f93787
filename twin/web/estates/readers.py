"""A pool of read-only twins: each has its own connection, and keeps the estate of now.

A request borrows one for as long as it reads. So readers never wait for the writer, and the writer
never waits for them: what it has committed is folded into the estate of a reader at its next use.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from queue import Empty, LifoQueue
from typing import Final

from twin.app.twin import Twin
from twin.log import LogUnreachable, NoSuchBranch
from twin.model.asof import MAIN
from twin.web.errors import Busy
from twin.web.estates.opening import LogOpening

_WAITS: Final = 30.0
"""The seconds that a request waits for a reader."""


class Readers:
    """Some twins of one log. The one used last is borrowed first: its estate is the latest."""

    def __init__(self, opening: LogOpening, size: int) -> None:
        """Open `size` twins of branch main, each at its first use."""
        self._opening = opening
        self._idle: LifoQueue[dict[str, Twin]] = LifoQueue()
        self._all: list[dict[str, Twin]] = [{} for _ in range(size)]
        self._doubtful: set[int] = set()
        """The readers that are opened again before their next use, by `id`: one of them could not
        reach the log, so the connections of the others may be dead too."""
        for branches in self._all:
            self._idle.put(branches)

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
            branches = self._idle.get(timeout=_WAITS)
        except Empty:
            raise Busy from None
        try:
            if id(branches) in self._doubtful:
                self._doubtful.discard(id(branches))
                _close(branches)
            yield self._on(branches, branch)
        except LogUnreachable:
            self._doubtful.update(map(id, self._all))
            raise
        finally:
            self._idle.put(branches)

    def _on(self, branches: dict[str, Twin], branch: str) -> Twin:
        if MAIN not in branches:
            branches[MAIN] = self._opening.reader()
        main = branches[MAIN]
        if branch != MAIN:
            try:
                main.log.branch(branch)
            except NoSuchBranch:
                branches.pop(branch, None)
                raise
            if branch not in branches:
                branches[branch] = main.on_branch(branch)
        return branches[branch]

    def close(self) -> None:
        """Close all twins; no request may use them any more."""
        for branches in self._all:
            _close(branches)


def _close(branches: dict[str, Twin]) -> None:
    """Close the twins of a reader; the next use opens them again."""
    if MAIN in branches:
        branches[MAIN].close()
    branches.clear()
