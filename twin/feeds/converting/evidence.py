"""The digest of the text of a record, which is kept apart from the log of events."""

from __future__ import annotations

from hashlib import sha256


def digest_of(evidence: str) -> str:
    """Return the digest under which a log keeps a text: the SHA-256 of its UTF-8, in hexadecimal.

    What no database takes (NUL, half a surrogate pair) is replaced first, as it is when it is kept.
    """
    return sha256(evidence.replace("\0", "\ufffd").encode("utf-8", "replace")).hexdigest()
