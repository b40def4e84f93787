"""Starting Spark: its settings, and its errors."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import pytest
from pyspark.sql import SparkSession

from tests.history.logs import QUICK, ROOT, append, made
from twin.history.errors import BadConf, BadMaster, MasterUnreachable
from twin.history.session import demand_answer, session

CASES: Final = {
    "foo": ["--master", "foo"],
    "local": ["--master", "local[x]"],
    "memory": ["--master", "local[1]", "--conf", "spark.driver.memory=banana"],
    "partitions": ["--master", "local[1]", "--conf", "spark.sql.shuffle.partitions=few"],
}

PROGRAM: Final = """
import json, sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from twin.cli import main
found = {}
for name, words in json.loads(sys.argv[1]).items():
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        code = main(["--log", "twin.db", "history", "update", *words])
    found[name] = [code, out.getvalue(), err.getvalue()]
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """Try settings that Spark cannot start with, one after another in one process."""
    place = tmp_path_factory.mktemp("refused")
    append(f"sqlite:///{place}/twin.db", [made(0)])
    quick = ["--conf", QUICK[0]]
    cases = {name: [*quick, *words] for name, words in CASES.items()}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(cases)],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert not (place / "twin.lake").exists()
    found: dict[str, list[Any]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (
            "foo",
            "invalid --master foo; Master must either be yarn or start with spark, k8s, or local",
        ),
        ("local", "invalid --master local[x]; "),
        ("memory", "Spark failed: Invalid maximum heap size: -Xmxbanana"),
        ("partitions", "Spark failed: "),
    ],
)
def test_what_spark_cannot_start_with_is_one_line(
    refused: dict[str, list[Any]], case: str, said: str
) -> None:
    """A setting that Spark cannot start with is one line, and no lake is created."""
    code, out, err = refused[case]
    assert (code, out) == (20, "")
    assert err.startswith(f"twin: {said}")
    assert err.count("\n") == 1


def test_a_bad_value_is_named(refused: dict[str, list[Any]]) -> None:
    """The error of a bad value has the setting and the value."""
    assert "spark.sql.shuffle.partitions" in refused["partitions"][2]
    assert "few" in refused["partitions"][2]
    assert "local[x]" in refused["local"][2].removeprefix("twin: invalid --master local[x]; ")


@pytest.mark.parametrize("text", ["nonsense", "=3", "  =3", ""])
def test_a_conf_without_a_name_or_a_value_is_refused(text: str) -> None:
    """A --conf that is not NAME=VALUE is refused."""
    with pytest.raises(BadConf) as caught, session(conf=[text]):
        pass
    assert str(caught.value) == (
        f"invalid --conf {text!r}; expected NAME=VALUE, as in spark-submit"
    )


def test_no_other_time_zone_is_taken() -> None:
    """A setting of another time zone is refused, because months and days are in UTC."""
    text = "spark.sql.session.timeZone=Europe/Berlin"
    with pytest.raises(BadConf) as caught, session(conf=[text]):
        pass
    assert str(caught.value) == (
        f"invalid --conf {text!r}; it must be UTC, like all days and months"
    )


@pytest.fixture
def deaf() -> Iterator[int]:
    """Return a local port that neither accepts nor refuses connections."""
    with ExitStack() as opened:
        listener = opened.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        port: int = listener.getsockname()[1]
        for _ in range(3):
            waiting = opened.enter_context(socket.socket())
            waiting.setblocking(False)  # noqa: FBT003 - the only way to say it
            waiting.connect_ex(("127.0.0.1", port))
        yield port


def test_a_master_that_does_not_answer_is_given_up(
    deaf: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A master that does not answer is given up after some seconds for each address."""
    monkeypatch.setattr("twin.history.session.ANSWERS_WITHIN", 0.2)
    with pytest.raises(MasterUnreachable) as caught, session(master=f"spark://127.0.0.1:{deaf}"):
        pass
    assert str(caught.value) == (
        f"the Spark master spark://127.0.0.1:{deaf} cannot be reached: timed out"
    )


def test_one_of_several_masters_is_enough() -> None:
    """If the first of several masters is down, the next one is used."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        demand_answer(f"spark://127.0.0.1:1,127.0.0.1:{listener.getsockname()[1]}")
    with pytest.raises(MasterUnreachable, match=r"spark://127\.0\.0\.1:1 .* Connection refused"):
        demand_answer("spark://127.0.0.1:1")


@pytest.mark.parametrize("master", ["spark://here", "spark://:7077", "spark://a:b,c"])
def test_a_malformed_address_is_one_line_with_the_correct_form(master: str) -> None:
    """The error of a malformed address shows the correct form."""
    with pytest.raises(BadMaster) as caught:
        demand_answer(master)
    assert str(caught.value) == f"invalid --master {master}; expected spark://HOST:PORT"


@pytest.mark.parametrize("master", ["local[*]", "yarn", "k8s://https://127.0.0.1:1", "foo"])
def test_only_a_standalone_master_is_asked(master: str) -> None:
    """A master that is not standalone is not checked."""
    demand_answer(master)


def test_a_session_has_our_settings_and_those_it_is_given(spark: SparkSession) -> None:
    """A --conf overrides a default setting, except the time zone UTC."""
    assert spark.conf.get("spark.driver.memory") == "1g"
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"
    assert spark.sparkContext.master == "local[2]"
    assert "JAVA_HOME" not in os.environ or Path(os.environ["JAVA_HOME"]).exists()
