"""One Spark for the tests of long histories that a worker runs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from tests.history.logs import QUICK
from twin.history.session import session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Start Spark on this machine, once."""
    conf = [*QUICK, "spark.driver.memory=1g"]
    with session(master="local[2]", conf=conf) as started:
        yield started
