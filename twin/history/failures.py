"""What Spark says when something is wrong, in our words: one line, and what would mend it."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from twin.errors import TwinError
from twin.history.errors import DamagedLake, NoRoom, SparkFailed

FULL: Final = re.compile(r"No space left on device|Disk quota exceeded")
"""What a full disk makes a program say."""

FULL_ERRORS: Final = (errno.ENOSPC, errno.EDQUOT)
"""The numbers of these errors."""

_FILE: Final = re.compile(r"file:(?://)?(/\S+?\.parquet)")
_DAMAGED: Final = re.compile(
    r"is not a Parquet file|FAILED_READ_FILE|CANNOT_READ_FILE|Could not read footer|"
    r"ParquetDecodingException|can not read class|corrupt|FileNotFoundException|"
    r"ChecksumException|Incomplete log file",
    re.IGNORECASE,
)
_OURS: Final = re.compile(r"twin\.(?:\w+\.)*errors\.\w+: (.+)")
_CAUSE: Final = re.compile(r"Caused by: (?:[\w.$]+: )?(.+)")
_WORKER: Final = re.compile(r"Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*(\S.*)")
_CALLING: Final = re.compile(r"^An error occurred while calling [^\n]*\n: (?:[\w.$]+: )?")


@contextmanager
def told(folder: Path) -> Iterator[None]:
    """Turn what Spark raises into an error of ours, about a lake.

    Raises:
        NoRoom: where the disk is full.
        DamagedLake: where a file cannot be read.
        SparkFailed: for anything else.
    """
    try:
        yield
    except TwinError:
        raise
    except OSError as error:
        if error.errno in FULL_ERRORS:
            raise NoRoom(str(folder)) from None
        raise SparkFailed(error) from None
    except (Py4JError, PySparkException) as error:
        raise translated(all_words(error), folder) from None


def words(error: Exception) -> str:
    """Return what an error of Spark says; once Java is gone it cannot be asked any more."""
    try:
        return str(error)
    except (OSError, Py4JError):
        return f"{type(error).__name__}, and Java has ended"


def all_words(error: Exception) -> str:
    """Return what an error of Spark says, and what Java says of its causes."""
    return "\n".join((words(error), getattr(error, "_stackTrace", None) or ""))


def translated(text: str, folder: Path) -> TwinError:
    """Say what Spark's words mean."""
    if FULL.search(text):
        return NoRoom(str(folder))
    if _DAMAGED.search(text):
        file = _FILE.search(text)
        return DamagedLake(file[1] if file else str(folder))
    return SparkFailed(reason(text))


def reason(text: str) -> str:
    """Find what tells most in all that Spark says."""
    for telling in (_OURS, _WORKER):
        found = telling.search(text)
        if found:
            return found[1]
    causes: list[str] = _CAUSE.findall(text)
    return causes[-1] if causes else _CALLING.sub("", text)
