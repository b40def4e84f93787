"""What a log holds, read without `twin`: from SQLite's file or PostgreSQL's tables."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import psycopg
from sqlalchemy import make_url

from tests.log.database import behind_the_back
from tests.patience import PATIENCE
from twin.log.schema import REVISIONS

_EVENTS: Final = (
    "SELECT branch, occurred_at, recorded_at, type, qmgr, cause, source, event_id, body "
    "FROM event ORDER BY position"
)
_DATA: Final = (
    "SELECT * FROM event ORDER BY position",
    "SELECT branch, occurred_at, position FROM event ORDER BY branch, occurred_at, position",
    "SELECT * FROM branch ORDER BY id",
    "SELECT * FROM head ORDER BY branch",
    "SELECT * FROM late_event ORDER BY position",
)
_OTHERS: Final = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
    "AND pid <> pg_backend_pid()"
)
CURRENT: Final = REVISIONS[-1]
"""The edition of this program's logs."""

_TICK: Final = "tick-"


class Kept(NamedTuple):
    """An event as a log keeps it, without what differs from run to run.

    The cause is the position of its primary fact, or the number of its tick.
    """

    branch: int
    occurred_at: int
    type: str
    qmgr: str
    cause: int | None
    source: str
    body: str


class Contents(NamedTuple):
    """The events of a log, and the instants at which they were recorded."""

    events: list[Kept]
    recorded_at: list[int]

    def begins(self, number: int) -> bool:
        """Return whether a batch may begin after so many events.

        A primary fact and what was derived from it are in one batch, and so is each tick.
        """
        if number in (0, len(self.events)):
            return True
        before, after = self.events[number - 1 : number + 1]
        if after.cause is None:
            return True
        return after.cause < 0 and after.cause != before.cause

    def one_batch(self, number: int) -> bool:
        """Return whether the events on both sides of this number were recorded at one instant."""
        return 0 < number < len(self.recorded_at) and (
            self.recorded_at[number - 1] == self.recorded_at[number]
        )

    def write(self, file: Path) -> None:
        """Write it as JSON."""
        file.write_text(json.dumps([self.events, self.recorded_at]))

    @classmethod
    def read(cls, file: Path) -> Contents:
        """Read what `write` wrote."""
        events, recorded_at = json.loads(file.read_text())
        return cls([Kept(*each) for each in events], recorded_at)


def contents(url: str) -> Contents:
    """Read the events of a log; none if it does not exist or has no tables yet."""
    if not _has_events(url):
        return Contents([], [])
    with behind_the_back(url, guarded=True) as connection:
        rows = connection.execute(_EVENTS).fetchall()
    return Contents(list(_kept(rows)), [row[2] for row in rows])


def _kept(rows: Sequence[tuple[Any, ...]]) -> Iterator[Kept]:
    causes: dict[str, int] = {}
    for position, row in enumerate(rows, start=1):
        branch, occurred_at, _, type_, qmgr, cause, source, event_id, body = row
        if cause is not None and cause.startswith(_TICK):
            causes.setdefault(cause, -position)
        number = None if cause is None else causes[cause]
        causes.setdefault(event_id, position)
        yield Kept(branch, occurred_at, type_, qmgr, number, source, body)


def edition(url: str) -> str:
    """Return the edition of a log, which has tables."""
    with behind_the_back(url, guarded=True) as connection:
        return str(connection.execute("SELECT version_num FROM log_version").fetchone()[0])


def _has_events(url: str) -> bool:
    parsed = make_url(url)
    if parsed.drivername.startswith("sqlite"):
        if not Path(str(parsed.database)).exists():
            return False
        there = "SELECT count(*) FROM sqlite_master WHERE name = 'event'"
    else:
        there = "SELECT count(*) FROM pg_tables WHERE tablename = 'event'"
    with behind_the_back(url, guarded=True) as connection:
        return bool(connection.execute(there).fetchone()[0])


def fingerprint(url: str) -> str:
    """Return a digest of all that a log holds beside its caches, read by rows and by an index."""
    found = hashlib.blake2b()
    with behind_the_back(url, guarded=True) as connection:
        for statement in _DATA:
            for row in connection.execute(statement):
                found.update(repr(tuple(row)).encode())
    return found.hexdigest()


def wait_until_alone(url: str) -> None:
    """Wait until a PostgreSQL server noticed that its clients were killed."""
    parsed = make_url(url)
    if parsed.drivername.startswith("sqlite"):
        return
    with behind_the_back(url, guarded=True) as connection:
        until = time.monotonic() + PATIENCE
        while connection.execute(_OTHERS).fetchone()[0]:
            assert time.monotonic() < until, "the server keeps a dead client's connection"
            time.sleep(0.002)


@contextmanager
def _administrator(url: str) -> Iterator[Any]:
    plain = make_url(url).set(drivername="postgresql", database="postgres")
    text = plain.render_as_string(hide_password=False)
    with closing(psycopg.connect(text, autocommit=True)) as connection:
        yield connection


def copy_of(base: str, folder: Path, number: str) -> str:
    """Copy a log that nobody has open; return the URL of the copy."""
    parsed = make_url(base)
    if parsed.drivername.startswith("sqlite"):
        target = folder / "twin.db"
        if Path(str(parsed.database)).exists():
            shutil.copyfile(str(parsed.database), target)
        return f"sqlite:///{target}"
    with _administrator(base) as connection:
        connection.execute(f"CREATE DATABASE {number} TEMPLATE {parsed.database}".encode())
    return parsed.set(database=number).render_as_string(hide_password=False)


def drop(url: str) -> None:
    """Drop a database of a PostgreSQL server."""
    parsed = make_url(url)
    if not parsed.drivername.startswith("sqlite"):
        with _administrator(url) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {parsed.database} (FORCE)".encode())
