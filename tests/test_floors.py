"""Imports go only down and form no cycle; pure rooms use no database, clock or I/O."""

from __future__ import annotations

import ast
import functools
from collections import defaultdict
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Final, NamedTuple

import pytest

ROOT: Final = Path(__file__).parents[1]

FLOORS: Final = {
    "errors": 0,
    "model": 1,
    "output_files": 1,
    "csv_text": 2,
    "events": 2,
    "mqsc": 2,
    "polling": 2,
    "fold": 3,
    "feeds": 3,
    "log": 3,
    "rules": 4,
    "history": 4,
    "questions": 5,
    "app": 6,
    "review": 7,
    "sampling": 7,
    "scheduler": 7,
    "stories": 8,
    "cli": 10,
    "web": 9,
    "demo": 11,
    "__main__": 11,
}
SUB_FLOORS: Final = {
    "twin.feeds": (
        {"commands", "reading"},
        {"amqsevt", "captures", "configuration", "dating", "errorlog", "prometheus"},
        {"detect"},
        {"observed"},
        {"converting", "resulting_objects"},
        {"converters", "observed_captures"},
        {"definitions"},
    ),
    "twin.fold": (
        {"agenda", "beliefs", "seen_states", "parcels"},
        {"messaging", "seen_before"},
        {"repository"},
        {"estate"},
        {"seen_retries"},
        {"timers"},
        {"store"},
        {"handlers"},
        {"replay"},
    ),
    "twin.rules": (
        {"draft", "logged", "membership", "standing", "version", "written"},
        {"queues", "workload"},
        {"path"},
        {"channels"},
        {"repository"},
        {"messages", "reachability"},
        {"assumptions"},
        {"consequences", "due_timers", "repository_manager"},
        {"lifecycle"},
        {"commands"},
        {"observations"},
        {"deriving", "reactions"},
    ),
    "twin.web": (
        {
            *("access_log", "certificate", "errors", "metrics_options", "paths"),
            "points",
        },
        {"settings"},
        {"access", "envelope", "estates", "failures"},
        {"service"},
        {"guard"},
        {"api", "login", "metrics", "mqweb", "pages"},
        {"application"},
        {"server"},
    ),
}
"""The floors inside a room, from the ground up: its sub-rooms and the modules beside them."""

CROWDED: Final = 15
"""The most modules that a room of the rules may have."""

SCHEDULER: Final = ("scheduler", "twin_scheduler")  # its folder, and the package inside
PUBLIC_FACE: Final = "app"  # `from twin import Twin` needs the floor that Twin stands on
ONLY: Final = {"history": {"errors", "model", "output_files", "log"}}
CALLERS: Final = {"cli", "demo", "stories", "web"}
BEHIND_TWIN: Final = {"feeds", "fold", "rules"}
"""Rooms that callers reach through `Twin` only; `twin.app` exports the types of its results."""

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
    """Return the room of a dotted path; None for `twin` itself, which may import anything."""
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
    if room in CALLERS and target in BEHIND_TWIN:
        return False
    return FLOORS[target] < FLOORS[room] and target in ONLY.get(room, FLOORS)


def _imports(tree: ast.Module, module: Path) -> Iterator[Import]:
    """Yield what a module imports at any depth, relative and dynamic imports resolved."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _base(node, module)
            yield from (Import(f"{base}.{alias.name}", node.lineno) for alias in node.names)
        elif isinstance(node, ast.Call) and node.args:
            called, first = ast.unparse(node.func), node.args[0]
            if called.split(".")[-1] in ("import_module", "__import__") and isinstance(
                first, ast.Constant
            ):
                yield Import(str(first.value), node.lineno)


def _base(node: ast.ImportFrom, module: Path) -> str:
    above = module.parts[: -node.level] if node.level else ()
    return ".".join([*above, *([node.module] if node.module else [])])


def _modules(root: Path) -> dict[str, Path]:
    return {
        _module_name(path.relative_to(root)): path
        for folder in ("twin", "scheduler", "benchmarks")
        for path in sorted(root.glob(f"{folder}/**/*.py"))
    }


def imports_of_modules(root: Path) -> dict[str, set[str]]:
    """Return which modules each module imports, at any depth and also for type checking only."""
    paths = _modules(root)
    graph: dict[str, set[str]] = {}
    for module, path in paths.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {name for name, _ in _imports(tree, path.relative_to(root))}
        found = {name if name in paths else name.rpartition(".")[0] for name in names}
        graph[module] = (found & paths.keys()) - {module}
    return graph


def _module_name(path: Path) -> str:
    parts = path.with_suffix("").parts
    inside = parts[1:] if parts[:2] == SCHEDULER else parts
    return ".".join(inside).removesuffix(".__init__")


def circle(imports: Mapping[str, set[str]]) -> list[str]:
    """Return modules that import each other in a cycle, the first one again at the end.

    The list is empty if there is no cycle.
    """
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def imports_inside(room: str, imports: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Return the imports between the modules and sub-rooms of a room.

    A sub-room counts as one, with all its modules.
    """
    inside: dict[str, set[str]] = defaultdict(set)
    for module, others in imports.items():
        if module.startswith(f"{room}."):
            part = _part(room, module)
            inside[part] |= {_part(room, other) for other in others if other.startswith(f"{room}.")}
            inside[part].discard(part)
    return inside


def _part(room: str, module: str) -> str:
    return module.removeprefix(f"{room}.").split(".")[0]


def sub_breaches(
    room: str, floors: tuple[set[str], ...], imports: Mapping[str, set[str]]
) -> list[str]:
    """List every import inside a room that does not go down, and every part without a floor."""
    floor_of = {part: floor for floor, parts in enumerate(floors) for part in parts}
    inside = imports_inside(room, imports)
    missing = [f"{room}.{part} has no floor" for part in inside if part not in floor_of]
    return missing + [
        f"{room}.{part} may not import {room}.{other}"
        for part, others in inside.items()
        for other in sorted(others)
        if floor_of.get(part, 0) <= floor_of.get(other, -1)
    ]


def _calls(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield every called name, with its import resolved (`dt.now` is datetime's)."""
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
    """No module violates the floors or the purity of its room."""
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
        (
            "twin/cli/a.py",
            "def f():\n    from twin.rules.draft import Draft",
            "cli (floor 10) may not import twin.rules.draft.Draft",
        ),
        (
            "twin/stories/a.py",
            "from twin.fold.estate import Estate",
            "stories (floor 8) may not import twin.fold.estate.Estate",
        ),
        (
            "twin/cli/a.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import twin.feeds.observed",
            "may not import twin.feeds.observed",
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
    """A violation of any kind, at any depth of a module, is found with file and line."""
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
        ("twin/cli/a.py", "from twin_scheduler.clock import VirtualClock"),
    ],
)
def test_the_checker_lets_pass_what_is_allowed(tmp_path: Path, path: str, source: str) -> None:
    """An import downwards or within a room, and I/O outside pure rooms, is allowed."""
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text(source, encoding="utf-8")
    assert breaches(tmp_path) == []


ROOMS: Final = sorted({module.rpartition(".")[0] for module in _modules(ROOT)} - {""})


@functools.cache
def imports() -> dict[str, set[str]]:
    """Return which modules each module of this tree imports."""
    return imports_of_modules(ROOT)


def test_no_modules_import_each_other_in_a_circle() -> None:
    """No module of the product, the schedulers or the benchmarks imports itself indirectly."""
    assert circle(imports()) == []


@pytest.mark.parametrize("room", ROOMS)
def test_no_rooms_import_each_other_in_a_circle(room: str) -> None:
    """The modules and sub-rooms of every room form no import cycle, declared floors or not."""
    assert circle(imports_inside(room, imports())) == []


@pytest.mark.parametrize("room", SUB_FLOORS)
def test_imports_inside_a_room_go_down_only(room: str) -> None:
    """No sub-room imports from its own floor or from one above, and all parts have a floor."""
    assert sub_breaches(room, SUB_FLOORS[room], imports()) == []
    named = {part for floor in SUB_FLOORS[room] for part in floor}
    assert named == imports_inside(room, imports()).keys()


@pytest.mark.parametrize("room", [room for room in ROOMS if room.startswith("twin.rules")])
def test_no_room_of_the_rules_is_crowded(room: str) -> None:
    """A room of the rules has only few modules."""
    modules = [m for m in imports() if m.rpartition(".")[0] == room and m not in ROOMS]
    assert len(modules) <= CROWDED


PLANTED: Final = {
    "twin/e.py": "from twin.low import b",
    "twin/low/__init__.py": "",
    "twin/low/b.py": "def late():\n    from twin.low.c import value",
    "twin/low/c.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from . import d",
}


def _planted(root: Path, d: str) -> dict[str, set[str]]:
    """Return the imports of a small product in which `twin.low.d` has the given text."""
    for path, source in (PLANTED | {"twin/low/d.py": d}).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(source, encoding="utf-8")
    return imports_of_modules(root)


def test_a_planted_circle_is_found(tmp_path: Path) -> None:
    """A cycle is found through dynamic, relative, local and type-checking imports."""
    assert circle(_planted(tmp_path, "")) == []
    back = "from importlib import import_module\nimport_module('twin.low.b')"
    found = circle(_planted(tmp_path, back))
    assert sorted(found[1:]) == ["twin.low.b", "twin.low.c", "twin.low.d"]


def test_a_planted_circle_of_rooms_is_found() -> None:
    """A sub-room that imports from a module above it is found, even without a cycle of modules."""
    imports = {"twin.e": {"twin.low.b"}, "twin.low.b": set(), "twin.low.d": {"twin.e"}}
    assert circle(imports) == []
    assert sorted(circle(imports_inside("twin", imports))[1:]) == ["e", "low"]


def test_planted_breaches_of_sub_floors_are_found(tmp_path: Path) -> None:
    """An import upwards or on the same floor, and a part without a floor, is found."""
    imports = _planted(tmp_path, "")
    assert sub_breaches("twin.low", ({"d"}, {"c"}, {"b"}), imports) == []
    assert sub_breaches("twin.low", ({"b"}, {"c", "d"}), imports) == [
        "twin.low.b may not import twin.low.c",
        "twin.low.c may not import twin.low.d",
    ]
    assert sub_breaches("twin.low", ({"d", "c"}, {"b"}), imports | {"twin.low.x": set()}) == [
        "twin.low.x has no floor",
        "twin.low.c may not import twin.low.d",
    ]
