"""Errors of long histories. Each one writes its own one-line message.

Spark's errors are translated: one line that says what is wrong, and what helps.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from twin.errors import SubjectError, TwinError


class BadOption(TwinError, ValueError, message="invalid option {of} {!r}; {cure}"):
    """An unknown option of the data source."""


class BadConf(TwinError, ValueError, message="invalid --conf {!r}; {}"):
    """A --conf that is not NAME=VALUE, or that sets a setting that cannot be set."""


class NoJava(
    TwinError,
    RuntimeError,
    message="Spark needs Java 17 or later, but none was found{}; set JAVA_HOME",
):
    """Spark needs Java, and found none that it can run on."""


class MasterUnreachable(TwinError, OSError):
    """The Spark cluster does not answer."""

    def __init__(self, master: str, reason: object) -> None:
        super().__init__(f"the Spark master {master} cannot be reached: {_one_line(reason)}")


class BadMaster(TwinError, ValueError):
    """The value of --master is not a master that Spark knows."""

    def __init__(self, master: str, reason: object) -> None:
        super().__init__(f"invalid --master {master}; {_one_line(reason)}")


class SparkFailed(TwinError, RuntimeError):
    """Spark failed for a reason that no other error here describes."""

    def __init__(self, reason: object) -> None:
        super().__init__(f"Spark failed: {_one_line(reason)}")


class MachineBusy(TwinError, TimeoutError):
    """Spark's Python processes start too late at every attempt."""

    REASON = "the machine is busy: a Python process of Spark did not start in time"

    def __init__(self, attempts: int) -> None:
        super().__init__(
            f"{self.REASON} in {attempts} attempts; try again when the machine is less busy; "
            "complete parts of the lake are kept"
        )


class NoSpace(
    SubjectError,
    OSError,
    message="no space left for {}; what is complete there is kept",
):
    """The disk is full."""


class BadFolder(TwinError, OSError):
    """A folder that cannot be created or written to."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"cannot write a report to the folder {path}: {_one_line(reason)}")
        self.values = (path,)


class NoLake(
    SubjectError,
    LookupError,
    message="there is no lake at {}; twin history update creates one",
):
    """The lake does not exist."""


class OldLake(
    TwinError,
    ValueError,
    message="the lake {} has the columns of version {}; twin history update rebuilds it",
):
    """A lake with the columns of another version."""


class NoSuchCluster(
    SubjectError, LookupError, message="unknown cluster {!r}; no event in the lake names it"
):
    """A cluster that no event names."""


class NotALake(TwinError, ValueError, message="{} {}; name another folder with --lake"):
    """The folder is not a lake, or is the lake of another log."""


class DamagedLake(
    SubjectError,
    ValueError,
    message="{} is damaged; delete the lake that contains it, then run twin history update",
):
    """A file of the lake cannot be read."""


class BadWindow(TwinError, ValueError, message="the window ends at {1}, before it begins at {0}"):
    """A window of time that ends before it begins."""


class EmptyHistory(TwinError, LookupError, message="the lake {} contains no events of branch {}"):
    """There are no events to analyse."""


class NoSuchMetric(TwinError, LookupError, message="unknown metric {!r}; expected one of {}"):
    """An unknown metric."""


class LakeBusy(
    SubjectError,
    RuntimeError,
    message="another process is updating the lake {}; wait until it ends",
):
    """Another process is writing to the lake."""


def _one_line(reason: object) -> str:
    """Reduce a library's message to its first line."""
    lines = str(reason).strip().splitlines()
    return lines[0].strip() if lines else type(reason).__name__


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
