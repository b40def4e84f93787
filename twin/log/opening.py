"""Open the database of a log by its URL; create or migrate the log if necessary."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from twin.errors import TwinError
from twin.log.database import Database, Mode, StepProgress, Synchronous
from twin.log.errors import BadLogUrl, LogDamaged, NewerLog, NoSuchLog, NotALog, OlderLog
from twin.log.own_events import EDITIONS, reader_of
from twin.log.place import LogPlace
from twin.log.schema import REVISIONS, VERSION_TABLE
from twin.model.passwords import shown_url
from twin.model.versions import VERSION, version_key


def open_database(
    url: str,
    *,
    mode: Mode,
    synchronous: Synchronous,
    create: bool = True,
    upgrade: bool = False,
    progress: StepProgress | None = None,
) -> Database:
    """Open the database of a log; see `Log.open`."""
    report = progress or (lambda *_: None)
    while True:
        try:
            parsed = make_url(url)
            database = _kind_of(parsed)(parsed, mode=mode, synchronous=synchronous)
        except (ArgumentError, ValueError):
            raise BadLogUrl(shown_url(url).text) from None
        database.creates = create and mode == "write"
        try:
            if mode == "write":
                _make_current(database, upgrade=upgrade, progress=report)
            else:
                _demand_current(database)
            demand_reader(database)
            if not database.was_removed():
                database.greet()
                database.creates = False
                return database
        except BaseException:
            database.remove_unused()
            database.close()
            raise
        database.close()


def place_of(url: str) -> LogPlace | None:
    """Return the file that a log is now; None if there is none, or if it is on a server."""
    try:
        parsed = make_url(url)
        if _kind_of(parsed).is_shared:
            return None
        from twin.log.sqlite import file_of  # noqa: PLC0415 - only one kind of database is needed

        file = file_of(parsed)
        return None if file is None else LogPlace.of(shown_url(url).text, file)
    except (ArgumentError, ValueError, OSError):
        return None


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
        raise OlderLog(database.name, revision, REVISIONS[-1])


def _make_current(database: Database, *, upgrade: bool, progress: StepProgress) -> None:
    """Create or migrate the log if necessary; a second process that tries waits for the first.

    An older log that others may share is migrated only with `upgrade`. All of the migration is one
    transaction. If its database is a file, a copy is made before.

    Raises:
        NewerLog, OlderLog, NotALog, OtherCopy: if that is not possible; nothing is changed then.
        NoSuchLog: if there is none, and none may be created.
    """
    if database.is_foreign():
        raise NotALog(database.name)
    revision = _revision(database)
    if revision == REVISIONS[-1]:
        return
    if revision is not None and database.is_shared and not upgrade:
        raise OlderLog(database.name, revision, REVISIONS[-1])
    if revision is None and not database.creates:
        raise NoSuchLog(database.name)
    database.is_new = revision is None
    database.prepare()
    with database.writing():
        revision = _revision(database)
        if revision == REVISIONS[-1]:
            database.is_new = False
            return
        copy = None
        if revision is not None:
            copy = database.keep_copy(_edition(revision), progress)
            progress(0, 0, "upgrading the log")
        _migrate(database)
    if revision is not None:
        kept = f"; {copy} is a copy of it as it was" if copy else ""
        database.notices.append(
            f"the log {database.name} was upgraded from edition {_edition(revision)} to edition "
            f"{_edition(REVISIONS[-1])}{kept}"
        )


def _edition(revision: str) -> str:
    """Return the number of an edition as users see it: 2 for the revision 0002."""
    return revision.lstrip("0")


def demand_reader(database: Database) -> None:
    """Check that this version understands every event type in the log.

    Raises:
        NewerLog: if it does not.
    """
    needed = reader_of(database)
    if version_key(needed) > version_key(VERSION):
        raise NewerLog(database.name, REVISIONS[-1], needed)


def scripts() -> Path:
    """Return the folder of the migrations: in an installed wheel, or at the top of a checkout."""
    here = Path(__file__).resolve()
    installed = here.parent / "_migrations"
    return installed if installed.is_dir() else here.parents[2] / "migrations"


def _revision(database: Database) -> str | None:
    """Return the revision of the log's schema; None if there is no log.

    Raises:
        LogDamaged: if the log does not state it.
        NewerLog: if this version does not know it.
    """
    if not database.exists():
        return None
    row = database.one(EDITIONS)
    if row is None:
        raise LogDamaged(0, f"the only row of {VERSION_TABLE} is missing")
    revision = str(row[0])
    if revision not in REVISIONS:
        raise NewerLog(database.name, revision, _needed(database))
    return revision


def _needed(database: Database) -> str | None:
    """Return the version that a log of an unknown edition needs; None if it names no newer one."""
    try:
        needed = reader_of(database)
    except TwinError:
        return None
    return needed if version_key(needed) > version_key(VERSION) else None


def _migrate(database: Database) -> None:
    from alembic import command  # noqa: PLC0415 - slow to import, rarely needed
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(scripts()).replace("%", "%%"))
    config.attributes["connection"] = database.connection
    with database.connection.begin():  # else Alembic commits after each revision
        command.upgrade(config, "head")
