"""The rules call each other round and round; whichever is imported first, all of them are there."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Iterator
from typing import Final

import pytest

import twin.rules

MODULES: Final = sorted(
    found.name for found in pkgutil.walk_packages(twin.rules.__path__, "twin.rules.")
)


@pytest.fixture
def fresh() -> Iterator[None]:
    """Forget that any rule was imported, for as long as the test goes on."""
    kept = {name: module for name, module in sys.modules.items() if name.startswith("twin.rules")}
    for name in kept:
        del sys.modules[name]
    yield
    for name in [name for name in sys.modules if name.startswith("twin.rules")]:
        del sys.modules[name]
    sys.modules.update(kept)


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("module", MODULES)
def test_each_can_be_imported_first(module: str) -> None:
    """No module takes a name out of one that is being imported."""
    importlib.import_module(module)
