"""On a busy machine Spark's Python processes start late, and the work is still done."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from tests.history.logs import append, made, positions_in_files
from twin.history.errors import MachineBusy
from twin.history.lake import Updated, copying, update
from twin.history.lake.place import Place
from twin.history.python_launcher import READER, launcher
from twin.history.timeouts import ATTEMPTS, LIMITS, retry_when_late

LATE: Final = PySparkException("Python worker failed to connect back.")


def failing(times: int, error: Exception) -> Callable[[], int]:
    """Return work that fails a number of times, and then returns the number of attempts."""
    tried: list[None] = []

    def work() -> int:
        tried.append(None)
        if len(tried) <= times:
            raise error
        return len(tried)

    return work


def test_late_work_is_tried_again_and_says_so() -> None:
    """Each further attempt is announced in one line with reason and number."""
    lines: list[str] = []
    assert retry_when_late(failing(2, LATE), on_retry=lines.append, pause=0.0) == 3
    assert lines == [
        "the machine is busy: a Python process of Spark did not start in time; trying again "
        f"(attempt {attempt} of {ATTEMPTS})"
        for attempt in (2, 3)
    ]


def test_the_last_attempt_is_the_last() -> None:
    """After the last attempt the error says what happened and what to do."""
    lines: list[str] = []
    with pytest.raises(MachineBusy) as caught:
        retry_when_late(failing(ATTEMPTS, LATE), on_retry=lines.append, pause=0.0)
    assert len(lines) == ATTEMPTS - 1
    assert str(caught.value) == (
        "the machine is busy: a Python process of Spark did not start in time in 6 attempts; "
        "try again when the machine is less busy; complete parts of the lake are kept"
    )


def test_what_fails_for_another_reason_is_not_tried_again() -> None:
    """A failure for another reason is not repeated."""
    error = PySparkException("FAILED_READ_FILE")
    with pytest.raises(PySparkException) as caught:
        retry_when_late(failing(1, error), on_retry=pytest.fail, pause=0.0)
    assert caught.value is error


def test_an_update_survives_a_python_process_that_starts_too_late(
    spark: SparkSession, sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch is repeated after a late process, copied once, and announced in one line."""
    append(sqlite_url, map(made, range(3)))
    late = [LATE]

    def write(events: DataFrame, place: Place) -> None:
        written(events, place)
        if late:
            raise late.pop()

    written = copying._write
    monkeypatch.setattr(copying, "_write", write)
    lines: list[str] = []
    done = update(spark, sqlite_url, tmp_path / "lake", on_retry=lines.append)
    assert done == Updated(3, 3)
    assert positions_in_files(tmp_path / "lake") == [1, 2, 3]
    (line,) = lines
    assert line.endswith(f"trying again (attempt 2 of {ATTEMPTS})")


def test_the_reader_of_a_stream_connects_before_it_imports_anything(tmp_path: Path) -> None:
    """The reader of a stream connects with secret and number before any slow import."""
    script = tmp_path / "python"
    script.write_text(launcher(sys.executable))
    with socket.create_server(("127.0.0.1", 0)) as spark:
        environment = {
            "PYTHON_WORKER_FACTORY_PORT": str(spark.getsockname()[1]),
            "PYTHON_WORKER_FACTORY_SECRET": "secret",
            "PYTHONPATH": str(tmp_path / "nothing"),
        }
        reader = subprocess.Popen(
            ["/bin/sh", script, "-m", READER], env=environment, stderr=subprocess.PIPE
        )
        connection, _ = spark.accept()
        with connection:
            assert connection.recv(10, socket.MSG_WAITALL) == b"\0\0\0\6secret"
            connection.sendall(b"\0\0\0\2ok")
            assert int.from_bytes(connection.recv(4, socket.MSG_WAITALL)) == reader.pid
        reader.communicate()


def test_a_session_waits_long_and_a_setting_may_change_that(spark: SparkSession) -> None:
    """The limits of a session are minutes, unless a setting changes them."""
    assert {name: spark.conf.get(name) for name in LIMITS} == dict(LIMITS)
