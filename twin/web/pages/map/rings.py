"""Places of boxes: full repositories inside, all others on rings around them.

Boxes stand in the cells of a grid, at most one in a cell, and a box is smaller than its cell. So no
two boxes overlap, and between any two rows and columns of cells there is a free corridor, which
lines can take. The order of the names decides the places: the same names give the same picture.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, sqrt
from typing import Final, NamedTuple, TypeAlias

BoxKey: TypeAlias = str | tuple[str, ...]
"""What a box stands for: the name of a node, or the clusters of a group."""

CELL: Final = (128.0, 74.0)
"""The width and height of a cell, in pixels."""

BOX: Final = (104.0, 40.0)
"""The width and height of a box, in pixels."""

_NEAREST: Final = 2
"""The first ring; nearer to the full repositories there is room for lines alone."""

_MARGIN: Final = 10.0


class Box(NamedTuple):
    """A box: its middle, and its size, in pixels."""

    x: float
    y: float
    width: float = BOX[0]
    height: float = BOX[1]

    @property
    def left(self) -> float:
        """The left border."""
        return self.x - self.width / 2

    @property
    def top(self) -> float:
        """The upper border."""
        return self.y - self.height / 2


class Placement(NamedTuple):
    """The places of boxes, and the size of the picture in pixels."""

    boxes: Mapping[BoxKey, Box]
    width: float
    height: float


def place(inside: Sequence[BoxKey], around: Sequence[BoxKey], *, dense: bool = False) -> Placement:
    """Place boxes: some inside, the others around them, both in the given order.

    With `dense`, those inside stand next to each other, with less room for lines.
    """
    cells = dict(zip(inside, _block(len(inside), 1 if dense else 2), strict=True))
    columns = max((column for column, _ in cells.values()), default=0) + 1
    rows = max((row for _, row in cells.values()), default=0) + 1
    cells |= dict(zip(around, _around(columns, rows, len(around)), strict=True))
    left = min((column for column, _ in cells.values()), default=0)
    top = min((row for _, row in cells.values()), default=0)
    boxes = {
        key: Box(_MARGIN + (column - left + 0.5) * CELL[0], _MARGIN + (row - top + 0.5) * CELL[1])
        for key, (column, row) in cells.items()
    }
    return Placement(
        boxes,
        max((box.x for box in boxes.values()), default=0) + CELL[0] / 2 + _MARGIN,
        max((box.y for box in boxes.values()), default=0) + CELL[1] / 2 + _MARGIN,
    )


def _block(count: int, step: int) -> Iterator[tuple[int, int]]:
    """Go through the cells inside: each `step`th one of a block that is wider than high."""
    per_row = max(1, ceil(sqrt(count)))
    yield from ((step * (number % per_row), step * (number // per_row)) for number in range(count))


def _around(columns: int, rows: int, count: int) -> Iterator[tuple[int, int]]:
    """Go through cells on rings around a block; each ring is filled evenly."""
    rings: list[list[tuple[int, int]]] = []
    while sum(map(len, rings)) < count:
        rings.append(list(_ring(columns, rows, _NEAREST + len(rings))))
    room, left = sum(map(len, rings)), count
    for ring in rings:
        here = min(len(ring), -(-left * len(ring) // room)) if room else 0
        yield from (ring[(2 * number + 1) * len(ring) // (2 * here)] for number in range(here))
        room, left = room - len(ring), left - here


def _ring(columns: int, rows: int, distance: int) -> Iterator[tuple[int, int]]:
    """Go clockwise around a block at a distance in cells, leaving out the corners."""
    left, right = -distance, columns - 1 + distance
    top, bottom = -distance, rows - 1 + distance
    yield from ((column, top) for column in range(left + 1, right))
    yield from ((right, row) for row in range(top + 1, bottom))
    yield from ((column, bottom) for column in range(right - 1, left, -1))
    yield from ((left, row) for row in range(bottom - 1, top, -1))
