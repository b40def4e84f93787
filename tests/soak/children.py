"""Processes that run `twin`: forked from this one, which has it imported, or as a new program."""

from __future__ import annotations

import contextlib
import faulthandler
import io
import os
import re
import resource
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from tests.patience import PATIENCE
from twin.cli import main
from twin_scheduler import live
from twin_scheduler.virtual import VirtualScheduler

ROOT: Final = Path(__file__).parents[2]
_INTERRUPTED: Final = 130
_CRASHED: Final = 1
_PIECE: Final = 20
_OURS: Final = re.compile(rf'File "{re.escape(str(ROOT))}/twin/(?!__init__\.py)')
_GRAIN: Final = 0.0005
_SENT: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE)


class Ended(NamedTuple):
    """How a command ended: its exit code, or minus the signal that killed it, and its output."""

    code: int
    out: str
    err: str

    @property
    def trouble(self) -> str:
        """What no command may say or do, whatever happens to it; '' if it did not."""
        if "Traceback" in self.err or self.code == _CRASHED:
            return f"a traceback: {self.err[-2000:]}"
        return ""

    @property
    def never_began(self) -> bool:
        """Whether Python itself was interrupted, before it began to run `twin`."""
        return "KeyboardInterrupt" in self.err and not _OURS.search(self.err)

    def lines(self) -> list[str]:
        """Return the complete lines of the output."""
        return [line for line in self.out.splitlines(keepends=True) if line.endswith("\n")]


class Hung(Exception):
    """A command that did not end."""

    def __init__(self, said: str) -> None:
        super().__init__(f"no end after {PATIENCE} s: {said}")


@dataclass
class Command:
    """A command line of `twin`, and how its process is made.

    Attributes:
        words: the command line, without `twin`.
        folder: the folder in which it runs.
        typed: its standard input.
        whole: whether it is a new program, not a fork of this one.
        largest: the largest size in bytes of any file it writes; None for any size.
        outputs: the folder for its standard output and error; the folder itself by default.
    """

    words: Sequence[str]
    folder: Path
    typed: bytes = b""
    whole: bool = False
    largest: int | None = None
    outputs: Path | None = None

    def start(self) -> Child:
        """Start the process."""
        return Child(self)

    def run(self) -> Ended:
        """Run the command to its end."""
        return self.start().wait()


class Child:
    """A running command."""

    def __init__(self, command: Command) -> None:
        """Start the command."""
        outputs = command.outputs or command.folder
        number = sum(1 for _ in outputs.glob("*.out"))
        self._out, self._err, typed = (
            outputs / f"{number}.{kind}" for kind in ("out", "err", "typed")
        )
        typed.write_bytes(command.typed)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        descriptors = (
            os.open(typed, os.O_RDONLY),
            os.open(self._out, flags),
            os.open(self._err, flags),
        )
        try:
            started = _execute if command.whole else _fork
            self.pid = started(command, descriptors)
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        self.began = time.monotonic()
        self._status: int | None = None

    def signal(self, number: signal.Signals) -> None:
        """Send a signal, if it still runs."""
        if self.running():
            os.kill(self.pid, number)

    def kill(self) -> bool:
        """Kill the process; return False if it had ended before."""
        self.signal(signal.SIGKILL)
        return self.wait().code == -signal.SIGKILL

    def running(self) -> bool:
        """Return whether the process still runs."""
        if self._status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self._status = status if pid else None
        return self._status is None

    def sleep(self, seconds: float) -> None:
        """Let some time pass, unless the process ends before."""
        until = time.monotonic() + seconds
        while self.running() and (left := until - time.monotonic()) > 0:
            time.sleep(min(left, 0.01))

    def sleep_until_it_said(self, lines: int, seconds: float) -> None:
        """Let it run until it has printed some lines, or ends, but at most some seconds."""
        until = time.monotonic() + seconds
        while self.running() and self._out.read_bytes().count(b"\n") < lines:
            if time.monotonic() > until:
                return
            time.sleep(_GRAIN)

    def wait(self) -> Ended:
        """Wait for its end.

        Raises:
            Hung: if it does not end; it is killed then.
        """
        self.sleep(PATIENCE)
        if self.running():
            os.kill(self.pid, signal.SIGUSR1)  # a fork says where its threads are
            time.sleep(1)
            self.signal(signal.SIGKILL)
            raise Hung(self._err.read_text(errors="replace"))
        assert self._status is not None
        return Ended(
            os.waitstatus_to_exitcode(self._status),
            self._out.read_text(errors="replace"),
            self._err.read_text(errors="replace"),
        )


def _execute(command: Command, descriptors: tuple[int, int, int]) -> int:
    """Start a new program."""
    stdin, stdout, stderr = descriptors
    process = subprocess.Popen(
        [sys.executable, "-m", "twin", *command.words],
        cwd=command.folder,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "scheduler")]),
            "PYTHONUNBUFFERED": "1",
        },
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        preexec_fn=lambda: _limit(command.largest),  # noqa: PLW1509 - this process has one thread
    )
    process.returncode = 0  # this module waits for it, Popen must not
    return process.pid


def _fork(command: Command, descriptors: tuple[int, int, int]) -> int:
    """Run `twin` in a copy of this process, which gets no signal before it is ready for it."""
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, _SENT)
    if pid := os.fork():
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        return pid
    code = _CRASHED
    with contextlib.suppress(BaseException):
        code = _become(command, descriptors)
    os._exit(code)


def _divide_transactions() -> None:
    """Let time pass in small transactions, so that a kill finds it between two of them."""
    options = VirtualScheduler.__init__.__kwdefaults__
    assert options is not None
    options["chunk"] = _PIECE
    vars(live)["CHUNK"] = _PIECE


def _become(command: Command, descriptors: tuple[int, int, int]) -> int:
    try:
        for target, descriptor in enumerate(descriptors):
            os.dup2(descriptor, target)
        os.chdir(command.folder)
        sys.stdin = io.TextIOWrapper(os.fdopen(0, "rb", closefd=False))
        sys.stdout, sys.stderr = (
            io.TextIOWrapper(os.fdopen(each, "wb", closefd=False), line_buffering=True)
            for each in (1, 2)
        )
        _limit(command.largest)
        _divide_transactions()
        faulthandler.register(signal.SIGUSR1, file=2)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SENT)
    except KeyboardInterrupt:  # it is not `twin` yet
        return _INTERRUPTED
    code = _CRASHED
    try:
        code = main(list(command.words))
    except BaseException:  # noqa: BLE001 - it is shown, as Python would do
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    return code


def _limit(largest: int | None) -> None:
    """Limit the size of files, and forget what a parent did with signals: a shell ignores some."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    if largest is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
