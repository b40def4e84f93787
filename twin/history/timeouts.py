"""Limits for a busy machine: how long Spark waits, and how often work is repeated.

Spark starts Python processes and connects to them. On a busy machine they start late. Most limits
can be set, and are set here. One cannot: the Python process that reads a stream must connect within
10 seconds; `twin.history.python_launcher` makes it connect early. If it still connects too late,
the work is repeated. This is safe: an update continues from its checkpoint, and a metric only
reads.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Final, TypeVar

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from twin.history.errors import MachineBusy, all_words

LIMITS: Final = {
    "spark.python.authenticate.socketTimeout": "600s",
    "spark.network.timeout": "600s",
    "spark.executor.heartbeatInterval": "60s",
    "spark.sql.broadcastTimeout": "3600",
}
"""How long Spark waits for a slow process; `--conf` may change each limit."""

ATTEMPTS: Final = 6
"""The largest number of attempts."""

PAUSE: Final = 1.0
"""Seconds before the second attempt; each later pause is twice as long as the one before."""

_LATE: Final = re.compile(
    r"Python worker failed to connect back|Timed out while waiting for the Python worker|"
    r"StreamingPythonRunnerInitializationTimeout|Accept timed out"
)

T = TypeVar("T")


def retry_when_late(
    work: Callable[[], T], *, on_retry: Callable[[str], None], pause: float = PAUSE
) -> T:
    """Do work that is safe to repeat; repeat it if a Python process of Spark started too late.

    Args:
        work: the work; it must be safe to repeat.
        on_retry: called with one line before each further attempt.
        pause: seconds before the second attempt.

    Raises:
        MachineBusy: if the last attempt failed for this reason, too.
        PySparkException, Py4JError: at once, if it fails for another reason.
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
