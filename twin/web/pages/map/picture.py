"""The picture of a map: boxes and lines with their places, ready to be written as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from twin.model.instants import Instant
from twin.web.pages.map.choosing import MapGroup, MapLine, MapSelection
from twin.web.pages.map.content import MapNode
from twin.web.pages.map.lines import LineRequest, LineRoute, routes
from twin.web.pages.map.rings import Box, BoxKey, place

_LETTERS: int = 14
"""How many letters of a name fit in a box; a longer one is cut, and its tooltip is whole."""


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
