"""What can be wrong with a command line or with the files it names."""

from __future__ import annotations

from twin.errors import TwinError


class BadUsage(TwinError, ValueError):
    """A command line that says too much, too little or something unknown."""

    def __init__(self, *, command: str, problem: str) -> None:
        super().__init__(f"{command}: {problem} (see twin {command} --help)")


class UnreadableFile(TwinError, OSError):
    """A file that cannot be opened or read."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} cannot be read: {reason}")


class NotText(TwinError, ValueError):
    """A file that holds something else than text."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} is not text: MQSC is expected")
