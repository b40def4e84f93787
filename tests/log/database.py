"""Direct access to a log's database, as somebody who tampers with it has."""

# ruff: noqa: S608 - tampering is done in SQL

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import psycopg
from sqlalchemy import make_url, text

from twin.log import Log
from twin.log.chain import HeadRow

_SEEN: Final = text(
    "SELECT position FROM visible_event WHERE seen_by = :branch ORDER BY occurred_at, position"
)


@contextmanager
def behind_the_back(url: str, *, guarded: bool) -> Iterator[Any]:
    """Connect to a log's database without the log; with `unguarded`, without triggers."""
    parsed = make_url(url)
    if parsed.drivername.startswith("sqlite"):
        connection = sqlite3.connect(str(parsed.database), isolation_level=None)
        if not guarded:
            triggers = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
            for (name,) in triggers.fetchall():
                connection.execute(f"DROP TRIGGER {name}")
    else:
        plain = parsed.set(drivername="postgresql").render_as_string(hide_password=False)
        connection = psycopg.connect(plain, autocommit=True)  # type: ignore[assignment]
        if not guarded:
            connection.execute("SET session_replication_role = replica")
    try:
        yield connection
    finally:
        connection.close()


def seal_heads(connection: Any, url: str) -> None:
    """Seal the rows of `head` again, as somebody who knows the seal would after changing them."""
    mark = "?" if url.startswith("sqlite") else "%s"
    for row in connection.execute(f"SELECT {', '.join(HeadRow._fields)} FROM head").fetchall():
        sealed = HeadRow._make(row).sealed()
        connection.execute(
            f"UPDATE head SET seal = {mark} WHERE branch = {mark}", (sealed.seal, sealed.branch)
        )


def seen_in_sql(log: Log, branch: str) -> list[int]:
    """Return the positions that a branch sees according to the SQL view, in fold order."""
    rows = log._database.fetch(_SEEN, branch=branch)
    return [row[0] for row in rows]
