"""Platforms and command levels of queue managers."""

from __future__ import annotations

from typing import Final

DEFAULT_LEVEL: Final = 940
"""The command level of a queue manager whose level is not given: IBM MQ 9.4."""

LEVELS: Final = range(700, 1100)
"""Command levels that the twin accepts."""

FIX_PACKS: Final = range(100)
"""The last two digits of a VERSION."""

_VERSION: Final = len("VVRRMMFF")
_FIXED_ON_ZOS: Final = 930
_RENUMBERS: Final = 940

ZOS: Final = "MVS"
"""PLATFORM of a queue manager on z/OS, as DISPLAY QMGR shows it."""

PLATFORMS: Final = ("UNIX", "WINDOWSNT", ZOS, "OS400", "APPLIANCE")
"""Every value of PLATFORM that the twin accepts; the first is the default."""


def version_of(level: int, fix_pack: int | None = None) -> str:
    """Write a command level as VERSION does: 940 is 090400; with a fix pack 5, it is 09040005."""
    known = f"{level // 100:02d}{level // 10 % 10:02d}{level % 10:02d}"
    return known if fix_pack is None else f"{known}{fix_pack:02d}"


def is_version(text: str) -> bool:
    """Return whether a text is a whole VERSION, VVRRMMFF (IBM MQ 9.4, DISPLAY QMGR)."""
    return len(text) == _VERSION and text.isascii() and text.isdigit()


def level_in(version: str) -> int:
    """Return the command level in a VERSION: 940 in 09040005."""
    return int(version[:2]) * 100 + int(version[2:4]) * 10 + int(version[4:6])


def versions_agree(one: str, other: str) -> bool:
    """Return whether two VERSIONs may be the same: as far as both are known, they are.

    Of one that is not known whole, only the level is compared; an empty one agrees with all.
    """
    return one.startswith(other) or other.startswith(one)


def shown_version(known: str) -> str:
    """Return a VERSION as DISPLAY shows it; '' if it is not known whole."""
    return known if is_version(known) else ""


NUMBERS_AGAIN: Final = range(750, 800)
"""The levels at which a queue manager that has left a cluster numbers its records again from the
beginning after REFRESH CLUSTER REPOS(YES), until REPOS(NO) once it has joined again.

Source: IBM MQ 7.5, "Restoring a queue manager to its pre-cluster state": the box that the pages of
8.0, 9.0 and 9.4 do not have. That it holds for each level of 7.5 is inferred.
"""


def renumbers(level: int, platform: str) -> bool | None:
    """Return whether a queue manager gives its records new numbers when it starts.

    After a restore from a backup others then accept what it publishes. None if a fix decides it: on
    z/OS at 9.3 (APAR PH58212; it names IT43646 for Multiplatforms, and both are in 9.4).
    """
    if platform == ZOS and _FIXED_ON_ZOS <= level < _RENUMBERS:
        return None
    return level >= _RENUMBERS
