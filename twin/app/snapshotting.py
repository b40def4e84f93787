"""Snapshots on the way: when an estate that goes on is written down, and left for later readers."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Final

from twin.app.reading import SNAPSHOT_EVERY, Pages, Views
from twin.errors import TwinError
from twin.fold.estate import Estate
from twin.fold.store.pages import forget_changes, lasts
from twin.model.instants import Instant

BYTES_PER_EVENT: Final = 50
"""How much a snapshot may cost for each event since the last: writing it is to be the cheaper."""

LASTING: Final = 3
"""How many bytes of a page that mostly stays as it is cost what one byte of another does.

Measured in a year of 200 queue managers: 20 ns a byte to write one down and keep it, beside 53.
"""


class Snapshots:
    """Snapshots of the estate at the head of a branch, as one process records events behind it.

    What was appended stands whether or not a snapshot of it can be kept.
    """

    def __init__(self, views: Views) -> None:
        """Keep them for these views; the first is due after `SNAPSHOT_EVERY` events."""
        self._views = views
        self._since = 0
        self._after = SNAPSHOT_EVERY

    def begin(self, replayed: int) -> None:
        """Note that an estate was rebuilt from a snapshot, and so many events behind it."""
        self._since = replayed

    def count(self, events: int) -> None:
        """Note that events were recorded."""
        self._since += events

    def taken(self, estate: Estate, kept: Mapping[str, int]) -> Pages | None:
        """Write an estate down before it goes on, if a snapshot is due; `kept` are pages of before.

        It changes nothing of the log: the pages are to be kept once the estate has gone on.
        """
        if self._since < self._after or not estate.position:
            return None
        pages = Pages.of(estate, kept)
        self._after = max(SNAPSHOT_EVERY, _cost(pages) // BYTES_PER_EVENT)
        forget_changes(estate)
        return pages

    def keep(self, pages: Pages, branch: str, position: int) -> Mapping[str, int]:
        """Leave a snapshot for later readers; return the number of each page, none on failure."""
        self._since = 0
        try:
            return self._views.keep(pages, branch=branch, position=position)
        except TwinError:
            return {}

    def leave(self, branch: str, *, since: Instant) -> None:
        """Leave snapshots behind a late fact."""
        with contextlib.suppress(TwinError):
            self._views.snapshot(branch=branch, since=since)


def _cost(pages: Pages) -> int:
    """Return how many bytes changed; those count less that are written rarely, and fast."""
    return sum(
        len(page) // LASTING if lasts(name) else len(page) for name, page in pages.changed.items()
    )
