"""The root of all errors, and a base for those about one thing; each makes its own message."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the known ones like it, '' if none is."""
    import difflib  # noqa: PLC0415 - only errors need it

    by_lower = {each.lower(): each for each in known}
    near = difflib.get_close_matches(name.lower(), by_lower, n=3)
    return f"; did you mean {' or '.join(by_lower[each] for each in near)}?" if near else ""


def reason_of(error: Exception) -> str:
    """Return why the system refused something, without the file that the message names, too."""
    return getattr(error, "strerror", None) or str(error)


class TwinError(Exception):
    """The root of every error this package raises on purpose.

    A class states its message: `class NoLog(TwinError, message="there is no log at {}")`. The
    message has one line; each `{}` in it stands for a word of the call, `{name}` for a named one.

    Attributes:
        values: texts of others that the message repeats. Who hides secrets in the message looks for
            them in each of these texts alone, and in the words between: `-p` and the word of our
            own after it are no option with its value.
    """

    values: tuple[str, ...] = ()
    _message: ClassVar[str] = ""

    def __init_subclass__(cls, *, message: str = "") -> None:
        super().__init_subclass__()
        cls._message = message or cls._message

    def __init__(self, *words: object, **named: object) -> None:
        super().__init__(
            self._message.format(*words, **named) if self._message else "".join(map(str, words))
        )


class TwinWarning(UserWarning):
    """Something that the user of the library should know, although the answer is right."""


class SubjectError(TwinError):
    """An error about a text of others, which is the first word of its message."""

    def __init__(self, subject: str | int, *words: object, **named: object) -> None:
        super().__init__(subject, *words, **named)
        self.values = (str(subject),)


class BadInstant(
    SubjectError,
    ValueError,
    message="{!r} is not a time: write ISO 8601 (2026-01-31T02:13:00Z) or relative (+27d, -2h)",
):
    """A time that is neither ISO 8601 nor relative."""


class InstantOutOfRange(
    BadInstant, message="{!r} is out of range: the first instant is 1900-01-01, the last 9999-12-30"
):
    """A time too early or too late to be an instant."""


class UnusablePage(TwinError):
    """A page of a saved estate that is missing, was altered, or cannot be read.

    The estate that needed the page is of no use. `twin.app` discards it and the saved estate, and
    repeats the question or the decision.

    Attributes:
        saved: the saved estate that names the page, as the log returned it; None if it is unknown.
    """

    def __init__(self, page: str, problem: str, saved: object = None) -> None:
        super().__init__(
            f"page {page!r} of a saved estate {problem}; no recorded event is affected"
        )
        self.saved = saved
