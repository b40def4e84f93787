"""Lay out rows exactly as runmqsc prints them.

Taken from public captures of 7.0 to 9.4. A line has two cells, indented by 3, the second at column
44. A first cell of up to 37 characters is padded to that width, even without a second cell; 3
blanks and the second cell follow if it fits. A wider first cell is alone on its line, unpadded. A
second cell has up to 36 characters; one of 37 is on the next line. Each name of a namelist has its
own line.
"""

from collections.abc import Sequence
from typing import Final

Cell = tuple[str, str | tuple[str, ...] | None]
"""A keyword and its value: several values for a list, None for a keyword without value."""

INDENT: Final = "   "
FIRST_WIDTH: Final = 37
SECOND_WIDTH: Final = 36

LISTED: Final = frozenset({"NAMES"})
"""Keywords whose values have one line each; other lists are on one line, with commas."""

_TRAILED: Final = frozenset({"BATCHLIM"})
"""Keywords whose cell runmqsc and dmpmqcfg end with a blank."""


def lay_out(cells: Sequence[Cell]) -> list[str]:
    """Return the lines of one row, with its cells in this order."""
    lines: list[str] = []
    half = False
    for cell in cells:
        texts = _texts(cell)
        if half and len(texts) == 1 and len(texts[0]) <= SECOND_WIDTH:
            lines[-1] += INDENT + texts[0]
            half = False
            continue
        lines += [f"{INDENT}{text:<{FIRST_WIDTH}}" for text in texts]
        half = not half and len(texts) == 1 and len(texts[0]) <= FIRST_WIDTH
    return lines


def one_line(cells: Sequence[Cell]) -> str:
    """Return the cells of one row on one line, each indented, without padding."""
    return "".join(
        INDENT + (keyword if value is None else cell_text(keyword, _joined(value)).rstrip())
        for keyword, value in cells
    )


def _joined(value: str | tuple[str, ...]) -> str:
    return value if isinstance(value, str) else ",".join(value)


def cell_text(keyword: str, value: str) -> str:
    """Return one cell; a blank value is written as one blank."""
    trail = " " if keyword in _TRAILED else ""
    return f"{keyword}({value or ' '}){trail}"


def _texts(cell: Cell) -> list[str]:
    """Return the text of a cell, or its lines for a list."""
    keyword, value = cell
    if value is None:
        return [keyword]
    if isinstance(value, str):
        return [cell_text(keyword, value)]
    if keyword not in LISTED or len(value) < 2:  # noqa: PLR2004 - one name needs no second line
        return [cell_text(keyword, ",".join(value))]
    margin = " " * len(keyword)
    middle = [f"{margin},{name}" for name in value[1:]]
    return [f"{keyword}({value[0]}", *middle[:-1], middle[-1] + ")"]
