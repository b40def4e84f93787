"""A small sample, made once: two cells, and seven months that contain all faults."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from twin.log import Log
from twin.sampling import Planted, make


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Planted]:
    """Return the URL of a small sample, and its planted faults."""
    url = f"sqlite:///{tmp_path_factory.mktemp('sample')}/sample.db"
    return url, make(url, qmgrs=25, years=0.6, seed=3, events=40_000)


@pytest.fixture
def url(sample: tuple[str, Planted]) -> str:
    """Return the URL of the small sample."""
    return sample[0]


@pytest.fixture
def planted(sample: tuple[str, Planted]) -> Planted:
    """Return the planted faults of the small sample."""
    return sample[1]


@pytest.fixture
def log(url: str) -> Iterator[Log]:
    """Open the small sample for reading."""
    opened = Log.open(url, mode="read")
    yield opened
    opened.close()


@pytest.fixture
def beside(url: str) -> Path:
    """Return the file beside the small sample."""
    return Path(url.removeprefix("sqlite:///") + ".planted.json")
