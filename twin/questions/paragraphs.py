"""Text in lines that fit a terminal."""

from __future__ import annotations

from textwrap import wrap
from typing import Final

WIDTH: Final = 100
"""The width of the lines of a review."""


def paragraph(
    text: str, first: str = "", *, rest: str | None = None, width: int = WIDTH
) -> list[str]:
    """Return a text in lines; words and names stay whole, and what is too long stays in one line.

    The first line begins with `first`; the others with `rest`, by default as many blanks.
    """
    return wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=" " * len(first) if rest is None else rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
