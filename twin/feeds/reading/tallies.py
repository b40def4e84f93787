"""Parts of a file that come to nothing: the first of each kind, and how many more there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from typing import Final, Generic, TypeVar

MOST_ALIKE: Final = 1000
"""How many parts of one kind are kept one by one."""

_Part = TypeVar("_Part")


class Tally(Generic[_Part]):
    """Parts in the order of the file, in bounded memory as long as there are few kinds.

    Of each kind, the first `MOST_ALIKE` are kept. All others are merged into one.
    """

    def __init__(
        self, kind: Callable[[_Part], Hashable], merged: Callable[[_Part, _Part], _Part]
    ) -> None:
        """Begin without parts.

        Args:
            kind: returns what is equal for parts of one kind.
            merged: returns one part that stands for two of a kind, the earlier one first.
        """
        self.total = 0
        self._kind = kind
        self._merged = merged
        self._counts: Counter[Hashable] = Counter()
        self._first: list[_Part] = []
        self._rest: dict[Hashable, _Part] = {}

    def add(self, part: _Part) -> None:
        """Add a part."""
        kind = self._kind(part)
        self.total += 1
        self._counts[kind] += 1
        if self._counts[kind] <= MOST_ALIKE:
            self._first.append(part)
        else:
            known = self._rest.get(kind)
            self._rest[kind] = part if known is None else self._merged(known, part)

    def __iter__(self) -> Iterator[_Part]:
        """Return the parts, with those that stand for several at the end."""
        yield from self._first
        yield from self._rest.values()
