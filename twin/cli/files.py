"""Reads text from files and from standard input, in any usual encoding.

Passwords and tokens are in the first line of a file: never in the words of a command.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, TextIO

from twin.cli.errors import FileTooLong, NoFile, NotLines, NotText, UnreadableFile
from twin.cli.output import complain
from twin.errors import TwinError, reason_of

_OTHERS: Final = 0o077
"""The permissions that nobody but the owner of a secret should have."""

_LONGEST: Final = 4096


def secret_in(file: str) -> str:
    """Return the first line of a file, or of standard input for `-`.

    Raises:
        UnreadableFile: if it cannot be read, or is not text.
    """
    try:
        if file == STANDARD_INPUT:
            line = sys.stdin.buffer.readline(_LONGEST) if sys.stdin is not None else b""
        else:
            with Path(file).open("rb") as lines:
                line = lines.readline(_LONGEST)
            warn_if_open(Path(file))
        return line.decode().rstrip("\r\n")
    except (OSError, ValueError) as error:
        reason = reason_of(error) if isinstance(error, OSError) else "not text"
        raise UnreadableFile(name_of(file), reason) from None


def warn_if_open(path: Path) -> None:
    """Say so if other users of the machine may read or change a file; nothing if it is missing."""
    if os.access(path, os.F_OK) and path.stat().st_mode & _OTHERS:
        complain(f"other users may read or change {path} (chmod 600 {path})")


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
        raise UnreadableFile(name_of(path), reason_of(error)) from None
    if len(raw) > MAX_BYTES:
        raise FileTooLong(name_of(path), MAX_BYTES >> 20)
    return raw


def lines_of(path: str, *, longest: int) -> Iterator[str]:
    """Read the lines of a file of any size, or of standard input; each line has its end.

    A line that is not UTF-8 is read as Latin-1. UTF-16 needs a byte order mark. A line that is
    longer than `longest` bytes is cut there. Lines may end with CR alone. A hole of NULs, which a
    crash leaves in a log, ends a line.

    Raises:
        UnreadableFile: if it cannot be opened or read.
        NotLines: if it is not text.
    """
    try:
        with _opened(path) as file:
            yield from _lines(path, file, longest)
    except (OSError, ValueError) as error:
        if isinstance(error, TwinError):
            raise
        raise UnreadableFile(name_of(path), reason_of(error)) from None


def _lines(path: str, file: BinaryIO, longest: int) -> Iterator[str]:
    """Divide a file into lines, block by block."""
    block = _HOLE.sub(b"\n", file.read(_BLOCK))
    utf_16 = _UTF_16.get(block[:2])
    if utf_16 is None and len(_BINARY.findall(block)) > max(_FEW, _GARBLED * len(block)):
        raise NotLines(name_of(path))
    cr_alone = utf_16 is None and b"\n" not in block
    decoder = codecs.getincrementaldecoder(utf_16)(errors="replace") if utf_16 else None
    block = block.removeprefix(codecs.BOM_UTF8)
    waiting = bytearray()
    while block:
        raw = decoder.decode(block).encode("utf-8", "replace") if decoder else block
        raw = raw.replace(b"\r", b"\n") if cr_alone else raw
        *whole, rest = raw.split(b"\n")
        for line in whole:
            yield _line_of(bytes(waiting) + line[:longest], longest)
            waiting.clear()
        waiting += rest[: max(0, longest + 1 - len(waiting))]
        block = _HOLE.sub(b"\n", file.read(_BLOCK))
    if waiting:
        yield _line_of(bytes(waiting), longest)


def _line_of(raw: bytes, longest: int) -> str:
    raw = raw[: longest + 1]
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    return f"{text}\n"


_BLOCK: Final = 1 << 16
_HOLE: Final = re.compile(rb"\0{512,}")
"""At least one sector of a disk that was never written."""
_FEW: Final = 8
_GARBLED: Final = 0.05
"""The number and the share of bytes that no text contains, above which a file is binary."""


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
        raise UnreadableFile(path, reason_of(error)) from None
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
    with _opened(path) as file:
        return file.read(size)


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    """Open a file for reading, or standard input, which stays open."""
    if path != STANDARD_INPUT:
        with Path(path).open("rb") as file:
            yield file
    elif sys.stdin is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    else:
        yield sys.stdin.buffer


def name_of(path: str) -> str:
    """Return the name of a file for messages."""
    return "standard input" if path == STANDARD_INPUT else path
