"""Snapshots of a sample, one behind every month, so that views of it come quickly."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from typing import Final

from twin.app.reading import Views
from twin.log import Log
from twin.model.instants import DAY, Instant

_EVERY: Final = 30 * DAY
_AT_ONCE: Final = 2**62
"""More events than there are in any month."""


class Snapshots:
    """Leaves snapshots of a log that is being written, in a second process where there is one."""

    def __init__(self, url: str, since: Instant, second: Executor | None) -> None:
        """Begin at an instant before which nothing happened."""
        self._url = url
        self._since = since
        self._second = second
        self._pending: list[Future[None]] = []

    def reached(self, end: Instant) -> None:
        """Leave a snapshot when a month has passed since the last one."""
        if end - self._since >= _EVERY:
            self._leave()
            self._since = end

    def finish(self) -> None:
        """Leave the last snapshot, and wait for all of them."""
        self._leave()
        for each in self._pending:
            each.result()

    def _leave(self) -> None:
        if self._second is None:
            leave(self._url, self._since)
        else:
            self._pending.append(self._second.submit(leave, self._url, self._since))


def leave(url: str, since: Instant) -> None:
    """Leave a snapshot of a log as it is now, beginning with the last one up to an instant."""
    log = Log.open(url, synchronous="NORMAL")
    try:
        Views(log).snapshot(branch="main", every=_AT_ONCE, since=since)
    finally:
        log.close()
