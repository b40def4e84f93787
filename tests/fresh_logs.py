"""New logs in tests: the statements that make their tables, without Alembic each time.

A test seldom cares how a log is made, and reading the migrations takes ten times as long as the
statements. So the first new log of a process, of each kind of database, is made as always, and
the later ones by the same statements. A log that is upgraded is always upgraded by Alembic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

import pytest
from sqlalchemy import Connection, event

from twin.log import opening
from twin.log.database import Database

Statements: TypeAlias = list[tuple[str, Any]]

_READS: Final = ("SELECT", "PRAGMA")


@contextmanager
def made_by_statements() -> Iterator[None]:
    """Let this process read the migrations once for each kind of database."""
    known: dict[str, Statements] = {}
    by_alembic = opening._migrate

    def migrate(database: Database) -> None:
        kind = database.connection.dialect.name
        if not database.is_new:
            by_alembic(database)
        elif kind not in known:
            known[kind] = _noted(database.connection, lambda: by_alembic(database))
        else:
            with database.connection.begin():
                for statement, parameters in known[kind]:
                    database.connection.exec_driver_sql(statement, parameters)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opening, "_migrate", migrate)
        yield


def _noted(connection: Connection, work: Callable[[], None]) -> Statements:
    """Do work, and return the statements that it executed, besides those that only read."""
    found: Statements = []

    def note(_: Any, __: Any, statement: str, parameters: Any, *more: Any) -> None:
        del more
        if not statement.lstrip().upper().startswith(_READS):
            found.append((statement, parameters or None))

    event.listen(connection, "before_cursor_execute", note)
    try:
        work()
    finally:
        event.remove(connection, "before_cursor_execute", note)
    return found
