"""The patterns of twin match alike on every release of Python that it supports."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]

_POSSESSIVE_GROUP: Final = re.compile(r"(?<!\\)(?:\\\\)*\)(?:[*+?]|\{\d*,?\d*\})\+")


def _texts() -> Iterator[tuple[str, str]]:
    """Yield the text constants of each module that has patterns."""
    for path in sorted(ROOT.glob("twin/**/*.py")):
        source = path.read_text(encoding="utf-8")
        if "import re\n" in source:
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield str(path.relative_to(ROOT)), node.value


def test_no_group_is_repeated_possessively() -> None:
    """An atomic group stands instead: Python up to 3.11.4 misses matches of ``(...)*+``.

    Source: CPython issue 106052.
    """
    assert [each for each in _texts() if _POSSESSIVE_GROUP.search(each[1])] == []


def test_a_possessive_group_would_be_found() -> None:
    """The search finds groups that are repeated possessively, and leaves characters alone."""
    for text in ("(?:a|b)*+c", "((a)?+)", "(a){0,6}+", r"\\(a)++"):
        assert _POSSESSIVE_GROUP.search(text)
    for text in (r"\)*+c", "[ab]*+", "(?>(?:a)*)", "(a)+b"):
        assert not _POSSESSIVE_GROUP.search(text)
