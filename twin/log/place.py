"""The file that a log was opened as, so that it is noticed if it was moved or replaced."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple, Self

from twin.log.errors import LogMoved


class LogPlace(NamedTuple):
    """The file of a log: its path, and what it is whatever its path.

    A process that has a file open goes on with it when it is moved, and notices nothing. What it
    writes is then in a file that nobody looks for.

    Attributes:
        name: the log, as errors name it.
        file: the path.
        device: the number of the file system.
        number: the number of the file there (its inode).
    """

    name: str
    file: Path
    device: int
    number: int

    @classmethod
    def of(cls, name: str, file: Path) -> Self:
        """Return the place of a file that exists.

        Raises:
            OSError: if it does not.
        """
        found = file.stat()
        return cls(name, file, found.st_dev, found.st_ino)

    def demand(self) -> None:
        """Check that the same file is still there.

        Raises:
            LogMoved: if it is not.
        """
        try:
            found = os.stat(self.file)  # noqa: PTH116 - each write asks this
        except OSError:
            raise LogMoved(self.name) from None
        if (found.st_dev, found.st_ino) != (self.device, self.number):
            raise LogMoved(self.name)
