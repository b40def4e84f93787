"""Copies of an SQLite log: backups, and files that were copied without their WAL."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.log.database import behind_the_back
from tests.log.writing import OpenLog, fill
from twin.log import BackupExists, FileDamaged, Log, LogUnreachable
from twin.log.database import Mode

ROOT: Final = Path(__file__).parents[2]


def at(file: Path) -> str:
    """Return the URL of a file."""
    return f"sqlite:///{file}"


def test_a_copy_without_its_wal_says_so(tmp_path: Path, open_log: OpenLog) -> None:
    """A file that was copied alone while a process wrote to it says that events may be missing."""
    log = open_log(at(tmp_path / "twin.db"))
    fill(log, 1)
    fill(log, 2, 3)
    shutil.copy(tmp_path / "twin.db", tmp_path / "copy.db")
    copy = open_log(at(tmp_path / "copy.db"), mode="read")
    assert copy.last().position == 1
    assert "without copy.db-wal: its last events may be missing" in copy.notices[0]
    copy.close()
    assert open_log(at(tmp_path / "copy.db")).notices


@pytest.mark.parametrize("mode", ["read", "write"])
def test_a_file_with_a_damaged_page_of_events_is_refused(
    tmp_path: Path, open_log: OpenLog, mode: Mode
) -> None:
    """If the first pages of events and their indexes are damaged, opening ends with an error."""
    file = tmp_path / "twin.db"
    log = open_log(at(file))
    fill(log, 1, 2, 3)
    log.close()
    with behind_the_back(at(file), guarded=True) as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE tbl_name = 'event' AND rootpage > 0"
        roots = [row[0] for row in connection.execute(query)]
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    with file.open("r+b") as opened:
        for number in roots:
            opened.seek((number - 1) * size)
            opened.write(b"\xff" * size)
    with pytest.raises(FileDamaged, match="malformed"):
        Log.open(at(file), mode=mode)


def test_a_copy_with_its_wal_says_nothing(tmp_path: Path, open_log: OpenLog) -> None:
    """A file that was copied with its WAL is whole."""
    log = open_log(at(tmp_path / "twin.db"))
    fill(log, 1, 2, 3)
    for suffix in ("", "-wal"):
        shutil.copy(tmp_path / f"twin.db{suffix}", tmp_path / f"copy.db{suffix}")
    copy = open_log(at(tmp_path / "copy.db"), mode="read")
    assert (copy.last().position, copy.notices) == (3, ())


def test_a_copy_of_a_closed_log_says_nothing(tmp_path: Path, open_log: OpenLog) -> None:
    """A log that every writer has closed is whole without a WAL, also after several writers."""
    logs = [open_log(at(tmp_path / "twin.db")) for _ in range(2)]
    fill(logs[0], 1)
    fill(logs[1], 2)
    logs[0].close()
    fill(logs[1], 3)
    shutil.copy(tmp_path / "twin.db", tmp_path / "meanwhile.db")
    logs[1].close()
    shutil.copy(tmp_path / "twin.db", tmp_path / "copy.db")
    copy = open_log(at(tmp_path / "copy.db"), mode="read")
    assert (copy.last().position, copy.notices) == (3, ())
    meanwhile = open_log(at(tmp_path / "meanwhile.db"), mode="read")
    assert (meanwhile.last().position == 3) or meanwhile.notices


def test_a_log_whose_writer_was_killed_says_nothing(tmp_path: Path, open_log: OpenLog) -> None:
    """After a writer was killed, the log has its WAL, or is the file that was marked."""
    url = at(tmp_path / "twin.db")
    program = (
        "import os, signal; from tests.log.writing import fill; from twin.log import Log; "
        f"log = Log.open({url!r}); fill(log, 1, 2); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False)
    for _ in range(2):
        reader = Log.open(url, mode="read")
        assert (reader.last().position, reader.notices) == (2, ())
        reader.close()
    assert not (tmp_path / "twin.db-wal").exists()
    fill(open_log(url), 3)


def test_a_backup_is_a_whole_log(tmp_path: Path, open_log: OpenLog) -> None:
    """A backup that is made while others write has every event, and needs no other file."""
    log = open_log(at(tmp_path / "twin.db"))
    fill(log, *range(50))
    seen: list[tuple[int, int]] = []
    reader = open_log(at(tmp_path / "twin.db"), mode="read")
    assert reader.back_up(tmp_path / "b.db", progress=lambda *args: seen.append(args)) == ""
    assert seen[-1][0] == seen[-1][1] > 0
    fill(log, 50)
    copy = open_log(at(tmp_path / "b.db"), mode="read")
    assert (copy.verify().position, copy.notices) == (50, ())
    files = {path.name for path in tmp_path.iterdir()}
    assert files - {"b.db-wal", "b.db-shm"} == {"twin.db", "twin.db-wal", "twin.db-shm", "b.db"}


def test_a_backup_replaces_no_file(tmp_path: Path, open_log: OpenLog) -> None:
    """A backup to a file that exists, such as the log itself, or to a missing folder is refused."""
    log = open_log(at(tmp_path / "twin.db"))
    fill(log, 1)
    (tmp_path / "link.db").symlink_to(tmp_path / "elsewhere.db")
    for name in ("twin.db", "link.db"):
        with pytest.raises(BackupExists, match=name):
            log.back_up(tmp_path / name)
    with pytest.raises(LogUnreachable, match="copied"):
        log.back_up(tmp_path / "missing" / "b.db")
    assert log.verify().position == 1


def test_a_server_is_backed_up_by_its_own_command(postgres_url: str, tmp_path: Path) -> None:
    """On PostgreSQL the command is returned, without a password, and it works."""
    log = Log.open(postgres_url)
    fill(log, 1, 2)
    words = log.back_up(tmp_path / "b.dump").split()
    assert words[:2] == ["pg_dump", "--format=custom"]
    subprocess.run(words, check=True)
    assert (tmp_path / "b.dump").read_bytes().startswith(b"PGDMP")
    log.close()
    secret = Log.open(postgres_url.replace("twin@", "twin:hidden@") + "?password=hidden")
    assert "hidden" not in secret.back_up(tmp_path / "b.dump")
    secret.close()


def test_the_mark_is_not_part_of_the_log(sqlite_url: str, open_log: OpenLog) -> None:
    """The mark is removed when the last writer closes the log."""
    log = open_log(sqlite_url)
    fill(log, 1)
    with behind_the_back(sqlite_url, guarded=True) as connection:
        assert connection.execute("SELECT count(*) FROM log_info").fetchone() == (2,)
        log.close()
        assert connection.execute("SELECT name FROM log_info").fetchall() == [("reader",)]
