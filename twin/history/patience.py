"""Patience with a busy machine: how long Spark waits, and how often work is tried again.

Spark starts Python processes and connects to them. On a machine that is busy with other work they
start late. Most limits can be set, and are set here. One cannot: the Python process that reads a
stream must connect within 10 seconds; `twin.history.worker` makes it connect early. Where it still
comes late, the work is tried again, because it is safe to repeat: an update goes on from its
checkpoint, and a metric only reads.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Final, TypeVar

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from twin.history.errors import MachineBusy
from twin.history.failures import all_words

LIMITS: Final = {
    "spark.python.authenticate.socketTimeout": "600s",
    "spark.network.timeout": "600s",
    "spark.executor.heartbeatInterval": "60s",
    "spark.sql.broadcastTimeout": "3600",
}
"""How long Spark waits for a process that is slow; `--conf` may change each."""

ATTEMPTS: Final = 6
"""How often work is tried at most."""

PAUSE: Final = 1.0
"""Seconds before the second attempt; each later pause is twice as long as the one before."""

_LATE: Final = re.compile(
    r"Python worker failed to connect back|Timed out while waiting for the Python worker|"
    r"StreamingPythonRunnerInitializationTimeout|Accept timed out"
)

T = TypeVar("T")


def patiently(work: Callable[[], T], *, on_retry: Callable[[str], None], pause: float = PAUSE) -> T:
    """Do work that is safe to repeat, again where a Python process of Spark started too late.

    Args:
        work: what is done; it must be safe to repeat.
        on_retry: called with one line before each further attempt.
        pause: seconds before the second attempt.

    Raises:
        MachineBusy: when the last attempt failed for this reason too.
        PySparkException, Py4JError: when it fails for another reason, at once.
    """
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return work()
        except (Py4JError, PySparkException) as error:
            if not _LATE.search(all_words(error)):
                raise
        if attempt < ATTEMPTS:
            on_retry(f"{MachineBusy.REASON}; trying again (attempt {attempt + 1} of {ATTEMPTS})")
            time.sleep(pause * 2 ** (attempt - 1))
    raise MachineBusy(ATTEMPTS)
