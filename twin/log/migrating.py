"""Bringing a log's schema up to date, from a checkout or an installed wheel alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from sqlalchemy import Select, column, select, table

from twin.log.database import Database
from twin.log.errors import NewerLog, NoSuchLog, NotALog, OlderLog
from twin.log.schema import REVISIONS, VERSION_TABLE

_REVISION: Final[Select[Any]] = select(column("version_num")).select_from(table(VERSION_TABLE))


def demand_current(database: Database) -> None:
    """Check that there is a log here with the schema of this version, to be read as it is.

    Raises:
        NoSuchLog, NewerLog, OlderLog: when there is not.
    """
    revision = _revision(database)
    if revision is None:
        raise NoSuchLog(database.name)
    if revision != REVISIONS[-1]:
        raise OlderLog(database.name, revision)


def make_current(database: Database) -> None:
    """Create the log, or migrate it, if need be; of two processes that try, one waits.

    Raises:
        NewerLog, NotALog: when that cannot be done; nothing is changed then.
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
    """Return the folder of the migrations: a wheel brings its own, a checkout has them on top."""
    here = Path(__file__).resolve()
    installed = here.parent / "_migrations"
    return installed if installed.is_dir() else here.parents[2] / "migrations"


def _revision(database: Database) -> str | None:
    if not database.exists():
        return None
    row = database.one(_REVISION)
    revision = None if row is None else str(row[0])
    if revision is not None and revision not in REVISIONS:
        raise NewerLog(database.name, revision)
    return revision


def _migrate(database: Database) -> None:
    from alembic import command  # noqa: PLC0415 - slow to import, and hardly ever needed
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(scripts()).replace("%", "%%"))
    config.attributes["connection"] = database.connection
    command.upgrade(config, "head")
