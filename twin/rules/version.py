"""The version of the rules, so that what they decided can be told from what they decide now."""

from __future__ import annotations

from typing import Final

RULES_VERSION: Final = 7
"""Raise it whenever the same facts lead to other derived facts than before."""

_SOURCE: Final = "rules"


def source_of(version: int) -> str:
    """Return the source of what this version of the rules derives: `rules`, then `rules/2`."""
    return _SOURCE if version == 1 else f"{_SOURCE}/{version}"


def version_of(source: str) -> int | None:
    """Return the version of the rules that is a source; None if the source is none."""
    name, slash, number = source.partition("/")
    if name != _SOURCE or bool(slash) != number.isdecimal():
        return None
    return int(number) if slash else 1
