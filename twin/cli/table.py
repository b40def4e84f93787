"""Text tables that fit a terminal, or a given width: cells are wrapped if necessary."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TextIO

WIDTH: Final = 100
"""The width of lines if the output is not a terminal."""

_GAP: Final = "  "
_NARROWEST: Final = 10
_SHORT_LINE: Final = 24
_BREAKS: Final = (" ", ",_.", "-/:@")
"""The characters after which a long cell may be broken, the best ones first."""

_WHOLE: Final = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*Z"
    r"|[\w.%/]+_\d{4}-\d\d-\d\d_\d\d\.\d\d\.\d\d\??",
    re.ASCII,
)
"""What is never broken: an instant, and a QMID with its date."""
_WORD: Final = re.compile(r"[^ ]+")
_PART: Final = re.compile(rf"{_WHOLE.pattern}|[^ ,_.]+[,_.]?|[,_.]")
"""A part of a name, with the character after which it may be broken."""
_PIECE: Final = re.compile(rf"{_WHOLE.pattern}|[^ ,_.\-/:@]+[,_.\-/:@]?|[,_.\-/:@]")
"""A part of a path or an address, likewise."""

_BOLD: Final = "\x1b[1m"
_DIM: Final = "\x1b[2m"
_CYAN: Final = "\x1b[36m"
_PLAIN: Final = "\x1b[0m"


def width_of(stream: TextIO) -> int | None:
    """Return the width of the terminal that a stream writes to; None if it is not a terminal."""
    return shutil.get_terminal_size().columns if stream.isatty() else None


def coloured(stream: TextIO) -> bool:
    """Return whether a stream is a terminal that may show colours."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not plain


class Styled(str):
    """A line that a terminal shows in a style. Its text has no escape sequence, as any other."""

    __slots__ = ("style",)
    style: str

    def on(self, stream: TextIO, shown: str) -> str:
        """Return what is written to a stream for this line, whose harmless text is `shown`."""
        return f"{self.style}{shown}{_PLAIN}" if coloured(stream) else shown


def bold(text: str) -> Styled:
    """Emphasise a line on a terminal."""
    return _styled(_BOLD, text)


def dim(text: str) -> Styled:
    """Show a minor line dimmed on a terminal."""
    return _styled(_DIM, text)


def cyan(text: str) -> Styled:
    """Colour a line that a user types, on a terminal."""
    return _styled(_CYAN, text)


def _styled(style: str, text: str) -> Styled:
    line = Styled(text)
    line.style = style
    return line


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    width: int | None,
    cut: bool = False,
    blank: str = "-",
) -> Iterator[str]:
    """Format rows under headings; if no layout fits, write each row as a block.

    Args:
        columns: the headings.
        rows: one text for each column.
        width: the width of the terminal; None for no limit.
        cut: cut the last column if it does not fit, instead of wrapping.
        blank: what a block shows for an empty text; '' to leave out the column there.
    """
    natural = [max(map(len, cells)) for cells in zip(columns, *rows, strict=True)]
    if cut and width is not None:
        room = max(width - sum(natural[:-1]) - len(_GAP) * (len(natural) - 1), len(columns[-1]))
        rows = [[*row[:-1], _cut(row[-1], room)] for row in rows]
        natural[-1] = min(natural[-1], room)
    widths = natural if width is None or cut else _fitted((columns, *rows), natural, width)
    if widths is None:
        yield from _blocks(columns, rows, width=width or 0, blank=blank)
        return
    yield from map(bold, _wrapped(columns, widths))
    for row in rows:
        yield from _wrapped(row, widths)


def _fitted(rows: Sequence[Sequence[str]], natural: Sequence[int], width: int) -> list[int] | None:
    """Narrow columns until all rows fit, the headings too; None if they cannot be narrow enough.

    Lists and sentences are broken between words first, then all cells after dots and underscores,
    then anywhere. An instant or a QMID is never broken. No column becomes narrower than a short
    line while another one can be broken in the same way or in the next.
    """
    cells = list(zip(*rows, strict=True))
    lists = [number for number, column in enumerate(cells) if any(" " in cell for cell in column)]
    widths = list(natural)
    every = range(len(cells))
    for pattern, able, shortest in (
        (_WORD, lists, _SHORT_LINE),
        (_PART, every, _SHORT_LINE),
        (_PIECE, every, _SHORT_LINE),
        (_WORD, lists, _NARROWEST),
        (_PART, every, _NARROWEST),
        (_WHOLE, every, _NARROWEST),
    ):
        least = [max(shortest, _longest(pattern, column)) for column in cells]
        while sum(widths) + len(_GAP) * (len(widths) - 1) > width:
            wide = [number for number in able if widths[number] > least[number]]
            if not wide:
                break
            widths[max(wide, key=widths.__getitem__)] -= 1
        else:
            return widths
    return None


def _longest(pattern: re.Pattern[str], cells: Sequence[str]) -> int:
    return max((len(found) for cell in cells for found in pattern.findall(cell)), default=0)


def _wrapped(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    parts = [list(_pieces(cell, size)) for cell, size in zip(row, widths, strict=True)]
    for number in range(max(map(len, parts))):
        yield _line([part[number] if number < len(part) else "" for part in parts], widths)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell.ljust(size) for cell, size in zip(cells, widths, strict=True))
    return _GAP.join(padded).rstrip()


def folded(lines: Iterable[str]) -> Iterator[str]:
    """Break lines that are too long, after a comma if there is one; indent what follows."""
    width = width_of(sys.stdout) or WIDTH
    for line in lines:
        if len(line) <= width:
            yield line
        else:
            yield f"\n{_GAP}".join(_pieces(line, width - len(_GAP), (",", *_BREAKS)))


def _pieces(text: str, size: int, breaks: Sequence[str] = _BREAKS) -> Iterator[str]:
    """Cut a text into pieces of at most `size`, after the best break character in it."""
    while len(text) > size:
        cut = next(filter(None, (_last_break(text, size, after) for after in breaks)), size)
        yield text[:cut].rstrip()
        text = text[cut:].lstrip()
    yield text


def _last_break(text: str, size: int, after: str) -> int:
    """Return where the last of these characters ends that may end a line; 0 if none may."""
    whole = [found.span() for found in _WHOLE.finditer(text)]
    cuts = (
        cut
        for cut, before in enumerate(text[: size + (after == " ")], start=1)
        if before in after and not any(begin < cut < end for begin, end in whole)
    )
    return max(cuts, default=0)


def _cut(text: str, size: int) -> str:
    return text if len(text) <= size else f"{text[: size - 1]}…"


def _blocks(
    columns: Sequence[str], rows: Sequence[Sequence[str]], *, width: int, blank: str
) -> Iterator[str]:
    """Write each row as `column value` pairs on as many lines as it needs."""
    for row in rows:
        line = ""
        for column, cell in zip(columns, row, strict=True):
            if not cell and not blank:
                continue
            pair = f"{column} {cell or blank}"
            if line and len(line) + len(_GAP) + len(pair) > width:
                yield line
                line = f"{_GAP}{pair}"
            else:
                line = f"{line}{_GAP}{pair}" if line else pair
        yield line
