"""A file made for a log in which nothing was recorded does not remain, unless others use it."""

from __future__ import annotations

import multiprocessing
import sqlite3
from pathlib import Path
from typing import Any, Final

import pytest

from tests.log.evidence import keep
from tests.log.writing import OpenLog, fill, new
from tests.patience import PATIENCE
from twin.app.twin import Twin
from twin.log import Log, NoSuchBranch
from twin.log.sqlite import SqliteDatabase

ROUNDS: Final = 10
WRITERS: Final = 2
REMOVERS: Final = 2


def close_unused(log: Log) -> None:
    """Close a log as the command line does."""
    log.keeps_unused = False
    log.close()


def files(folder: Path) -> list[str]:
    """Return the names of the files in a folder."""
    return sorted(path.name for path in folder.iterdir())


def test_a_new_log_without_events_is_removed(tmp_path: Path, sqlite_url: str) -> None:
    """Its file, the files of SQLite beside it, and the queue of its writers are removed."""
    log = Log.open(sqlite_url)
    with log.turn():
        pass
    with log.caches.writing():
        pass
    close_unused(log)
    assert files(tmp_path) == []


def test_whoever_opens_a_log_may_keep_it(tmp_path: Path, sqlite_url: str) -> None:
    """The library keeps an empty log that it made, and nobody else removes it."""
    Log.open(sqlite_url).close()
    close_unused(Log.open(sqlite_url))
    assert files(tmp_path) == ["twin.db"]


def test_a_log_that_cannot_be_opened_does_not_remain(tmp_path: Path, sqlite_url: str) -> None:
    """An unknown branch, and a migration that fails, leave no file."""
    with pytest.raises(NoSuchBranch):
        Twin.open(sqlite_url, branch="no")
    assert files(tmp_path) == []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("twin.log.opening._migrate", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            Log.open(sqlite_url)
    assert files(tmp_path) == []


@pytest.mark.parametrize("what", ["event", "branch", "evidence"])
def test_what_was_recorded_stays(tmp_path: Path, sqlite_url: str, what: str) -> None:
    """A log with an event, a branch or an evidence is never removed."""
    log = Log.open(sqlite_url)
    if what == "event":
        fill(log, 1)
    elif what == "branch":
        log.create_branch("a")
    else:
        keep(log, "AMQ9999E", first_seen=1)
    close_unused(log)
    assert files(tmp_path) == ["twin.db"]


def test_an_empty_file_of_the_user_stays(tmp_path: Path, sqlite_url: str) -> None:
    """A file that was there before is not removed."""
    (tmp_path / "twin.db").touch()
    close_unused(Log.open(sqlite_url))
    assert files(tmp_path) == ["twin.db"]


@pytest.mark.parametrize("mode", ["read", "write"])
def test_a_log_that_others_have_open_stays(
    tmp_path: Path, sqlite_url: str, open_log: OpenLog, mode: str
) -> None:
    """It is not removed while another connection has it open, even if that one only reads."""
    log = Log.open(sqlite_url)
    other = open_log(sqlite_url, mode=mode)
    close_unused(log)
    assert "twin.db" in files(tmp_path)
    fill(open_log(sqlite_url), 1)
    assert other.head().position == 1
    with sqlite3.connect(tmp_path / "twin.db") as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_log_removed_while_it_is_opened_is_made_anew(
    tmp_path: Path, sqlite_url: str, open_log: OpenLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who opened the file before it was removed, and read it after that, gets a new log."""
    log, configured = Log.open(sqlite_url), SqliteDatabase._configured

    def removing(self: Any, connection: sqlite3.Connection) -> sqlite3.Connection:
        monkeypatch.setattr(SqliteDatabase, "_configured", configured)
        close_unused(log)
        assert files(tmp_path) == []
        return configured(self, connection)

    monkeypatch.setattr(SqliteDatabase, "_configured", removing)
    fill(open_log(sqlite_url), 1)
    assert open_log(sqlite_url, mode="read").head().position == 1


def _open_and_close(url: str, number: int, begin: Any) -> None:
    """Open a log at the same moment as others, and record an event if the number is low."""
    begin.wait()
    log = Log.open(url, synchronous="NORMAL")
    if number < WRITERS:
        log.append([new(number, event_id=f"event-{number}")], recorded_at=0)
    close_unused(log)


def test_nothing_recorded_is_lost_to_a_removal(tmp_path: Path) -> None:
    """Events that some processes record in a new log stay, although others remove an empty one."""
    fork = multiprocessing.get_context("fork")
    for round_ in range(ROUNDS):
        url = f"sqlite:///{tmp_path / f'{round_}.db'}"
        begin = fork.Barrier(WRITERS + REMOVERS)
        processes = [
            fork.Process(target=_open_and_close, args=(url, number, begin))
            for number in range(WRITERS + REMOVERS)
        ]
        for process in processes:
            process.start()
        for process in processes:
            process.join(PATIENCE)
        assert [process.exitcode for process in processes] == [0] * len(processes)
        log = Log.open(url, mode="read")
        assert log.verify().position == WRITERS
        log.close()
