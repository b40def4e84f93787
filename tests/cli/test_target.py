"""The log that a command uses: --log, TWIN_LOG, and logs that cannot be used."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.cli.conftest import AT, Run
from twin.cli.target import log_url


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("sqlite:///a.db", "sqlite:///a.db"),
        ("a.db", "sqlite:///a.db"),
        ("/var/a.db", "sqlite:////var/a.db"),
        ("postgresql+psycopg://host/db", "postgresql+psycopg://host/db"),
        ("postgresql://host/db", "postgresql+psycopg://host/db"),
        ("postgres://host/db", "postgresql+psycopg://host/db"),
    ],
)
def test_a_log_is_named_by_url_or_file(text: str, url: str) -> None:
    """A path means a SQLite file; PostgreSQL's short URLs get the driver that twin uses."""
    assert log_url(text) == url


def test_the_environment_names_the_log(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """TWIN_LOG is used unless --log is given."""
    monkeypatch.setenv("TWIN_LOG", "theirs.db")
    run("crtmqm", "QM1")
    run("--log", "mine.db", "crtmqm", "QM2")
    assert "QM1" in run("dspmq").out
    assert "QM2" in run("--log", "mine.db", "dspmq").out
    assert not Path("twin.db").exists()


def test_a_log_of_a_newer_version_is_left_alone(run: Run) -> None:
    """A log with a newer schema is refused in one line, for readers and writers."""
    run("crtmqm", "QM1", "--at", AT)
    with sqlite3.connect("twin.db") as database:
        database.execute("UPDATE log_version SET version_num = '9999'")
    database.close()
    before = Path("twin.db").read_bytes()
    for words in (["dspmq"], ["crtmqm", "QM2"], ["strmqm", "QM1"]):
        refused = run(*words)
        assert (refused.code, refused.err.count("\n")) == (20, 1)
        assert "newer version of twin" in refused.err
    assert Path("twin.db").read_bytes() == before


def test_a_file_that_is_no_log_is_left_alone(run: Run) -> None:
    """A file that is not a log is refused in one line and left unchanged."""
    Path("twin.db").write_text("not a database, but longer than its header would be " * 10)
    before = Path("twin.db").read_bytes()
    for words in (["dspmq"], ["crtmqm", "QM2"]):
        refused = run(*words)
        assert (refused.code, refused.err.count("\n")) == (20, 1)
    assert Path("twin.db").read_bytes() == before


@pytest.mark.parametrize("log", ["none/twin.db", ".", "/proc/twin.db", "mysql://host/db", "://"])
def test_a_place_that_holds_no_log_is_one_line(run: Run, log: str) -> None:
    """A missing folder, a folder, an unwritable disk and an unknown database are bad input."""
    for words in (["crtmqm", "QM1"], ["dspmq"]):
        refused = run("--log", log, *words)
        assert (refused.code, refused.out, refused.err.count("\n")) == (20, "", 1)
        assert refused.err.startswith("twin: ")


@pytest.mark.parametrize(
    "log", ["", " ", ":memory:", "sqlite://", "sqlite:///", "sqlite:///:memory:", "sqlite:///?a=b"]
)
def test_a_log_that_would_not_last_is_bad_input(run: Run, log: str) -> None:
    """An empty name and a database in memory are bad input, because the log would be lost."""
    refused = run("--log", log, "crtmqm", "QM1")
    assert (refused.code, refused.out, refused.err.count("\n")) == (20, "", 1)
    assert "does not name a file or a database" in refused.err


def test_an_empty_environment_variable_names_nothing(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty TWIN_LOG means the default log."""
    monkeypatch.setenv("TWIN_LOG", "")
    assert run("crtmqm", "QM1").code == 0
    assert Path("twin.db").exists()


def test_another_programs_database_is_said_to_be_one(run: Run) -> None:
    """A SQLite file of another program is reported as such, not as a missing log."""
    with sqlite3.connect("other.db") as database:
        database.execute("CREATE TABLE bookmarks (url)")
    database.close()
    for words in (["dspmq"], ["strmqm", "QM1"], ["crtmqm", "QM1"]):
        refused = run("--log", "other.db", *words)
        assert (refused.code, refused.out) == (20, "")
        assert "other.db is not a log of twin" in refused.err


def test_a_missing_folder_is_named_and_no_log_is_promised(run: Run) -> None:
    """A missing folder is named, and no command is suggested that would create the log."""
    for words in (["dspmq"], ["crtmqm", "QM1"]):
        said = run("--log", "none/twin.db", *words).err
        assert "there is no folder " in said
        assert "begin" not in said


def test_no_password_is_printed(run: Run) -> None:
    """An unreachable server is reported without its password."""
    url = "postgresql://me:secret@127.0.0.1:1/db"
    refused = run("--log", url, "dspmq")
    assert (refused.code, refused.err.count("\n")) == (20, 1)
    assert "secret" not in refused.err
