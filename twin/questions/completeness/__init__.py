"""Completeness: what an estate names and does not hold.

Only observed queue managers count. What one that was made by `crtmqm` refers to is as the user made
it. A partial estate is normal: each gap says what names the missing thing, so that its file can be
found.
"""

from __future__ import annotations

from collections.abc import Iterator

from twin.fold.estate import Estate
from twin.questions.completeness.gap import NOT_IN_TWIN, REPLACED, UNDEFINED, Gap
from twin.questions.completeness.missing_queue_managers import (
    deleted_partners,
    missing_names,
    missing_queue_managers,
)
from twin.questions.completeness.replaced import replaced
from twin.questions.completeness.undefined_references import undefined_references

__all__ = [
    "NOT_IN_TWIN",
    "REPLACED",
    "UNDEFINED",
    "Gap",
    "deleted_partners",
    "gaps",
    "missing_names",
]


def gaps(estate: Estate) -> Iterator[Gap]:
    """Yield all gaps of an estate: missing queue managers, those that are gone, then references."""
    yield from missing_queue_managers(estate)
    yield from replaced(estate)
    yield from undefined_references(estate)
