"""A log on a server: PostgreSQL through psycopg."""

from __future__ import annotations

import contextlib
import shlex
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import psycopg
from sqlalchemy import URL, Engine, create_engine
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from twin.log.database import BUSY_TIMEOUT, Database
from twin.log.schema import VERSION_TABLE

APPENDING: Final = 0x7477696E
"""The advisory lock that a writer holds until its commit, so that commits are in position order."""

TURN: Final = 0x7477696F
"""The advisory lock of the process whose turn it is to write. The server grants it in the order of
the requests, and releases it when the connection of its holder ends."""

PATIENCE: Final = "30s"
"""The longest time to wait for a turn. A process that is stopped may hold it."""

# Sent together, these statements are one transaction: the setting is undone if the wait fails.
_TAKE_TURN: Final = (
    f"SET lock_timeout = '{PATIENCE}'; SELECT pg_advisory_lock({TURN}); SET lock_timeout = DEFAULT"
)
_BEGIN: Final = f"BEGIN; SELECT pg_advisory_xact_lock({APPENDING})"
_END_TURN: Final = f"SELECT pg_advisory_unlock({TURN})"

CONNECT_TIMEOUT: Final = 10
"""Seconds to wait for a server that does not answer, unless the URL has a `connect_timeout`."""

_SERVER_TIME: Final = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
_CLOCK_READ_EVERY: Final = 1_000_000
"""Microseconds between two readings of the server's clock."""

_COPY: Final = "COPY event FROM STDIN"
_COPY_FROM: Final = 8
"""The number of events from which COPY is faster than INSERT."""
_INSERT: Final = "INSERT INTO event VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"


class PostgresDatabase(Database):
    """A log in a PostgreSQL database."""

    driver_error = psycopg.Error
    integrity_error = psycopg.IntegrityError
    is_shared = True
    begin_reading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

    def _make_engine(self) -> Engine:
        options = [
            f"-c default_transaction_read_only={'on' if self.mode == 'read' else 'off'}",
            f"-c synchronous_commit={'on' if self.synchronous == 'FULL' else 'off'}",
        ]
        if self.patience < BUSY_TIMEOUT:
            options.append(f"-c lock_timeout={int(self.patience * 1000)}")
        settings = {"options": " ".join(options), "application_name": "twin"}
        if "connect_timeout" not in self.url.query:
            settings["connect_timeout"] = str(CONNECT_TIMEOUT)
        return create_engine(
            self.url,
            poolclass=NullPool,
            pool_reset_on_return=None,  # it would log the traceback of a server that died
            isolation_level="AUTOCOMMIT",
            connect_args=settings,
        )

    @property
    def driver(self) -> Any:
        """The driver's own connection.

        Raises:
            LogUnreachable: if the server refuses the connection.
        """
        try:
            return super().driver
        except (SQLAlchemyError, psycopg.Error, ValueError, TypeError) as error:
            raise self.unreachable(getattr(error, "orig", error)) from error

    @property
    def is_private(self) -> bool:
        """Return False: a server has many connections."""
        return False

    def exists(self) -> bool:
        """Return whether the database holds a log."""
        try:
            row = self.driver.execute("SELECT to_regclass(%s)", (VERSION_TABLE,)).fetchone()
        except psycopg.Error as error:
            raise self.translated(error) from error
        return row[0] is not None

    def is_foreign(self) -> bool:
        """Return False: in PostgreSQL, a log may share a database with other tables."""
        return False

    def prepare(self) -> None:
        """Do nothing: the server needs no preparation."""

    def back_up(self, copy: Path, *, progress: Callable[[int, int], None] | None = None) -> str:
        """Return the command that copies the log; it asks for the password, or reads ~/.pgpass."""
        del progress
        query = {
            name: value for name, value in self.url.query.items() if "pass" not in name.lower()
        }
        url = self.url.set(drivername="postgresql", query=query)
        bare = URL.create(
            url.drivername, url.username, None, url.host, url.port, url.database, url.query
        )
        return shlex.join(["pg_dump", "--format=custom", f"--file={copy}", str(bare)])

    def begin(self) -> None:
        """Begin a transaction as the only writer."""
        try:
            self.driver.execute(_BEGIN)
        except self.driver_error:
            self._roll_back()
            raise

    def take_turn(self) -> bool:
        """Wait in the queue of an advisory lock."""
        with self._lock:
            try:
                self.driver.execute(_TAKE_TURN)
            except psycopg.errors.LockNotAvailable:
                return False
            except self.driver_error as error:
                raise self.translated(error) from error
            return True

    def end_turn(self) -> None:
        """Let the next process in the queue write; a connection that ended has done so."""
        with self._lock, contextlib.suppress(self.driver_error):
            self.driver.execute(_END_TURN)

    def insert_events(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Insert complete rows into `event`; use COPY if there are many."""
        cursor = self.driver.cursor()
        if len(rows) < _COPY_FROM:
            cursor.executemany(_INSERT, rows)
            return
        with cursor.copy(_COPY) as copy:
            for row in rows:
                copy.write_row(row)

    def server_clock(self) -> Callable[[], int] | None:
        """Return the server's clock. It is read once a second; between, a monotonic clock runs."""
        read: list[int] = []

        def now() -> int:
            passed = time.monotonic_ns() // 1000
            if not read or not 0 <= passed - read[1] < _CLOCK_READ_EVERY:
                read[:] = self._server_time(), passed
            return read[0] + passed - read[1]

        return now

    def _server_time(self) -> int:
        with self._lock:
            try:
                (micros,) = self.driver.execute(_SERVER_TIME).fetchone()
            except psycopg.Error as error:
                raise self.translated(error) from error
        return int(micros)

    def is_busy(self, error: BaseException) -> bool:
        """Return whether a lock was not available in time."""
        return isinstance(error, psycopg.errors.LockNotAvailable)
