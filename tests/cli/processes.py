"""`twin` as a process: started, read line by line, and ended."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

import pytest

from tests.patience import PATIENCE

ROOT: Final = Path(__file__).parents[2]
_MODULES: Final = os.pathsep.join([str(ROOT), str(ROOT / "scheduler")])
Process = subprocess.Popen[str]


@contextmanager
def running(*words: str, cwd: Path | None = None) -> Iterator[Process]:
    """Run `twin` with these words, in a folder or here; it is killed at the end."""
    with subprocess.Popen(
        [sys.executable, "-m", "twin", *words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": _MODULES, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        hangs = threading.Timer(PATIENCE, process.kill)
        hangs.start()
        try:
            yield process
        finally:
            hangs.cancel()
            process.kill()


def said(process: Process, what: str = "") -> str:
    """Read the lines that a process prints until one has a text, by default one; return it."""
    return _line_with(process.stdout, what)


def complained(process: Process, what: str) -> str:
    """Read the lines of standard error until one has a text; return it."""
    return _line_with(process.stderr, what)


def _line_with(lines: IO[str] | None, what: str) -> str:
    assert lines is not None
    for line in lines:
        if what in line:
            return line.rstrip("\n")
    pytest.fail(f"{what} was not said")
