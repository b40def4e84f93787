"""The commands of a file, with the comment lines inside them.

A dump writes attributes that cannot be set as comment lines inside a command. MQSC ignores them;
here they are kept with the command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from twin.mqsc.reader import CommandRead, Echoed, read
from twin.mqsc.statement import Malformed, Statement, parse

_SHOWN: Final = re.compile(r"\*\s+([A-Z][A-Z0-9]*)\((.*?)\)\s*\+?\s*")


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a file.

    Attributes:
        line: the line where it starts, from 1.
        text: its lines, joined.
        parsed: the parsed command.
        too_long: whether a line or the command is longer than runmqsc accepts.
        shown: the attributes in the comment lines inside it.
    """

    line: int
    text: str
    parsed: Statement | Malformed
    too_long: bool
    shown: dict[str, str]


def commands(text: str) -> Iterator[Command]:
    """Read the commands of a file in their order; never raises."""
    lines = text.removeprefix("\ufeff").split("\n")
    since = 0
    for item in read(text):
        if isinstance(item, CommandRead):
            inside = lines[item.line : since]
            yield Command(item.line, item.text, parse(item.text), item.too_long, _shown(inside))
        elif isinstance(item, Echoed):
            since = item.line


def _shown(lines: Sequence[str]) -> dict[str, str]:
    """Read the attributes in comment lines."""
    matches = (_SHOWN.fullmatch(line.rstrip()) for line in lines)
    return {match[1]: match[2].strip().strip("'") for match in matches if match}
