"""The database refuses to change recorded rows, whatever program tries."""

from __future__ import annotations

import sqlite3

import psycopg
import pytest

from tests.log.database import behind_the_back
from tests.log.writing import WITHDRAWAL, fill, new
from twin.log import AppendRefused, Log, LogDamaged

REFUSED = (sqlite3.IntegrityError, psycopg.IntegrityError)

_COPY_OF_ROW_1 = (
    "branch, occurred_at, recorded_at, type, qmgr, cause, source, {id}, body, digest "
    "FROM event WHERE position = 1"
)
NEW_ROW = f"SELECT {{position}}, {_COPY_OF_ROW_1.format(id='{id}')}"


@pytest.fixture
def filled(log: Log) -> Log:
    """Make a log with three events; the second is a late withdrawal, the last a retraction."""
    log.append([new(2)], recorded_at=0)
    log.append([new(1, type=WITHDRAWAL)], recorded_at=0)
    log.append([new(1, type="FactsRetracted", body='{"positions":[1]}')], recorded_at=0)
    return log


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE event SET body = '[]' WHERE position = 2",
        "UPDATE event SET position = 9 WHERE position = 3",
        "DELETE FROM event WHERE position = 3",
        "DELETE FROM event",
        "UPDATE branch SET name = 'other'",
        "DELETE FROM branch",
        "UPDATE late_event SET occurred_at = 9",
        "DELETE FROM late_event",
        "UPDATE retraction SET last = 0",
        "DELETE FROM retraction",
    ],
)
def test_changes_are_refused(filled: Log, log_url: str, change: str) -> None:
    """UPDATE and DELETE are refused on every table whose rows never change."""
    with behind_the_back(log_url, guarded=True) as connection, pytest.raises(REFUSED):
        connection.execute(change)
    assert filled.verify().position == 3


@pytest.mark.parametrize(
    ("position", "event_id"),
    [(1, "'x'"), (3, "'x'"), (5, "'x'"), (0, "'x'"), (-1, "'x'"), (4, "event_id")],
)
def test_only_the_next_position_can_be_inserted(
    filled: Log, log_url: str, position: int, event_id: str
) -> None:
    """An INSERT that leaves a gap, fills one, or reuses an id is refused."""
    row = NEW_ROW.format(position=position, id=event_id)
    with behind_the_back(log_url, guarded=True) as connection, pytest.raises(REFUSED):
        connection.execute(f"INSERT INTO event {row}")
    assert filled.verify().position == 3


def test_an_insert_of_several_rows_leaves_no_gap(filled: Log, log_url: str) -> None:
    """An INSERT of several rows is refused if any row leaves a gap."""
    rows = " UNION ALL ".join(NEW_ROW.format(position=n, id=f"'x{n}'") for n in (4, 6))
    with behind_the_back(log_url, guarded=True) as connection, pytest.raises(REFUSED):
        connection.execute(f"INSERT INTO event {rows}")
    assert filled.verify().position == 3


@pytest.mark.parametrize(
    ("position", "event_id"), [(1, "'x'"), (3, "event_id"), (4, "event_id"), (4, "NULL")]
)
def test_insert_or_replace_is_refused_on_sqlite(
    sqlite_url: str, open_log: object, position: int, event_id: str
) -> None:
    """SQLite's INSERT OR REPLACE, which fires no DELETE triggers, is refused."""
    log = Log.open(sqlite_url)
    fill(log, 1, 2, 3)
    row = NEW_ROW.format(position=position, id=event_id)
    with behind_the_back(sqlite_url, guarded=True) as connection:
        assert connection.execute("PRAGMA recursive_triggers").fetchone() == (0,)
        with pytest.raises(REFUSED):
            connection.execute(f"INSERT OR REPLACE INTO event {row}")
        with pytest.raises(REFUSED):
            connection.execute("INSERT OR REPLACE INTO branch VALUES (1, 'x', NULL, 0, 0, x'')")
        with pytest.raises(REFUSED):
            connection.execute("INSERT OR REPLACE INTO branch VALUES (9, 'main', NULL, 0, 0, x'')")
        with pytest.raises(REFUSED):
            connection.execute("UPDATE OR REPLACE event SET position = 1 WHERE position = 2")
    assert log.verify().position == 3
    log.close()


@pytest.mark.parametrize("table", ["event", "branch", "late_event", "retraction"])
def test_truncate_is_refused_on_postgresql(postgres_url: str, table: str) -> None:
    """TRUNCATE, which fires no DELETE triggers, is refused by its own trigger."""
    log = Log.open(postgres_url)
    fill(log, 1, 2)
    with behind_the_back(postgres_url, guarded=True) as connection, pytest.raises(REFUSED):
        connection.execute(f"TRUNCATE {table}")
    assert log.verify().position == 2
    log.close()


def test_upserts_are_refused_on_postgresql(postgres_url: str) -> None:
    """ON CONFLICT DO UPDATE is refused."""
    log = Log.open(postgres_url)
    fill(log, 1, 2)
    row = NEW_ROW.format(position=1, id="'x'")
    with behind_the_back(postgres_url, guarded=True) as connection, pytest.raises(REFUSED):
        connection.execute(
            f"INSERT INTO event {row} ON CONFLICT (position) DO UPDATE SET body = 'x'"
        )
    assert log.verify().position == 2
    log.close()


def test_a_foreign_row_behind_the_last_is_found(filled: Log, log_url: str) -> None:
    """A row that another program appended breaks the chain, and appending stops there."""
    row = NEW_ROW.format(position=4, id="'x'")
    with behind_the_back(log_url, guarded=True) as connection:
        connection.execute(f"INSERT INTO event {row}")
    with pytest.raises(LogDamaged) as damage:
        filled.verify()
    assert damage.value.position == 4
    with pytest.raises(AppendRefused):
        filled.append([new(9)], recorded_at=0)
