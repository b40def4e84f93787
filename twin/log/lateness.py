"""Lateness: which events were recorded after events that occurred later, and how that is stored."""

from __future__ import annotations

from typing import Final

from sqlalchemy import bindparam, select

from twin.log.schema import late_event

WITHDRAWAL: Final = "DerivedFactsWithdrawn"
"""The type of a withdrawal: it hides facts derived earlier for instants after its own."""

RETRACTED: Final = "FactsRetracted"
"""The type of a retraction: it hides primary facts."""

RETRACTING: Final = frozenset({RETRACTED, "RetractionUndone"})
"""The types of events that hide primary facts, or show them again."""

HIDING: Final = frozenset({WITHDRAWAL, *RETRACTING})
"""The types of events that hide or show events before them."""

EARLIEST_LATE: Final = (
    select(late_event.c.occurred_at)
    .where(
        late_event.c.branch == bindparam("branch"),
        late_event.c.upto > bindparam("after"),
        late_event.c.position <= bindparam("position"),
        late_event.c.occurred_at <= bindparam("occurred"),
    )
    .order_by(late_event.c.occurred_at)
    .limit(1)
)
"""The earliest of a branch's own late events after a position, within bounds."""


class Lateness:
    """Find the events of a branch that have a row in `late_event`.

    In each batch, these are all withdrawals and retractions, and each late event that occurred
    before all late events that precede it in the batch.

    Attributes:
        latest: the latest instant that the branch saw so far. A retraction sets it to that of the
            facts that are still visible; `retracted` must be called for it.
    """

    __slots__ = ("_lowest", "latest")

    def __init__(self, latest: int) -> None:
        """Begin with the latest instant that the branch saw before the batch."""
        self.latest = latest
        self._lowest: int | None = None

    def begin_batch(self) -> None:
        """Begin a new batch."""
        self._lowest = None

    def retracted(self, latest: int) -> None:
        """Note that a retraction follows, after which this is the latest visible instant."""
        self.latest = latest

    def notes(self, occurred_at: int, type_: str) -> bool:
        """Add the next event of the batch; return whether it has a row."""
        if type_ in RETRACTING:
            return True
        if occurred_at >= self.latest:
            self.latest = occurred_at
        elif self._lowest is None or occurred_at < self._lowest:
            self._lowest = occurred_at
            return True
        return type_ == WITHDRAWAL
