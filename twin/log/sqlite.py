"""A log in a file: SQLite in WAL mode."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final

from sqlalchemy import URL, Engine, create_engine, select
from sqlalchemy.pool import NullPool

from twin.errors import TwinError, reason_of
from twin.log.database import Database, Mode, StepProgress, Synchronous
from twin.log.errors import EmptyFile, FileDamaged, LogUnreachable, NoSuchLog, NotALog
from twin.log.place import LogPlace
from twin.log.schema import VERSION_TABLE, event
from twin.log.sqlite_files import (
    LockFile,
    Mark,
    back_up,
    has_wal,
    is_marked_elsewhere,
    is_open,
    keep_copy,
    remove_unused,
)

_AT_ONCE: Final = 90
"""Rows of one INSERT, so that it has fewer than 1,000 parameters, the limit of old SQLite."""

# With ROLLBACK instead of the usual ABORT, SQLite needs no journal for each statement.
_ROW: Final = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_INSERT: Final = f"INSERT OR ROLLBACK INTO event VALUES {_ROW}"
_INSERT_MANY: Final = _INSERT + f", {_ROW}" * (_AT_ONCE - 1)
_CHECKPOINT_EVERY: Final = 1000
"""Pages in the WAL before they are copied into the file."""

_POLL: Final = 0.005
"""Seconds between two tries to set the file to WAL mode."""

_FINDINGS: Final = 10
"""How many places of damage are looked for."""

_COPYING: Final = "copying the log before its upgrade"
_PRIMARY_CODE: Final = 0xFF
"""The bits of an error code of SQLite that its primary code has."""

_ANY_EVENT: Final = select(event.c.position).limit(1)

_WRITING: Final = ("recursive_triggers = ON", f"wal_autocheckpoint = {_CHECKPOINT_EVERY}")


def file_of(url: URL) -> Path | None:
    """Return the file of a log; None if it is in memory."""
    name = url.database
    return None if name in (None, "", ":memory:") else Path(str(name)).absolute()


class SqliteDatabase(Database):
    """A log in an SQLite file, or in memory if the URL names no file."""

    driver_error = sqlite3.Error
    integrity_error = sqlite3.IntegrityError
    is_shared = False
    begin_reading = "BEGIN"

    _mark: Mark | None = None
    """The mark of this process in the file, once the log is open for writing."""
    _was_missing = False
    """Whether there was no file before this process opened it."""
    _had_wal = False
    """Whether there was a WAL with content before this process opened the file."""

    def __init__(
        self, url: URL, *, mode: Mode, synchronous: Synchronous, patience: float | None = None
    ) -> None:
        super().__init__(url, mode=mode, synchronous=synchronous, patience=patience)
        # SQLite's own files are beside the file itself too, not beside a link to it.
        self._queue = LockFile(self._file.resolve()) if self._file else None

    def _make_engine(self) -> Engine:
        return create_engine(
            self.url.set(query={}), creator=self._connect, poolclass=NullPool, paramstyle="named"
        )

    @property
    def is_private(self) -> bool:
        """Whether it is in memory."""
        return self._file is None

    @property
    def _file(self) -> Path | None:
        return file_of(self.url)

    def _connect(self) -> sqlite3.Connection:
        try:
            file = self._file
            if file is None:
                return self._configured(self._open("file::memory:"))
            reason = "" if file.parent.is_dir() else f"there is no folder {file.parent}"
            if reason := reason or ("it is a folder" if file.is_dir() else ""):
                raise self.unreachable(reason)
            if self.place is not None:
                self.place.demand()
            self._had_wal, self._was_missing = has_wal(file), not file.exists()
            connection = self._connect_to(file)
            if self.place is None:
                with contextlib.suppress(FileNotFoundError):  # an unused log; see `was_removed`
                    self.place = LogPlace.of(self.name, file)
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_NOTADB:
                raise NotALog(self.name) from error
            raise self.translated(error) from error
        except (OSError, ValueError) as error:  # a name that no file can have, or no access
            if isinstance(error, TwinError):
                raise
            raise self.unreachable(reason_of(error)) from None
        return connection

    def _connect_to(self, file: Path) -> sqlite3.Connection:
        if self._was_missing and not self.creates:
            raise NoSuchLog(self.name)
        if self.mode == "read":
            return self._connect_to_read(file)
        mode = "rwc" if self.creates else "rw"
        return self._configured(self._open(f"{file.as_uri()}?mode={mode}"))

    def _connect_to_read(self, file: Path) -> sqlite3.Connection:
        wal = file.with_name(f"{file.name}-wal")
        if not file.stat().st_size and not wal.exists():
            raise EmptyFile(self.name)
        try:
            return self._configured(self._open(f"{file.as_uri()}?mode=rw"))
        except sqlite3.OperationalError:
            # In a read-only folder, SQLite cannot make the files for sharing a WAL database. No
            # process can write there, so sharing is not needed.
            if wal.exists() and wal.stat().st_size:
                reason = f"{wal.name} holds its last events; copy both files to a writable folder"
                raise self.unreachable(reason) from None
            return self._configured(self._open(f"{file.as_uri()}?immutable=1"))

    def _open(self, uri: str) -> sqlite3.Connection:
        return sqlite3.connect(
            uri,
            uri=True,
            timeout=self.patience,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
        )

    def _configured(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        try:
            for setting in ("cache_size = -65536", "mmap_size = 1073741824", "temp_store = MEMORY"):
                connection.execute(f"PRAGMA {setting}")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if self.mode == "read":
                connection.execute("PRAGMA query_only = ON")
            else:
                connection.execute(f"PRAGMA synchronous = {self.synchronous}")
                for setting in _WRITING:
                    connection.execute(f"PRAGMA {setting}")
        except BaseException:
            connection.close()
            raise
        return connection

    def exists(self) -> bool:
        """Return whether the file holds a log.

        Raises:
            NotALog: if it holds other tables.
        """
        if self.is_foreign():
            raise NotALog(self.name)
        return VERSION_TABLE in self._tables()

    def is_foreign(self) -> bool:
        """Return whether the file holds tables that are not those of a log."""
        tables = self._tables()
        return bool(tables) and VERSION_TABLE not in tables

    def _tables(self) -> set[str]:
        try:
            rows = self.driver.execute("SELECT name FROM sqlite_master").fetchall()
        except sqlite3.Error as error:
            raise self.translated(error) from error
        return {name for (name,) in rows}

    def prepare(self) -> None:
        """Set the file to WAL mode, permanently. SQLite itself does not always wait for that."""
        until = time.monotonic() + self.patience
        while True:
            try:
                self.driver.execute("PRAGMA journal_mode = WAL").fetchone()
            except sqlite3.Error as error:
                if not self.is_busy(error) or time.monotonic() >= until:
                    raise self.translated(error) from error
            else:
                return
            time.sleep(_POLL)

    def unreachable(self, reason: object) -> LogUnreachable:
        """Return the error that says why this file cannot be used."""
        code = getattr(reason, "sqlite_errorcode", 0) & _PRIMARY_CODE
        kind = FileDamaged if code == sqlite3.SQLITE_CORRUPT else LogUnreachable
        return kind(self.name, reason)

    def keep_copy(self, edition: str, progress: StepProgress) -> str | None:
        """Copy the log to a file beside it, unless that file is such a copy already.

        Raises:
            OtherCopy: if the file is something else.
        """
        if (file := self._file) is None:
            return None
        copy = file.with_name(f"{file.name}.edition-{edition}")
        try:
            keep_copy(file, copy, lambda done, total: progress(done, total, _COPYING))
        except (sqlite3.Error, OSError) as error:
            if isinstance(error, TwinError):
                raise
            raise self._not_copied(copy, error) from error
        return copy.name

    def was_removed(self) -> bool:
        """Return whether the file was removed; only an empty log is ever removed."""
        if (file := self._file) is None or self.one(_ANY_EVENT) is not None:
            return False
        with contextlib.suppress(OSError):
            return not is_open(file)
        return False

    def remove_unused(self) -> None:
        """Remove the file that this process made for a log in which nothing was recorded.

        It stays if another process has it open.
        """
        if not (self.is_new and self._was_missing) or self._driver is None or self._file is None:
            return
        with contextlib.suppress(sqlite3.Error, OSError):
            if remove_unused(self._driver, self._file.resolve()):
                self._mark = None

    def greet(self) -> None:
        """Say if the file is a copy without the WAL that held its last events."""
        if (file := self._file) is None:
            return
        if not self._had_wal and is_marked_elsewhere(self.driver, file):
            self.notices.append(
                f"{self.name} was copied while twin wrote to it, without {file.name}-wal: its last "
                "events may be missing; twin log backup makes a whole copy"
            )
        if self.mode == "write":
            self._mark = Mark(file)

    def back_up(self, copy: Path, *, progress: Callable[[int, int], None] | None = None) -> str:
        """Copy the log to a new file, while others write; return ''.

        Raises:
            BackupExists: if the file exists.
            LogUnreachable: if it cannot be written.
        """
        try:
            if (file := self._file) is not None:
                back_up(file, copy.absolute(), progress=progress)
        except (sqlite3.Error, OSError) as error:
            if isinstance(error, TwinError):
                raise
            raise self._not_copied(copy, error) from error
        return ""

    def _not_copied(self, copy: Path, error: Exception) -> LogUnreachable:
        return self.unreachable(f"it cannot be copied to {copy}: {reason_of(error)}")

    def begin(self) -> None:
        """Begin a transaction and lock at once; with later locks, two writers could deadlock."""
        if self.place is not None:
            self.place.demand()
        self.driver.execute("BEGIN IMMEDIATE")
        if self._mark is not None:
            self._mark.set(self.driver)

    def committed(self) -> None:
        """Have a new mark moved to the file itself."""
        if self._mark is not None:
            self._mark.spread(self.driver)

    def close(self) -> None:
        """Remove the mark, and close the connection and the lock file."""
        with self._lock:
            if self._mark is not None and self._driver is not None:
                self._mark.clear(self._driver)
            super().close()
            if self._queue is not None:
                self._queue.close()

    def take_turn(self) -> bool:
        """Wait in the queue of the lock file; a log in memory has none."""
        return self._queue is not None and self._queue.take()

    def end_turn(self) -> None:
        """Let the next process in the queue write."""
        if self._queue is not None:
            self._queue.give_back()

    def insert_events(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Insert complete rows into `event`."""
        driver = self.driver
        whole = len(rows) - len(rows) % _AT_ONCE
        for start in range(0, whole, _AT_ONCE):
            driver.execute(_INSERT_MANY, [*chain.from_iterable(rows[start : start + _AT_ONCE])])
        driver.executemany(_INSERT, rows[whole:])

    def damage(self) -> list[str]:
        """Return what SQLite finds wrong in the file: pages, indexes, constraints."""
        try:
            rows = self.driver.execute(f"PRAGMA integrity_check({_FINDINGS})").fetchall()
        except sqlite3.DatabaseError as error:
            return [str(error)]
        return [" ".join(str(text).split()) for (text,) in rows if text != "ok"]

    def is_busy(self, error: BaseException) -> bool:
        """Return whether the busy timeout expired."""
        code = getattr(error, "sqlite_errorcode", 0)
        return code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
