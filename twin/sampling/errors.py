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


class BadSize(NoSuchSample, message="a sample has {least} to {most} queue managers, not {}"):
    """Too few queue managers for a cluster, or more than the names can distinguish."""


class TooShort(NoSuchSample, message="a sample covers {least} days or more, not {}"):
    """The time is too short for the planted faults."""


class TooLong(NoSuchSample, message="a sample covers {most} years at most, not {:g}"):
    """The time is too long."""
