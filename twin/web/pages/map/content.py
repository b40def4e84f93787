"""Nodes and edges of the map, from the answers to questions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from twin.model.basis import Basis
from twin.model.instants import DAY, Instant
from twin.questions.answer import Row
from twin.questions.topology import Topology

HEALTHY: Final = frozenset({"RUNNING", "INACTIVE"})
"""The statuses of channels that deliver."""

_RANK: Final = {"STOPPED": 0, "RETRYING": 1, "RUNNING": 3, "INACTIVE": 4}
_PASSING: Final = 2
"""The rank of statuses that a channel passes through."""


class MapEdge(NamedTuple):
    """A channel from one queue manager to another.

    Attributes:
        on: the queue manager of the sending end.
        to: the queue manager of the receiving end.
        channel: its name.
        clusters: the clusters that it is used for.
        status: its status at the sending end.
        since: when the status began; None if that is unknown.
        next_retry: when it is tried again; None if it is not.
        waiting: messages that wait for it.
        basis: what the status rests on.
        position: the event it rests on; 0 for none.
    """

    on: str
    to: str
    channel: str
    clusters: tuple[str, ...]
    status: str
    since: Instant | None
    next_retry: Instant | None
    waiting: int
    basis: str
    position: int

    @property
    def key(self) -> tuple[str, str]:
        """The queue manager of the sending end, and the name of the channel."""
        return self.on, self.channel

    @property
    def healthy(self) -> bool:
        """Whether it delivers, and nothing waits for it."""
        return self.status in HEALTHY and not self.waiting

    @property
    def rank(self) -> int:
        """Its place among others of its pair: the worst status comes first."""
        return rank_of(self.status)


@dataclass(frozen=True, slots=True, kw_only=True)
class MapNode:
    """A queue manager on the map.

    Attributes:
        name: its name.
        clusters: its clusters.
        full: the clusters of which it holds a full repository.
        suspended: the clusters in which it is suspended.
        running: whether it runs; None if nobody knows.
        in_twin: whether the twin has it.
        known: whether the observer knows it; True without an observer.
        removal: when the observer removes its expired record; None if it has not expired.
        basis: what this rests on.
        differs: where the observer's beliefs about it differ, in words.
        changed: how it differs from the reference of a comparison: added, changed or ''.
        channels: its own channels that do not deliver.
        qmids: its QMIDs; more than one if it was rebuilt under its name.
    """

    name: str
    clusters: tuple[str, ...] = ()
    full: tuple[str, ...] = ()
    suspended: tuple[str, ...] = ()
    running: bool | None = None
    in_twin: bool = True
    known: bool = True
    removal: Instant | None = None
    basis: str = ""
    differs: tuple[str, ...] = ()
    changed: str = ""
    channels: int = 0
    qmids: tuple[str, ...] = ()

    @property
    def state(self) -> str:
        """What is most important about it, in one word; '' if it is as it should be."""
        states = {
            "unknown": not self.known,
            "expired": self.removal is not None,
            "absent": not self.in_twin,
            "down": self.running is False,
            "suspended": bool(self.suspended),
        }
        return next((name for name, applies in states.items() if applies), "")

    @property
    def troubled(self) -> bool:
        """Whether it should be drawn even if most nodes are not."""
        expected = self.state in ("", "unknown") and not self.changed
        return bool(not expected or self.differs or self.channels)

    def says(self, at: Instant) -> str:
        """Return the line below its name."""
        if self.removal is not None and self.known:
            return f"removed in {-((at - self.removal) // DAY)} d"
        texts = {
            "unknown": "not known",
            "absent": "not in the twin",
            "down": "not running",
            "suspended": "suspended",
        }
        return texts.get(self.state, "full repository" if self.full else "")


@dataclass(frozen=True, slots=True)
class MapContent:
    """Everything that a map could draw.

    Attributes:
        nodes: the queue managers by name.
        edges: the channels, sorted by their ends and names.
    """

    nodes: Mapping[str, MapNode] = field(default_factory=dict)
    edges: Sequence[MapEdge] = ()


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


def rank_of(status: str) -> int:
    """Return the place of a status among others: the worst comes first."""
    return _RANK.get(status, _PASSING)


def _edges(answers: MapAnswers, topology: Topology) -> Iterator[MapEdge]:
    waiting: dict[tuple[str, str], int] = defaultdict(int)
    for row in answers.waiting:
        waiting[str(row["on"]), str(row["channel"])] += _number(row["count"])
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
                waiting=waiting.get(key, 0),
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
