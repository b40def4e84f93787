"""From when to when imported error logs reach: in between, what they do not say was not written.

The log of a file covers the time from its first to its last imported line. A file that was rotated
begins again with its first line, and what was written in between is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from twin.model.instants import Instant, format_instant
from twin.questions.answer import FoldedFact
from twin.questions.imported_records import imported_records


class LogExtent(NamedTuple):
    """The time from the first to the last line of an imported log; both belong to it."""

    first: Instant
    last: Instant

    def __str__(self) -> str:
        """Say it in words."""
        return f"{format_instant(self.first)} to {format_instant(self.last)}"


LogExtents: TypeAlias = Mapping[str, Sequence[LogExtent]]
"""The extents of the imported logs of queue managers, in order; they do not overlap."""

FindExtents: TypeAlias = Callable[[], LogExtents]
"""Finds the extents of all imported logs, also those after the instant that is asked."""


def log_extents(facts: Iterable[FoldedFact]) -> LogExtents:
    """Return the extents of the logs of which these facts, in the order of time, are the lines."""
    found: dict[str, list[LogExtent]] = {}
    places: dict[tuple[str, str], tuple[int, int]] = {}
    for record in imported_records(facts):
        extents = found.setdefault(record.qmgr, [])
        key = (record.qmgr, record.file)
        index, line = places.get(key, (-1, 0))
        if index < 0 or record.line < line:
            index = len(extents)
            extents.append(LogExtent(record.at, record.at))
        extents[index] = extents[index]._replace(last=record.at)
        places[key] = (index, record.line)
    return {name: _joined(extents) for name, extents in found.items()}


def _joined(extents: Iterable[LogExtent]) -> list[LogExtent]:
    joined: list[LogExtent] = []
    for each in sorted(extents):
        if joined and each.first <= joined[-1].last:
            joined[-1] = joined[-1]._replace(last=max(joined[-1].last, each.last))
        else:
            joined.append(each)
    return joined


def is_covered(extents: LogExtents, qmgr: str, at: Instant) -> bool:
    """Return whether an imported log of a queue manager reaches over an instant."""
    return any(each.first <= at <= each.last for each in extents.get(qmgr, ()))
