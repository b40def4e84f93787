"""The version of the rules, so that what they decided can be told from what they decide now."""

from __future__ import annotations

from typing import Final

RULES_VERSION: Final = 1
"""Raise it whenever the same facts lead to other derived facts than before."""
