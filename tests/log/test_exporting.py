"""Logs move between databases as portable lines, which are checked on the way in."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from tests.editions.stored import WORLDS, put_back
from tests.log.database import behind_the_back
from tests.log.evidence import keep
from tests.log.writing import OpenLog, begin_import, fill, new, retire
from twin.errors import TwinError
from twin.log import BadExport, Log, LogNotEmpty, NewerExport

ROOT: Final = Path(__file__).parents[2]
TABLES: Final = {
    "event": "position",
    "branch": "id",
    "head": "branch",
    "late_event": "position",
    "retraction": "position, first",
    "branch_retired": "branch",
    "import_state": "digest",
    "evidence": "digest",
}


def facts(url: str) -> dict[str, list[Any]]:
    """Return all rows of a log but those of caches."""
    with behind_the_back(url, guarded=True) as connection:
        return {
            table: connection.execute(
                f"SELECT * FROM {table} ORDER BY {key}"  # noqa: S608 - names of our own
            ).fetchall()
            for table, key in TABLES.items()
        }


def lines_of(log: Log) -> list[bytes]:
    """Export a log."""
    return [f"{line}\n".encode() for line in log.export()]


def signed(lines: list[bytes]) -> list[bytes]:
    """Return lines with a new last line, as somebody who alters an export writes it."""
    from hashlib import sha256

    whole = b"".join(lines)
    end = {"end": len(lines), "sha256": sha256(whole).hexdigest()}
    return [*lines, f"{json.dumps(end)}\n".encode()]


@pytest.fixture
def winding(log: Log) -> Log:
    """Make a log with branches, late facts, a retired branch, evidence and an import."""
    log.append([new(10), new(20, cause="x"), new(30, body='{"text": "ünïcode\\t"}')], recorded_at=5)
    log.create_branch("b")
    log.append([new(15), new(12), new(12, type="DerivedFactsWithdrawn")], recorded_at=5)
    fill(log, 40, branch="b")
    log.create_branch("c", parent="b", at_occurred=35)
    log.append([new(33), new(31), new(32), new(50)], recorded_at=7, branch="c")
    retire(log, "b")
    log.create_branch("b")
    begin_import(log, "ab", "one.mqsc")
    log.append([new(n) for n in range(60, 2200)], recorded_at=8, branch="b")
    log.create_branch("last", at_position=2)
    keep(log, "AMQ9999E\n", first_seen=3)
    log.purge_evidence([keep(log, "AMQ9998E\n", first_seen=3)])
    return log


def test_a_log_moves_to_every_database(
    winding: Log, log_url: str, sqlite_url: str, postgres_url: str, open_log: OpenLog
) -> None:
    """An imported log has the same rows of every table that is no cache, and the same head."""
    lines = lines_of(winding)
    other = sqlite_url.replace("twin.db", "other.db")
    for url in (other, postgres_url if log_url.startswith("sqlite") else other + "2"):
        seen: list[tuple[int, int]] = []
        copy = open_log(url)
        note = seen.append
        end = copy.import_lines(lines, progress=lambda *args, note=note: note(args))
        assert end == winding.last()
        assert seen[-1] == (winding.last().position,) * 2
        assert copy.verify() == winding.verify()
        assert facts(url) == facts(log_url)
        assert lines_of(copy) == lines


@pytest.mark.parametrize("world", WORLDS)
def test_worlds_move(world: str, log_url: str, sqlite_url: str, open_log: OpenLog) -> None:
    """Real logs move too, with their late facts and branches."""
    put_back(world, log_url)
    log = Log.upgrade(log_url)
    url = sqlite_url.replace("twin.db", "other.db")
    copy = open_log(url)
    assert copy.import_lines(lines_of(log)) == log.last()
    assert copy.verify() == log.verify()
    assert facts(url) == facts(log_url)
    log.close()


def without(number: int) -> Callable[[list[bytes]], list[bytes]]:
    """Remove a line."""
    return lambda lines: [*lines[:number], *lines[number + 1 :]]


def edited(number: int, old: bytes, new_: bytes) -> Callable[[list[bytes]], list[bytes]]:
    """Replace text in a line, and write a new last line."""

    def edit(lines: list[bytes]) -> list[bytes]:
        assert old in lines[number]
        lines[number] = lines[number].replace(old, new_)
        return signed(lines[:-1])

    return edit


BROKEN: Final[dict[str, tuple[Callable[[list[bytes]], list[bytes]], str]]] = {
    "empty": (lambda _: [], "line 1 of the export: it is missing"),
    "another file": (lambda _: [b"DEFINE QLOCAL(Q)\n"], "line 1 of"),
    "other JSON": (lambda _: [b"[]\n", b"5\n"], "line 1 of the export: this is no export"),
    "no header": (without(0), "this is no export of a log"),
    "cut off": (lambda lines: lines[:-1], "it is missing; the export is cut off"),
    "cut in a line": (lambda lines: [*lines[:9], lines[9][:40]], "line 10 of the export"),
    "a line is missing": (without(3), "at position 3 is altered or missing"),
    "two lines changed places": (
        lambda lines: [*lines[:2], lines[3], lines[2], *lines[4:]],
        "at position 2 is altered",
    ),
    "an event": (edited(2, b"QM1", b"QM2"), "the event at position 1 is altered"),
    "a digest": (edited(3, b'"digest":"', b'"digest":"00'), "line 4"),
    "a branch": (edited(8, b'"b"', b'"x"'), "line 9"),
    "the head": (edited(0, b'"head":"2', b'"head":"3'), "the head of the first line"),
    "the last event": (lambda lines: signed([*lines[:2150], *lines[2151:-1]]), "altered or miss"),
    "evidence": (edited(-2, b"AMQ999", b"AMQ111"), "line"),
    "the last line": (
        lambda lines: [*lines[:-1], b'{"end":9,"sha256":""}\n'],
        "missing or altered",
    ),
    "more after the end": (lambda lines: [*lines, b"{}\n"], "after the end"),
    "deep": (lambda _: [b"[" * 100_000], "line 1 of"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_export_leaves_nothing(
    winding: Log, sqlite_url: str, open_log: OpenLog, name: str
) -> None:
    """An export that is altered, cut or something else is refused, and leaves nothing."""
    break_it, found = BROKEN[name]
    lines = lines_of(winding)
    copy = open_log(sqlite_url.replace("twin.db", "other.db"))
    before = facts(sqlite_url.replace("twin.db", "other.db"))
    with pytest.raises(BadExport, match="nothing was imported") as error:
        copy.import_lines(break_it(list(lines)))
    assert found in str(error.value)
    assert "\n" not in str(error.value)
    assert facts(sqlite_url.replace("twin.db", "other.db")) == before
    assert [branch.name for branch in copy.branches()] == ["main"]
    assert copy.import_lines(lines) == winding.last()


def test_changes_of_single_bytes_are_found(
    winding: Log, sqlite_url: str, open_log: OpenLog
) -> None:
    """A flipped bit anywhere in an export is found."""
    whole = b"".join(lines_of(winding))
    flips = random.Random(1)
    copy = open_log(sqlite_url.replace("twin.db", "other.db"))
    for _ in range(40):
        place = flips.randrange(len(whole))
        changed = bytearray(whole)
        changed[place] ^= 1 << flips.randrange(8)
        with pytest.raises(TwinError):
            copy.import_lines(bytes(changed).splitlines(keepends=True))
        assert copy.last().position == 0


def test_only_an_empty_log_takes_an_import(
    winding: Log, sqlite_url: str, open_log: OpenLog
) -> None:
    """A log with events or branches refuses an import and keeps what it has."""
    lines = lines_of(winding)
    with pytest.raises(LogNotEmpty):
        winding.import_lines(lines)
    forked = open_log(sqlite_url.replace("twin.db", "other.db"))
    forked.create_branch("b")
    with pytest.raises(LogNotEmpty):
        forked.import_lines(lines)


def test_an_export_of_a_newer_version_names_it(
    winding: Log, sqlite_url: str, open_log: OpenLog
) -> None:
    """An export that needs a newer version is refused in a line that names that version."""
    copy = open_log(sqlite_url.replace("twin.db", "other.db"))
    for old, changed in ((b'"needs":"0.2.0"', b'"needs":"0.10.1"'), (b'log":1', b'log":2')):
        lines = lines_of(winding)
        lines[0] = lines[0].replace(old, changed)
        with pytest.raises(NewerExport, match=r"needs twin 0\.\d+\.\d or later; this is 0\.2\.0"):
            copy.import_lines(lines)


IMPORT: Final = """
import sys
from twin.log import Log
def show(done, total):
    print(done, flush=True)
    sys.stdin.readline()
log = Log.open(sys.argv[1])
log.import_lines(open(sys.argv[2], "rb"), progress=show)
"""


@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGINT])
def test_an_interrupted_import_leaves_nothing(
    log_url: str, sqlite_url: str, tmp_path: Path, open_log: OpenLog, kill: signal.Signals
) -> None:
    """After an import was killed the log is empty, and the import can be repeated."""
    log = open_log(sqlite_url.replace("twin.db", "source.db"))
    log.append([new(n) for n in range(20_000)], recorded_at=1)
    file = tmp_path / "export"
    file.write_bytes(b"".join(lines_of(log)))
    process = subprocess.Popen(
        [sys.executable, "-c", IMPORT, log_url, str(file)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    while process.stdout.readline().strip() != "5000":
        process.stdin.write("\n")
        process.stdin.flush()
    process.send_signal(kill)
    process.wait()
    process.stdin.close()
    process.stdout.close()
    copy = open_log(log_url)
    assert copy.verify().position == 0
    with file.open("rb") as lines:
        assert copy.import_lines(lines) == log.last()
