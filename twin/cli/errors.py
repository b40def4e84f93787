"""Errors of a command line and of the files it names."""

from __future__ import annotations

from twin.errors import SubjectError, TwinError


class BadUsage(TwinError, ValueError):
    """A command line with an option or argument that is missing, unknown or contradictory."""

    def __init__(self, *, command: str, problem: str, typed: str = "") -> None:
        """State the problem, in which the word `typed` occurs."""
        super().__init__(f"{command}: {problem} (see twin {command} --help)")
        self.values = (typed or problem,)


class GivenTwice(SubjectError, ValueError, message="{} is given twice, and takes one value"):
    """An option that takes one value and is given twice."""


class EmptyPath(SubjectError, ValueError, message="{} is empty; name a file or a folder"):
    """An option or argument with an empty path."""


class UnknownCommand(TwinError, LookupError, message="unknown command {!r}; expected one of {}{}"):
    """A command that twin does not have."""


class BadReference(
    TwinError,
    ValueError,
    message="{!r} is neither a branch ({}) nor a time (ISO 8601, or relative such as -2h){}",
):
    """A reference to compare with that is neither a branch nor a time."""


class UnreadableFile(SubjectError, OSError, message="cannot read {}: {}"):
    """A file that cannot be opened or read."""


class UnwritableFile(SubjectError, OSError, message="cannot write {}: {}"):
    """A file that cannot be written."""


class NoFile(
    SubjectError, ValueError, message="{} is not a regular file; use - for standard input"
):
    """A path to a device, a pipe or a socket: reading it may never end."""


class FileTooLong(
    SubjectError, ValueError, message="{} is longer than {} MiB; nothing of it was read"
):
    """A file or an input that is longer than any script."""


class Unwritable(SubjectError, OSError, message="cannot write standard output: {}"):
    """Standard output that cannot be written."""


class BadLogOption(
    SubjectError,
    ValueError,
    message=(
        "--log {!r} does not name a file or a database; expected FILE, sqlite:///FILE or "
        "postgresql://HOST/DATABASE"
    ),
):
    """A log in memory, which would be lost at the end of the process."""


class NotText(SubjectError, ValueError, message="{} is not text"):
    """A file that is not text."""


class NotLines(SubjectError, ValueError, message="{} is not text; expected lines of an error log"):
    """A file that has no lines of text."""


class NoSpark(
    SubjectError,
    ImportError,
    message="twin history needs {}; install it with pip install 'mq-cluster-twin[history]'",
):
    """PySpark or one of its companions is not installed."""


class NoWeb(
    SubjectError,
    ImportError,
    message=(
        "twin serve needs {}; install it with pip install 'mq-cluster-twin[web]', or record "
        "without the service: twin serve --no-web"
    ),
):
    """A part of the extra `web` is not installed."""
