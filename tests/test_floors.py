"""Imports go down only, and pure rooms touch no database, clock, randomness or I/O."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest

ROOT: Final = Path(__file__).parents[1]

FLOORS: Final = {
    "errors": 0,
    "model": 1,
    "events": 2,
    "mqsc": 2,
    "fold": 3,
    "feeds": 3,
    "log": 3,
    "rules": 4,
    "history": 4,
    "questions": 5,
    "app": 6,
    "sampling": 7,
    "scheduler": 7,
    "stories": 8,
    "cli": 9,
    "web": 9,
    "demo": 10,
    "__main__": 10,
}
SCHEDULER: Final = ("scheduler", "twin_scheduler")  # its folder, and the package inside
PUBLIC_FACE: Final = "app"  # `from twin import Twin` needs the floor that Twin stands on
ONLY: Final = {"history": {"errors", "model", "log"}}
PURE: Final = {"model", "events", "fold", "rules", "questions", "mqsc"}
IMPURE_MODULES: Final = {
    *("alembic", "apscheduler", "psycopg", "sqlalchemy", "sqlite3"),
    *("random", "secrets", "time", "uuid"),
    *("http", "io", "logging", "os", "pathlib", "shutil", "socket", "sys", "tempfile", "urllib"),
    *("asyncio", "multiprocessing", "subprocess", "threading"),
}
IMPURE_CALLS: Final = {"open", "print", "input"}
CLOCK_CALLS: Final = {"now", "utcnow", "today"}
CLOCK_CLASSES: Final = {"datetime", "date"}


class Import(NamedTuple):
    """One imported name: the full dotted path, and the line that imports it."""

    name: str
    line: int


def breaches(root: Path) -> list[str]:
    """List every breach below `root` as `path:line: what`, in order."""
    found = []
    for path in sorted([*root.glob("twin/**/*.py"), *root.glob("scheduler/**/*.py")]):
        module = path.relative_to(root)
        room = _room(module.with_suffix("").parts)
        if room is None:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found += [f"{module}:{line}: {what}" for line, what in _check(tree, module, room)]
    return found


def _check(tree: ast.Module, module: Path, room: str) -> list[tuple[int, str]]:
    if room not in FLOORS:
        return [(1, f"room {room} has no floor in tests/test_floors.py")]
    imports = list(_imports(tree, module))
    found = [
        (line, f"{room} (floor {FLOORS[room]}) may not import {name}")
        for name, line in imports
        if not _may_import(room, name)
    ]
    if room in PURE:
        found += [
            (line, f"{room} is pure and may not import {name}")
            for name, line in imports
            if name.split(".")[0] in IMPURE_MODULES
        ]
        found += [
            (line, f"{room} is pure and may not call {call}")
            for call, line in _calls(tree)
            if _is_impure_call(call)
        ]
    return sorted(set(found))


def _room(parts: tuple[str, ...]) -> str | None:
    """Tell the room of a dotted path, or None for `twin` itself, which may import anything."""
    if parts[0] in SCHEDULER:
        return "scheduler"
    return parts[1] if len(parts) > 1 and parts[1] != "__init__" else None


def _may_import(room: str, name: str) -> bool:
    parts = name.split(".")
    if parts[0] not in ("twin", *SCHEDULER):
        return True
    target = _room(tuple(parts))
    if target not in FLOORS:
        target = PUBLIC_FACE
    if target == room:
        return True
    return FLOORS[target] < FLOORS[room] and target in ONLY.get(room, FLOORS)


def _imports(tree: ast.Module, module: Path) -> Iterator[Import]:
    """Yield what a module imports at any depth, relative and dynamic imports resolved."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _base(node, module)
            if base == "twin":
                yield from (Import(f"twin.{alias.name}", node.lineno) for alias in node.names)
            else:
                yield Import(base, node.lineno)
        elif isinstance(node, ast.Call) and node.args:
            called, first = ast.unparse(node.func), node.args[0]
            if called.split(".")[-1] in ("import_module", "__import__") and isinstance(
                first, ast.Constant
            ):
                yield Import(str(first.value), node.lineno)


def _base(node: ast.ImportFrom, module: Path) -> str:
    above = module.parts[: -node.level] if node.level else ()
    return ".".join([*above, *([node.module] if node.module else [])])


def _calls(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield every called name, with what it was imported as undone (`dt.now` is datetime's)."""
    original = {
        alias.asname: alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        if alias.asname
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            first, _, rest = ast.unparse(node.func).partition(".")
            yield ".".join(filter(None, [original.get(first, first), rest])), node.lineno


def _is_impure_call(call: str) -> bool:
    *owner, name = call.split(".")
    reads_clock = name in CLOCK_CALLS and bool(owner) and owner[-1] in CLOCK_CLASSES
    return call in IMPURE_CALLS or reads_clock


def test_imports_go_down_only_and_pure_rooms_are_pure() -> None:
    """No module of the project breaches the floors or the purity of its room."""
    found = breaches(ROOT)
    assert not found, "breaches of the floors:\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("path", "source", "what"),
    [
        ("twin/model/a.py", "from twin.log import Log", "model (floor 1) may not import twin.log"),
        ("twin/events/a.py", "import twin.mqsc.reader", "may not import twin.mqsc.reader"),
        ("twin/fold/a.py", "def f():\n    from twin import app", "may not import twin.app"),
        ("twin/fold/a.py", "from twin import Twin", "may not import twin.Twin"),
        ("twin/log/a.py", "from ..rules import decide", "may not import twin.rules"),
        ("twin/log/a.py", "from .. import rules", "may not import twin.rules"),
        ("twin/app.py", "import twin_scheduler.clock", "may not import twin_scheduler.clock"),
        ("twin/history/a.py", "from twin.fold import x", "may not import twin.fold"),
        (
            "scheduler/a.py",
            "import twin.cli",
            "scheduler (floor 7) may not import twin.cli",
        ),
        (
            "twin/rules/a.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import twin.questions",
            "may not import twin.questions",
        ),
        (
            "twin/rules/a.py",
            "from importlib import import_module\nimport_module('twin.app')",
            "may not import twin.app",
        ),
        ("twin/errors.py", "from twin.model import names", "errors (floor 0) may not import"),
        ("twin/attic/a.py", "", "room attic has no floor"),
        ("twin/rules/a.py", "import random", "rules is pure and may not import random"),
        ("twin/mqsc/a.py", "from os.path import join", "may not import os.path"),
        ("twin/model/a.py", "def f():\n    return open('x')", "may not call open"),
        (
            "twin/fold/a.py",
            "import datetime\ndatetime.datetime.now()",
            "call datetime.datetime.now",
        ),
        ("twin/fold/a.py", "from datetime import datetime as dt\ndt.now()", "call datetime.now"),
        ("twin/fold/a.py", "from datetime import date\ndate.today()", "call date.today"),
    ],
)
def test_the_checker_finds_a_planted_breach(
    tmp_path: Path, path: str, source: str, what: str
) -> None:
    """A breach of any sort, at any depth of a module, is found and named with its file and line."""
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text(source, encoding="utf-8")
    (found,) = breaches(tmp_path)
    line = max(1, len(source.splitlines()))
    assert found.startswith(f"{path}:{line}: ")
    assert what in found


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("twin/__init__.py", "from twin.app import Twin"),
        ("twin/fold/a.py", "from twin.events.base import Event\nfrom twin.fold import estate"),
        ("twin/rules/a.py", "from twin.errors import TwinError\nfrom datetime import datetime"),
        ("twin/log/a.py", "import os, time, sqlalchemy\nopen('x')"),
        ("twin/questions/a.py", "handle.open()\nestate.now()\nopened = frozenset()"),
        (
            "scheduler/a.py",
            "import time\nfrom twin.app import Twin\nfrom twin import AsOf",
        ),
        ("twin/cli/a.py", "from twin_scheduler.clock import SystemClock"),
    ],
)
def test_the_checker_lets_pass_what_is_allowed(tmp_path: Path, path: str, source: str) -> None:
    """Imports downwards or within a room, and I/O outside the pure rooms, are no breach."""
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text(source, encoding="utf-8")
    assert breaches(tmp_path) == []
