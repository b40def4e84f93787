"""`twin` as a process: its start, its signals and its pipes."""

from __future__ import annotations

import fcntl
import os
import signal
import struct
import subprocess
import sys
import termios
from pathlib import Path
from typing import IO, Final

import pytest

from tests.cli.conftest import AT, Run
from tests.patience import wait_until

ROOT: Final = Path(__file__).parents[2]
TWIN: Final = [sys.executable, "-m", "twin"]
HEAVY: Final = {"alembic", "pydantic", "pydantic_core", "psycopg", "rich", "sqlalchemy"}


@pytest.fixture
def environment() -> dict[str, str]:
    """Return an environment in which `python -m twin` works anywhere."""
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def test_help_loads_nothing_heavy(environment: dict[str, str]) -> None:
    """The help is fast because it loads neither the database nor pydantic nor Rich."""
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
    """A closed pipe is no error, and all commands of a session are run."""
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


def test_an_interrupt_during_the_first_imports_is_no_traceback(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    """Ctrl-C before the command has begun ends it with 130, without a word."""
    early = (
        "import builtins, runpy; real = builtins.__import__\n"
        "def interrupted(name, *more, **named):\n"
        "    if name == 'twin.cli.start': raise KeyboardInterrupt\n"
        "    return real(name, *more, **named)\n"
        "builtins.__import__ = interrupted\n"
        "runpy.run_module('twin', run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", early],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_only_what_is_needed_is_loaded(
    cluster: Run, tmp_path: Path, environment: dict[str, str]
) -> None:
    """Reading a log in a file loads neither migrations nor server drivers."""
    del cluster
    program = "import sys; from twin.cli import main; main(['dspmq']); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {name.split(".")[0] for name in done.stdout.splitlines()[-1].split()}
    assert not loaded & {"alembic", "psycopg", "rich"}


def test_a_question_imports_the_rules_only_if_something_is_due(
    cluster: Run, tmp_path: Path, environment: dict[str, str]
) -> None:
    """If nothing is due, `ask members` imports timers, lifetimes, members and what stands."""
    del cluster
    program = "import sys; from twin.cli import main; main({}); print(*sys.modules)"
    few = {"", ".due_timers", ".standing", ".version"}
    few |= {".membership", ".repository", ".repository.lifetimes"}
    for at, every in (["--as-of", AT], False), ([], True):
        done = subprocess.run(
            [sys.executable, "-c", program.format(["ask", "members", *at])],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        loaded = {name for name in done.stdout.split() if name.startswith("twin.rules")}
        assert ("twin.rules.lifecycle" in loaded) is every
        assert every or loaded == {f"twin.rules{name}" for name in few}


@pytest.mark.parametrize(
    ("redirected", "said"),
    [
        (">&-", b"twin: cannot write standard output: Bad file descriptor\n"),
        (">/dev/full", b"twin: cannot write standard output: No space left on device\n"),
        (">&- 2>&-", b""),
    ],
)
@pytest.mark.parametrize("words", ["dspmq", "--help", "runmqsc QM1"])
def test_output_that_cannot_be_written_is_one_line(
    cluster: Run,
    tmp_path: Path,
    environment: dict[str, str],
    words: str,
    redirected: str,
    said: bytes,
) -> None:
    """A standard output that is closed or full is one line and not a traceback."""
    del cluster
    done = subprocess.run(
        ["sh", "-c", f'"{sys.executable}" -m twin {words} {redirected}'],
        cwd=tmp_path,
        env=environment,
        input=b"DISPLAY QMGR\n",
        stderr=subprocess.PIPE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (20, said)


@pytest.mark.parametrize("words", ["runmqsc QM1", "import - --qmgr QM1"])
def test_a_closed_input_is_one_line(
    cluster: Run, tmp_path: Path, environment: dict[str, str], words: str
) -> None:
    """A closed standard input is one line, and no error for commands that do not read it."""
    del cluster
    for command, code, said in (
        (words, 20, b"twin: cannot read standard input: Bad file descriptor\n"),
        ("dspmq", 0, b"as of "),
    ):
        done = subprocess.run(
            ["sh", "-c", f'"{sys.executable}" -m twin {command} <&-'],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stderr[: len(said)]) == (code, said)


def test_a_session_whose_output_is_lost_is_carried_out(
    cluster: Run, tmp_path: Path, environment: dict[str, str]
) -> None:
    """A session runs all commands even if its output cannot be written."""
    script = "".join(f"DEFINE QLOCAL(Q{number})\n" for number in range(200))
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [*TWIN, "runmqsc", "QM1"],
            cwd=tmp_path,
            env=environment,
            input=script.encode(),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 20
    assert "QUEUE(Q199)" in cluster("runmqsc", "QM1", typed="DISPLAY QLOCAL(Q199)").out


def test_a_complaint_repeats_only_so_much(run: Run) -> None:
    """An error message repeats only the beginning of long input."""
    assert len(run("x" * 100_000).err) < 3_000


def test_an_interrupt_is_quiet(cluster: Run, tmp_path: Path, environment: dict[str, str]) -> None:
    """Ctrl-C exits 130 without output."""
    del cluster
    with subprocess.Popen(
        [*TWIN, "runmqsc", "QM1"],
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b"DISPLAY QMGR\n")
        process.stdin.flush()
        typed = process.stdin
        wait_until(lambda: is_read(typed), "the command reads its input")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert (process.returncode, out, err) == (130, b"", b"")


def is_read(pipe: IO[bytes]) -> bool:
    """Return whether a process has read all that was written into a pipe."""
    unread = fcntl.ioctl(pipe, termios.FIONREAD, bytes(struct.calcsize("i")))
    return struct.unpack("i", unread) == (0,)


def test_the_command_alone_shows_the_help(run: Run) -> None:
    """`twin` without arguments shows the help."""
    alone = run()
    assert alone.code == 0
    assert alone.out == run("--help").out


def test_an_unknown_command_is_bad_input(run: Run) -> None:
    """An unknown command or option is one line and exit code 20."""
    for words in (["explode"], ["--colour", "dspmq"], ["ask", "members", "--colour"]):
        refused = run(*words)
        assert (refused.code, refused.out, refused.err.count("\n")) == (20, "", 1)
