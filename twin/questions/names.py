"""The names that a question can be narrowed to: clusters and queue managers."""

from __future__ import annotations

from typing import NamedTuple

from twin.fold.estate import Estate
from twin.rules import membership


class EstateNames(NamedTuple):
    """The names in an estate, sorted."""

    clusters: tuple[str, ...]
    qmgrs: tuple[str, ...]


def names_of(estate: Estate) -> EstateNames:
    """Return the clusters of all queue managers that are in the twin, and their names."""
    clusters = {
        cluster for qmgr in estate.qmgrs.values() for cluster in membership.clusters_joined(qmgr)
    }
    return EstateNames(tuple(sorted(clusters)), tuple(sorted(estate.qmgrs)))
