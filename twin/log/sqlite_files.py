"""The files of an SQLite log: whole copies of it, copies that lack their WAL, and its lock file.

In WAL mode, the last events are in the file `NAME-wal` until SQLite moves them. A program that
copies `NAME` alone, while twin writes, gets a log without them. So a process that writes leaves a
mark in `NAME`, and removes it when it closes the log. A mark in a file without a WAL, which is not
the file that was marked, says that the file is such a copy.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from stat import S_IMODE
from typing import Any, Final

from twin.log.errors import BackupExists, OtherCopy
from twin.output_files import demand_no_link

_STEP: Final = 4096
"""Pages that are copied between two calls of `progress`."""

_MARK: Final = "SELECT value FROM log_info WHERE name = 'written_by_file'"
_SET: Final = "INSERT OR REPLACE INTO log_info VALUES ('written_by_file', ?)"
_CLEAR: Final = "DELETE FROM log_info WHERE name = 'written_by_file'"
_USED: Final = (
    "SELECT 1 WHERE EXISTS (SELECT 1 FROM event) OR EXISTS (SELECT 1 FROM evidence) "
    "OR (SELECT count(*) FROM branch) <> 1"
)
_CONTENT: Final = (
    "SELECT version_num FROM log_version",
    "SELECT position, digest FROM event ORDER BY position DESC LIMIT 1",
    "SELECT id, digest FROM branch ORDER BY id DESC LIMIT 1",
)


class Mark:
    """The mark of a process in the file that it writes to: the number of the file (its inode)."""

    def __init__(self, file: Path) -> None:
        """Begin without a mark in a file."""
        self._number = (str(file.stat().st_ino),)
        self._is_set = False
        self._is_new = False

    def set(self, driver: sqlite3.Connection) -> None:
        """Set the mark within a transaction, unless it is there."""
        if driver.execute(_MARK).fetchone() != self._number:
            driver.execute(_SET, self._number)
            self._is_new = True
        self._is_set = True

    def spread(self, driver: sqlite3.Connection) -> None:
        """After the commit, have a new mark moved from the WAL to the file itself."""
        if self._is_new:
            self._is_new = False
            with suppress(sqlite3.Error):  # a full disk: what was committed is in the WAL
                driver.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()

    def clear(self, driver: sqlite3.Connection) -> None:
        """Remove the mark before the log is closed, unless another process is writing."""
        if not self._is_set:
            return
        self._is_set = False
        with suppress(sqlite3.Error):
            driver.execute("PRAGMA busy_timeout = 0")
            driver.execute(_CLEAR)


def remove_unused(driver: sqlite3.Connection, file: Path) -> bool:
    """Remove a log and its companions if it is empty and nobody else has it open; return if so.

    Whoever has it open in WAL mode has a shared lock on it, so the exclusive lock is refused. While
    it is held, nobody can read the file. Who opened it before that, and waits, reads the file when
    it is removed, and then finds out with `is_open`. The journal mode has no files beside the log,
    because SQLite removes such a file by its name later, when it may be that of a new log.
    """
    if _is_used(driver):
        return False
    for setting in ("busy_timeout = 0", "locking_mode = EXCLUSIVE"):
        driver.execute(f"PRAGMA {setting}")
    try:
        driver.execute("PRAGMA journal_mode = MEMORY").fetchone()
        driver.execute("BEGIN EXCLUSIVE")
        if not _is_used(driver) and is_open(file):
            for beside in ("-queue", ""):
                file.with_name(f"{file.name}{beside}").unlink(missing_ok=True)
            return True
        driver.execute("ROLLBACK")
        driver.execute("PRAGMA journal_mode = WAL").fetchone()
    finally:
        driver.execute("PRAGMA locking_mode = NORMAL")
    return False


def _is_used(driver: sqlite3.Connection) -> bool:
    """Return whether anything is recorded; a file without tables is a log that was not finished."""
    if not driver.execute("SELECT 1 FROM sqlite_master").fetchone():
        return False
    return driver.execute(_USED).fetchone() is not None


def is_open(file: Path) -> bool:
    """Return whether this process has the file of this path open, not one that was there before.

    It must not be opened to find out: closing it again would release SQLite's locks.
    """
    try:
        wanted = file.stat()
    except FileNotFoundError:
        return False
    for number in os.listdir("/dev/fd"):  # noqa: PTH208 - they are no paths
        with suppress(OSError):
            if os.path.samestat(os.fstat(int(number)), wanted):
                return True
    return False


def has_wal(file: Path) -> bool:
    """Return whether there is a WAL with content beside a file."""
    wal = file.with_name(f"{file.name}-wal")
    return wal.exists() and wal.stat().st_size > 0


def is_marked_elsewhere(driver: sqlite3.Connection, file: Path) -> bool:
    """Return whether there is a mark that was set in another file, so that this one is a copy."""
    mark = driver.execute(_MARK).fetchone()
    return mark is not None and mark != (str(file.stat().st_ino),)


def keep_copy(file: Path, copy: Path, progress: Callable[[int, int], None]) -> None:
    """Copy a log to a file, unless that file has the same content already.

    `progress` is called with the pages copied so far, and all pages.

    Raises:
        OtherCopy: if it has other content.
    """
    demand_no_link(copy)
    part = copy.with_name(f".{copy.name}.{os.getpid()}")
    part.unlink(missing_ok=True)
    try:
        _copy(file, part, progress=progress)
        if not copy.exists():
            part.rename(copy)
        elif _content(copy) != _content(part):
            raise OtherCopy(str(copy))
    finally:
        part.unlink(missing_ok=True)


def back_up(file: Path, copy: Path, *, progress: Callable[[int, int], None] | None = None) -> None:
    """Copy a log that others may be writing to a new file, complete or not at all.

    `progress` is called with the pages copied so far, and all pages.

    Raises:
        BackupExists: if the file exists.
    """
    if copy.exists() or copy.is_symlink():
        raise BackupExists(str(copy))
    part = copy.with_name(f".{copy.name}.{os.getpid()}")
    part.unlink(missing_ok=True)
    try:
        _copy(file, part, progress=progress)
        with closing(sqlite3.connect(part, isolation_level=None)) as connection:
            connection.execute(_CLEAR)
        if copy.exists() or copy.is_symlink():
            raise BackupExists(str(copy))
        part.rename(copy)
    finally:
        part.unlink(missing_ok=True)


def _copy(file: Path, copy: Path, *, progress: Callable[[int, int], None] | None = None) -> None:
    """Copy a database as it is at one moment; writers do not wait for that."""

    def report(_status: int, remaining: int, total: int) -> None:
        if progress is not None:
            progress(total - remaining, total)

    with closing(_reader(file)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target, pages=_STEP, progress=report)
    shutil.copymode(file, copy)
    with copy.open("rb") as written:
        os.fsync(written.fileno())


def _reader(file: Path) -> sqlite3.Connection:
    """Open a database at one moment, which stays the same while others write."""
    for options in ("mode=ro", "immutable=1"):  # the second in a read-only folder
        connection = sqlite3.connect(f"{file.as_uri()}?{options}", uri=True, isolation_level=None)
        try:
            connection.execute("BEGIN")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:
            connection.close()
            if options != "mode=ro" or has_wal(file):
                raise
        else:
            return connection
    raise AssertionError


def _content(file: Path) -> Any:
    """Return what tells logs apart: their edition, and the ends of both chains; None if no log."""
    try:
        with closing(_reader(file)) as connection:
            return [connection.execute(query).fetchone() for query in _CONTENT]
    except sqlite3.Error:
        return None


PATIENCE: Final = 30.0
"""The longest time to wait for a turn, in seconds. A process that is stopped may hold one."""

HURRY: Final = 1.0
"""The longest time to wait, in seconds, once a wait has failed, until a turn is granted again."""

NEXT: Final = 0
"""The byte that is locked by the process whose turn comes next."""

TURN: Final = 1
"""The byte that is locked by the process whose turn it is."""

_POLLS: Final = {NEXT: 0.005, TURN: 0.001}
"""The seconds between two tries to lock a byte; only one process at a time waits for its turn."""


class LockFile:
    """The file `NAME-queue` beside a database; it stays empty, and is never removed.

    A process waits for `NEXT`, then for `TURN`, and gives `NEXT` back when it has its turn. So
    whoever ends a turn and wants another one comes after the process that waits for its turn.
    The kernel releases the locks of a process that dies.

    The queue is advisory: transactions keep the log right. Without the file (the folder is
    read-only, or the file system has no locks) processes write without turns.
    """

    def __init__(self, database: Path) -> None:
        """Queue for this database file; the first `take` creates the lock file."""
        self._database = database
        self._file: int | None = None
        self._patience = PATIENCE

    @property
    def path(self) -> Path:
        """The path of the lock file."""
        return self._database.with_name(f"{self._database.name}-queue")

    def take(self) -> bool:
        """Wait for a turn; return whether it was granted in time."""
        until = time.monotonic() + self._patience
        try:
            if self._file is None:
                self._file = self._opened()
            granted = self._lock(NEXT, until)
            if granted:
                try:
                    granted = self._lock(TURN, until)
                finally:
                    self._unlock(NEXT)
        except OSError:
            return False
        self._patience = PATIENCE if granted else HURRY
        return granted

    def give_back(self) -> None:
        """End the turn."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._unlock(TURN)

    def close(self) -> None:
        """Close the file; this ends all its locks."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _opened(self) -> int:
        """Open the file, not through a link; create it with the permissions of the database."""
        flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
        with contextlib.suppress(FileNotFoundError):
            return os.open(self.path, flags)
        mode = S_IMODE(self._database.stat().st_mode) & 0o666
        file = os.open(self.path, flags | os.O_CREAT, mode)
        with contextlib.suppress(OSError):
            os.fchmod(file, mode)
        return file

    def _lock(self, byte: int, until: float) -> bool:
        assert self._file is not None  # noqa: S101 - `take` has opened it
        while True:
            try:
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
            except (BlockingIOError, PermissionError):
                if time.monotonic() >= until:
                    return False
                time.sleep(_POLLS[byte])
            else:
                return True

    def _unlock(self, byte: int) -> None:
        assert self._file is not None  # noqa: S101 - `take` has opened it
        fcntl.lockf(self._file, fcntl.LOCK_UN, 1, byte)
