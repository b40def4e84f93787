"""The estate of the demo, served: once for tests that read, and a copy for each one that writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.patience import unhurried
from tests.web.serving import LIMITS, Served, copy_log, make_users, served
from twin import demo

Serve: TypeAlias = Callable[..., Served]


@pytest.fixture(autouse=True, scope="session")
def _no_request_is_late() -> Iterator[None]:
    """Let only hangs reach the limits of the service; a test of a limit sets its own."""
    with unhurried(LIMITS):
        yield


@pytest.fixture(scope="session")
def demo_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the log of the demo: six queue managers in cluster CLUSTEST."""
    folder = tmp_path_factory.mktemp("demo")
    with redirect_stdout(StringIO()):
        demo.cluster(folder)
    return folder / demo.LOG


@pytest.fixture(scope="session")
def users_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a file of users: admin, reader and user."""
    return make_users(tmp_path_factory.mktemp("users") / "users.json")


@pytest.fixture(scope="session")
def demo_service(demo_log: Path, users_file: Path) -> Iterator[Served]:
    """Serve the demo's log to all tests that only read."""
    with served(demo_log, users_file, read_only=True) as service:
        yield service


@pytest.fixture
def serve(tmp_path: Path, demo_log: Path, users_file: Path) -> Iterator[Serve]:
    """Return a function that serves a copy of the demo's log with some settings."""
    with ExitStack() as opened:

        def start(**settings: Any) -> Served:
            log = settings.pop("log", None) or copy_log(demo_log, tmp_path / "served")
            return opened.enter_context(served(log, users_file, **settings))

        yield start
