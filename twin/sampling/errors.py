"""Errors of samples that cannot be made."""

from __future__ import annotations

from twin.errors import SubjectError, TwinError


class LogExists(
    SubjectError,
    FileExistsError,
    message="a log exists at {}; a sample needs a new log",
):
    """A log exists already at the place of the new sample."""


class NoSuchSample(TwinError, ValueError):
    """A sample of this size cannot be made."""


class BadSize(NoSuchSample):
    """Too few queue managers for a cluster, or more than the names can distinguish."""

    def __init__(self, qmgrs: int, *, least: int, most: int) -> None:
        super().__init__(f"a sample has {least} to {most} queue managers, not {qmgrs}")


class TooShort(NoSuchSample):
    """The time is too short for the planted faults."""

    def __init__(self, days: int, *, least: int) -> None:
        super().__init__(f"a sample covers {least} days or more, not {days}")


class TooLong(NoSuchSample):
    """The time is too long."""

    def __init__(self, years: float, *, most: int) -> None:
        super().__init__(f"a sample covers {most} years at most, not {years:g}")
