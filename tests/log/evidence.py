"""Raw texts in a log of a test, as an import keeps them."""

from __future__ import annotations

from hashlib import sha256

from twin.log import Log
from twin.log.evidence import keep_texts


def keep(log: Log, text: str, *, first_seen: int) -> str:
    """Keep a text that was read at an instant; return its digest in hexadecimal."""
    database = log._database
    with database.writing():
        keep_texts(database, [text], first_seen=first_seen)
    return sha256(text.encode()).hexdigest()
