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

_FILE: Final = re.compile(r"file:(?://)?(/\S+?\.parquet)")
_DAMAGED: Final = re.compile(
    r"is not a Parquet file|FAILED_READ_FILE|CANNOT_READ_FILE|Could not read footer|"
    r"ParquetDecodingException|can not read class|corrupt|FileNotFoundException",
    re.IGNORECASE,
)
_OURS: Final = re.compile(r"twin\.(?:\w+\.)*errors\.\w+: (.+)")
_CAUSE: Final = re.compile(r"Caused by: (?:[\w.$]+: )?(.+)")


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
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise NoRoom(str(folder)) from None
        raise SparkFailed(error) from None
    except (Py4JError, PySparkException) as error:
        raise translated(str(error), folder) from None


def translated(text: str, folder: Path) -> TwinError:
    """Say what Spark's words mean."""
    if FULL.search(text):
        return NoRoom(str(folder))
    if _DAMAGED.search(text):
        file = _FILE.search(text)
        return DamagedLake(file[1] if file else str(folder))
    ours = _OURS.search(text)
    if ours:
        return SparkFailed(ours[1])
    causes = _CAUSE.findall(text)
    return SparkFailed(causes[-1] if causes else text)
