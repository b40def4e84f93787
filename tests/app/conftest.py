"""Twins on new logs, with a clock that the test sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.app.scenes import LATER, make_twin
from twin.app.twin import Twin


@pytest.fixture
def twin(tmp_path: Path) -> Iterator[Twin]:
    """Make a twin on an empty SQLite log, with a clock far in the future."""
    with make_twin(f"sqlite:///{tmp_path / 'twin.db'}", lambda: LATER) as made:
        yield made


@pytest.fixture
def twins(tmp_path: Path) -> Iterator[Callable[[], Twin]]:
    """Return a function that makes twins, each on an empty log."""
    made: list[Twin] = []

    def make() -> Twin:
        made.append(make_twin(f"sqlite:///{tmp_path / str(len(made))}.db", lambda: LATER))
        return made[-1]

    yield make
    for each in made:
        each.close()
