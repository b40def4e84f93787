"""The map as a view: what a URL chooses, its table, and what is beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from twin.model.basis import Basis
from twin.questions.answer import Answer
from twin.questions.doctor.diagnosis import never_observed
from twin.questions.doctor.rule import Need
from twin.questions.topology import topology_of
from twin.web.pages.backlog import Backlog
from twin.web.pages.map.answers import MapAnswers, content_of
from twin.web.pages.map.choosing import MapSelection, select
from twin.web.pages.map.content import MapContent, MapEdge
from twin.web.pages.map.picture import picture_of
from twin.web.pages.parameters import MEMBER, TEXT, one_of
from twin.web.pages.view import PageContent, PageReading, PageTable, PageView

_ROWS: Final = 400
"""How many rows the table below the map has at most; .csv has all."""


_OWN: Final = {"q": TEXT, "show": one_of(("all",)), "qmgr": MEMBER}


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
        key=_worst_first,
    )
    chosen = [edge for edge in content.edges if own.get("qmgr") in (edge.on, edge.to)]
    changed = _changed_channels(reading) if place.against else {}
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
            "changed": changed,
            "counts": _counts(content, selection),
            "waiting": _waiting(content),
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


def _worst_first(edge: MapEdge) -> tuple[bool, bool, int, MapEdge]:
    return not edge.waiting.messages, not edge.waiting, edge.rank, edge


def _waiting(content: MapContent) -> Backlog:
    return sum((edge.waiting for edge in content.edges), Backlog())


def _counts(content: MapContent, selection: MapSelection) -> dict[str, int]:
    return {
        "nodes": len(content.nodes),
        "known": sum(node.known for node in content.nodes.values()),
        "grouped": sum(len(group.names) for group in selection.groups),
        "edges": len(content.edges),
        "trouble": sum(not edge.healthy for edge in content.edges),
        "assumed": sum(edge.basis == Basis.ASSUMED for edge in content.edges),
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
