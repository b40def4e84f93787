"""Snapshots of a sample, one after every month, so that its past estates are rebuilt quickly."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from typing import Final

from twin.app.reading import Views
from twin.log import Log
from twin.model.instants import DAY, Instant

_EVERY: Final = 30 * DAY
_AT_ONCE: Final = 2**62
"""More events than any month has."""


class MonthlySnapshots:
    """Takes snapshots of a log while it is written, in a second process if there is one."""

    def __init__(self, url: str, since: Instant, second: Executor | None) -> None:
        """Begin at an instant before the first event."""
        self._url = url
        self._since = since
        self._second = second
        self._pending: list[Future[None]] = []

    def reached(self, end: Instant) -> None:
        """Take a snapshot if a month has passed since the last one."""
        if end - self._since >= _EVERY:
            self._take()
            self._since = end

    def finish(self) -> None:
        """Take the last snapshot, and wait for all of them."""
        self._take()
        for snapshot in self._pending:
            snapshot.result()

    def _take(self) -> None:
        if self._second is None:
            take(self._url, self._since)
        else:
            self._pending.append(self._second.submit(take, self._url, self._since))


def take(url: str, since: Instant) -> None:
    """Take a snapshot of a log as it is now, starting from the last snapshot up to an instant."""
    log = Log.open(url, synchronous="NORMAL")
    try:
        Views(log).snapshot(branch="main", every=_AT_ONCE, since=since)
    finally:
        log.close()
