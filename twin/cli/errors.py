"""What can be wrong with a command line or with the files it names."""

from __future__ import annotations

from collections.abc import Iterable

from twin.errors import SubjectError, TwinError


class BadUsage(TwinError, ValueError):
    """A command line that says too much, too little or something unknown."""

    def __init__(self, *, command: str, problem: str) -> None:
        super().__init__(f"{command}: {problem} (see twin {command} --help)")


class UnknownCommand(TwinError, LookupError):
    """A command that twin does not have."""

    def __init__(self, name: str, commands: Iterable[str]) -> None:
        super().__init__(f"unknown command {name!r}; expected one of {', '.join(commands)}")


class UnreadableFile(TwinError, OSError):
    """A file that cannot be opened or read."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} cannot be read: {reason}")


class NoFile(SubjectError, ValueError, message="{} is no regular file: - is standard input"):
    """A path that leads to no regular file: reading a device or a pipe may never end."""


class FileTooLong(TwinError, ValueError):
    """A file, or what comes from standard input, that is longer than any script."""

    def __init__(self, path: str, limit: int) -> None:
        super().__init__(f"{path} is longer than {limit >> 20} MiB: nothing of it was read")


class Unwritable(SubjectError, OSError, message="standard output cannot be written to: {}"):
    """Standard output that takes no more."""


class NoPlace(
    SubjectError,
    ValueError,
    message=(
        "--log {!r} names nothing that lasts: write FILE, sqlite:///FILE or "
        "postgresql://HOST/DATABASE"
    ),
):
    """A log that would be gone with the process that wrote it."""


class NotText(SubjectError, ValueError, message="{} is not text: MQSC is expected"):
    """A file that holds something else than text."""


class NoSpark(
    SubjectError,
    ImportError,
    message="long histories need {}: pip install 'mq-cluster-twin[history]' brings it",
):
    """PySpark, or what goes with it, is not installed."""
