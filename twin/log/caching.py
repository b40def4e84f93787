"""The connection by which caches are written: beside the log's own, and never waited for long."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from twin.log.database import Database
from twin.log.errors import LogBusy, ReadOnlyLog

PATIENCE: Final = 0.25
"""Seconds to wait for another process that writes: a cache is not worth more."""


class CacheConnection:
    """Writes caches of a log, also for a reader that may do so."""

    def __init__(self, database: Database, *, allowed: bool) -> None:
        """Write beside this connection, if it is allowed."""
        self._database = database
        self._beside: Database | None = database if database.is_private else None
        self.allowed = allowed

    @contextmanager
    def writing(self) -> Iterator[Database]:
        """Begin a transaction; yield its connection.

        Raises:
            ReadOnlyLog: if nothing may be written.
            LogBusy: if another process or this one is writing.
            LogUnreachable: if the database does not allow it.
        """
        if not self.allowed:
            raise ReadOnlyLog(self._database.name)
        if self._database.is_writing:
            raise LogBusy(self._database.name)
        if self._beside is None:
            self._beside = self._database.beside(patience=PATIENCE)
        with self._beside.writing():
            yield self._beside

    def close(self) -> None:
        """Close the connection."""
        if self._beside is not None and self._beside is not self._database:
            self._beside.close()
            self._beside = None
