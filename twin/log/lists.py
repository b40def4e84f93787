"""Lists of values in statements: a few fixed lengths, so that there are few statements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from sqlalchemy import BindParameter, bindparam

LENGTHS: Final = (1, 20, 500)


def listed(count: int) -> list[BindParameter[Any]]:
    """Return the parameters of a list of so many values, for `column.in_`."""
    return [bindparam(f"listed_{number}") for number in range(count)]


def in_lists(values: Sequence[Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the values in lists of `LENGTHS`, each with its length; the last value fills up."""
    for start in range(0, len(values), LENGTHS[-1]):
        some = values[start : start + LENGTHS[-1]]
        length = next(length for length in LENGTHS if length >= len(some))
        filled = [*some, *[some[-1]] * (length - len(some))]
        yield length, {f"listed_{number}": value for number, value in enumerate(filled)}
