"""Platforms and command levels of queue managers."""

from __future__ import annotations

from typing import Final

DEFAULT_LEVEL: Final = 940
"""The command level of a queue manager whose level is not given: IBM MQ 9.4."""

LEVELS: Final = range(700, 1100)
"""Command levels that the twin accepts."""

ZOS: Final = "MVS"
"""PLATFORM of a queue manager on z/OS, as DISPLAY QMGR shows it."""

PLATFORMS: Final = ("UNIX", "WINDOWSNT", ZOS, "OS400", "APPLIANCE")
"""Every value of PLATFORM that the twin accepts; the first is the default."""
