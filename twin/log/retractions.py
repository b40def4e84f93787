"""Retractions: how `FactsRetracted` and `RetractionUndone` are indexed in the table `retraction`.

The events are facts about the log. The table follows from them, and `verify` compares it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from twin.log.lateness import RETRACTED, RETRACTING


class Retraction(NamedTuple):
    """A row of `retraction`: a range of positions that one event hides, or what it undoes.

    Attributes:
        position: the position of the event.
        branch: its branch.
        occurred_at: its instant, before those of all facts that it hides.
        first: the first position that it hides; 0 if it hides nothing.
        last: the last position that it hides.
        since: it hides only facts that occurred at this instant or later.
        undoes: the position of the retraction that it undoes.
    """

    position: int
    branch: int
    occurred_at: int
    first: int
    last: int
    since: int
    undoes: int | None


def rows_of(
    position: int, branch: int, occurred_at: int, type_: str, body: str
) -> list[Retraction]:
    """Return the rows of an event of one of the types `RETRACTING`.

    A retraction hides only facts that were recorded before it and occurred after its own instant.
    So it changes nothing for a branch that was forked before that instant.
    """
    fields = json.loads(body)
    if type_ != RETRACTED:
        undone = int(fields["retraction"])
        return [Retraction(position, branch, occurred_at, 0, 0, occurred_at + 1, undone)]
    since = fields.get("since")
    if since is not None:
        lowest = max(int(since), occurred_at + 1)
        return [Retraction(position, branch, occurred_at, 1, position - 1, lowest, None)]
    named = sorted({int(each) for each in fields.get("positions", ()) if 0 < each < position})
    return [
        Retraction(position, branch, occurred_at, first, last, occurred_at + 1, None)
        for first, last in _ranges(named) or [(0, 0)]
    ]


def rows_of_batch(events: Sequence[tuple[object, ...]]) -> list[Retraction]:
    """Return the rows of all retractions of a batch, given as complete rows of `event`."""
    return [
        row
        for position, branch, occurred_at, _, type_, *_, body, _ in events
        if type_ in RETRACTING
        for row in rows_of(position, branch, occurred_at, type_, body)  # type: ignore[arg-type]
    ]


def _ranges(positions: Sequence[int]) -> list[tuple[int, int]]:
    """Return the ranges of consecutive numbers in a sorted sequence."""
    ranges: list[tuple[int, int]] = []
    for position in positions:
        if ranges and position == ranges[-1][1] + 1:
            ranges[-1] = ranges[-1][0], position
        else:
            ranges.append((position, position))
    return ranges
