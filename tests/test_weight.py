"""The weight of `twin/` is counted, and stays within its budget."""

from __future__ import annotations

from pathlib import Path

from tests.weight import BUDGET, Weight, weight_of, weights


def test_the_house_is_not_heavier_than_its_budget() -> None:
    """`twin/` has at most as many statements as `tests/weight.py` allows."""
    assert sum(room.statements for room in weights().values()) <= BUDGET


def test_a_docstring_weighs_nothing_and_each_statement_one() -> None:
    """Statements count at every depth and whatever their layout; bare constants do not."""
    source = '"""What it is."""\nimport os; import re\nif os:\n    for name in "ab":\n        ...\n'
    assert weight_of(source).statements == 4


def test_each_folder_is_a_room(tmp_path: Path) -> None:
    """All modules of a folder count for its room, and a module beside the folders for itself."""
    for name in ("rules/a.py", "rules/queues/b.py", "errors.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("pass\n", encoding="utf-8")
    assert weights(tmp_path) == {"errors.py": Weight(1, 2), "rules": Weight(2, 4)}
