"""A service with a small estate in which something of each kind happened, and a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web.browser import chromium, open_page
from tests.web.pages.scene import build
from tests.web.serving import Served, copy_log, served

__all__ = ["chromium", "open_page"]


@pytest.fixture(scope="session")
def scene_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the log of the scene."""
    log = tmp_path_factory.mktemp("scene") / "twin.db"
    build(f"sqlite:///{log}")
    return log


@pytest.fixture(scope="session")
def estate(scene_log: Path, users_file: Path) -> Iterator[Served]:
    """Serve the scene to all tests that only read."""
    with served(scene_log, users_file, read_only=True) as service:
        yield service


@pytest.fixture
def own_estate(scene_log: Path, users_file: Path, tmp_path: Path) -> Iterator[Served]:
    """Serve a copy of the scene that one test may change."""
    with served(copy_log(scene_log, tmp_path / "served"), users_file) as service:
        yield service
