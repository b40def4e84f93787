"""The bound of a record, and its digest."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

LONGEST: Final = 1 << 20
"""The most characters of one record; a longer one is cut and reported."""

TOO_LONG: Final = "is longer than 1 MiB"
"""Why a record is cut."""

DIGEST_SIZE: Final = 16
"""The number of bytes of a digest."""

_LAYOUT: Final = b" \t\r\n\v\f"


def digest_of(content: str) -> str:
    """Return the digest of a record's content; blanks and line ends do not count."""
    dense = content.encode("utf-8", "surrogatepass").translate(None, _LAYOUT)
    return blake2b(dense, digest_size=DIGEST_SIZE).hexdigest()
