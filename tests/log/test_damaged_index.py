"""Reads of a log with altered or missing rows: what they refuse, and what only `verify` finds."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.log.database import behind_the_back
from tests.log.writing import OpenLog, fill, new
from twin.log import LogDamaged


@pytest.mark.parametrize(
    ("deleted", "missing"),
    [
        ("log_version", "the only row of log_version"),
        ("branch WHERE id = 1", "the row of branch main"),
        ("head WHERE branch = 0", "the head row of the log"),
        ("head WHERE branch = 1", "the head row of the log or of branch main"),
    ],
)
def test_a_log_without_such_a_row_says_so(
    log_url: str, open_log: OpenLog, deleted: str, missing: str
) -> None:
    """Reading and appending name the missing row; nothing is migrated or recorded."""
    fill(open_log(log_url), 1, 2)
    with behind_the_back(log_url, guarded=False) as database:
        database.execute(f"DELETE FROM {deleted}")  # noqa: S608 - of the table above
    with pytest.raises(LogDamaged, match=missing):
        open_log(log_url, mode="read").head()
    with pytest.raises(LogDamaged, match=missing):
        open_log(log_url).append([new(3)], recorded_at=3)


def test_every_read_compares_digests(log_url: str, open_log: OpenLog) -> None:
    """An event that was altered is refused by whole reads, by reads of a part, and by follows."""
    fill(open_log(log_url), 1, 2, 3)
    with behind_the_back(log_url, guarded=False) as database:
        database.execute("UPDATE event SET body = '{\"count\":1}' WHERE position = 2")
    log = open_log(log_url, mode="read")
    for read in (
        log.rows,
        lambda: log.rows(types=["SomethingHappened"]),
        lambda: log.rows(qmgrs=["QM1"]),
        lambda: list(log.events()),
        lambda: log.primary_after(0),
        lambda: log.rows_after(1, instant=1, branch="main", upto=3),
    ):
        with pytest.raises(LogDamaged, match="position 2: it was altered or moved"):
            read()
    assert [row[1] for row in log.rows(since_valid=2)] == [3]


def test_events_that_an_index_has_lost(tmp_path: Path, sqlite_url: str, open_log: OpenLog) -> None:
    """A whole read refuses them; a read of some types misses them; `verify` checks the file."""
    fill(open_log(sqlite_url), 1, 2, 3)
    with sqlite3.connect(tmp_path / "twin.db") as connection:
        whole = "CREATE INDEX event_in_fold_order ON event (branch, occurred_at, position)"
        connection.execute("DROP INDEX event_in_fold_order")
        connection.execute(f"{whole} WHERE position <> 2")
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_master SET sql = ? WHERE name = 'event_in_fold_order'", [whole]
        )
    connection.close()
    log = open_log(sqlite_url, mode="read")
    with pytest.raises(LogDamaged, match="position 2: the index in fold order does not have it"):
        log.rows()
    assert [row[1] for row in log.rows(types=["SomethingHappened"])] == [1, 3]
    assert log.damaged_file() != []
