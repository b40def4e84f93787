"""The queue of the processes that want to write to one SQLite file: two locked bytes of a file."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from pathlib import Path
from stat import S_IMODE
from typing import Final

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
