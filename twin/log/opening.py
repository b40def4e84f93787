"""Open the database of a log by its URL; create or migrate the log if necessary."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from sqlalchemy import URL, Select, column, make_url, select, table
from sqlalchemy.exc import ArgumentError

from twin.log.database import Database, Mode, Synchronous
from twin.log.errors import BadLogUrl, LogDamaged, NewerLog, NoSuchLog, NotALog, OlderLog
from twin.log.schema import REVISIONS, VERSION_TABLE
from twin.model.passwords import shown_url

_REVISION: Final[Select[Any]] = select(column("version_num")).select_from(table(VERSION_TABLE))


def open_database(url: str, *, mode: Mode, synchronous: Synchronous) -> Database:
    """Open the database of a log; see `Log.open`."""
    try:
        parsed = make_url(url)
        database = _kind_of(parsed)(parsed, mode=mode, synchronous=synchronous)
    except (ArgumentError, ValueError):
        raise BadLogUrl(shown_url(url).text) from None
    try:
        if mode == "write":
            _make_current(database)
        else:
            _demand_current(database)
    except BaseException:
        database.close()
        raise
    return database


def _kind_of(url: URL) -> type[Database]:
    match url.drivername:
        case "sqlite" | "sqlite+pysqlite" if not (url.host or url.username or url.port):
            from twin.log.sqlite import SqliteDatabase  # noqa: PLC0415 - only one of them is needed

            return SqliteDatabase
        case "postgresql+psycopg" if "@" not in (url.host or ""):  # it is part of a password
            from twin.log.postgresql import PostgresDatabase  # noqa: PLC0415

            return PostgresDatabase
        case _:
            raise ArgumentError


def _demand_current(database: Database) -> None:
    """Check that the database holds a log with the schema of this version.

    Raises:
        NoSuchLog, NewerLog, OlderLog: if it does not.
    """
    revision = _revision(database)
    if revision is None:
        raise NoSuchLog(database.name)
    if revision != REVISIONS[-1]:
        raise OlderLog(database.name, revision)


def _make_current(database: Database) -> None:
    """Create or migrate the log if necessary; a second process that tries waits for the first.

    Raises:
        NewerLog, NotALog: if that is not possible; nothing is changed then.
    """
    if database.is_foreign():
        raise NotALog(database.name)
    if _revision(database) == REVISIONS[-1]:
        return
    database.prepare()
    with database.writing():
        if _revision(database) != REVISIONS[-1]:
            _migrate(database)


def scripts() -> Path:
    """Return the folder of the migrations: in an installed wheel, or at the top of a checkout."""
    here = Path(__file__).resolve()
    installed = here.parent / "_migrations"
    return installed if installed.is_dir() else here.parents[2] / "migrations"


def _revision(database: Database) -> str | None:
    if not database.exists():
        return None
    row = database.one(_REVISION)
    if row is None:
        raise LogDamaged(0, f"the only row of {VERSION_TABLE} is missing")
    revision = str(row[0])
    if revision not in REVISIONS:
        raise NewerLog(database.name, revision)
    return revision


def _migrate(database: Database) -> None:
    from alembic import command  # noqa: PLC0415 - slow to import, rarely needed
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(scripts()).replace("%", "%%"))
    config.attributes["connection"] = database.connection
    command.upgrade(config, "head")
