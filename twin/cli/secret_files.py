"""Passwords and tokens in the first line of a file: never in the words of a command."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from twin.cli.errors import UnreadableFile
from twin.cli.files import STANDARD_INPUT, name_of
from twin.cli.output import complain
from twin.errors import reason_of

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
