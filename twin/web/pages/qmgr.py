"""One queue manager: what it holds and by whom it was told, its channels, and its error log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from functools import partial
from typing import Any, Final

from markupsafe import Markup

from twin.questions.answer import Answer, Row
from twin.questions.doctor.diagnosis import never_observed
from twin.questions.doctor.rule import Need
from twin.questions.topology import Topology, facts_of, topology_of
from twin.questions.waiting import words_of
from twin.web.pages.parameters import QUEUE_MANAGER
from twin.web.pages.rendering import rows_of
from twin.web.pages.view import PageContent, PageReading, PageRequest, PageTable, PageView

_MOST_RECORDS: Final = 200
"""How many records the page lists; .csv has all."""

_MOST_LINES: Final = 25
"""How many lines of the error log the page shows, the latest first."""


def show(reading: PageReading) -> PageContent:
    """Show the queue manager that the URL names, or else a list of all."""
    name = reading.place.own.get("on") or reading.place.eyes
    return _all(reading) if name is None else _one(reading, name)


def _one(reading: PageReading, name: str) -> PageContent:
    place = reading.place
    facts = reading.look(partial(facts_of, name=name))
    unseen: Collection[Need] = reading.look(lambda estate: never_observed(estate.qmgr(name)))
    held = reading.ask("beliefs", on=name, cluster=place.cluster)
    channels = reading.ask("channels", on=name)
    waiting = reading.ask("transmission", on=name)
    errors = reading.ask("errorlog", on=name)
    wrong = reading.ask("divergence", on=name, cluster=place.cluster)
    topology: Topology = reading.look(topology_of)
    return PageContent(
        title=name,
        template="qmgr",
        values={
            "facts": facts,
            "held": _latest_first(held)[:_MOST_RECORDS],
            "held_count": len(held.rows),
            "states": Counter(str(row["state"]) for row in held.rows),
            "bases": Counter(str(row["basis"]) for row in held.rows),
            "channels": [_with_end(row, topology, name) for row in rows_of(channels)],
            "waiting": rows_of(waiting),
            "errors": list(reversed(errors.rows))[:_MOST_LINES],
            "errors_count": len(errors.rows),
            "errors_notes": errors.notes,
            "wrong": wrong.rows,
            "unseen": {"depths": Need.DEPTHS in unseen, "records": Need.RECORDS in unseen},
            "notes": held.notes,
            "words": words_of,
            "changed": reading.compared("beliefs", on=name).rows if place.against else (),
        },
        tables=tuple(PageTable.of(each) for each in (held, channels, waiting, errors, wrong)),
        commands=(
            place.command("ask", "beliefs", on=name, cluster=place.cluster),
            place.command("ask", "channels", on=name),
            place.command("ask", "transmission", on=name),
            place.command("ask", "errorlog", on=name),
            place.command("ask", "divergence", on=name, cluster=place.cluster),
            place.command("ask", "lifetimes", on=name, cluster=place.cluster, format="svg"),
        ),
    )


def _latest_first(held: Answer) -> list[Row]:
    """Return records of queue managers first, then by name; expired ones before all others."""
    kinds = {"qmgr": 0, "queue": 1, "topic": 2}
    return sorted(
        held.rows,
        key=lambda row: (
            row["state"] != "expired",
            kinds.get(str(row["kind"]), len(kinds)),
            str(row["name"]),
            str(row["owner"]),
        ),
    )


def _with_end(row: dict[str, Any], topology: Topology, on: str) -> dict[str, Any]:
    """Return a row of a channel with the queue manager at its other end; None at a receiver."""
    end = topology.ends.get((on, str(row["channel"])))
    return {**row, "end": end.qmgr if end else None}


def _all(reading: PageReading) -> PageContent:
    place = reading.place
    members = reading.ask("members", cluster=place.cluster)
    topology: Topology = reading.look(topology_of)
    names = sorted({str(row["qmgr"]) for row in members.rows} | _here(topology, place.cluster))
    rows = [_listed(name, members, topology) for name in names]
    return PageContent(
        title="Queue managers",
        template="qmgrs",
        values={"rows": rows, "notes": (*members.unknown, *members.notes)},
        tables=(PageTable.of(members),),
        commands=(place.command("ask", "members", cluster=place.cluster),),
    )


def _here(topology: Topology, cluster: str | None) -> set[str]:
    """Return the queue managers that the twin has: those of a cluster, or all."""
    return {
        name
        for name, clusters in topology.clusters.items()
        if cluster is None or cluster in clusters
    }


def _listed(name: str, members: Answer, topology: Topology) -> dict[str, Any]:
    own = [row for row in members.rows if row["qmgr"] == name]
    return {
        "name": name,
        "in_twin": name in topology.running,
        "running": topology.running.get(name),
        "clusters": sorted({str(row["cluster"]) for row in own}),
        "full": sorted({str(row["cluster"]) for row in own if row["qmtype"] == "REPOS"}),
        "suspended": sorted({str(row["cluster"]) for row in own if row["suspend"] == "YES"}),
        "basis": str(own[0]["basis"]) if own else "",
        "qmids": sorted({str(row["qmid"]) for row in own}),
    }


def lifetimes(request: PageRequest) -> PageContent:
    """Draw the lifetimes of the records that a queue manager holds."""
    place = request.place
    name = place.own.get("on") or place.eyes
    with request.reading() as reading:
        picture = reading.twin.draw(
            "lifetimes",
            as_of=reading.at.valid,
            known_at=reading.at.known,
            on=name,
            cluster=place.cluster,
        )
    return PageContent(title="Lifetimes", values={"picture": Markup(picture)})  # noqa: S704 - SVG whose texts are escaped


QMGR: Final = PageView(
    name="qmgr",
    title="Queue managers",
    show=show,
    parts={"lifetimes": lifetimes},
    own={"on": QUEUE_MANAGER},
    typed=("on",),
)
