"""Keep the metrics of a branch while nothing changes.

What was computed stands for one position of the log, and for `LASTS` seconds of time, because
channels disconnect and records expire without an event. If computing takes long, it stands for ten
times as long as that took, so that scrapes of an estate that does not change take a tenth of a
processor at most. Ages are written as of each scrape; only states can be that old.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Generic, Protocol, TypeVar

from twin.model.instants import SECOND, Instant

LASTS: Final = 10
"""The most seconds that states may be old, if they are computed within one second."""

_SHARE: Final = 10
_BRANCHES: Final = 8
"""The most branches whose metrics are kept."""


class Scraped(Protocol):
    """What is kept of metrics: from which position, as of when, and how long they took.

    `Scrape` of the room `metrics` is one.
    """

    @property
    def position(self) -> int: ...  # noqa: D102 - see above

    @property
    def at(self) -> Instant: ...  # noqa: D102 - see above

    @property
    def seconds(self) -> float: ...  # noqa: D102 - see above


Scrape = TypeVar("Scrape", bound=Scraped)


@dataclass(slots=True)
class _Last(Generic[Scrape]):
    """The last scrape of one branch, and the lock of those who need the next one."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    scrape: Scrape | None = None


class ScrapeCache(Generic[Scrape]):
    """The last scrape of each branch. Several clients that ask at once share the next one."""

    def __init__(self) -> None:
        """Start without scrapes."""
        self._lock = threading.Lock()
        self._branches: dict[int, _Last[Scrape]] = {}

    def get(
        self, branch: int, position: int, now: Instant, compute: Callable[[], Scrape]
    ) -> Scrape:
        """Return a scrape of a branch whose head has a position; compute it if there is none.

        `branch` is its number: its name may be used again when it was deleted.
        """
        last = self._of(branch)
        with last.lock:
            known = last.scrape
            if known is None or known.position < position or not _lasts(known, now):
                known = last.scrape = compute()
            return known

    def _of(self, branch: int) -> _Last[Scrape]:
        """Return the entry of a branch, and forget the branch that was used longest ago."""
        with self._lock:
            last = self._branches.pop(branch, None) or _Last()
            self._branches[branch] = last
            if len(self._branches) > _BRANCHES:
                del self._branches[next(iter(self._branches))]
            return last


def _lasts(scrape: Scraped, now: Instant) -> bool:
    lasts = max(LASTS, _SHARE * scrape.seconds) * SECOND
    return now - scrape.at < lasts
