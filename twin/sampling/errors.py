"""Why a sample cannot be made."""

from __future__ import annotations

from twin.errors import TwinError


class LogExists(TwinError, FileExistsError):
    """A sample is to be written where a log is."""

    def __init__(self, url: str) -> None:
        super().__init__(f"there is a log at {url}: a sample is written into a new one only")


class NoSuchSample(TwinError, ValueError):
    """A sample of a size that none can have."""


class BadSize(NoSuchSample):
    """There are too few queue managers for a cluster, or more than can be told apart by name."""

    def __init__(self, qmgrs: int, *, least: int, most: int) -> None:
        super().__init__(f"a sample has {least} to {most} queue managers, not {qmgrs}")


class TooShort(NoSuchSample):
    """A sample is to cover too little time for what is planted in it."""

    def __init__(self, days: int, *, least: int) -> None:
        super().__init__(f"a sample covers {least} days or more, not {days}")


class TooLong(NoSuchSample):
    """A sample is to cover more time than there is."""

    def __init__(self, years: float, *, most: int) -> None:
        super().__init__(f"a sample covers {most} years at most, not {years:g}")
