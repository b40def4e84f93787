"""`twin` as a process of its own: its start, its signals and its pipes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import pytest

from tests.cli.conftest import Run

ROOT: Final = Path(__file__).parents[2]
TWIN: Final = [sys.executable, "-m", "twin"]
HEAVY: Final = {"alembic", "pydantic", "pydantic_core", "psycopg", "rich", "sqlalchemy"}


@pytest.fixture
def environment() -> dict[str, str]:
    """Return an environment in which `python -m twin` works anywhere."""
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def test_help_loads_nothing_heavy(environment: dict[str, str]) -> None:
    """The help stays quick: neither the database nor pydantic nor Rich is loaded."""
    for words in (["--help"], ["--version"]):
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-m", "twin", *words],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        loaded = {
            line.rsplit("|", 1)[-1].strip().split(".")[0] for line in done.stderr.splitlines()
        }
        assert not loaded & HEAVY


def test_help_names_every_command_in_plain_text(environment: dict[str, str]) -> None:
    """The help is plain text of at most 80 columns, without frames or colours."""
    done = subprocess.run([*TWIN, "--help"], env=environment, capture_output=True, check=True)
    text = done.stdout.decode()
    assert text.isascii()
    assert max(map(len, text.splitlines())) <= 80
    for command in ("crtmqm", "strmqm", "endmqm", "dltmqm", "dspmq", "runmqsc", "import", "open"):
        assert f"  {command} " in text


def test_a_reader_that_leaves_is_no_error(
    cluster: Run, tmp_path: Path, environment: dict[str, str]
) -> None:
    """A closed pipe ends in silence, and the commands of a session are all carried out."""
    del cluster
    script = "".join(f"DEFINE QLOCAL(Q{number})\n" for number in range(2_000))
    process = subprocess.Popen(
        [*TWIN, "runmqsc", "QM1"],
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    process.stdin.write(script.encode())
    process.stdin.close()
    said = process.stderr.read()
    process.stderr.close()
    assert (process.wait(), said) == (0, b"")
    shown = subprocess.run(
        [*TWIN, "runmqsc", "QM1"],
        cwd=tmp_path,
        env=environment,
        input=b"DISPLAY QLOCAL(Q1999)\n",
        capture_output=True,
        check=False,
    )
    assert shown.returncode == 0


def test_an_interrupt_is_quiet(cluster: Run, tmp_path: Path, environment: dict[str, str]) -> None:
    """Ctrl-C exits 130 without a word."""
    del cluster
    with subprocess.Popen(
        [*TWIN, "runmqsc", "QM1"],
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert (process.returncode, out, err) == (130, b"", b"")


def test_the_command_alone_shows_the_help(run: Run) -> None:
    """`twin` without words is a question: the help answers it."""
    alone = run()
    assert alone.code == 0
    assert alone.out == run("--help").out


def test_an_unknown_command_is_bad_input(run: Run) -> None:
    """A word that is no command is one line and exit code 20, as is an unknown option."""
    for words in (["explode"], ["--colour", "dspmq"], ["ask", "members", "--colour"]):
        refused = run(*words)
        assert (refused.code, refused.out, refused.err.count("\n")) == (20, "", 1)
