"""The map as a picture: boxes, and lines between them that run through no other box.

A line is straight if it can be, else curved, else it takes the corridors between the cells, which
are always free. Where a pair has a line for each direction, both are curved to their right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import hypot
from typing import Final, NamedTuple, TypeAlias

from twin.model.instants import Instant
from twin.web.pages.map.choosing import MapGroup, MapLine, MapSelection
from twin.web.pages.map.content import MapNode
from twin.web.pages.map.rings import CELL, Box, BoxKey, place

_LETTERS: int = 14
"""How many letters of a name fit in a box; a longer one is cut, and its tooltip is whole."""

Spot: TypeAlias = tuple[float, float]
"""A point of the picture: x and y in pixels."""

_BENDS: Final = (0.0, 30.0, -30.0, 60.0, -60.0, 100.0, -100.0, 160.0, -160.0)
"""How far the middle of a line may bend aside, in pixels, in the order of trying."""

_ASIDE: Final = (16.0, 40.0, 70.0, 110.0, 160.0, -40.0, -70.0, -110.0)
"""The same for one of two lines of a pair."""

_CLEAR: Final = 6.0
"""How far a line stays away from boxes, in pixels."""

_PIECES: Final = 28

_SIGNS: Final = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74)
"""Where along a line its letter may stand, in the order of trying."""

_SIGN: Final = 11.0
"""The room around a letter, in pixels."""


class LineRequest(NamedTuple):
    """A line that is wanted: its ends, and whether it is one of two of a pair."""

    start: BoxKey
    end: BoxKey
    aside: bool


class LineRoute(NamedTuple):
    """A line: its path in SVG, points along it, and where its letter stands."""

    path: str
    points: tuple[Spot, ...]
    sign: Spot


class DrawnNode(NamedTuple):
    """A box with its node and what stands in it."""

    node: MapNode
    box: Box
    label: str
    says: str


class DrawnGroup(NamedTuple):
    """A box that stands for several nodes."""

    group: MapGroup
    box: Box
    label: str


class DrawnLine(NamedTuple):
    """A line with its place."""

    line: MapLine
    route: LineRoute

    @property
    def label(self) -> str:
        """What stands beside the letter: what waits, or how many channels it is."""
        if self.line.waiting:
            return self.line.waiting.short
        bundled = not (isinstance(self.line.start, str) and isinstance(self.line.end, str))
        return f"{len(self.line.edges)}" if bundled else ""


class MapPicture(NamedTuple):
    """What is drawn, and the size of the picture in pixels."""

    nodes: Sequence[DrawnNode]
    groups: Sequence[DrawnGroup]
    lines: Sequence[DrawnLine]
    width: float
    height: float


def picture_of(selection: MapSelection, at: Instant) -> MapPicture:
    """Return the picture of what was selected, as of an instant."""
    full = sorted(
        (node for node in selection.nodes if node.full), key=lambda node: (node.full, node.name)
    )
    others: list[tuple[tuple[str, ...], str, BoxKey]] = [
        (node.clusters, node.name, node.name) for node in selection.nodes if not node.full
    ]
    boxes: list[BoxKey] = [group.key for group in selection.groups]
    inside: list[BoxKey] = [node.name for node in full] or boxes
    if full:
        others += [(group.key, "~", group.key) for group in selection.groups]
    placed = place(inside, [key for *_, key in sorted(others, key=_order)], dense=not full)
    pairs = {(line.start, line.end) for line in selection.lines}
    wanted = [
        LineRequest(line.start, line.end, aside=(line.end, line.start) in pairs)
        for line in selection.lines
    ]
    return MapPicture(
        nodes=[
            DrawnNode(node, placed.boxes[node.name], _short(node.name), node.says(at))
            for node in selection.nodes
        ],
        groups=[
            DrawnGroup(group, placed.boxes[group.key], _short(group.title))
            for group in selection.groups
        ],
        lines=sorted(
            (
                DrawnLine(line, route)
                for line, route in zip(selection.lines, routes(placed.boxes, wanted), strict=True)
            ),
            key=lambda drawn: not drawn.line.healthy,
        ),
        width=placed.width,
        height=placed.height,
    )


def _order(place: tuple[tuple[str, ...], str, BoxKey]) -> tuple[tuple[str, ...], str]:
    return place[0], place[1]


def _short(name: str) -> str:
    return name if len(name) <= _LETTERS else f"{name[: _LETTERS - 1]}…"


def routes(boxes: Mapping[BoxKey, Box], wanted: Sequence[LineRequest]) -> list[LineRoute]:
    """Return a route for each line; the same input gives the same routes."""
    return list(_routes(tuple(sorted(boxes.items(), key=repr)), tuple(wanted)))


@lru_cache(maxsize=32)
def _routes(
    placed: tuple[tuple[BoxKey, Box], ...], wanted: tuple[LineRequest, ...]
) -> tuple[LineRoute, ...]:
    boxes = dict(placed)
    signs: list[Spot] = []
    made = []
    for line in wanted:
        others = [box for key, box in placed if key not in (line.start, line.end)]
        path, points = _line(boxes[line.start], boxes[line.end], others, aside=line.aside)
        sign = _sign(points, [box for _, box in placed], signs)
        signs.append(sign)
        made.append(LineRoute(path, points, sign))
    return tuple(made)


def _line(
    start: Box, end: Box, others: Sequence[Box], *, aside: bool
) -> tuple[str, tuple[Spot, ...]]:
    """Return the path of a line, and points along it."""
    for bend in _ASIDE if aside else _BENDS:
        control = _control(start, end, bend)
        first, last = _cut(start, end, control)
        if first >= last:
            continue
        points = tuple(_along(start, end, control, first, last))
        if not crosses(points, others):
            return _curve(start, end, control, (first, last), straight=bend == 0), points
    points = tuple(_corridors(start, end))
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points), points


def _control(start: Box, end: Box, bend: float) -> Spot:
    """Return the control point of a curve whose middle bends aside, to the right of its way."""
    dx, dy = end.x - start.x, end.y - start.y
    length = hypot(dx, dy) or 1.0
    return (
        (start.x + end.x) / 2 - dy / length * bend * 2,
        (start.y + end.y) / 2 + dx / length * bend * 2,
    )


def _at(start: Box, end: Box, control: Spot, first: float, last: float) -> Spot:
    """Return the blossom of a quadratic curve; with both parameters equal, the point there."""
    a, b = (1 - first) * (1 - last), first * last
    c = 1 - a - b
    return (
        a * start.x + c * control[0] + b * end.x,
        a * start.y + c * control[1] + b * end.y,
    )


def _cut(start: Box, end: Box, control: Spot) -> tuple[float, float]:
    """Return the parameters at which a curve leaves its first box and reaches its last one."""
    steps = 120
    inside_first = [
        number
        for number in range(steps + 1)
        if _inside(_at(start, end, control, number / steps, number / steps), start)
    ]
    inside_last = [
        number
        for number in range(steps + 1)
        if _inside(_at(start, end, control, number / steps, number / steps), end)
    ]
    return (max(inside_first) + 1) / steps, (min(inside_last) - 1) / steps


def _inside(spot: Spot, box: Box) -> bool:
    return abs(spot[0] - box.x) <= box.width / 2 and abs(spot[1] - box.y) <= box.height / 2


def _along(start: Box, end: Box, control: Spot, first: float, last: float) -> Iterator[Spot]:
    for number in range(_PIECES + 1):
        where = first + (last - first) * number / _PIECES
        yield _at(start, end, control, where, where)


def _curve(
    start: Box, end: Box, control: Spot, span: tuple[float, float], *, straight: bool
) -> str:
    first, last = span
    (x0, y0), (x1, y1) = (_at(start, end, control, each, each) for each in span)
    if straight:
        return f"M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}"
    cx, cy = _at(start, end, control, first, last)
    return f"M{x0:.1f} {y0:.1f}Q{cx:.1f} {cy:.1f} {x1:.1f} {y1:.1f}"


def _corridors(start: Box, end: Box) -> Iterator[Spot]:
    """Go from box to box along the borders of cells, where no box stands."""
    down = 1 if end.y > start.y else -1
    right = 1 if end.x > start.x else -1
    leave = start.y + down * CELL[1] / 2
    arrive = end.y - down * CELL[1] / 2
    beside = end.x - right * CELL[0] / 2
    yield start.x, start.y + down * start.height / 2
    yield start.x, leave
    if abs(leave - arrive) > 1:
        yield beside, leave
        yield beside, arrive
    yield end.x, arrive
    yield end.x, end.y - down * end.height / 2


def crosses(points: Sequence[Spot], boxes: Sequence[Box], clear: float = _CLEAR) -> bool:
    """Return whether a line through points comes nearer to a box than `clear` pixels."""
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    top, bottom = min(y for _, y in points), max(y for _, y in points)
    for box in boxes:
        half_width, half_height = box.width / 2 + clear, box.height / 2 + clear
        if (
            box.x + half_width > left
            and box.x - half_width < right
            and box.y + half_height > top
            and box.y - half_height < bottom
            and any(
                _meets(one, other, box, half_width, half_height) for one, other in pairwise(points)
            )
        ):
            return True
    return False


def _meets(one: Spot, other: Spot, box: Box, half_width: float, half_height: float) -> bool:
    """Return whether a segment has a point inside a rectangle around the middle of a box."""
    enter, leave = 0.0, 1.0
    for begin, way, middle, half in (
        (one[0], other[0] - one[0], box.x, half_width),
        (one[1], other[1] - one[1], box.y, half_height),
    ):
        low, high = middle - half - begin, middle + half - begin
        if way == 0:
            if not low < 0 < high:
                return False
            continue
        near, far = sorted((low / way, high / way))
        enter, leave = max(enter, near), min(leave, far)
        if enter >= leave:
            return False
    return True


def _sign(points: Sequence[Spot], boxes: Sequence[Box], taken: Sequence[Spot]) -> Spot:
    """Return where the letter of a line stands: on no box, and on no other letter if possible."""
    lengths = [0.0]
    for (x0, y0), (x1, y1) in pairwise(points):
        lengths.append(lengths[-1] + hypot(x1 - x0, y1 - y0))
    spots = [_spot(points, lengths, part * lengths[-1]) for part in _SIGNS]
    free = [spot for spot in spots if not crosses((spot, spot), boxes, _SIGN)]
    for spot in free:
        if all(hypot(spot[0] - x, spot[1] - y) > 2 * _SIGN for x, y in taken):
            return spot
    return (free or spots)[0]


def _spot(points: Sequence[Spot], lengths: Sequence[float], way: float) -> Spot:
    """Return the point at a way along a line."""
    for number in range(1, len(points)):
        if lengths[number] >= way and lengths[number] > lengths[number - 1]:
            part = (way - lengths[number - 1]) / (lengths[number] - lengths[number - 1])
            (x0, y0), (x1, y1) = points[number - 1], points[number]
            return x0 + part * (x1 - x0), y0 + part * (y1 - y0)
    return points[-1]
