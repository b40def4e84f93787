"""The exit codes of all commands."""

from __future__ import annotations

from typing import Final

DONE: Final = 0
"""The command did everything it was asked to do."""

FAILED: Final = 10
"""A call ended in a reason code, or some commands or expectations failed; everything else was done.
"""

BAD_INPUT: Final = 20
"""The command could not be run as written; one line on standard error says why."""

INTERRUPTED: Final = 130
"""Ctrl-C or SIGTERM ended the command."""
