"""A real standalone cluster of Spark on this machine gives the same rows as a local session."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import pyspark
import pytest
from pyspark.sql import SparkSession

from tests.history.logs import (
    QUICK,
    QUICK_JAVA,
    ROOT,
    append,
    besides_retries,
    made,
    positions_in_files,
)
from tests.patience import PATIENCE, wait_until
from twin.cli.history import ReportRequest, write_report
from twin.history import session
from twin.history.lake import read, update

MADE: Final = 300
CHOSEN: Final = ("suspensions", "channel_status_days", "reallocation", "changes")
"""A metric of each kind is enough: what they are tests of their own say."""

FEWER: Final = CHOSEN[:2]
"""Enough for executors that the driver starts."""

CLUSTER: Final = "local-cluster[2,1,512]"
"""A master and two workers inside the driver; their executors are processes of one core each."""

PROGRAM: Final = """
import sys
from pathlib import Path
from twin.cli.history import ReportRequest, write_report
from twin.history.lake import update
from twin.history.session import session
master, words = sys.argv[1], sys.argv[2:]
conf = [word for word in words if "=" in word]
metrics = tuple(word for word in words if "=" not in word)
lake, report = Path("twin.lake"), Path("twin.report")
with session(master=master, conf=conf) as spark:
    update(spark, "sqlite:///twin.db", lake)
    asked = ReportRequest(None, None, None, metrics, "main", lake, report)
    write_report(spark, asked, progress=lambda *_: None)
"""

_CLASS: Final = "org.apache.spark.deploy"
_HERE: Final = ("--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
_ADDRESS: Final = re.compile(r"spark://127\.0\.0\.1:\d+")
_JOINED: Final = re.compile(r"Successfully registered with master")

SETTINGS: Final = (
    *QUICK,
    "spark.sql.codegen.factoryMode=NO_CODEGEN",  # as the default on this machine alone
    "spark.sql.codegen.wholeStage=false",
    "spark.sql.adaptive.enabled=false",
    "spark.driver.host=127.0.0.1",
    "spark.driver.bindAddress=127.0.0.1",
    "spark.executor.memory=512m",
    f"spark.executor.extraJavaOptions={QUICK_JAVA}",
)


@contextmanager
def daemon(place: Path, name: str, *words: str) -> Iterator[Path]:
    """Run a process of the cluster and end it; yield its output file."""
    said = place / f"{name}.log"
    home = Path(pyspark.__file__).parent
    environment = {
        **os.environ,
        "JAVA_HOME": str(session.java_home(place)),
        "SPARK_HOME": str(home),
        "SPARK_NO_DAEMONIZE": "1",
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": QUICK_JAVA,
    }
    with said.open("wb") as output:
        process = subprocess.Popen(
            [home / "bin" / "spark-class", f"{_CLASS}.{words[0]}", *_HERE, *words[1:]],
            cwd=place,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        yield said
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def awaited(said: Path, wanted: re.Pattern[str]) -> str:
    """Wait until a process of the cluster prints a text, and return it."""
    found = wait_until(lambda: wanted.search(said.read_text(errors="replace")), wanted.pattern)
    return found[0]


@pytest.fixture
def master(tmp_path: Path) -> Iterator[str]:
    """Start a master and two workers with one core each; yield the master's address."""
    with ExitStack() as running:
        said = running.enter_context(daemon(tmp_path, "master", "master.Master"))
        address = awaited(said, _ADDRESS)
        workers = [
            running.enter_context(
                daemon(
                    tmp_path,
                    name,
                    "worker.Worker",
                    *("--cores", "1", "--memory", "1g", "--work-dir", str(tmp_path / name)),
                    address,
                )
            )
            for name in ("worker1", "worker2")
        ]
        for worker in workers:
            awaited(worker, _JOINED)
        yield address


def twin(place: Path, *words: str) -> str:
    """Run `twin history` on the log of a folder, and return what it prints."""
    settings = [word for setting in SETTINGS for word in ("--conf", setting)]
    done = subprocess.run(
        [sys.executable, "-m", "twin", "--log", "twin.db", "history", *words, *settings],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(ROOT), "SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, besides_retries(done.stderr)) == (0, "")
    return done.stdout


@pytest.mark.more
def test_a_cluster_of_processes_gives_the_same_rows_as_this_machine_alone(
    spark: SparkSession, master: str, tmp_path: Path
) -> None:
    """The commands make the same lake and report on a master and two workers, file by file."""
    append(f"sqlite:///{tmp_path}/twin.db", map(made, range(MADE)))
    said = twin(tmp_path, "update", "--master", master)
    assert said == "300 events added; the lake twin.lake is at position 300\n"
    wanted = [word for name in CHOSEN for word in ("--metric", name)]
    assert "page: twin.report/report.html\n" in twin(
        tmp_path, "report", "--master", master, *wanted
    )
    for worker in ("worker1", "worker2"):
        assert len(list((tmp_path / worker).glob("app-*"))) == 2, f"{worker} had nothing to do"
    demand_same_alone(spark, tmp_path, CHOSEN)


def spark_home(home: Path) -> Path:
    """Make a home of Spark that the executors of a cluster in the driver may write into."""
    home.mkdir()
    for name in ("bin", "jars", "python"):
        (home / name).symlink_to(Path(pyspark.__file__).parent / name)
    return home


def demand_two_executors(home: Path) -> None:
    """Check that the application of a cluster in the driver had something to do for each worker."""
    assert {each.name for each in home.glob("work/app-*/*")} == {"0", "1"}, "one was not used"


@pytest.mark.more
def test_a_cluster_gives_the_same_rows_as_this_machine_alone(
    spark: SparkSession, tmp_path: Path
) -> None:
    """A lake made by the executors of a cluster is the same, and so is a report, file by file.

    The executors run no code of twin for a report; `test_cli.py` has them make a lake.
    """
    append(f"sqlite:///{tmp_path}/twin.db", map(made, range(MADE)))
    home = spark_home(tmp_path / "spark")
    subprocess.run(
        [sys.executable, "-c", PROGRAM, CLUSTER, *FEWER, *SETTINGS],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_IP": "127.0.0.1",
        },
        check=True,
    )
    demand_two_executors(home)
    demand_same_alone(spark, tmp_path, FEWER)


def demand_same_events(spark: SparkSession, lake: Path, url: str, alone: Path) -> None:
    """Check a lake against one that this machine alone makes of the log, in another folder."""
    update(spark, url, alone)
    both = [read(spark, each).orderBy("position") for each in (lake, alone)]
    assert both[0].collect() == both[1].collect()


def demand_same_alone(spark: SparkSession, place: Path, metrics: tuple[str, ...]) -> None:
    """Check the lake and the report of a folder against those of this machine alone."""
    assert positions_in_files(place / "twin.lake") == list(range(1, MADE + 1))
    alone = place / "alone"
    demand_same_events(spark, place / "twin.lake", f"sqlite:///{place}/twin.db", alone / "lake")
    asked = ReportRequest(None, None, None, metrics, "main", alone / "lake", alone / "report")
    write_report(spark, asked, progress=lambda *_: None)
    names = {f"{name}.csv" for name in (*metrics, "coverage")}
    assert {file.name for file in (place / "twin.report").glob("*.csv")} == names
    for name in names:
        theirs = (place / "twin.report" / name).read_bytes()
        assert theirs == (alone / "report" / name).read_bytes()
        assert theirs.count(b"\n") > 1 or name != "suspensions.csv"
