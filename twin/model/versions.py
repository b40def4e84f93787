"""The version of this program, and how versions are compared."""

from __future__ import annotations

from typing import Final

FIRST: Final = "0.1.0"
"""The first version of twin: it wrote the first edition of the log."""

VERSION: Final = "0.2.0"
"""The version of this program."""


def version_key(version: str) -> tuple[int, ...]:
    """Return a key that orders versions such as 0.2.0; a part that is not a number counts as 0."""
    return tuple(int(part) if part.isdecimal() else 0 for part in version.split("."))
