"""Notes what a rule asks of an index, so that it runs again only if an answer is another one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

ReadAttribute: TypeAlias = tuple[str, str]
"""A class of what rules read, and an attribute of it."""


class Recorder:
    """Notes which attributes are asked of the objects of one index.

    An attribute is noted when it is asked for the first time since `taken`. After that, asking for
    it costs nothing: the property that notes it is gone until then.
    """

    def __init__(self) -> None:
        """Note nothing yet."""
        self._noted: dict[ReadAttribute, tuple[type, str]] = {}

    def noting(self, base: type, names: Iterable[str]) -> Any:
        """Return a class to which objects of a class can be changed, and that notes attributes."""
        made = type(base.__name__, (base,), {"__slots__": ()})
        for name in names:
            self._arm(made, name)
        return made

    def taken(self) -> frozenset[ReadAttribute]:
        """Return what was asked since the last time, and note it again from now on."""
        noted, self._noted = self._noted, {}
        for made, name in noted.values():
            self._arm(made, name)
        return frozenset(noted)

    def _arm(self, made: type, name: str) -> None:
        setattr(made, name, property(self._noter(made, name)))

    def _noter(self, made: type, name: str) -> Callable[[object], Any]:
        def ask(owner: object) -> Any:
            if name in vars(made):
                delattr(made, name)
            self._noted[made.__name__, name] = (made, name)
            return getattr(owner, name)

        return ask
