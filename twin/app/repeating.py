"""Repeat whatever met a page of a saved estate that cannot be used.

This is the only place that catches `UnusablePage`. Whatever was computed so far is discarded: the
estates, and the decision with its draft. Nothing was recorded by then, because a decision is
appended only when it is complete.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Concatenate, Final, ParamSpec, Protocol, TypeAlias, TypeVar

from twin.app.reading import Views
from twin.errors import TwinWarning, UnusablePage
from twin.events.catalogue import UnknownEvent

Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")

Tell: TypeAlias = Callable[[str], None]
"""Takes one line for the user of this process."""

_TRIES: Final = 3
"""How many saved estates are replaced for one question; then all are ignored."""


class Soundly:
    """Does something with estates; repeats it without a saved estate that cannot be used."""

    def __init__(
        self, views: Views, forgets: Sequence[Callable[[], None]], tell: Tell | None
    ) -> None:
        """Replace saved estates with these views; `forgets` discard all estates that are cached.

        `tell` takes the line that says so; by default it is a `TwinWarning`.
        """
        self._views = views
        self._forgets = forgets
        self._tell = tell or _warn

    def __call__(self, act: Callable[[], Result]) -> Result:
        """Call a function and return its result; call it again if it met an unusable page.

        It must not have recorded anything when it raises `UnusablePage`.

        Raises:
            NewerLog: if a newer version of twin added a type of event since the log was opened.
        """
        try:
            return self._repeated(act)
        except UnknownEvent:
            self._views.demand_reader()
            raise

    def _repeated(self, act: Callable[[], Result]) -> Result:
        for left in reversed(range(_TRIES)):
            try:
                return act()
            except UnusablePage as bad:
                for forget in self._forgets:
                    forget()
                if left == _TRIES - 1:
                    self._tell(f"computed again, because {bad}")
                self._views.replace(bad)
                if not left:
                    self._views.trust_nothing()
        return act()


class Repeating(Protocol):
    """Calls a function with estates, and may call it again."""

    def __call__(self, act: Callable[[], Result], /) -> Result:
        """Call a function and return its result."""


class _HasSoundly(Protocol):
    @property
    def soundly(self) -> Repeating: ...


Owner = TypeVar("Owner", bound=_HasSoundly)


def sound(
    method: Callable[Concatenate[Owner, Arguments], Result],
) -> Callable[Concatenate[Owner, Arguments], Result]:
    """Let a method be repeated if it meets an unusable page."""

    @wraps(method)
    def repeated(self: Owner, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        return self.soundly(partial(method, self, *args, **kwargs))

    return repeated


def _warn(line: str) -> None:
    warnings.warn(line, TwinWarning, stacklevel=4)
