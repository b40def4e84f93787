"""What readers of feeds share: the bound of a record, its digest, and texts in reports."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Final

from twin.feeds.masking import masked_text

LONGEST: Final = 1 << 20
"""The most characters of one record; a longer one is cut and reported."""

TOO_LONG: Final = "is longer than 1 MiB"
"""Why a record is cut."""

_SHOWN: Final = 72
_LAYOUT: Final = b" \t\r\n\v\f"
_SECRET: Final = re.compile("(?i)passw|pwd|initkey|initialkey|open_?string")


def shortened(text: str) -> str:
    """Return the beginning of a text on one line, up to anything that looks like a password."""
    line = " ".join(text[: 4 * _SHOWN].split())
    if secret := _SECRET.search(line):
        line = line[: secret.end()] + "..."
    line = masked_text(line)
    return line if len(line) <= _SHOWN else line[: _SHOWN - 3] + "..."


def digest_of(content: str) -> str:
    """Return the digest of a record's content; blanks and line ends do not count."""
    dense = content.encode("utf-8", "surrogatepass").translate(None, _LAYOUT)
    return blake2b(dense, digest_size=16).hexdigest()
