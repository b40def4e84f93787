"""What was read once: the records of one log differ in few places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Generic, TypeVar

_MOST: Final = 4096
_LONGEST: Final = 2048

_Read = TypeVar("_Read")


class Kept(Generic[_Read]):
    """A reader of texts that reads a short text only once, as long as it comes again.

    Two generations are kept. What was not asked for while a generation filled up is forgotten, so
    texts that never come again do not displace those that do.
    """

    def __init__(self, read: Callable[[str], _Read]) -> None:
        """Take the function that reads a text."""
        self._read = read
        self._young: dict[str, _Read] = {}
        self._old: dict[str, _Read] = {}

    def __call__(self, text: str) -> _Read:
        """Return what a text says."""
        found = self._young.get(text)
        if found is not None:
            return found
        found = self._old.get(text)
        if found is None:
            found = self._read(text)
        if len(text) <= _LONGEST:
            if len(self._young) >= _MOST:
                self._old, self._young = self._young, {}
            self._young[text] = found
        return found
