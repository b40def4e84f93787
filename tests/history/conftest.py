"""One Spark session for all tests of long histories in a worker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from tests.history.logs import QUICK
from twin.history.session import session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Start Spark on this machine, once, with the settings for few events.

    `test_cluster.py` compares the results with those of the settings for many.
    """
    with session(master="local[2]", conf=[*QUICK, "spark.driver.memory=1g"], events=0) as started:
        yield started
