"""The messages of errors that their classes state."""

from __future__ import annotations

import ast
from pathlib import Path
from string import Formatter
from typing import Final

TWIN: Final = Path(__file__).parents[1] / "twin"


def words_of(message: str) -> int:
    """Return how many words without a name the message of an error needs."""
    names = [name for _, name, _, _ in Formatter().parse(message) if name is not None]
    return max((int(each) + 1 for each in names if each.isdigit()), default=names.count(""))


def test_each_error_is_raised_with_the_words_of_its_message() -> None:
    """No word is missing in the message of an error, and none is left out."""
    nodes = [
        node
        for path in TWIN.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef | ast.Call)
    ]
    stated = {
        node.name: {each.arg: each.value for each in node.keywords}
        for node in nodes
        if isinstance(node, ast.ClassDef)
    }
    wanted = {
        name: words_of("".join(map(ast.literal_eval, texts.values())))
        for name, texts in stated.items()
        if "message" in texts
        if not any(isinstance(each, ast.JoinedStr) for each in texts.values())
    }
    given = {
        (node.func.id, len(node.args))
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if node.func.id in wanted
    }
    without = wanted.keys() - {name for name, _ in given}
    by_choice = {"OnlyStatesKnown", "OnlyRecordsKnown", "StoppedQueueManager"}
    only_bases = {"RestError"}
    assert {name for name in without if wanted[name]} == by_choice | only_bases
    assert given == {(name, wanted[name]) for name, _ in given}
