"""Write the files that somebody named as output: never through a link, and complete or not at all.

A link in the place of the file may have been put there by somebody else, to have another file
overwritten.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import BinaryIO, Final

from twin.errors import SubjectError

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)
_LOCK: Final = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)


class OutputIsLink(
    SubjectError, ValueError, message="{} is a link, and output never goes through a link"
):
    """A link where a file is to be written."""


def demand_no_link(path: Path) -> None:
    """Check that there is no link in the place of a file to be written.

    Raises:
        OutputIsLink: if there is one.
    """
    if path.is_symlink():
        raise OutputIsLink(str(path))


@contextmanager
def only_writer(path: Path) -> Iterator[None]:
    """Let one process at a time read, change and write a file, so that no change is lost.

    The lock is on the file `.NAME.lock` beside it, which stays empty and is never removed: the file
    itself is replaced. The kernel releases the lock of a process that dies.

    Raises:
        OSError: if the file of the lock cannot be made.
    """
    lock = os.open(path.with_name(f".{path.name}.lock"), _LOCK, 0o600)
    try:
        flock(lock, LOCK_EX)
        yield
    finally:
        os.close(lock)


@contextmanager
def whole_file(path: Path, *, mode: int = 0o666) -> Iterator[BinaryIO]:
    """Yield a new file beside a path, and move it there when it is complete.

    A regular file there is replaced. After an exception nothing has changed. `mode` has the
    permissions of the file, before the umask.

    Raises:
        OutputIsLink: if there is a link in its place.
        OSError: if the file cannot be written.
    """
    demand_no_link(path)
    if not path.name:  # `.` or `/`
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    new = path.with_name(f".{path.name}.new")
    new.unlink(missing_ok=True)  # what a process that was killed left
    try:
        with os.fdopen(os.open(new, _NEW, mode), "wb") as file:
            yield file
        new.replace(path)  # replaces a link that was made meanwhile, and does not follow it
    finally:
        new.unlink(missing_ok=True)


def write_whole(path: Path, text: str, *, mode: int = 0o666) -> None:
    """Write a text file in UTF-8, as `whole_file` does.

    Raises:
        OutputIsLink: if there is a link in its place.
        OSError: if the file cannot be written.
    """
    with whole_file(path, mode=mode) as file:
        file.write(text.encode())
