"""Nearly empty logs, damaged lakes and full disks: each is one line."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from pyspark.sql import SparkSession

from tests.history.logs import append, made, positions_in_files
from twin.cli import entry
from twin.cli.history import ReportRequest, write_report
from twin.history.errors import (
    BadFolder,
    BadWindow,
    DamagedLake,
    NoSpace,
    NoSuchCluster,
    translated,
)
from twin.history.lake import files, read, update
from twin.model.instants import DAY

MADE: Final = 60
LONG: Final = 8_000
"""Characters of a body that hardly gets any shorter by being packed."""

QUICK_ONES: Final = ("suspensions", "changes")
"""Metrics of two kinds; each metric has a test of its own on a log with nothing."""


def asked(lake: Path, out: Path, *metrics: str, since: int | None = None) -> ReportRequest:
    """Request a report on everything, or on the time since an instant."""
    return ReportRequest(since, None, None, metrics, "main", lake, out)


Outcome = Callable[[Callable[[], object]], tuple[int, str]]


@pytest.fixture
def outcome(capsys: pytest.CaptureFixture[str]) -> Outcome:
    """Return a function that ends work like the command line, with exit code and message."""

    def outcome(work: Callable[[], object]) -> tuple[int, str]:
        code = entry._guarded(lambda: (work(), 0)[1])
        said = capsys.readouterr()
        assert said.out == ""
        return code, said.err

    return outcome


def test_an_empty_log_is_one_line(
    spark: SparkSession, sqlite_url: str, tmp_path: Path, outcome: Outcome
) -> None:
    """The lake of an empty log exists, and its report is refused in one line."""
    append(sqlite_url, [])
    lake, out = tmp_path / "lake", tmp_path / "report"
    assert outcome(lambda: update(spark, sqlite_url, lake)) == (0, "")
    assert outcome(lambda: write_report(spark, asked(lake, out), progress=_nobody)) == (
        20,
        f"twin: the lake {lake} contains no events of branch main\n",
    )
    assert not out.exists()


@pytest.mark.parametrize("metrics", [QUICK_ONES, pytest.param((), marks=pytest.mark.more)])
def test_a_log_with_one_event_has_a_report(
    spark: SparkSession, sqlite_url: str, tmp_path: Path, metrics: tuple[str, ...]
) -> None:
    """Metrics have a result for a log with one event; `make test-more` tries all of them."""
    append(sqlite_url, [made(0)])
    update(spark, sqlite_url, tmp_path / "lake")
    wanted = asked(tmp_path / "lake", tmp_path / "report", *metrics)
    done = write_report(spark, wanted, progress=_nobody)
    assert (done.extent.events, done.extent.first, done.extent.qmgrs) == (1, done.extent.last, 1)
    assert done.window[:2] == (done.extent.first, done.extent.first + 1)
    assert done.report.page.is_file()


def _nobody(done: int, of: int, what: str) -> None:
    """Ignore progress."""


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a lake of a month."""
    place = tmp_path_factory.mktemp("sound")
    append(f"sqlite:///{place}/twin.db", map(made, range(MADE)))
    update(spark, f"sqlite:///{place}/twin.db", place / "lake")
    return place / "lake"


def _overwritten(file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[:40] + bytes(200) + content[240:])


def _overwritten_unnoticed(file: Path) -> None:
    content = file.read_bytes()
    length = int.from_bytes(content[-8:-4], "little") + 8
    file.write_bytes(content[:4] + b"\xff" * (len(content) - length - 4) + content[-length:])
    file.with_name(f".{file.name}.crc").unlink()


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-20])
    file.with_name(f".{file.name}.crc").unlink()


def _emptied(file: Path) -> None:
    file.write_bytes(b"")


def _deleted(file: Path) -> None:
    file.unlink()


@pytest.fixture
def restored(lake: Path, tmp_path: Path) -> Iterator[Path]:
    """Yield a file of the lake to damage, and restore it."""
    file = files(lake)[0]
    both = [file, file.with_name(f".{file.name}.crc")]
    for each in both:
        shutil.copy2(each, tmp_path)
    yield file
    for each in both:
        shutil.copy2(tmp_path / each.name, each)


@pytest.mark.parametrize("damage", [_overwritten, _overwritten_unnoticed, _cut, _emptied, _deleted])
def test_a_damaged_file_is_named_in_one_line(
    spark: SparkSession,
    lake: Path,
    restored: Path,
    tmp_path: Path,
    outcome: Outcome,
    damage: Callable[[Path], None],
) -> None:
    """A damaged file is named in one line, and no report is begun."""
    damage(restored)
    out = tmp_path / "report"
    said = f"twin: {DamagedLake(str(restored))}\n"
    assert outcome(lambda: write_report(spark, asked(lake, out), progress=_nobody)) == (20, said)
    assert not out.exists()


def test_a_damaged_account_of_what_counts_is_one_line(
    spark: SparkSession, lake: Path, tmp_path: Path, outcome: Outcome
) -> None:
    """A damaged list of valid files is one line."""
    noted = lake / "lake.json"
    before = noted.read_bytes()
    noted.write_bytes(before[:100])
    try:
        code, said = outcome(
            lambda: write_report(spark, asked(lake, tmp_path / "out"), progress=_nobody)
        )
    finally:
        noted.write_bytes(before)
    assert (code, said.count("\n")) == (20, 1)
    assert said.startswith(f"twin: {lake} contains a lake.json that is not that of a lake; ")


def test_a_window_behind_everything_is_one_line(
    spark: SparkSession, lake: Path, tmp_path: Path, outcome: Outcome
) -> None:
    """A window after all events is one line, because it ends before it begins."""
    since = 1_767_225_600_000_000 + 40 * DAY
    late = asked(lake, tmp_path / "out", since=since)
    said = f"twin: {BadWindow('2026-02-10T00:00:00Z', '2026-01-10T20:00:00.000001Z')}\n"
    assert outcome(lambda: write_report(spark, late, progress=_nobody)) == (20, said)


def test_a_cluster_that_nobody_named_is_one_line(
    spark: SparkSession, lake: Path, tmp_path: Path, outcome: Outcome
) -> None:
    """An unknown cluster is one line, and no report is begun."""
    out = tmp_path / "report"
    unknown = ReportRequest(None, None, "CB", (), "main", lake, out)
    said = f"twin: {NoSuchCluster('CB')}\n"
    assert outcome(lambda: write_report(spark, unknown, progress=_nobody)) == (20, said)
    assert not out.exists()


def test_a_file_that_cannot_be_written_is_one_line(
    spark: SparkSession, lake: Path, tmp_path: Path, outcome: Outcome
) -> None:
    """A file that cannot be written is one line with folder and file."""
    (tmp_path / "suspensions.csv").mkdir()
    said = f"twin: {BadFolder(str(tmp_path), 'suspensions.csv: Is a directory')}\n"
    wanted = asked(lake, tmp_path, "suspensions")
    assert outcome(lambda: write_report(spark, wanted, progress=_nobody)) == (20, said)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a disk of one MiB, if this is allowed."""
    place = tmp_path / "disk"
    place.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    done = None
    if os.geteuid() == 0:
        with suppress(FileNotFoundError):
            done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done is None or done.returncode:
        reason = f"no disk of its own: {done.stderr.strip() if done else 'only root may mount'}"
        pytest.skip(reason)
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def test_a_full_disk_is_one_line_and_what_was_complete_stays(
    spark: SparkSession, sqlite_url: str, tmp_path: Path, small_disk: Path, outcome: Outcome
) -> None:
    """A full disk is one line; with more room, the next update continues without duplicates."""
    body = f'{{"qmgr": "QM1", "text": "{secrets.token_hex(LONG)}"}}'
    append(sqlite_url, (made(number)._replace(body=body) for number in range(2)))
    append(
        sqlite_url,
        (
            made(number)._replace(body=f'{{"text": "{secrets.token_hex(LONG)}"}}')
            for number in range(2, 200)
        ),
    )
    lake = small_disk / "lake"
    full = (20, f"twin: {NoSpace(str(lake))}\n")
    assert outcome(lambda: update(spark, sqlite_url, lake, batch=50)) == full
    held = positions_in_files(lake)
    assert held == list(range(1, len(held) + 1))
    assert len(held) % 50 == 0
    subprocess.run(["mount", "-o", "remount,size=40m", str(small_disk)], check=True)
    assert update(spark, sqlite_url, lake).position == 200
    assert positions_in_files(lake) == list(range(1, 201))
    assert read(spark, lake).count() == 200
    code, said, out = 0, "", small_disk
    for number in range(9):  # Java gives room back late, of files that are deleted already
        out = small_disk / f"report{number}"
        out.mkdir()
        with suppress(OSError), (small_disk / f"ballast{number}").open("wb") as ballast:
            while True:
                ballast.write(bytes(4096))
                ballast.flush()
        wanted = asked(lake, out, "suspensions")
        code, said = outcome(partial(write_report, spark, wanted, progress=_nobody))
        if code:
            break
    assert (code, said.count("\n")) == (20, 1)
    assert said.startswith(f"twin: no space left for {out}")
    assert list(out.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "An error occurred while calling o51.start.\n: java.io.EOFException: no more\n\tat x\n",
            "Spark failed: no more",
        ),
        (
            'No\nTraceback (most recent call last):\n  File "a", line 1\n    f()\nKeyError: 1\n',
            "Spark failed: KeyError: 1",
        ),
        (
            "Job aborted\nCaused by: java.io.IOException: outer\nCaused by: a.B: inner\n",
            "Spark failed: inner",
        ),
        (
            "Job aborted\nCaused by: java.io.IOException: No space left on device\n",
            "no space left for /lake; what is complete there is kept",
        ),
        ("", "Spark failed: str"),
    ],
)
def test_the_innermost_cause_of_a_long_error_is_kept(text: str, said: str) -> None:
    """The line kept of a long error is its innermost cause, or the end of a traceback."""
    assert str(translated(text, Path("/lake"))) == said
