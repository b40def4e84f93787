"""`twin` as a process that need not import twin again: for tests that run many commands.

A server has imported what commands use. For each command it forks a process that has the words,
the folder, the environment and the open files of whoever called. What a process of its own does
differently, in its first moments, is tested in `tests/cli/test_process.py`.
"""

from __future__ import annotations

import ast
import gc
import importlib
import io
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TextIO

import twin
from twin.cli import main as run

ROOT: Final = Path(__file__).parents[1]

_NOT_USED: Final = ("twin.history", "twin.web", "twin.sampling", "twin.polling")
"""Rooms that few commands need: they import them themselves."""

_READY: Final = b"ready\n"

_CALLER: Final = """
import os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect(sys.argv[1])
    told = repr((sys.argv[2:], os.getcwd(), dict(os.environ))).encode()
    socket.send_fds(server, [len(told).to_bytes(4, "big")], [0, 1, 2])
    server.sendall(told)
    code = server.recv(1)
sys.exit(code[0] if code else "twin was killed")
"""
"""What stands for `twin`: it has the server run the command, and ends with its exit code."""


@contextmanager
def forked_twin() -> Iterator[Path]:
    """Run a server until the block ends; yield the program `twin` that calls it."""
    with TemporaryDirectory(prefix="twin-") as made:
        folder = Path(made)
        place, caller, program = folder / "socket", folder / "caller.py", folder / "twin"
        caller.write_text(_CALLER, encoding="utf-8")
        called = f'exec "{sys.executable}" -IS {caller} {place} "$@"'
        program.write_text(f"#!/bin/sh\n{called}\n", encoding="utf-8")
        program.chmod(0o755)
        with subprocess.Popen(
            [sys.executable, "-m", "tests.forked_twin", place],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "scheduler")])},
            stdout=subprocess.PIPE,
        ) as server:
            assert server.stdout is not None
            try:
                assert server.stdout.readline() == _READY
                yield program
            finally:
                server.terminate()


def main() -> None:
    """Import twin, and run the commands of all that call, each in a process of its own."""
    for module in pkgutil.walk_packages(twin.__path__, "twin."):
        if not module.name.startswith(_NOT_USED) and module.name != "twin.__main__":
            importlib.import_module(module.name)
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(sys.argv[1])
        server.listen()
        os.write(sys.stdout.fileno(), _READY)
        while True:
            call, _ = server.accept()
            with call:
                if os.fork() == 0:
                    _serve(call)
            _forget_ended()


def _serve(call: socket.socket) -> None:
    """Run one command in this process, which ends with it."""
    size, files, _, _ = socket.recv_fds(call, 4, 3)
    with call.makefile("rb") as told:
        words, folder, environment = ast.literal_eval(
            told.read(int.from_bytes(size, "big")).decode()
        )
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.stdin, sys.stdout, sys.stderr = _stream(0, "r"), _stream(1, "w"), _stream(2, "w")
    sys.argv = ["twin", *words]
    code = run()
    sys.stdout.flush()
    sys.stderr.flush()
    call.sendall(bytes([code]))
    os._exit(0)


def _stream(number: int, mode: str) -> TextIO:
    """Open a file as a process does that begins: whether it can be sought differs by its kind."""
    file = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115 (stays open)
    assert isinstance(file, io.TextIOWrapper)
    file.reconfigure(line_buffering=number == 2 or file.isatty())
    return file


def _forget_ended() -> None:
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                return
        except ChildProcessError:
            return


if __name__ == "__main__":
    main()
