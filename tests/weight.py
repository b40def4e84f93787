"""Prints the weight of `twin/`, room by room: `python -m tests.weight`."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path
from typing import Final, NamedTuple

TWIN: Final = Path(__file__).parents[1] / "twin"

BUDGET: Final = 63_900
"""The most statements that `twin/` may have. Lower it when the house gets lighter."""


class Weight(NamedTuple):
    """The size of code, however it is laid out.

    `statements` are the nodes of kind `ast.stmt`, without bare constants such as docstrings;
    `nodes` are all nodes of `ast.walk`.
    """

    statements: int
    nodes: int


def weight_of(source: str) -> Weight:
    """Weigh the source of a module."""
    nodes = list(ast.walk(ast.parse(source)))
    return Weight(sum(_is_counted(node) for node in nodes), len(nodes))


def _is_counted(node: ast.AST) -> bool:
    is_bare = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return isinstance(node, ast.stmt) and not is_bare


def weights(root: Path = TWIN) -> dict[str, Weight]:
    """Return the weight of each room: a folder of `root`, or a module right below it."""
    rooms: dict[str, Weight] = defaultdict(lambda: Weight(0, 0))
    for path in sorted(root.rglob("*.py")):
        room, more = path.relative_to(root).parts[0], weight_of(path.read_text(encoding="utf-8"))
        rooms[room] = Weight(*map(sum, zip(rooms[room], more, strict=True)))
    return dict(rooms)


def table() -> str:
    """Return a line for each room, the heaviest first, then the total and the budget."""
    rooms = weights()
    heaviest = sorted(rooms.items(), key=lambda item: item[1], reverse=True)
    total = Weight(*map(sum, zip(*rooms.values(), strict=True)))
    lines = [f"{name:<16}{each.statements:>12,}{each.nodes:>12,}" for name, each in heaviest]
    return "\n".join(
        [
            f"{'room':<16}{'statements':>12}{'nodes':>12}",
            *lines,
            f"{'total':<16}{total.statements:>12,}{total.nodes:>12,}",
            f"{'budget':<16}{BUDGET:>12,}",
        ]
    )


if __name__ == "__main__":
    print(table())  # noqa: T201
