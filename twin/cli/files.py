"""Text from files and from standard input, whatever it is encoded in."""

from __future__ import annotations

import codecs
import re
import sys
from pathlib import Path
from typing import Final

from twin.cli.errors import NotText, UnreadableFile

STANDARD_INPUT: Final = "-"
"""The path that means standard input, as it does for other commands."""

_WIDE: Final = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_BINARY: Final = re.compile(rb"[\x00-\x08\x0e-\x19\x1b-\x1f]")


def read_text(path: str) -> str:
    """Read a text: UTF-8, UTF-16 with its mark (as PowerShell redirects), else Latin-1.

    Raises:
        UnreadableFile: when it cannot be opened or read.
        NotText: when it holds what no text holds.
    """
    raw = read_bytes(path)
    wide = _WIDE.get(raw[:2])
    if wide is None and _BINARY.search(raw):
        raise NotText(_shown(path))
    for encoding in (wide or "utf-8-sig", "latin-1"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise NotText(_shown(path))


def read_bytes(path: str) -> bytes:
    """Read a file, or standard input for `-`.

    Raises:
        UnreadableFile: when it cannot be opened or read.
    """
    try:
        if path == STANDARD_INPUT:
            return sys.stdin.buffer.read()
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableFile(_shown(path), reason) from None


def _shown(path: str) -> str:
    return "standard input" if path == STANDARD_INPUT else path
