"""Reads text from files and from standard input, in any usual encoding."""

from __future__ import annotations

import codecs
import errno
import io
import os
import re
import stat
import sys
from pathlib import Path
from typing import Final, TextIO

from twin.cli.errors import FileTooLong, NoFile, NotText, UnreadableFile

STANDARD_INPUT: Final = "-"
"""The path that means standard input."""

MAX_BYTES: Final = 64 << 20
"""The largest file that is read, in bytes: far larger than any script or dump."""

BAD_BYTE: Final = "\ufffd"
"""The character that replaces a byte that is not UTF-8; a command with it is a syntax error."""

_UTF_16: Final = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_BINARY: Final = re.compile(rb"[\x00-\x08\x0e-\x19\x1b-\x1f]")


def read_text(path: str) -> str:
    """Read text in UTF-8, in UTF-16 with a byte order mark (as PowerShell writes), or in Latin-1.

    In UTF-8 with invalid bytes, `BAD_BYTE` stands for each of them. Lines may end with CR alone.

    Raises:
        UnreadableFile: if it cannot be opened or read.
        FileTooLong: if it is longer than 64 MiB.
        NotText: if it contains bytes that no text contains.
    """
    return text_in(read_bytes(path), path)


def text_in(raw: bytes, path: str) -> str:
    """Decode the bytes of a file as `read_text` does.

    Raises:
        NotText: if they contain bytes that no text contains.
    """
    utf_16 = _UTF_16.get(raw[:2])
    if utf_16 is None and _BINARY.search(raw):
        raise NotText(name_of(path))
    try:
        text = raw.decode(utf_16 or "utf-8-sig")
    except UnicodeDecodeError:
        if utf_16:
            raise NotText(name_of(path)) from None
        text = _damaged(raw)
    if utf_16 and _BINARY.search(text.encode()):
        raise NotText(name_of(path))
    return text if "\n" in text else text.replace("\r", "\n")


def _damaged(raw: bytes) -> str:
    """Decode text that is not UTF-8: Latin-1, unless another part of it is UTF-8."""
    text = raw.decode("utf-8-sig", errors="replace")
    is_utf_8 = any(character > "\x7f" and character != BAD_BYTE for character in set(text))
    return text if is_utf_8 else raw.decode("latin-1")


def read_bytes(path: str) -> bytes:
    """Read a file, or standard input for `-`.

    Raises:
        UnreadableFile: if it cannot be opened or read.
        FileTooLong: if it is longer than 64 MiB.
    """
    try:
        raw = _read(path, MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableFile(name_of(path), reason) from None
    if len(raw) > MAX_BYTES:
        raise FileTooLong(name_of(path), MAX_BYTES)
    return raw


def check_regular(path: str) -> None:
    """Check that a path is a regular file or standard input.

    Raises:
        UnreadableFile: if it does not exist.
        NoFile: if it is a device, a pipe or a socket.
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


def terminal_input() -> TextIO | None:
    """Return standard input if it is a terminal, else None."""
    if sys.stdin is None or not sys.stdin.isatty():
        return None
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # with BAD_BYTE
    return sys.stdin


def _read(path: str, size: int) -> bytes:
    if path != STANDARD_INPUT:
        with Path(path).open("rb") as file:
            return file.read(size)
    if sys.stdin is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    return sys.stdin.buffer.read(size)


def name_of(path: str) -> str:
    """Return the name of a file for messages."""
    return "standard input" if path == STANDARD_INPUT else path
