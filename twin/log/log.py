"""`Log`: one append-only log in one database, with all its operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

from twin.log.appending import AppendableLog
from twin.log.cache_checks import CheckedLog
from twin.log.database import Mode, Synchronous
from twin.log.opening import open_database
from twin.log.records import Branch
from twin.log.verifying import VerifiableLog
from twin.model.asof import MAIN


class Log(AppendableLog, CheckedLog, VerifiableLog):
    """An append-only log of events with branches, two clocks and snapshots.

    Positions have no gaps over the whole log, with all branches together. Instants are microseconds
    since 1970 UTC. Threads may share a log; each process opens its own.
    """

    @classmethod
    def open(
        cls,
        url: str,
        *,
        mode: Mode = "write",
        synchronous: Synchronous = "FULL",
        keeps_caches: bool | None = None,
    ) -> Self:
        """Open a log by its SQLAlchemy URL; mode "write" creates and migrates it if necessary.

        With `synchronous` NORMAL, a power failure may lose the last batches, but nothing else.
        `keeps_caches` says whether caches are written; by default, they are in mode "write".

        Raises:
            BadLogUrl, NoSuchLog, NotALog, NewerLog, OlderLog, LogUnreachable, LogBusy:
                if it cannot be opened.
        """
        database = open_database(url, mode=mode, synchronous=synchronous)
        return cls(database, keeps_caches=keeps_caches)

    def close(self) -> None:
        """Close the connections to the database."""
        self.caches.close()
        self._database.close()

    def server_clock(self) -> Callable[[], int] | None:
        """Return the clock of the server that holds the log; None if the log is a file.

        All that use a log on a server share its clock, whatever their own clocks show.
        """
        return self._database.server_clock()

    def create_branch(
        self,
        name: str,
        *,
        parent: str = MAIN,
        at_position: int | None = None,
        at_occurred: int | None = None,
    ) -> Branch:
        """Fork a branch at its parent's head, or at an earlier position, instant, or both.

        Raises:
            BadBranchName, BranchExists, NoSuchBranch, BadFork: if the branch cannot be created.
        """
        with self._database.writing():
            return self._branches.create(
                name, parent=parent, at_position=at_position, at_occurred=at_occurred
            )
