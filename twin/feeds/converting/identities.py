"""Identities and instants of records: the same in any file that has the record.

The digest of the text of a record, which is kept apart from the log of events.
"""

from __future__ import annotations

from collections.abc import Hashable
from hashlib import sha256
from typing import Final, Generic, TypeVar

from twin.model.instants import MINUTE, Instant

_REMEMBERED: Final = 1 << 14
_MOST: Final = 999
_OUT_OF_ORDER: Final = MINUTE

_Key = TypeVar("_Key", bound=Hashable)


class _Counts(Generic[_Key]):
    """How often each of the last keys came; what is equal stands close together in a file."""

    def __init__(self) -> None:
        self._recent: dict[_Key, int] = {}
        self._earlier: dict[_Key, int] = {}

    def count(self, key: _Key) -> int:
        """Count a key, and return how often it came, from 1."""
        recent = self._recent
        number = 1 + (recent.get(key) or self._earlier.get(key, 0))
        if len(recent) >= _REMEMBERED:
            self._earlier = recent
            self._recent = recent = {}
        recent[key] = number
        return number


class Runs:
    """Tells where the records of a queue manager begin again, because logs were joined in a file.

    Threads write records of one second in any order. A record that is much earlier than one before
    it begins another log, which may have the same records again. So does a record that is earlier
    than one before it and equal to the first record of its run: that of a short log.
    """

    def __init__(self) -> None:
        self._latest: dict[str, tuple[int, Instant, str]] = {}
        self.has_begun = False
        """Whether the last record began a run after the first one."""

    def of(self, qmgr: str, written: Instant, digest: str = "") -> int:
        """Return in which run the next record of a file is, from 0; '' is equal to no record."""
        run, latest, first = self._latest.get(qmgr, (0, written, digest))
        is_first = digest == first and bool(digest)
        self.has_begun = written < (latest if is_first else latest - _OUT_OF_ORDER)
        if self.has_begun:
            run, latest, first = run + 1, written, digest
        self._latest[qmgr] = run, max(latest, written), first
        return run


class Identities:
    """Gives records identities, in the order of their file.

    An identity is made of the queue manager, the digest of the record without layout, which covers
    its date as written, and its ordinal among equal records from the second on. So it does not
    depend on where the record stands in a file. Ordinals are counted in each run of records.
    """

    def __init__(self) -> None:
        self._counts: _Counts[tuple[int, str]] = _Counts()

    def of(self, qmgr: str, digest: str, *, run: int = 0) -> str:
        """Return the identity of the next record of a file."""
        identity = f"{qmgr}/{digest}"
        ordinal = self._counts.count((run, identity))
        return identity if ordinal == 1 else f"{identity}/{ordinal}"


class Instants:
    """Gives records of one instant their order: each is a microsecond after the one before.

    A log has milliseconds or seconds, and what was written last is the state. At most the last
    digits are used, so a record never leaves its millisecond.
    """

    def __init__(self) -> None:
        self._counts: _Counts[tuple[int, str, Instant]] = _Counts()

    def of(self, qmgr: str, written: Instant, *, run: int = 0) -> Instant:
        """Return the instant of the next record of a file, by its instant as written."""
        return written + min(self._counts.count((run, qmgr, written)) - 1, _MOST)


def digest_of(evidence: str) -> str:
    """Return the digest under which a log keeps a text: the SHA-256 of its UTF-8, in hexadecimal.

    What no database takes (NUL, half a surrogate pair) is replaced first, as it is when it is kept.
    """
    return sha256(evidence.replace("\0", "\ufffd").encode("utf-8", "replace")).hexdigest()
