"""A log whose file is moved or replaced while it is open: nothing is written, nothing is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.log.writing import OpenLog, fill
from twin.log import Log, LogMoved, NoSuchLog


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the path of a log in a folder of its own."""
    (tmp_path / "here").mkdir()
    return tmp_path / "here" / "twin.db"


def test_a_moved_log_is_not_written_to_until_it_is_back(file: Path, open_log: OpenLog) -> None:
    """The writer that has it open is told so, and makes no other file."""
    log: Log = open_log(f"sqlite:///{file}")
    fill(log, 1)
    folder = file.parent
    folder.rename(folder.with_name("away"))
    folder.mkdir()
    with pytest.raises(LogMoved, match="was moved, removed or replaced after it was opened"):
        fill(log, 2)
    with pytest.raises(LogMoved):
        log.demand_place()
    assert list(folder.iterdir()) == []
    folder.rmdir()
    folder.with_name("away").rename(folder)
    log.demand_place()
    fill(log, 2)
    assert log.head().position == 2


@pytest.mark.parametrize("mode", ["read", "write"])
def test_caches_of_a_moved_log_make_no_file(file: Path, open_log: OpenLog, mode: str) -> None:
    """The connection for caches is opened at its first use, which may be after the move."""
    fill(open_log(f"sqlite:///{file}"), 1)
    log: Log = open_log(f"sqlite:///{file}", mode=mode, keeps_caches=True)
    file.rename(file.with_name("away.db"))
    with pytest.raises(LogMoved), log.caches.writing():
        pass
    assert not file.exists()


def test_a_log_is_made_only_where_it_may_be(file: Path, open_log: OpenLog) -> None:
    """Without `create`, a missing file stays missing, and an empty one stays empty."""
    with pytest.raises(NoSuchLog):
        open_log(f"sqlite:///{file}", create=False)
    assert not file.exists()
    file.touch()
    with pytest.raises(NoSuchLog):
        open_log(f"sqlite:///{file}", create=False)
    assert file.stat().st_size == 0


def test_a_database_without_a_log_stays_so(postgres_url: str, open_log: OpenLog) -> None:
    """Without `create`, no tables are made on a server."""
    for _ in range(2):
        with pytest.raises(NoSuchLog):
            open_log(postgres_url, create=False)
    open_log(postgres_url).demand_place()
