"""What the head of a page offers: clusters and queue managers of now, and branches."""

from __future__ import annotations

from typing import NamedTuple

from twin.questions.names import EstateNames, names_of
from twin.web.pages.view import PageReading
from twin.web.service import Service


class HeadChoices(NamedTuple):
    """The values that the fields in the head of a page offer."""

    clusters: tuple[str, ...]
    qmgrs: tuple[str, ...]
    branches: tuple[str, ...]


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
