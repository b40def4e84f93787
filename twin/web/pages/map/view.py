"""The map as a view: what a URL chooses, its table, and what is beside it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from twin.model.basis import Basis
from twin.model.instants import Instant
from twin.questions.answer import Answer, Row
from twin.questions.doctor.diagnosis import never_observed
from twin.questions.doctor.rule import Need
from twin.questions.topology import Topology, topology_of
from twin.web.pages.backlog import Backlog, backlogs
from twin.web.pages.map.choosing import MapSelection, select
from twin.web.pages.map.content import MapContent, MapEdge, MapNode
from twin.web.pages.map.picture import picture_of
from twin.web.pages.parameters import MEMBER, TEXT, one_of
from twin.web.pages.rendering import UNKNOWN
from twin.web.pages.view import PageContent, PageReading, PageTable, PageView

_ROWS: Final = 400
"""How many rows the table below the map has at most; .csv has all."""

_OWN: Final = {"q": TEXT, "show": one_of(("all",)), "qmgr": MEMBER}


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


def show(reading: PageReading) -> PageContent:
    """Show the map of a cluster, or of all."""
    place = reading.place
    eyes, cluster, own = place.eyes, place.cluster, place.own
    members = reading.ask("members", cluster=cluster)
    channels = reading.ask("channels", on=eyes)
    records = reading.ask("beliefs", on=eyes, kind="qmgr") if eyes else None
    wrong = reading.ask("divergence", on=eyes, cluster=cluster) if eyes else None
    answers = MapAnswers(
        members=members.rows,
        channels=list(zip(channels.rows, channels.positions(), strict=True)),
        waiting=reading.ask("transmission", on=eyes).rows,
        records=records.rows if records else None,
        differences=wrong.rows if wrong else (),
        changes=_changes(reading, cluster),
    )
    content = content_of(answers, reading.look(topology_of), cluster=cluster, eyes=eyes)
    focus = [name for name in (eyes, own.get("qmgr")) if name]
    selection = select(
        content, focus=focus, search=own.get("q", ""), every=own.get("show") == "all"
    )
    shown = selection.names
    rows = sorted(
        (edge for edge in content.edges if edge.on in shown and edge.to in shown),
        key=lambda edge: (not edge.waiting.messages, not edge.waiting, edge.rank, edge),
    )
    chosen = [edge for edge in content.edges if own.get("qmgr") in (edge.on, edge.to)]
    return PageContent(
        title=_title(reading),
        values={
            "content": content,
            "selection": selection,
            "picture": picture_of(selection, reading.at.valid),
            "rows": rows[:_ROWS],
            "more": max(len(rows) - _ROWS, 0),
            "wrong": wrong.rows if wrong else (),
            "unseen": _lacks_records(reading, eyes) if eyes else False,
            "chosen": chosen,
            "changed": _changed_channels(reading) if place.against else {},
            "counts": _counts(content, selection),
            "waiting": sum((edge.waiting for edge in content.edges), Backlog()),
            "bases": Counter(node.basis for node in content.nodes.values() if node.basis),
            "notes": (*members.unknown, *members.notes),
        },
        tables=_tables(members, channels, records, wrong),
        commands=_commands(reading),
    )


def _title(reading: PageReading) -> str:
    place = reading.place
    what, one = place.cluster or "All clusters", place.cluster is not None
    if place.eyes:
        return f"{what} as {place.eyes} believes {'it' if one else 'them'}"
    return f"{what} as {'it is' if one else 'they are'}"


def _changes(reading: PageReading, cluster: str | None) -> list[Any]:
    if reading.place.against is None:
        return []
    return list(reading.compared("members", cluster=cluster).rows)


def _changed_channels(reading: PageReading) -> Mapping[tuple[str, str], str]:
    """Return (queue manager, channel) -> the status that it had in the reference."""
    rows = reading.compared("channels", on=reading.place.eyes).rows
    return {
        (str(row["on"]), str(row["channel"])): str(row.get("status_before") or row["change"])
        for row in rows
        if row["change"] != "changed" or "status_before" in row
    }


def _lacks_records(reading: PageReading, name: str) -> bool:
    """Return whether the records of a queue manager were never observed."""
    return Need.RECORDS in reading.look(lambda estate: never_observed(estate.qmgr(name)))


_SEEN: Final = frozenset({Basis.OBSERVED, Basis.DERIVED})
"""What the status of a channel rests on that was observed, or follows at a simulated one."""


def _counts(content: MapContent, selection: MapSelection) -> dict[str, int]:
    return {
        "nodes": len(content.nodes),
        "known": sum(node.known for node in content.nodes.values()),
        "grouped": sum(len(group.names) for group in selection.groups),
        "edges": len(content.edges),
        "trouble": sum(not edge.healthy for edge in content.edges),
        "unseen": sum(edge.basis not in _SEEN for edge in content.edges),
    }


def _tables(*answers: Answer | None) -> tuple[PageTable, ...]:
    return tuple(PageTable.of(answer) for answer in answers if answer is not None)


def _commands(reading: PageReading) -> tuple[str, ...]:
    place = reading.place
    against = place.against
    commands = [
        place.command("ask", "members", cluster=place.cluster, against=against),
        place.command("ask", "channels", on=place.eyes, against=against),
        place.command("ask", "transmission", on=place.eyes),
    ]
    if place.eyes:
        commands.append(place.command("ask", "beliefs", on=place.eyes, kind="qmgr"))
        commands.append(place.command("ask", "divergence", on=place.eyes, cluster=place.cluster))
    return tuple(commands)


MAP: Final = PageView(name="map", title="Map", show=show, own=_OWN, typed=("cluster",))


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
                status=str(row["status"] or UNKNOWN),
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
        yield (
            name,
            MapNode(
                name=name,
                clusters=_clusters(rows),
                full=_clusters(row for row in rows if row["qmtype"] == "REPOS"),
                suspended=_clusters(row for row in rows if row["suspend"] == "YES"),
                running=topology.running.get(name),
                in_twin=name in topology.running,
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
