"""From the answers to questions to what a map can show, as it is or as an observer believes it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from twin.model.basis import Basis
from twin.model.instants import Instant
from twin.questions.answer import Row
from twin.questions.topology import Topology
from twin.web.pages.backlog import Backlog, backlogs
from twin.web.pages.map.content import MapContent, MapEdge, MapNode


class MapAnswers(NamedTuple):
    """The rows that a map is made from.

    Attributes:
        members: of `members`.
        channels: of `channels`, each with its evidence.
        waiting: of `transmission`.
        records: of `beliefs` of kind qmgr, of the observer; None if nobody observes.
        differences: of `divergence`, of the observer.
        changes: of `members` compared with the reference.
    """

    members: Sequence[Row]
    channels: Sequence[tuple[Row, tuple[int, ...]]]
    waiting: Sequence[Row]
    records: Sequence[Row] | None = None
    differences: Sequence[Row] = ()
    changes: Sequence[Row] = ()


def content_of(
    answers: MapAnswers, topology: Topology, *, cluster: str | None, eyes: str | None
) -> MapContent:
    """Return the nodes and edges of a cluster, or of all; with `eyes`, as this one believes."""
    edges = sorted(
        edge
        for edge in _edges(answers, topology)
        if (cluster is None or cluster in edge.clusters) and eyes in (None, edge.on)
    )
    nodes = dict(_nodes(answers.members, topology))
    if cluster is not None:
        nodes = {name: node for name, node in nodes.items() if cluster in node.clusters}
    edges = [edge for edge in edges if edge.on in nodes and edge.to in nodes]
    nodes = _with_trouble(nodes, edges)
    if eyes is not None and answers.records is not None:
        nodes = _believed(nodes, eyes, answers.records, answers.differences)
    changed = {str(row.get("qmgr")): str(row["change"]) for row in answers.changes}
    nodes = {
        name: replace(node, changed=changed[name]) if name in changed else node
        for name, node in nodes.items()
    }
    return MapContent(nodes, edges)


def _edges(answers: MapAnswers, topology: Topology) -> Iterator[MapEdge]:
    waiting = backlogs(answers.waiting)
    for row, evidence in answers.channels:
        key = str(row["on"]), str(row["channel"])
        if (end := topology.ends.get(key)) is not None:
            yield MapEdge(
                on=key[0],
                to=end.qmgr,
                channel=key[1],
                clusters=end.clusters,
                status=str(row["status"]),
                since=_instant(row["since"]),
                next_retry=_instant(row["next_retry"]),
                waiting=waiting.get(key, Backlog()),
                basis=str(row["basis"]),
                position=max(evidence, default=0),
            )


def _nodes(members: Sequence[Row], topology: Topology) -> Iterator[tuple[str, MapNode]]:
    """Go through the nodes by name: each stands for all memberships of one name."""
    by_name: dict[str, list[Row]] = defaultdict(list)
    for row in members:
        by_name[str(row["qmgr"])].append(row)
    for name, rows in sorted(by_name.items()):
        in_twin = name in topology.running
        yield (
            name,
            MapNode(
                name=name,
                clusters=_clusters(rows),
                full=_clusters(row for row in rows if row["qmtype"] == "REPOS"),
                suspended=_clusters(row for row in rows if row["suspend"] == "YES"),
                running=topology.running.get(name),
                in_twin=in_twin,
                basis=max((str(row["basis"]) for row in rows), key=lambda one: Basis(one).rank),
                qmids=tuple(sorted({str(row["qmid"]) for row in rows})),
            ),
        )


def _clusters(rows: Iterable[Row]) -> tuple[str, ...]:
    return tuple(sorted({str(row["cluster"]) for row in rows}))


def _with_trouble(nodes: dict[str, MapNode], edges: Iterable[MapEdge]) -> dict[str, MapNode]:
    counts: dict[str, int] = defaultdict(int)
    for edge in edges:
        if not edge.healthy:
            counts[edge.on] += 1
    return {name: replace(node, channels=counts.get(name, 0)) for name, node in nodes.items()}


def _believed(
    nodes: dict[str, MapNode], eyes: str, records: Sequence[Row], differences: Sequence[Row]
) -> dict[str, MapNode]:
    """Return nodes as an observer believes them, with where it is wrong."""
    of_owner: dict[str, list[Row]] = defaultdict(list)
    for row in records:
        of_owner[str(row["owner"])].append(row)
    wrong: dict[str, list[Row]] = defaultdict(list)
    for row in differences:
        wrong[str(row["owner"])].append(row)
    for owner, rows in of_owner.items():
        nodes.setdefault(owner, MapNode(name=owner, clusters=_clusters(rows), in_twin=False))
    return {
        name: _as_believed(node, of_owner.get(name, ()), wrong.get(name, ()))
        for name, node in sorted(nodes.items())
    }


def _as_believed(node: MapNode, records: Sequence[Row], wrong: Sequence[Row]) -> MapNode:
    believed = {
        (str(row["field"]), str(row["cluster"])): row["here"]
        for row in wrong
        if row["kind"] == "qmgr"
    }

    def with_belief(now: tuple[str, ...], field: str, value: str) -> tuple[str, ...]:
        """Return the clusters in which the observer believes an attribute to have a value."""
        return tuple(
            cluster
            for cluster in node.clusters
            if believed.get((field, cluster), value if cluster in now else "") == value
        )

    expired = [row for row in records if row["state"] == "expired"]
    gone = expired and len(expired) == len(records)
    return replace(
        node,
        known=bool(records),
        removal=max((_number(row["removal"]) for row in expired), default=None) if gone else None,
        full=with_belief(node.full, "QMTYPE", "REPOS"),
        suspended=with_belief(node.suspended, "SUSPEND", "YES"),
        basis=str(records[0]["basis"]) if records else "",
        differs=tuple(_difference(row) for row in wrong),
    )


def _difference(row: Row) -> str:
    """Say how a belief differs: `SUSPEND: believes NO, is YES`."""
    name = "" if row["kind"] == "qmgr" else f"{row['kind']} {row['name']} "
    if row["field"] == "record":
        return f"{name or 'record '}{'is not known' if row['here'] is None else 'is gone'}"
    return f"{name}{row['field']}: believes {_shown(row['here'])}, is {_shown(row['there'])}"


def _shown(value: Any) -> str:
    return "nothing" if value in (None, "") else str(value)


def _number(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _instant(value: Any) -> Instant | None:
    return value if isinstance(value, int) else None
