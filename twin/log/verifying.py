"""Verify that the log holds exactly what was recorded, in the recorded order."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import bindparam, select

from twin.log.chain import GENESIS, digest_of
from twin.log.database import Database
from twin.log.derived import ChainedEvent, Derived
from twin.log.errors import BadExpectation, LogDamaged
from twin.log.evidence import verify_evidence
from twin.log.own_events import OwnEventsCheck
from twin.log.reading import ReadableLog
from twin.log.records import LONG_AGO, ChainEnd
from twin.log.references import SEEN_AGAIN, STATEMENTS, demand_equal, demand_rows
from twin.log.schema import event

_PAGE: Final = 5_000
_PROGRESS_EVERY: Final = 1.0
"""The seconds between two calls of `progress`."""

_EXPECTED: Final = re.compile(r"(\d+):([0-9a-fA-F]{64})", re.ASCII)

_AFTER: Final = (
    select(*event.c)
    .where(event.c.position > bindparam("after"))
    .order_by(event.c.position)
    .limit(_PAGE)
)


class VerifiableLog(ReadableLog):
    """A log that can be compared with what was recorded."""

    def verify(
        self, *, expect: str | None = None, progress: Callable[[int], None] | None = None
    ) -> ChainEnd:
        """Check that the log holds exactly what was recorded, in the recorded order.

        Heads, late events and branches are checked too. The branches have a chain of their own,
        which `expect` does not cover.

        Args:
            expect: POSITION:DIGEST from an earlier call; the log must still hold that event. Only
                this detects a log that was rewritten as a whole.
            progress: called about once a second with the position reached.

        Raises:
            LogDamaged: if not; it has the first bad position.
            BadExpectation: if `expect` cannot be read.
        """
        walk = _Walk(self._database, (0, GENESIS) if expect is None else _parsed(expect))
        reported = time.monotonic()
        while walk.advance():
            if progress is not None and time.monotonic() - reported >= _PROGRESS_EVERY:
                progress(walk.position)
                reported = time.monotonic()
        with self._database.reading():
            while walk.advance():
                pass
            walk.finish()
            verify_evidence(self._database)
        return ChainEnd(walk.position, walk.digest.hex())


def _parsed(expect: str) -> tuple[int, bytes]:
    match = _EXPECTED.fullmatch(expect.strip())
    if match is None:
        raise BadExpectation(expect)
    return int(match[1]), bytes.fromhex(match[2])


class _Walk:
    """A walk along the chain of events; it raises LogDamaged at the first event that is wrong."""

    def __init__(self, database: Database, expected: tuple[int, bytes]) -> None:
        """Expect an event of this (position, digest)."""
        self.position = 0
        self.digest = GENESIS
        self._database = database
        self._derived = Derived(database)
        self._own_events = OwnEventsCheck(database)
        self._expected = expected
        self._recorded_at: int | None = None
        self._observations: dict[str, dict[str, Any]] = {}

    def advance(self) -> bool:
        """Check the next page of events; return False if there are no more."""
        rows = self._database.fetch(_AFTER, after=self.position or LONG_AGO)
        if rows:
            self._derived.read(rows[-1][0])
        for row in rows:
            self._step(row)
        return bool(rows)

    def finish(self) -> None:
        """Check that no event is missing at the end, and the tables derived from all events."""
        position, digest = self._expected
        self._derived.finish((self.position, self._recorded_at, self.digest), position)
        self._own_events.finish()
        if position == 0 and digest != GENESIS:
            raise _unexpected(0)

    def _step(self, row: tuple[Any, ...]) -> None:
        """Check that this row is the next event."""
        position, branch, occurred_at, recorded_at, type_ = row[:5]
        if position != self.position + 1:
            raise LogDamaged(self.position + 1, f"it is missing; the next position is {position}")
        try:
            digest = digest_of(self.digest, row[:-1])
        except (TypeError, ValueError):
            digest = GENESIS
        if digest != row[-1]:
            raise LogDamaged(position, "it was altered or moved")
        if self._recorded_at is not None and recorded_at < self._recorded_at:
            raise LogDamaged(
                position, "its recorded_at is earlier than that of the event before it"
            )
        self._own_events.follow(row)
        if type_ in STATEMENTS:
            self._follow_observation(row[8], row[9])
        elif type_ == SEEN_AGAIN:
            demand_rows(self._database, position, row[9])
        self._derived.follow(
            ChainedEvent(position, branch, occurred_at, recorded_at, type_, row[9], digest)
        )
        self.position, self.digest, self._recorded_at = position, digest, recorded_at
        if position == self._expected[0] and digest != self._expected[1]:
            raise _unexpected(position)

    def _follow_observation(self, event_id: str, body: str) -> None:
        """Check that an observation that refers to another one refers to an equal earlier one."""
        fields = json.loads(body)
        if "same_as" in fields:
            whole = self._observations.get(fields["same_as"], {})
            demand_equal(fields, whole, self.position + 1)
        else:
            fields["said"] = fields["lines"] = None
            self._observations[event_id] = fields


def _unexpected(position: int) -> LogDamaged:
    return LogDamaged(position, "its digest is not the expected one")
