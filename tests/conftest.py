"""Databases for tests: a fresh SQLite file, a fresh PostgreSQL database, or each in turn."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest
from xdist.scheduler import LoadFileScheduling

from tests.declared_rows import problems
from tests.forked_twin import forked_twin
from tests.fresh_logs import made_by_statements
from tests.laws import register_profiles
from tests.patience import unhurried
from twin.log import Log
from twin.questions.answer import Answer

pytest_plugins = ("tests.postgres",)

OpenLog: TypeAlias = Callable[..., Log]

register_profiles()

LONGEST: Final = ("history/test_year.py", "history/")
"""Files and folders that take longest: they come first, so that no worker waits for another."""

TOGETHER: Final = ("tests/history/", "tests/sampling/")
"""Folders whose tests share a Spark session or a sample: one worker runs all of a folder."""


class OneSession(LoadFileScheduling):  # type: ignore[misc]
    """Gives each file to one worker, and all files that share something dear to the same one."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        return next((folder for folder in TOGETHER if file.startswith(folder)), file)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Start one worker more than processors: workers wait for Java, servers and browsers."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling | None:
    """Let one worker run all tests that share a Spark session or a sample."""
    return OneSession(config, log) if config.getoption("dist") == "loadfile" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the longest files first, and the others in their order."""
    items.sort(key=_rank)


def _rank(item: pytest.Item) -> int:
    name = item.nodeid.removeprefix("tests/")
    return next(
        (place for place, each in enumerate(LONGEST) if name.startswith(each)), len(LONGEST)
    )


@pytest.fixture(autouse=True, scope="session")
def _nothing_is_late() -> Iterator[None]:
    """Let only hangs reach the limits of twin's own waits; a test of a limit sets its own."""
    with unhurried():
        yield


@pytest.fixture(autouse=True, scope="session")
def _logs_are_soon_there() -> Iterator[None]:
    """Read the migrations once, and not for each new log."""
    with made_by_statements():
        yield


@pytest.fixture(autouse=True, scope="session")
def _processes_can_be_interrupted() -> None:
    """Let SIGINT reach what tests start; a shell that starts them in the background ignores it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def twin_program() -> Iterator[Path]:
    """Have a program that stands for `twin` in the shells of a worker, and is sooner there."""
    with forked_twin() as program:
        yield program


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """Return the URL of a SQLite file that does not exist yet."""
    return f"sqlite:///{tmp_path / 'twin.db'}"


@pytest.fixture(params=["sqlite", "postgresql"])
def log_url(request: pytest.FixtureRequest) -> str:
    """Return the URL of an empty database, of each kind in turn."""
    name = {"sqlite": "sqlite_url", "postgresql": "postgres_url"}[request.param]
    url: str = request.getfixturevalue(name)
    return url


@pytest.fixture
def open_log() -> Iterator[OpenLog]:
    """Provide `Log.open`, with every log closed at the end of the test."""
    with ExitStack() as opened:
        yield lambda *args, **options: opened.enter_context(closing(Log.open(*args, **options)))


@pytest.fixture
def log(log_url: str, open_log: OpenLog) -> Log:
    """Open an empty log, on each kind of database in turn."""
    return open_log(log_url)


@pytest.fixture(autouse=True, scope="session")
def _rows_are_as_declared() -> Iterator[None]:
    """Check the rows of every answer that any test gets against the columns of its question."""
    made = Answer.of.__func__  # type: ignore[attr-defined]

    def checked(cls: type[Answer], *args: Any, **options: Any) -> Answer:
        answer: Answer = made(cls, *args, **options)
        assert problems(answer) == []
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Answer, "of", classmethod(checked))
        yield
