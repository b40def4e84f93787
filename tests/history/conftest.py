"""One Spark for all tests of long histories, which one worker runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.history.logs import QUICK
from twin.history.session import session

_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep them together: a JVM for each worker would take more memory than they save time."""
    for item in items:
        if item.path.is_relative_to(_HERE):
            item.add_marker(pytest.mark.xdist_group("spark"))


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Start Spark on this machine, once."""
    conf = [*QUICK, "spark.driver.memory=1g"]
    with session(master="local[2]", conf=conf) as started:
        yield started
