"""The estate at a glance: findings first, then clusters, queue managers, and what is missing."""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple

from twin.questions.answer import Answer
from twin.web.pages.view import PageContent, PageReading, PageTable, PageView


class ClusterRow(NamedTuple):
    """A cluster in the table of clusters."""

    name: str
    members: int
    full: tuple[str, ...]
    suspended: tuple[str, ...]


def show(reading: PageReading) -> PageContent:
    """Show the clusters and queue managers."""
    place = reading.place
    members = reading.ask("members", cluster=place.cluster)
    return PageContent(
        title="Estate",
        values={"clusters": _clusters(members), "members": members},
        tables=(PageTable.of(members),),
        commands=(place.command("ask", "members", cluster=place.cluster),),
    )


def _clusters(members: Answer) -> list[ClusterRow]:
    counts = Counter(str(row["cluster"]) for row in members.rows)

    def named(cluster: str, column: str, value: str) -> tuple[str, ...]:
        return tuple(
            str(row["qmgr"])
            for row in members.rows
            if row["cluster"] == cluster and row[column] == value
        )

    return [
        ClusterRow(name, count, named(name, "qmtype", "REPOS"), named(name, "suspend", "YES"))
        for name, count in sorted(counts.items())
    ]


ESTATE: Final = PageView(name="estate", title="Estate", show=show)
