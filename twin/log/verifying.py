"""Verifying: the log is what was recorded, all of it, in the order it was."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import bindparam, select

from twin.log.chain import GENESIS, digest_of
from twin.log.database import Database
from twin.log.errors import BadExpectation, LogDamaged
from twin.log.records import Verified
from twin.log.schema import event, head

_PAGE: Final = 5_000
_PROGRESS_EVERY: Final = 1.0
"""Seconds."""

_EXPECTED: Final = re.compile(r"(\d+):([0-9a-fA-F]{64})", re.ASCII)

_AFTER: Final = (
    select(*event.c)
    .where(event.c.position > bindparam("after"))
    .order_by(event.c.position)
    .limit(_PAGE)
)
_HEADS: Final = select(head.c.position, head.c.digest).where(head.c.position > 0)


def verify(
    database: Database, *, expect: str | None, progress: Callable[[int], None] | None
) -> Verified:
    """Check the chain from its first event to its head; see `Log.verify`."""
    expected = None if expect is None else _parsed(expect)
    heads = database.fetch(_HEADS)
    ends = {position: bytes(digest) for position, digest in heads}
    if expected is not None:
        ends.setdefault(*expected)
    walk = _Walk(ends)
    told = time.monotonic()
    after = -(2**63)
    while rows := database.fetch(_AFTER, after=after):
        for row in rows:
            walk.step(row)
        after = walk.position
        if progress is not None and time.monotonic() - told >= _PROGRESS_EVERY:
            progress(walk.position)
            told = time.monotonic()
    if walk.position < max(ends, default=0):
        raise LogDamaged(walk.position + 1, f"missing: the log went on to {max(ends)}")
    if expected is not None and expected[1] != walk.seen.get(expected[0], GENESIS):
        raise LogDamaged(expected[0], "its digest is not the expected one")
    return Verified(walk.position, walk.digest.hex())


def _parsed(expect: str) -> tuple[int, bytes]:
    match = _EXPECTED.fullmatch(expect.strip())
    if match is None:
        raise BadExpectation(expect)
    return int(match[1]), bytes.fromhex(match[2])


class _Walk:
    """A walk along the chain, which raises LogDamaged where it breaks."""

    def __init__(self, ends: dict[int, bytes]) -> None:
        """Expect these digests at these positions."""
        self.position = 0
        self.digest = GENESIS
        self.seen: dict[int, bytes] = {}
        self._ends = ends
        self._recorded_at = -(2**63)

    def step(self, row: tuple[Any, ...]) -> None:
        """Check that this row is what comes next."""
        position, recorded_at, stored = row[0], row[3], row[-1]
        if position != self.position + 1:
            raise LogDamaged(self.position + 1, f"missing: {position} comes next")
        try:
            digest = digest_of(self.digest, row[:-1])
            sound = digest == bytes(stored)
        except (TypeError, ValueError):
            sound = False
        if not sound:
            raise LogDamaged(position, "it was altered, or stands in another's place")
        if recorded_at < self._recorded_at:
            raise LogDamaged(position, "it was recorded before its predecessor")
        self.position, self.digest, self._recorded_at = position, digest, recorded_at
        if position in self._ends:
            self.seen[position] = digest
            if self._ends[position] != digest:
                raise LogDamaged(position, "its digest is not the one that was kept of it")
