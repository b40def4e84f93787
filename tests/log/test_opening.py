"""Opening logs that are missing, older, newer, read-only, foreign or installed."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, create_engine
from sqlalchemy.event import listen, remove

from tests.log.database import behind_the_back
from tests.log.writing import OpenLog, fill, new
from twin.errors import TwinError
from twin.log import (
    BadLogUrl,
    Log,
    LogBusy,
    LogUnreachable,
    NewerLog,
    NoSuchLog,
    NotALog,
    OlderLog,
)
from twin.log.errors import EmptyFile
from twin.log.opening import scripts
from twin.log.postgresql import CONNECT_TIMEOUT
from twin.log.schema import REVISIONS, VERSION_TABLE, metadata

ROOT: Final = Path(__file__).parents[2]
NOBODY: Final = 65534


@pytest.mark.parametrize(
    "url", ["", "twin.db", "mysql://host/db", "postgresql://host/db", "sqlite+aiosqlite:///x"]
)
def test_urls_of_other_databases_are_refused(url: str) -> None:
    """A URL other than SQLite, or PostgreSQL with psycopg, is refused."""
    with pytest.raises(BadLogUrl):
        Log.open(url)


def test_a_log_can_live_in_memory() -> None:
    """A log without a file name is in memory, and lost with its process."""
    for url in ("sqlite://", "sqlite:///:memory:"):
        log = Log.open(url)
        fill(log, 1, 2)
        assert log.verify().position == 2
        log.close()


def test_odd_file_names_are_names(tmp_path: Path, open_log: OpenLog) -> None:
    """A file name with unusual characters is opened as such."""
    url = f"sqlite:///{tmp_path}/my twin #1 50% äö&x.db"
    fill(open_log(url), 1)
    assert open_log(url, mode="read").head().position == 1
    assert any(path.name == "my twin #1 50% äö&x.db" for path in tmp_path.iterdir())


def test_a_reader_leaves_no_file_behind(sqlite_url: str, tmp_path: Path) -> None:
    """Reading leaves no additional files, and does not create a missing log."""
    with pytest.raises(NoSuchLog):
        Log.open(sqlite_url, mode="read")
    assert list(tmp_path.iterdir()) == []
    Log.open(sqlite_url).close()
    Log.open(sqlite_url, mode="read").close()
    assert [path.name for path in tmp_path.iterdir()] == ["twin.db"]


def test_an_empty_file_is_no_log_yet(tmp_path: Path, sqlite_url: str, open_log: OpenLog) -> None:
    """An empty file can become a log, but cannot be read as one."""
    (tmp_path / "twin.db").touch()
    with pytest.raises(EmptyFile, match=r"twin\.db is empty, not a log"):
        Log.open(sqlite_url, mode="read")
    fill(open_log(sqlite_url), 1)


@pytest.mark.parametrize("mode", ["read", "write"])
def test_other_files_are_left_alone(tmp_path: Path, sqlite_url: str, mode: str) -> None:
    """A file that is not a database is refused and left unchanged."""
    (tmp_path / "twin.db").write_text("DEFINE QLOCAL(Q)\n" * 100)
    with pytest.raises(NotALog):
        Log.open(sqlite_url, mode=mode)  # type: ignore[arg-type]


def test_another_programs_database_is_left_alone(tmp_path: Path, sqlite_url: str) -> None:
    """A database with other tables is neither read nor written."""
    other = sqlite3.connect(tmp_path / "twin.db")
    other.execute("CREATE TABLE bookmarks (url)")
    other.close()
    before = (tmp_path / "twin.db").read_bytes()
    for mode in ("read", "write"):
        with pytest.raises(NotALog):
            Log.open(sqlite_url, mode=mode)
    assert (tmp_path / "twin.db").read_bytes() == before


def test_unreachable_databases_are_one_clear_error(tmp_path: Path) -> None:
    """An unreachable database is an error with the missing part, and without the password."""
    for url in (
        f"sqlite:///{tmp_path}/missing/twin.db",
        f"sqlite:///{tmp_path}",
        "postgresql+psycopg://me:secret@127.0.0.1:1/twin",
    ):
        with pytest.raises(LogUnreachable) as error:
            Log.open(url)
        assert "secret" not in str(error.value)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize(("ours", "query"), [(2, ""), (60, "?connect_timeout=2")])
def test_a_silent_server_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, ours: int, query: str
) -> None:
    """A server that does not answer is given up after our timeout, or the one in the URL."""
    monkeypatch.setattr("twin.log.postgresql.CONNECT_TIMEOUT", ours)
    timeouts: list[str] = []

    def note(*connecting: Any) -> None:
        timeouts.append(connecting[-1]["connect_timeout"])

    listen(Engine, "do_connect", note)
    try:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            port = silent.getsockname()[1]
            with pytest.raises(LogUnreachable, match="timeout"):
                Log.open(f"postgresql+psycopg://me@127.0.0.1:{port}/twin{query}", mode="read")
    finally:
        remove(Engine, "do_connect", note)
    assert timeouts == ["2"]


def test_a_server_is_waited_for_ten_seconds() -> None:
    """The default timeout of a server, which tests shorten, is ten seconds."""
    assert CONNECT_TIMEOUT == 10


@pytest.mark.parametrize("mode", ["read", "write"])
def test_a_newer_log_is_refused(log_url: str, open_log: OpenLog, mode: str) -> None:
    """A log of a newer version is refused and not changed."""
    fill(open_log(log_url), 1)
    with behind_the_back(log_url, guarded=True) as connection:
        connection.execute("UPDATE log_version SET version_num = '9999'")
    with pytest.raises(NewerLog, match="9999"):
        open_log(log_url, mode=mode)


def test_an_older_log_is_not_migrated_by_readers(
    log_url: str, open_log: OpenLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader refuses an older log, with a hint to write to it first."""
    fill(open_log(log_url), 1)
    for module in ("schema", "opening"):
        monkeypatch.setattr(f"twin.log.{module}.REVISIONS", (*REVISIONS, "9999"))
    with pytest.raises(OlderLog, match=f"edition {REVISIONS[-1].lstrip('0')}.* twin log upgrade"):
        open_log(log_url, mode="read")


def test_the_known_revisions_are_the_migrations() -> None:
    """The list of known revisions is complete and in order."""
    found = ScriptDirectory(str(scripts())).walk_revisions()
    assert tuple(reversed([revision.revision for revision in found])) == REVISIONS


def test_migrations_make_the_tables_that_queries_see(log_url: str, open_log: OpenLog) -> None:
    """Schema and migrations describe the same tables, columns and indexes."""
    open_log(log_url)
    engine = create_engine(log_url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        assert compare_metadata(context, metadata) == []
    engine.dispose()


def test_an_installed_twin_migrates_without_a_checkout(tmp_path: Path) -> None:
    """A package with its own migrations creates and reads logs outside a checkout."""
    site = tmp_path / "site"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "twin", site / "twin", ignore=ignored)
    shutil.copytree(ROOT / "migrations", site / "twin/log/_migrations", ignore=ignored)
    program = (
        "from twin.log import Log; import twin; print(twin.__file__); "
        "log = Log.open('sqlite:///new.db'); print(log.verify()); log.close()"
    )
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=elsewhere,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [str(site / "twin/__init__.py"), "0:" + "00" * 32]


def test_a_log_that_finds_no_room_for_its_tables_is_not_half_made(
    tmp_path: Path, open_log: OpenLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the disk is full before the last table is made, no table is there, and a retry works."""
    for pages in (4, 12, 18, 22, 26):
        url = f"sqlite:///{tmp_path}/{pages}.db"
        with monkeypatch.context() as patch:
            patch.setattr("twin.log.sqlite._WRITING", (f"max_page_count = {pages}",))
            with pytest.raises(LogUnreachable, match="full"):
                open_log(url)
        with behind_the_back(url, guarded=True) as connection:
            assert connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
        fill(open_log(url), 1)


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """Make a folder that other users can enter."""
    folder = Path(tempfile.mkdtemp(prefix="twin-log-"))
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def without_privileges(work: Callable[[], str]) -> str:
    """Run a function in a process that may not write everywhere, and return what it returns."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        result = "the work was not done"
        try:
            if os.geteuid() == 0:
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            result = work()
        except TwinError as error:
            result = f"{type(error).__name__}: {error}"
        finally:
            os.write(write, result.encode())
            os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    with os.fdopen(read) as pipe:
        return pipe.read()


def test_a_log_in_a_read_only_folder_can_be_read(shared_folder: Path) -> None:
    """If SQLite cannot make files beside the log, the log is read as immutable."""
    url = f"sqlite:///{shared_folder}/twin.db"
    log = Log.open(url)
    fill(log, 1, 2)
    log.close()
    shared_folder.chmod(stat.S_IRUSR | stat.S_IXUSR | stat.S_IROTH | stat.S_IXOTH)

    def read() -> str:
        reader = Log.open(url, mode="read")
        return f"{reader.verify().position} {reader.rows()[0]}"

    assert without_privileges(read) == "2 (1, 1, 'SomethingHappened', '{}')"
    assert without_privileges(lambda: str(Log.open(url))).startswith("LogUnreachable")


def test_a_read_only_log_that_was_not_closed_is_refused(shared_folder: Path) -> None:
    """A read-only log with events only in its WAL is refused, because they would be missed."""
    url = f"sqlite:///{shared_folder}/twin.db"
    log = Log.open(url)
    fill(log, 1, 2)
    copy = shared_folder / "copy"
    copy.mkdir()
    for suffix in ("", "-wal"):
        shutil.copy(shared_folder / f"twin.db{suffix}", copy / f"twin.db{suffix}")
    log.close()
    copy.chmod(0o555)
    copied = f"sqlite:///{copy}/twin.db"
    found = without_privileges(lambda: str(Log.open(copied, mode="read").head()))
    assert found.startswith("LogUnreachable")
    assert "twin.db-wal" in found
    copy.chmod(0o755)


def test_a_log_that_stays_busy_is_one_clear_error(
    sqlite_url: str, open_log: OpenLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log that stays locked until the timeout is an error that says it is busy."""
    monkeypatch.setattr("twin.log.database.BUSY_TIMEOUT", 0.05)
    log = open_log(sqlite_url)
    with behind_the_back(sqlite_url, guarded=True) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LogBusy):
            log.append([new(1)], recorded_at=0)
        other.execute("ROLLBACK")
    assert log.append([new(1)], recorded_at=0).last == 1


def test_a_log_is_created_in_one_transaction(log_url: str, open_log: OpenLog) -> None:
    """Nobody sees a log between two revisions, neither another process nor one after a kill."""
    commits: list[object] = []
    note = commits.append
    listen(Engine, "commit", note)
    try:
        open_log(log_url)
    finally:
        remove(Engine, "commit", note)
    assert len(commits) == 1
