"""The root of all errors, and a base for those about one thing; each makes its own message."""

from __future__ import annotations

from typing import ClassVar


class TwinError(Exception):
    """The root of every error this package raises on purpose."""


class SubjectError(TwinError):
    """An error about one thing: `class NoLog(SubjectError, message="there is no log at {}")`.

    The message has one line; `{}` in it stands for the subject.
    """

    _message: ClassVar[str]

    def __init_subclass__(cls, *, message: str) -> None:
        super().__init_subclass__()
        cls._message = message

    def __init__(self, subject: str | int) -> None:
        super().__init__(self._message.format(subject))


class BadInstant(
    SubjectError,
    ValueError,
    message="{!r} is not a time: write ISO 8601 (2026-01-31T02:13:00Z) or relative (+27d, -2h)",
):
    """A time that is neither ISO 8601 nor relative."""
