"""Opening: from a URL to a database with a log of this version."""

from __future__ import annotations

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from twin.log.database import Database, Mode, Synchronous
from twin.log.errors import BadLogUrl
from twin.log.migrating import demand_current, make_current


def open_database(url: str, *, mode: Mode, synchronous: Synchronous) -> Database:
    """Implement `Log.open`."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise BadLogUrl(url) from None
    database = _kind_of(parsed)(parsed, mode=mode, synchronous=synchronous)
    try:
        if mode == "write":
            make_current(database)
        else:
            demand_current(database)
    except BaseException:
        database.close()
        raise
    return database


def _kind_of(url: URL) -> type[Database]:
    match url.drivername:
        case "sqlite" | "sqlite+pysqlite":
            from twin.log.sqlite import SqliteDatabase  # noqa: PLC0415 - only one of them is needed

            return SqliteDatabase
        case "postgresql+psycopg":
            from twin.log.postgresql import PostgresDatabase  # noqa: PLC0415

            return PostgresDatabase
        case _:
            raise BadLogUrl(url.render_as_string(hide_password=True))
