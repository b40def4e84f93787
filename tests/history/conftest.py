"""One Spark session for all tests of long histories in a worker."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest
from pyspark.sql import SparkSession

from tests.history.logs import QUICK
from twin.history.session import session

_FEW_ROWS: Final = (
    "spark.driver.memory=1g",
    "spark.sql.adaptive.enabled=false",
    "spark.sql.codegen.factoryMode=NO_CODEGEN",
    "spark.sql.codegen.wholeStage=false",
    "spark.sql.constraintPropagation.enabled=false",
)
"""Compiling or refining a plan takes longer than computing a few rows. `test_cluster.py` compares
the results with those of a session without these settings."""


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Start Spark on this machine, once."""
    with session(master="local[2]", conf=[*QUICK, *_FEW_ROWS]) as started:
        yield started
