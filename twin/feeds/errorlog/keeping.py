"""What was read once: the records of one log differ in few places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

_MOST: Final = 1024
_LONGEST: Final = 4096

_Read = TypeVar("_Read")


def kept(known: dict[str, _Read], text: str, read: Callable[[str], _Read]) -> _Read:
    """Return what a text says. It is read only once if it is short.

    Args:
        known: what was read before; it stays small.
        text: the text.
        read: reads it.
    """
    found = known.get(text)
    if found is None:
        found = read(text)
        if len(text) <= _LONGEST:
            if len(known) >= _MOST:
                known.clear()
            known[text] = found
    return found
