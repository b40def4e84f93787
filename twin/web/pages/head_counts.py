"""What the head of a page offers, and the numbers beside the names of views.

The numbers are only those that cost no question.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Final, NamedTuple

from twin.model.instants import MAIN
from twin.questions.transmission import messages_waiting
from twin.questions.unknown_names import EstateNames, names_of
from twin.review.doctor.report import FindingRow
from twin.web.pages.view import PageReading
from twin.web.service import ComputedValues, Service

_KIND: Final = "finding counts"


class HeadChoices(NamedTuple):
    """The values that the fields in the head of a page offer."""

    clusters: tuple[str, ...]
    qmgrs: tuple[str, ...]
    branches: tuple[str, ...]


class HeadCount(NamedTuple):
    """A number beside the name of a view.

    Attributes:
        number: the number.
        of: what is counted, in the plural.
        alarming: whether somebody should look.
    """

    number: int
    of: str
    alarming: bool = False


def head_counts(
    service: Service, reading: PageReading, offered: HeadChoices
) -> Mapping[str, HeadCount]:
    """Return view -> its number. Findings have one after they were computed for the same place."""
    waiting: int = reading.look(messages_waiting)
    counts = {
        "qmgr": HeadCount(len(offered.qmgrs), "queue managers"),
        "waiting": HeadCount(waiting, "messages wait", bool(waiting)),
        "findings": _known_findings(service.computed, reading),
        "what-if": HeadCount(sum(name != MAIN for name in offered.branches), "branches"),
    }
    return {name: count for name, count in counts.items() if count and count.number}


def note_findings(values: ComputedValues, key: Hashable, rows: Iterable[FindingRow]) -> None:
    """Remember how many findings were found last at the place with a `count_key`."""
    values.keep(_KIND, key, finding_count(row["severity"] for row in rows))


def finding_count(severities: Iterable[str]) -> HeadCount:
    """Return the number of findings that are more than information."""
    counted = [severity for severity in severities if severity != "info"]
    return HeadCount(len(counted), "errors and warnings", "error" in counted)


def _known_findings(values: ComputedValues, reading: PageReading) -> HeadCount | None:
    """Return the number that was remembered for the place of a page; None if none was."""
    key = count_key(reading)
    return values.get(_KIND, key, lambda: None, keeps=lambda count: count is not None)


def count_key(reading: PageReading) -> tuple[Hashable, ...]:
    """Return what the number of findings is remembered under: a position, whatever the time is."""
    place, at = reading.place, reading.at
    return reading.twin.log.branch(at.branch).id, at.position, place.point.as_of, place.cluster


def choices(service: Service, reading: PageReading) -> HeadChoices:
    """Return what can be chosen; the place of the page is always among it."""
    twin, place = reading.twin, reading.place
    branch = twin.log.branch(reading.at.branch)
    key = (branch.id, twin.log.head(branch.name).position)
    names: EstateNames = service.computed.get("names", key, lambda: twin.read(names_of))
    return HeadChoices(
        _with(names.clusters, place.cluster),
        _with(names.qmgrs, place.eyes),
        tuple(branch.name for branch in twin.log.branches()),
    )


def _with(names: tuple[str, ...], chosen: str | None) -> tuple[str, ...]:
    """Return names with the chosen one, which may exist at another instant only."""
    return names if chosen is None or chosen in names else (*names, chosen)
