"""The first moment of a command: signals are answered before the slow imports begin."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Final

from twin.cli.output import DONE, INTERRUPTED

_VALUED: Final = frozenset({"--log", "--branch"})
"""The global options whose value is the next word."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line (`sys.argv` by default) and return the exit code.

    `twin serve` ends with 0 on SIGTERM and Ctrl-C from here on: until it serves, nothing has to be
    finished.
    """
    if arguments is None and _command(sys.argv[1:]) == "serve":
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, _end)
    try:
        from twin.cli.entry import main as run
    except KeyboardInterrupt:
        return INTERRUPTED
    return run(arguments)


def _command(words: Sequence[str]) -> str:
    """Return the first word that is no option and no value of one; '' if there is none."""
    is_value = False
    for word in words:
        if not is_value and not word.startswith("-"):
            return word
        is_value = word in _VALUED
    return ""


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(DONE)
