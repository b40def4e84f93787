"""A public name has one meaning: no two classes or type aliases share it."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]


def shared_names(root: Path) -> dict[str, list[str]]:
    """Return the modules of each public name that several classes or type aliases share."""
    modules: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted([*root.glob("twin/**/*.py"), *root.glob("scheduler/**/*.py")]):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            match node:
                case (
                    ast.ClassDef(name=name)
                    | ast.AnnAssign(target=ast.Name(id=name), annotation=ast.Name(id="TypeAlias"))
                ) if not name.startswith("_"):
                    modules[name].append(str(path.relative_to(root)))
    return {name: paths for name, paths in modules.items() if len(paths) > 1}


def test_no_public_class_or_alias_shares_its_name() -> None:
    """No class or type alias has the name of another one."""
    assert shared_names(ROOT) == {}


def test_a_shared_name_is_found(tmp_path: Path) -> None:
    """A public name that two classes, two aliases, or a class and an alias share is found."""
    texts = {
        "twin/log/one.py": "class Place: ...\nclass _Walk: ...\nRow: TypeAlias = str\n",
        "twin/log/two.py": "class Place: ...\nclass _Walk: ...\nKey: TypeAlias = str\n",
        "scheduler/three.py": "class Key: ...\nclass Alone: ...\nRow: TypeAlias = int\n",
    }
    for name, text in texts.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert shared_names(tmp_path) == {
        "Key": ["scheduler/three.py", "twin/log/two.py"],
        "Place": ["twin/log/one.py", "twin/log/two.py"],
        "Row": ["scheduler/three.py", "twin/log/one.py"],
    }
