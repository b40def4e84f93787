"""Make text harmless for terminals and spreadsheets."""

from __future__ import annotations

import re
from typing import Final

_ACTING: Final = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but TAB and LF; U+009B begins a sequence
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f"  # marks of direction, and separators of lines
    "\ufff9-\ufffb\ufeff\ud800-\udfff"  # annotations, the byte order mark, lone surrogates
)
_CHARACTERS: Final = re.compile(f"[{_ACTING}]")
_CHARACTERS_OF_LINES: Final = re.compile(f"[{_ACTING}\t\n]")

FORMULA: Final = re.compile(r"[=+\-@\t\r＝＋－＠]")  # noqa: RUF001 - wide forms count, too
"""The first character of text that spreadsheets take for a formula."""

_NOT_RUN: Final = re.compile(r"[+-]?(\d+(\.\d*)?([eE][+-]?\d+)?)?", re.ASCII)


def visible(text: str) -> str:
    r"""Return a text in which characters that a terminal acts on are written as `\x1b`, `\u202e`.

    TAB and LF stay as they are.
    """
    return _CHARACTERS.sub(_escaped, text)


def visible_line(text: str) -> str:
    r"""Return a text as `visible` does, and on one line: TAB and LF are written as `\t`, `\n`."""
    return _CHARACTERS_OF_LINES.sub(_escaped, text)


def visible_json(text: str) -> str:
    r"""Return a JSON text of equal meaning without characters that a terminal acts on."""
    return _CHARACTERS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _escaped(found: re.Match[str]) -> str:
    return ascii(found[0])[1:-1]


def cell(text: str) -> str:
    """Return the text of a CSV cell that no spreadsheet takes for a formula.

    Text that begins like a formula gets an apostrophe in front; numbers stay numbers.
    """
    return f"'{text}" if FORMULA.match(text) and not _NOT_RUN.fullmatch(text) else text
