"""One Spark session for all tests of long histories in a worker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from tests.history.logs import QUICK
from tests.history.together import Answers
from twin.history.session import session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Start Spark on this machine, once, with the settings for few events.

    `test_cluster.py` compares the results with those of the settings for many.
    """
    with session(master="local[2]", conf=[*QUICK, "spark.driver.memory=1g"], events=0) as started:
        yield started


@pytest.fixture(scope="module")
def answers(request: pytest.FixtureRequest, spark: SparkSession) -> Answers:
    """Answer what the tests of a file ask of metrics, all of them together."""
    return Answers(spark, [each for each in request.session.items if each.path == request.path])
