"""Translates Spark's errors: one line that says what is wrong, and what helps."""

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
from twin.history.errors import DamagedLake, NoSpace, SparkFailed

FULL: Final = re.compile(r"No space left on device|Disk quota exceeded")
"""What programs report when the disk is full."""

FULL_ERRORS: Final = (errno.ENOSPC, errno.EDQUOT)
"""The error numbers of a full disk."""

_FILE: Final = re.compile(r"file:(?://)?(/\S+?\.parquet)")
_DAMAGED: Final = re.compile(
    r"is not a Parquet file|FAILED_READ_FILE|CANNOT_READ_FILE|Could not read footer|"
    r"ParquetDecodingException|can not read class|corrupt|FileNotFoundException|"
    r"ChecksumException|PATH_NOT_FOUND",
    re.IGNORECASE,
)
_OURS: Final = re.compile(r"twin\.(?:\w+\.)*errors\.\w+: (.+)")
_CAUSE: Final = re.compile(r"Caused by: (?:[\w.$]+: )?(.+)")
_WORKER: Final = re.compile(r"Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*(\S.*)")
_CALLING: Final = re.compile(r"^An error occurred while calling [^\n]*\n: (?:[\w.$]+: )?")


@contextmanager
def translate_spark_errors(folder: Path | str) -> Iterator[None]:
    """Translate Spark's exceptions into errors of this package.

    Raises:
        NoSpace: if the disk is full.
        DamagedLake: if a file cannot be read.
        SparkFailed: for any other reason.
    """
    try:
        yield
    except TwinError:
        raise
    except OSError as error:
        if error.errno in FULL_ERRORS:
            raise NoSpace(str(folder)) from None
        raise SparkFailed(error) from None
    except (Py4JError, PySparkException) as error:
        raise translated(all_words(error), folder) from None


def words(error: Exception) -> str:
    """Return the message of an error of Spark; only its class if Java has ended."""
    try:
        return str(error)
    except (OSError, Py4JError):
        return f"{type(error).__name__}; Java has ended"


def all_words(error: Exception) -> str:
    """Return the message of an error of Spark, with the causes that Java names."""
    return "\n".join((words(error), getattr(error, "_stackTrace", None) or ""))


def translated(text: str, folder: Path | str) -> TwinError:
    """Return the error that a message of Spark means."""
    if FULL.search(text):
        return NoSpace(str(folder))
    if _DAMAGED.search(text):
        file = _FILE.search(text)
        return DamagedLake(file[1] if file else str(folder))
    return SparkFailed(reason(text))


def reason(text: str) -> str:
    """Return the most informative line of Spark's messages."""
    for telling in (_OURS, _WORKER):
        match = telling.search(text)
        if match:
            return match[1]
    causes: list[str] = _CAUSE.findall(text)
    return causes[-1] if causes else _CALLING.sub("", text)
