"""The estate at a glance: findings first, then clusters, what comes next, and what is missing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from twin.app.branch_difference import branch_difference
from twin.app.twin import Twin
from twin.model.basis import Basis
from twin.model.instants import DAY, MAIN, Instant
from twin.questions.agenda import WHAT_HAPPENS
from twin.questions.answer import Answer, Row
from twin.questions.doctor.diagnosis import unseen_depths
from twin.questions.topology import Topology, topology_of
from twin.review.doctor.report import of_one_kind
from twin.web.pages.backlog import Backlog, backlogs
from twin.web.pages.findings import examination, nothing_found, unchecked
from twin.web.pages.head_counts import finding_count
from twin.web.pages.map.content import HEALTHY
from twin.web.pages.place import PagePlace
from twin.web.pages.rendering import UNKNOWN
from twin.web.pages.view import (
    PageContent,
    PageReading,
    PageRequest,
    PageTable,
    PageView,
    page_key,
)

_NEXT: Final = 6
"""How many instants of the agenda are shown."""

_CHANGES: Final = 8
"""How many changes are shown."""

_FINDINGS: Final = 6
"""How many kinds of findings are shown; the view of findings has all."""


class ClusterRow(NamedTuple):
    """A cluster in the table of clusters.

    Attributes:
        name: its name.
        members: how many members anybody knows.
        full: its full repositories.
        suspended: its suspended members.
        down: its members that are in the twin and do not run.
        absent: its members that are not in the twin.
        statuses: status -> how many of its channels have it, at their sending ends.
        waiting: what waits for its channels.
        assumed: how many of its channels have a status that nobody has seen.
        unseen: at how many of its members it is not known what waits.
    """

    name: str
    members: int
    full: tuple[str, ...]
    suspended: tuple[str, ...]
    down: tuple[str, ...]
    absent: tuple[str, ...]
    statuses: Mapping[str, int]
    waiting: Backlog
    assumed: int
    unseen: int

    @property
    def trouble(self) -> dict[str, int]:
        """The statuses of channels that do not deliver."""
        known = {*HEALTHY, UNKNOWN}
        return {name: count for name, count in self.statuses.items() if name not in known}


def show(reading: PageReading) -> PageContent:
    """Show the clusters and what needs attention."""
    place = reading.place
    cluster = place.cluster
    members = reading.ask("members", cluster=cluster)
    channels = reading.ask("channels")
    waiting = reading.ask("transmission")
    agenda = reading.ask("agenda")
    gaps = reading.ask("ingest")
    topology: Topology = reading.look(topology_of)
    unseen: frozenset[str] = reading.look(unseen_depths)
    reference = reading.reference()
    base = reference if isinstance(reference, str) else None
    return PageContent(
        title="Estate",
        values={
            "clusters": _clusters(members, channels, waiting, topology, unseen),
            "qmgrs": sum(
                cluster is None or cluster in joined for joined in topology.clusters.values()
            ),
            "absent": sorted({str(row["qmgr"]) for row in members.rows} - topology.running.keys()),
            "alone": sorted(name for name, joined in topology.clusters.items() if not joined),
            "agenda": _upcoming(agenda),
            "gaps": [row for row in gaps.rows if row["kind"] not in _NO_GAPS],
            "files": sum(row["kind"] == "file" for row in gaps.rows),
            "bases": _bases(members, channels),
            "notes": (*members.unknown, *members.notes),
            "base": base,
        },
        tables=tuple(map(PageTable.of, (members, channels, waiting, agenda, gaps))),
        commands=(
            place.command("doctor", cluster=cluster),
            place.command("ask", "members", cluster=cluster),
            place.command("ask", "channels"),
            place.command("ask", "agenda"),
            _changes_command(place, branch=base),
        ),
    )


_NO_GAPS: Final = frozenset({"file", "replaced", "last-seen"})
"""Kinds of rows of `ingest` that say nothing of what is missing."""


def _changes_command(place: PagePlace, *, branch: str | None) -> str:
    """Return the command that lists the changes: since an instant, or from another branch."""
    if branch is None:
        return place.command("ask", "changes", since=place.against or "-1d")
    anywhere = replace(place, point=place.point._replace(branch=MAIN))
    return anywhere.command("branch", "diff", branch, place.point.branch)


def _clusters(
    members: Answer,
    channels: Answer,
    waiting: Answer,
    topology: Topology,
    unseen: frozenset[str],
) -> list[ClusterRow]:
    of_cluster: dict[str, list[Row]] = defaultdict(list)
    for row in members.rows:
        of_cluster[str(row["cluster"])].append(row)
    statuses: dict[str, Counter[str]] = defaultdict(Counter)
    assumed: Counter[str] = Counter()
    for row in channels.rows:
        for cluster in _clusters_of((str(row["on"]), str(row["channel"])), topology):
            statuses[cluster][str(row["status"] or UNKNOWN)] += 1
            assumed[cluster] += row["basis"] not in {Basis.OBSERVED, Basis.DERIVED}
    backlog: dict[str, Backlog] = defaultdict(Backlog)
    for key, waits in backlogs(waiting.rows).items():
        for cluster in _clusters_of(key, topology):
            backlog[cluster] += waits
    return [
        ClusterRow(
            name=name,
            members=len(rows),
            full=_names(row for row in rows if row["qmtype"] == "REPOS"),
            suspended=_names(row for row in rows if row["suspend"] == "YES"),
            down=_names(row for row in rows if topology.running.get(str(row["qmgr"])) is False),
            absent=_names(row for row in rows if row["qmgr"] not in topology.running),
            statuses=statuses[name],
            waiting=backlog[name],
            assumed=assumed[name],
            unseen=len(unseen.intersection(_names(rows))),
        )
        for name, rows in sorted(of_cluster.items())
    ]


def _clusters_of(key: tuple[str, str], topology: Topology) -> Sequence[str]:
    """Return the clusters of a channel of a queue manager; none of an end that receives."""
    end = topology.ends.get(key)
    return end.clusters if end else ()


def _names(rows: Iterable[Row]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(row["qmgr"]) for row in rows))


def _upcoming(agenda: Answer) -> list[dict[str, Any]]:
    """Return what is due next: for each instant and kind, the queue managers."""
    together: dict[tuple[Instant, str, bool], list[str]] = defaultdict(list)
    for row in agenda.rows:
        due = row["due"]
        if isinstance(due, int):
            unless = row["only_if"] is not None
            together[due, str(row["kind"]), unless].append(str(row["on"]))
    return [
        {"due": due, "says": WHAT_HAPPENS.get(kind, kind), "on": names, "unless": unless}
        for (due, kind, unless), names in sorted(together.items())[:_NEXT]
    ]


def _bases(*answers: Answer) -> Counter[str]:
    return Counter(str(row["basis"]) for answer in answers for row in answer.rows)


def findings(request: PageRequest) -> PageContent:
    """Show the findings of the doctor, the worst first, with the commands that mend them."""
    document = examination(request)
    rows = document["rows"]
    kinds = of_one_kind(rows)
    return PageContent(
        title="Findings",
        values={
            "kinds": kinds[:_FINDINGS],
            "counts": Counter(row["severity"] for row in rows),
            "finding_count": finding_count(row["severity"] for row in rows),
            "more": max(len(kinds) - _FINDINGS, 0),
            "nothing": nothing_found(document),
            "unchecked": unchecked(document),
        },
    )


def changed(
    twin: Twin, as_of: Instant, known_at: Instant, reference: Instant | str
) -> tuple[Row, ...]:
    """Return what changed since an instant, or differs from a branch at the same instant."""
    if not isinstance(reference, str):
        return twin.ask("changes", as_of=as_of, known_at=known_at, since=reference).rows

    return branch_difference(twin, reference, as_of=as_of, known_at=known_at).rows


def changes(request: PageRequest) -> PageContent:
    """Show what differs from the instant or branch of the URL, or changed within the last day.

    What changed until now is computed again after a minute.
    """
    with request.reading() as reading:
        at, given, shared = reading.at, reading.reference(), page_key(reading)
        base = reading.twin.log.head(given).position if isinstance(given, str) else None
    day_before = at.valid - DAY if given is None else given
    reference = day_before if isinstance(day_before, str) else min(day_before, at.valid)
    rows: tuple[Row, ...] = request.service.computed.get(
        "changes",
        (*shared, request.place.against, base),
        lambda: request.service.workers.run_on(at.branch, changed, at.valid, at.known, reference),
    )
    values = {"rows": rows[:_CHANGES], "more": max(len(rows) - _CHANGES, 0)}
    return PageContent(title="Changes", values=values)


ESTATE: Final = PageView(
    name="estate",
    title="Estate",
    show=show,
    parts={"findings": findings, "changes": changes},
)
