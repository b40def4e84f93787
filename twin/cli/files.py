"""Text from files and from standard input, whatever it is encoded in."""

from __future__ import annotations

import codecs
import errno
import os
import re
import stat
import sys
from pathlib import Path
from typing import Final, TextIO

from twin.cli.errors import FileTooLong, NoFile, NotText, UnreadableFile

STANDARD_INPUT: Final = "-"
"""The path that means standard input, as it does for other commands."""

LARGEST: Final = 64 << 20
"""Bytes of the longest file that is read: far more than any script or dump has."""

_WIDE: Final = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_BINARY: Final = re.compile(rb"[\x00-\x08\x0e-\x19\x1b-\x1f]")


def read_text(path: str) -> str:
    """Read a text: UTF-8, UTF-16 with its mark (as PowerShell redirects), else Latin-1.

    Raises:
        UnreadableFile: when it cannot be opened or read.
        FileTooLong: when it has more than 64 MiB.
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
        FileTooLong: when it has more than 64 MiB.
    """
    try:
        raw = _at_most(LARGEST + 1, path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableFile(_shown(path), reason) from None
    if len(raw) > LARGEST:
        raise FileTooLong(_shown(path), LARGEST)
    return raw


def demand_regular(path: str) -> None:
    """Check that a path leads to something with an end: a regular file, or standard input.

    Raises:
        UnreadableFile: when there is nothing.
        NoFile: when it is a device, a pipe or a socket.
    """
    if path == STANDARD_INPUT:
        return
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableFile(path, reason) from None
    if not stat.S_ISREG(mode):
        raise NoFile(path)


def typed_at() -> TextIO | None:
    """Return the terminal that standard input is, None where it is something else or closed."""
    return sys.stdin if sys.stdin is not None and sys.stdin.isatty() else None


def _at_most(size: int, path: str) -> bytes:
    if path != STANDARD_INPUT:
        with Path(path).open("rb") as file:
            return file.read(size)
    if sys.stdin is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    return sys.stdin.buffer.read(size)


def _shown(path: str) -> str:
    return "standard input" if path == STANDARD_INPUT else path
