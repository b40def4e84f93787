"""Rows to the very lines of runmqsc.

Measured on public captures of 7.0 to 9.4. Cells stand two on a line, indented by 3, the second at
column 44. A first cell of up to 37 is padded to that width, also when it stays alone, and followed
by 3 blanks and the second cell if that fits; a wider one stands alone, unpadded. A second cell
was seen up to 36 wide; one of 37 did not fit and had the next line for itself. Names of a
namelist stand one on a line.
"""

from collections.abc import Sequence
from typing import Final

Cell = tuple[str, str | tuple[str, ...] | None]
"""Keyword and value; several values for a list, None for a keyword that stands bare."""

INDENT: Final = "   "
FIRST_WIDTH: Final = 37
SECOND_WIDTH: Final = 36

LISTED: Final = frozenset({"NAMES"})
"""Keywords whose values stand one on a line; other lists stay on theirs, with commas."""

_TRAILED: Final = frozenset({"BATCHLIM"})
"""Keywords that runmqsc and dmpmqcfg follow with one blank."""


def lay_out(cells: Sequence[Cell]) -> list[str]:
    """Return the lines of one row, its cells in the order given."""
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


def cell_text(keyword: str, value: str) -> str:
    """Return one cell; a blank value shows as one blank."""
    trail = " " if keyword in _TRAILED else ""
    return f"{keyword}({value or ' '}){trail}"


def _texts(cell: Cell) -> list[str]:
    """Return a cell as the text, or for a long list the lines of text, it takes."""
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
