"""Whatever somebody types, or has in the environment, the answer is one line and no traceback."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.cli.conftest import Run

URLS = (
    "postgresql://u:hunter2@h:port/d",
    "postgresql://u:hunter2@localhost:99999/d",
    "postgresql://u:hunter2@localhost:1/d",
    "postgresql://u:hun@hunter2@localhost/d",
    "postgresql://u:hunter2/d",
    "postgresql://localhost:1/d?password=hunter2",
    "postgresql://localhost:1/d?sslpassword=hunter2",
    "postgresql://u:hunter2@localhost:1/d?foo=bar",
    "postgresql://u:hunter2@localhost:1/d?connect_timeout=x",
    "postgresql://u:hunter2@localhost:1/d?password=hunter2&password=x",
    "postgresql://u:hunter2@a..b/d",
    "postgresql://u:hunter2@[::1/d",
    "postgresql+psycopg2://u:hunter2@h/d",
    "postgresql:/u:hunter2@h/d",
    "mysql://u:hunter2@h/d",
    "sqlite://u:hunter2@h/x",
    "sqlite://host/x",
    "u:hunter2@h/d",
    "host=h password=hunter2",
)


@pytest.mark.parametrize("url", URLS)
def test_no_form_of_a_url_shows_its_password(
    run: Run, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    """Nothing is created, and one line says what is wrong, without the password."""
    for words in (("--log", url, "dspmq"), ("--log", url, "crtmqm", "QM1")):
        done = run(*words)
        assert (done.code, done.err.count("\n")) == (20, 1)
        assert "hunter2" not in done.out + done.err
    monkeypatch.setenv("TWIN_LOG", url)
    for other in (("dspmq",), ("log", "verify"), ("history", "sample", "--qmgrs", "3")):
        done = run(*other)
        assert (done.code, done.err.count("\n")) == (20, 1)
        assert "hunter2" not in done.out + done.err
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize(
    "words", [("import",), ("branch", "create"), ("ask",), ("runmqsc", "QM1"), ("play",)]
)
def test_a_url_in_another_place_shows_no_password(run: Run, words: tuple[str, ...]) -> None:
    """What is refused is repeated without its password."""
    assert run("crtmqm", "QM1").code == 0
    done = run(*words, "postgresql://u:hunter2@h/d")
    assert (done.code, done.err.count("\n")) == (20, 1)
    assert "hunter2" not in done.err


@pytest.mark.parametrize(
    "words",
    [
        ("log", "show", "--after", "99999999999999999999"),
        ("log", "show", "--after", "-99999999999999999999"),
        ("log", "show", "--limit", "99999999999999999999"),
        ("ask", "agenda", "--as-of", "9999-12-30"),
        ("ask", "lifetimes", "--as-of", "9999-12-30"),
    ],
)
def test_numbers_and_instants_at_the_edge_are_answered(run: Run, words: tuple[str, ...]) -> None:
    """A number beyond 64 bits is beyond every position, and a date may lie after the year 9999."""
    assert run("crtmqm", "QM1").code == 0
    assert run("strmqm", "QM1").code == 0
    assert run("runmqsc", "QM1", typed="ALTER QMGR REPOS(CA)\n").code == 0
    assert run(*words).code == 0


@pytest.mark.parametrize(
    "words",
    [
        ("dspmq", "--as-of", f"+{'9' * 400}d"),
        ("dspmq", "--as-of", "9999-12-31"),
        ("dspmq", "--as-of", "-9999w"),
        ("explain", "QM1", "Q", "--position", "99999999999999999999"),
        ("put", "QM1", "Q", "--count", "99999999999999999999"),
        ("log", "show", "--qmgr", "\udc80"),
        ("log", "verify", "--expect", "x"),
    ],
)
def test_absurd_values_are_one_line(run: Run, words: tuple[str, ...]) -> None:
    """They are bad input."""
    assert run("crtmqm", "QM1").code == 0
    assert run("strmqm", "QM1").code == 0
    done = run(*words)
    assert (done.code, done.err.count("\n")) == (20, 1)


@pytest.mark.parametrize(
    ("deleted", "missing"),
    [("log_version", "log_version"), ("head", "head row"), ("branch", "branch main")],
)
def test_verify_says_which_row_is_missing(run: Run, deleted: str, missing: str) -> None:
    """A damaged log is a negative answer, as text and as JSON; a write is refused in one line."""
    assert run("crtmqm", "QM1").code == 0
    with sqlite3.connect("twin.db") as database:
        names = database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (name,) in names:
            database.execute(f"DROP TRIGGER {name}")
        database.execute(f"DELETE FROM {deleted}")  # noqa: S608 - of the table above
    database.close()
    done = run("log", "verify")
    assert (done.code, done.err) == (10, "")
    assert missing in done.out
    answer = run("log", "verify", "--format", "json")
    assert answer.code == 10
    assert missing in answer.json["rows"][0]["problem"]
    written = run("crtmqm", "QM2")
    assert (written.code, written.err.count("\n")) == (20, 1)
    assert missing in written.err


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("--log", "a.db", "--log", "b.db", "dspmq"), "--log"),
        (("dspmq", "--log", "a.db", "--log", "b.db"), "--log"),
        (("ask", "members", "--cluster", "CA", "--cluster", "CB"), "--cluster"),
        (("plan", "--stop", "QM1", "--at", "-1h", "--at", "-2h"), "--at"),
        (("log", "show", "--limit", "1", "--limit", "1"), "--limit"),
    ],
)
def test_an_option_that_takes_one_value_is_given_once(
    run: Run, words: tuple[str, ...], option: str
) -> None:
    """A second value is refused in one line; the last one would silently win."""
    done = run(*words)
    assert (done.code, done.out) == (20, "")
    assert done.err == f"twin: {option} is given twice, and takes one value\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("dspmq", "-p"), "dspmq: unknown flag -p (see twin dspmq --help)"),
        (("crtmqm", "-p"), "crtmqm: -p needs a value: -p PORT (see twin crtmqm --help)"),
        (("import", "password"), "cannot read password: No such file or directory"),
        (("play", "my_secret"), "cannot read my_secret: No such file or directory"),
        (("play", "secret-1.yaml"), "secret-1.yaml:1: password: unknown key; expected one of"),
        (("user", "add", "--pass", "hunter2", "bob"), "No such option: --pass (Possible"),
        (("observe", "--password", "hunter2"), "No such option: --password (Possible options: "),
        (("observe", "--password=hunter2"), "No such option: --password (Possible options: "),
        (("serve", "--no-web", "--metrics-token", "hunter2"), "--metrics-token has no effect"),
        (("dspmq", "--token=hunter2"), "unknown flag --token=******** (see twin dspmq --help)"),
        (("dspmq", "-p hunter2"), "unknown flag -p ******** (see twin dspmq --help)"),
        (("import", "x password=hunter2"), "cannot read x password=********: No such file"),
    ],
)
def test_a_message_is_whole_and_shows_no_secret(
    run: Run, words: tuple[str, ...], said: str
) -> None:
    """What was typed is shown without secrets, and no word of the message is taken for one."""
    assert run("crtmqm", "QM1").code == 0
    Path("secret-1.yaml").write_text("password: hunter2\n", encoding="utf-8")
    done = run(*words)
    assert done.code == 20
    assert said in done.err
    assert "hunter2" not in done.err


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("doctor", "--output", ""), "--output"),
        (("doctor", "--suppressions", ""), "--suppressions"),
        (("doctor", "--baseline", ""), "--baseline"),
        (("doctor", "--from", ""), "--from"),
        (("plan", "--from", "", "--stop", "QM1"), "--from"),
        (("plan", "--on", "QM1", ""), "FILE"),
        (("play", "--junit", "", "a.yaml"), "--junit"),
        (("play", ""), "STORY.yaml"),
        (("import", ""), "PATH"),
        (("history", "update", "--lake", ""), "--lake"),
    ],
)
def test_an_empty_path_is_no_default(run: Run, words: tuple[str, ...], what: str) -> None:
    """A variable of a shell that is not set does not make twin read or write something else."""
    assert run("crtmqm", "QM1").code == 0
    done = run(*words)
    said = f"twin: {what} is empty; name a file or a folder\n"
    assert (done.code, done.out, done.err) == (20, "", said)


@pytest.mark.parametrize("folder", [".", "/"])
def test_a_folder_is_no_output(run: Run, folder: str) -> None:
    """A folder without a name of its own is refused as any other one."""
    assert run("crtmqm", "QM1").code == 0
    done = run("doctor", "--output", folder)
    assert (done.code, done.err) == (20, f"twin: cannot write {folder}: Is a directory\n")
