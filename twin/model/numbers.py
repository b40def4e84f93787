"""Whole numbers in texts of others, which may be as long as a request."""

from __future__ import annotations

from typing import Final

MOST_DIGITS: Final = 18
"""The digits that a number may have: each such number fits into 64 bits."""


def whole_number(text: str, *, signed: bool = False) -> int | None:
    """Return a whole number that is written with ASCII digits; None if the text is no such number.

    More than `MOST_DIGITS` digits are not read. With `signed`, it may begin with a minus.
    """
    digits = text.removeprefix("-") if signed else text
    if len(digits) > MOST_DIGITS or not (digits.isascii() and digits.isdecimal()):
        return None
    return int(text)
