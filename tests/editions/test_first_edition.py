"""A log of the first edition is upgraded with its data, and gives its old answers."""

from __future__ import annotations

import hashlib
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest

from tests.app.scenes import LATER
from tests.editions.asking import answers, changed
from tests.editions.stored import WORLDS, put_back, stored_answers
from tests.log.database import behind_the_back
from tests.patience import PATIENCE
from twin.app.twin import Twin
from twin.log import Log, OlderLog, OtherCopy

ROOT: Final = Path(__file__).parents[2]

INTENDED: Final[dict[str, Callable[[str], bool]]] = {
    "the status of an observed channel cites its observation, too": lambda asked: asked.endswith(
        " channels"
    ),
    "an INACTIVE channel to a queue manager that has ended would not start": lambda asked: (
        asked.endswith((" explain FR1 LATE", " explain FR2 LATE"))
    ),
    "VERSION is blank where nothing says the fix pack": lambda asked: asked.endswith(
        " DISPLAY OBS"
    ),
    "on main, the depth of an observed queue that nobody looked at is unknown": lambda asked: (
        asked.startswith("main ") and asked.endswith(" DISPLAY OBS")
    ),
}
"""Why an answer differs from that of the first edition -> which answers do, by what was asked.

Each entry was reviewed: the new answer is right, and the old one was wrong or incomplete.
"""


def is_about_disconnected(asked: str, old: Any, new: Any) -> bool:
    """Return whether `explain` only calls channels INACTIVE that have disconnected, as MQ does.

    The first edition called them RUNNING; both statuses are equally good to the rules.
    """

    def one_status(answer: Any) -> Any:
        rows = [
            {
                name: "RUNNING" if name in ("status", "best") and value == "INACTIVE" else value
                for name, value in row.items()
            }
            for row in answer[0]
        ]
        return [rows, *answer[1:]]

    alike = not changed({asked: one_status(old)}, {asked: one_status(new)})
    return " explain " in asked and alike


EACH_WORLD: Final = pytest.mark.parametrize(
    ("log_url", "world"),
    [
        *(("sqlite", world) for world in WORLDS),
        ("postgresql", WORLDS[-1]),
        *(pytest.param("postgresql", each, marks=pytest.mark.more) for each in WORLDS[:-1]),
    ],
    indirect=["log_url"],
)
"""Each world in a file, and one of them in PostgreSQL; `make test-more` has the others, too."""


def upgraded(url: str) -> Log:
    """Upgrade a log, as a user of its kind of database does."""
    return Log.open(url) if url.startswith("sqlite") else Log.upgrade(url)


def content_of(url: str) -> list[Any]:
    """Return all rows of the tables that hold facts, and the edition."""
    queries = (
        "SELECT version_num FROM log_version",
        "SELECT * FROM event ORDER BY position",
        "SELECT id, name, parent, fork_position, fork_occurred_at, digest FROM branch ORDER BY id",
        "SELECT * FROM late_event ORDER BY position",
        "SELECT branch, position, occurred_at, recorded_at, digest FROM head ORDER BY branch",
    )
    with behind_the_back(url, guarded=True) as connection:
        return [connection.execute(query).fetchall() for query in queries]


@EACH_WORLD
def test_a_log_of_the_first_edition_gives_its_old_answers(log_url: str, world: str) -> None:
    """After the upgrade every event, and every answer but the intended ones, is as it was."""
    put_back(world, log_url)
    before = content_of(log_url)
    upgraded(log_url).close()
    assert content_of(log_url)[1:] == before[1:]
    with Twin.open(log_url, clock=lambda: LATER * 2, read_only=True) as twin:
        found = answers(twin)
    stored = stored_answers(world)
    heads = stored.pop("heads")
    assert found.pop("head") == heads[log_url.partition(":")[0].partition("+")[0]]
    differences = changed(stored, found)
    unintended = {
        asked: difference
        for asked, difference in differences.items()
        if not any(intends(asked) for intends in INTENDED.values())
        and not is_about_disconnected(asked, *difference)
    }
    assert unintended == {}


@EACH_WORLD
def test_it_is_written_to_after_the_upgrade(log_url: str, world: str) -> None:
    """An upgraded log takes new facts, on main and on its branches."""
    put_back(world, log_url)
    upgraded(log_url).close()
    with Twin.open(log_url, clock=lambda: LATER * 2) as twin:
        before = twin.log.last().position
        for branch in twin.log.branches():
            twin.on_branch(branch.name).pass_time(twin.on_branch(branch.name).now())
        assert twin.log.verify().position > before


def test_a_reader_names_the_command_that_upgrades(log_url: str) -> None:
    """A reader refuses the first edition, in one line that names the command."""
    put_back("story", log_url)
    with pytest.raises(OlderLog, match=r"edition 1.* twin log upgrade"):
        Log.open(log_url, mode="read")


def test_a_file_is_copied_first(tmp_path: Path, sqlite_url: str) -> None:
    """The upgrade of a file says that it keeps a copy of it, which is the log as it was."""
    put_back("story", sqlite_url)
    before = content_of(sqlite_url)
    log = Log.open(sqlite_url)
    (notice,) = log.notices
    assert "from edition 1 to edition 2; twin.db.edition-1 is a copy" in notice
    log.close()
    assert content_of(f"{sqlite_url}.edition-1") == before
    Log.open(sqlite_url).close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["twin.db", "twin.db.edition-1"]


def test_a_copy_with_other_content_is_not_replaced(tmp_path: Path, sqlite_url: str) -> None:
    """If another file has the name of the copy, nothing is upgraded; an equal copy is taken."""
    put_back("story", sqlite_url)
    copy = tmp_path / "twin.db.edition-1"
    for other in ("story", "demo"):
        put_back(other, f"sqlite:///{copy}")
    before = content_of(sqlite_url)
    with pytest.raises(OtherCopy, match="edition-1"):
        Log.open(sqlite_url)
    assert content_of(sqlite_url) == before
    put_back("story", f"sqlite:///{copy}")
    Log.open(sqlite_url).close()


def test_a_shared_log_is_upgraded_by_command_only(postgres_url: str) -> None:
    """On PostgreSQL, opening the first edition for writing is refused, and changes nothing."""
    put_back("story", postgres_url)
    before = content_of(postgres_url)
    with pytest.raises(OlderLog, match="twin log upgrade"):
        Log.open(postgres_url)
    assert content_of(postgres_url) == before
    for _ in range(2):
        Log.upgrade(postgres_url).close()
    assert content_of(postgres_url)[0] != before[0]


MIGRATE: Final = """
import sys, time
from sqlalchemy import Engine, event
from tests.patience import unhurried
from twin.log import Log, opening
migrate = opening._migrate
def loudly(database):
    print("begun", flush=True)
    migrate(database)
opening._migrate = loudly
@event.listens_for(Engine, "commit")
def wait(connection):
    print("migrated", flush=True)
    time.sleep(float(sys.argv[2]))
with unhurried():
    (Log.open if sys.argv[1].startswith("sqlite") else Log.upgrade)(sys.argv[1]).close()
"""


def migrating(url: str, *, pause: float) -> subprocess.Popen[str]:
    """Start a process that upgrades a log, and waits a while before it commits."""
    return subprocess.Popen(
        [sys.executable, "-c", MIGRATE, url, str(pause)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("after", ["begun", "migrated"])
def test_a_killed_upgrade_leaves_the_first_edition_whole(log_url: str, after: str) -> None:
    """After SIGKILL in an upgrade the log is as it was, and can be upgraded."""
    put_back("branches", log_url)
    before = content_of(log_url)
    process = migrating(log_url, pause=PATIENCE)
    assert process.stdout is not None
    while process.stdout.readline().strip() != after:
        assert process.poll() is None
    time.sleep(0.01)
    process.kill()
    process.wait()
    process.stdout.close()
    assert content_of(log_url) == before
    log = upgraded(log_url)
    assert log.verify().position == len(before[1])
    log.close()


def test_two_processes_upgrade_at_once(log_url: str) -> None:
    """Of two processes that open an old log at once, one upgrades it and the other waits."""
    put_back("branches", log_url)
    before = content_of(log_url)
    processes = [migrating(log_url, pause=0.5) for _ in range(2)]
    said = [process.communicate(timeout=PATIENCE)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert sorted(map(len, map(str.split, said))) == [0, 2]
    assert content_of(log_url)[1:] == before[1:]


def test_digests_of_heads_and_late_rows_are_computed(sqlite_url: str) -> None:
    """The upgrade computes the running digest of the late rows, and the seals of the heads."""
    put_back("branches", sqlite_url)
    Log.open(sqlite_url).close()
    late = bytes(32)
    with sqlite3.connect(sqlite_url.removeprefix("sqlite:///")) as connection:
        for row in connection.execute("SELECT * FROM late_event ORDER BY position"):
            texts = [*map(str, row[:3]), "1" if row[3] else "0", str(row[4]), row[5].hex()]
            late = hashlib.sha256(late + "\0".join(texts).encode()).digest()
        for *columns, digest, kept, seal in connection.execute("SELECT * FROM head"):
            assert kept == (bytes(32) if columns[0] else late)
            texts = ["-" if column is None else str(column) for column in columns]
            framed = "\0".join([*texts, digest.hex(), kept.hex()])
            assert seal == hashlib.sha256(framed.encode()).digest()
    connection.close()


def test_a_program_of_the_first_edition_that_goes_on_is_refused(log_url: str) -> None:
    """A process that had the log open before the upgrade can append and fork no more."""
    put_back("story", log_url)
    upgraded(log_url).close()
    before = content_of(log_url)
    late = "UPDATE head SET position = position + 1, recorded_at = 1, digest = digest"
    fork = (
        "INSERT INTO head (branch, position, occurred_at, recorded_at, digest) "
        "SELECT 2, position, occurred_at, recorded_at, digest FROM head WHERE branch = 1"
    )
    with behind_the_back(log_url, guarded=True) as connection:
        for change in (late, fork):
            with pytest.raises((sqlite3.IntegrityError, psycopg.IntegrityError), match="newer"):
                connection.execute(change)
    assert content_of(log_url) == before
