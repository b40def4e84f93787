"""What a page that cannot be read raises: always `UnusablePage`, whatever is wrong in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from twin.errors import UnusablePage

_WRONG: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What readers of pages raise if a page does not have the expected form."""


@contextmanager
def reading(page: str) -> Iterator[None]:
    """Read a page of this name in the block.

    Raises:
        UnusablePage: if it does not have the expected form.
    """
    try:
        yield
    except _WRONG as error:
        raise UnusablePage(page, "cannot be read") from error
