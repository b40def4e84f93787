"""What a map draws one by one, and what it draws together with a count.

Few nodes are all drawn. Of many, those are drawn that need attention, with all full repositories;
the others of a cluster are one box with their number. So a map of 300 queue managers stays
readable, and what is left out is always counted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from twin.errors import TwinError
from twin.model.basis import Basis, weakest
from twin.web.pages.backlog import Backlog
from twin.web.pages.map.content import MapContent, MapEdge, MapNode, rank_of

ALL_UP_TO: Final = 60
"""How many nodes are all drawn one by one."""

BOXES_FROM: Final = 400
"""From how many nodes on many clusters are drawn as boxes alone, unless nodes are looked for."""

_MOST: Final = 42
_FEW_CLUSTERS: Final = 4
"""Of how many clusters the full repositories are drawn one by one, if there are many nodes."""

_MOST_HEALTHY: Final = 160
"""How many lines of healthy channels are drawn; more would be a hairball."""

_FIELDS: Final = ("cluster", "status", "suspend", "running", "full", "known", "basis")


class BadSearch(
    TwinError, ValueError, message=f"cannot look for {{}}=...; expected one of {', '.join(_FIELDS)}"
):
    """A search with an unknown field."""


class MapGroup(NamedTuple):
    """Queue managers that are drawn as one box.

    Attributes:
        key: the clusters that they have in common.
        names: their names.
        trouble: status -> how many channels between them have it; those that deliver are left out.
    """

    key: tuple[str, ...]
    names: tuple[str, ...]
    trouble: tuple[tuple[str, int], ...] = ()

    @property
    def says(self) -> str:
        """Return the line below the title: how many, and how many of their channels fail."""
        failing = ", ".join(f"{count} {status.lower()}" for status, count in self.trouble)
        return f"{len(self.names)}: {failing}" if failing else f"{len(self.names)}, no failure"

    @property
    def title(self) -> str:
        """The clusters, in one line."""
        return " ".join(self.key) or "no cluster"


class MapLine(NamedTuple):
    """A line between two boxes: one channel, both of a pair, or a bundle.

    Attributes:
        start: the box where it starts: the name of a node, or the clusters of a group.
        end: the box where it ends.
        status: the worst status of its channels.
        edges: its channels.
        both: whether it stands for channels in both directions.
    """

    start: str | tuple[str, ...]
    end: str | tuple[str, ...]
    status: str
    edges: tuple[MapEdge, ...]
    both: bool

    @property
    def basis(self) -> str:
        """What its statuses rest on: the weakest of them."""
        return str(weakest(Basis(edge.basis) for edge in self.edges))

    @property
    def waiting(self) -> Backlog:
        """What waits for its channels."""
        return sum((edge.waiting for edge in self.edges), Backlog())

    @property
    def healthy(self) -> bool:
        """Whether all its channels deliver."""
        return all(edge.healthy for edge in self.edges)


@dataclass(frozen=True, slots=True)
class MapSelection:
    """What is drawn.

    Attributes:
        nodes: the nodes that are drawn one by one.
        groups: the boxes of all others.
        lines: the lines that are drawn.
        undrawn: how many healthy channels have no line.
        hidden: how many nodes a search left out.
    """

    nodes: Sequence[MapNode]
    groups: Sequence[MapGroup]
    lines: Sequence[MapLine]
    undrawn: int
    hidden: int

    @property
    def names(self) -> set[str]:
        """The names of all nodes that are drawn, one by one or together."""
        together = {name for group in self.groups for name in group.names}
        return together | {node.name for node in self.nodes}


def select(
    content: MapContent, *, focus: Iterable[str] = (), search: str = "", every: bool = False
) -> MapSelection:
    """Choose what is drawn.

    Args:
        content: everything there is.
        focus: names that are always drawn, with all their lines.
        search: only nodes that match, with the full repositories of their clusters.
        every: whether all nodes are drawn one by one, however many there are.

    Raises:
        BadSearch: if the search names an unknown field.
    """
    named = [name for name in dict.fromkeys(focus) if name in content.nodes]
    kept = _matching(content, search) if search.strip() else set(content.nodes)
    kept |= set(named)
    nodes = {name: node for name, node in content.nodes.items() if name in kept}
    drawn = _one_by_one(nodes, named, every=every, searching=bool(search.strip()))
    groups = _groups((node for name, node in nodes.items() if name not in drawn), content.edges)
    lines, undrawn = _lines(content.edges, drawn, groups, named)
    return MapSelection(
        nodes=[nodes[name] for name in sorted(drawn)],
        groups=groups,
        lines=lines,
        undrawn=undrawn,
        hidden=len(content.nodes) - len(nodes),
    )


def _one_by_one(
    nodes: Mapping[str, MapNode], named: Sequence[str], *, every: bool, searching: bool
) -> set[str]:
    """Return the names of nodes that have a box of their own."""
    if every or len(nodes) <= ALL_UP_TO:
        return set(nodes)
    few = len({cluster for node in nodes.values() for cluster in node.clusters}) <= _FEW_CLUSTERS
    if len(nodes) >= BOXES_FROM and not few and not searching:
        return set(named)
    ranked = sorted(
        nodes.values(),
        key=lambda node: (not (node.full and few), not node.troubled, node.name),
    )
    chosen = [node.name for node in ranked if (node.full and few) or node.troubled or searching]
    return {*named, *chosen[:_MOST]}


def _groups(nodes: Iterable[MapNode], edges: Iterable[MapEdge]) -> list[MapGroup]:
    members: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for node in nodes:
        members[node.clusters].append(node.name)
    group_of = {name: key for key, names in members.items() for name in names}
    trouble: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for edge in edges:
        if not edge.healthy and (key := group_of.get(edge.on)) is not None:
            trouble[key][edge.status] += key == group_of.get(edge.to)
    return [
        MapGroup(key, tuple(sorted(names)), _positive(trouble[key]))
        for key, names in sorted(members.items())
    ]


def _positive(counts: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple((status, count) for status, count in sorted(counts.items()) if count)


def _lines(
    edges: Iterable[MapEdge],
    drawn: set[str],
    groups: Sequence[MapGroup],
    named: Sequence[str],
) -> tuple[list[MapLine], int]:
    """Return the lines that are drawn, and how many healthy channels have none."""
    box: dict[str, str | tuple[str, ...]] = {name: name for name in drawn}
    box |= {name: group.key for group in groups for name in group.names}
    between: dict[tuple[str | tuple[str, ...], str | tuple[str, ...]], list[MapEdge]]
    between = defaultdict(list)
    inside = 0
    for edge in edges:
        if edge.on not in box or edge.to not in box:
            continue
        if box[edge.on] == box[edge.to]:
            inside += edge.healthy
            continue
        between[box[edge.on], box[edge.to]].append(edge)
    lines = _merged(between)
    few = len(lines) <= _MOST_HEALTHY
    shown = [line for line in lines if few or not line.healthy or _is_of(line, named)]
    undrawn = sum(len(line.edges) for line in lines) - sum(len(line.edges) for line in shown)
    return shown, undrawn + inside


def _is_of(line: MapLine, named: Sequence[str]) -> bool:
    ends = line.start, line.end
    return any(name in ends for name in named) or not all(isinstance(end, str) for end in ends)


def _merged(
    between: Mapping[tuple[str | tuple[str, ...], str | tuple[str, ...]], list[MapEdge]],
) -> list[MapLine]:
    """Return one line for each pair, or one for each direction if these differ."""
    lines = []
    for (start, end), edges in sorted(between.items(), key=lambda item: repr(item[0])):
        back = between.get((end, start), [])
        mine, theirs = _worst(edges), _worst(back) if back else ""
        bundle = not (isinstance(start, str) and isinstance(end, str))
        calm = all(edge.healthy for edge in (*edges, *back))
        if back and (bundle or (mine == theirs and calm)):
            if repr(start) < repr(end):
                both = (*edges, *back)
                lines.append(MapLine(start, end, _worst(both), both, both=True))
        else:
            lines.append(MapLine(start, end, mine, tuple(edges), both=False))
    return lines


def _worst(edges: Iterable[MapEdge]) -> str:
    return min((edge.status for edge in edges), key=lambda status: (rank_of(status), status))


def _matching(content: MapContent, search: str) -> set[str]:
    """Return the names of the nodes that match all words, and of their full repositories."""
    statuses: dict[str, Counter[str]] = defaultdict(Counter)
    for edge in content.edges:
        statuses[edge.on][edge.status] += 1
    words = search.split()
    found = {
        name
        for name, node in content.nodes.items()
        if all(_matches(node, statuses[name], word) for word in words)
    }
    clusters = {cluster for name in found for cluster in content.nodes[name].clusters}
    return found | {
        name for name, node in content.nodes.items() if found and clusters & set(node.full)
    }


def _matches(node: MapNode, statuses: Mapping[str, int], word: str) -> bool:
    field, equals, value = word.partition("=")
    if not equals:
        return word.upper().strip("*") in node.name.upper()
    values = {
        "cluster": node.clusters,
        "status": tuple(statuses),
        "suspend": ("YES" if node.suspended else "NO",),
        "running": ({True: "YES", False: "NO", None: "UNKNOWN"}[node.running],),
        "full": ("YES" if node.full else "NO",),
        "known": ("YES" if node.known else "NO",),
        "basis": (node.basis.upper(),),
    }
    if field.lower() not in values:
        raise BadSearch(field)
    return value.upper() in values[field.lower()]
