"""A public name has one meaning: no two classes share it, nor a class and a type alias."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]

SHARED: Final = {
    *("Bind", "Choice", "Filter", "Name", "Node", "Part", "Place", "Profile", "Wanted", "Where"),
}
"""Names that still stand for two things, each a class in one of its modules."""


def shared_names(root: Path) -> dict[str, list[str]]:
    """Return the modules of each public name that a class shares with a class or type alias."""
    classes: defaultdict[str, list[str]] = defaultdict(list)
    aliases: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted([*root.glob("twin/**/*.py"), *root.glob("scheduler/**/*.py")]):
        module = str(path.relative_to(root))
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            match node:
                case ast.ClassDef(name=name) if not name.startswith("_"):
                    classes[name].append(module)
                case ast.AnnAssign(target=ast.Name(id=name), annotation=ast.Name(id="TypeAlias")):
                    aliases[name].append(module)
    modules = {name: found + aliases[name] for name, found in classes.items()}
    return {name: places for name, places in modules.items() if len(places) > 1}


def test_no_public_class_shares_its_name() -> None:
    """No class has the name of another class or type alias, except for the listed ones."""
    assert shared_names(ROOT).keys() - SHARED == set()


def test_no_shared_name_is_listed_in_vain() -> None:
    """Each name that is listed as shared is still shared."""
    assert shared_names(ROOT).keys() >= SHARED


def test_a_shared_name_is_found(tmp_path: Path) -> None:
    """Two classes, or a class and an alias, with one public name are found."""
    texts = {
        "twin/log/one.py": "class Place: ...\nclass _Walk: ...\nclass Alone: ...\n",
        "twin/log/two.py": "class Place: ...\nclass _Walk: ...\nKey: TypeAlias = str\n",
        "scheduler/three.py": "class Key: ...\n",
    }
    for name, text in texts.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert shared_names(tmp_path) == {
        "Key": ["scheduler/three.py", "twin/log/two.py"],
        "Place": ["twin/log/one.py", "twin/log/two.py"],
    }
