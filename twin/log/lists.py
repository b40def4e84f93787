"""Lists of values in statements; they have a few fixed lengths, so that statements are reused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from sqlalchemy import BindParameter, bindparam

LENGTHS: Final = (1, 20, 500)


def listed(count: int) -> list[BindParameter[Any]]:
    """Return the parameters of a list of `count` values, for `column.in_`."""
    return [bindparam(f"listed_{number}") for number in range(count)]


def in_lists(values: Sequence[Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the values in lists of `LENGTHS`, each with its length; the last value pads a list."""
    for start in range(0, len(values), LENGTHS[-1]):
        part = values[start : start + LENGTHS[-1]]
        length = next(length for length in LENGTHS if length >= len(part))
        padded = [*part, *[part[-1]] * (length - len(part))]
        yield length, {f"listed_{number}": value for number, value in enumerate(padded)}
