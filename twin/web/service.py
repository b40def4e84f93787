"""What the parts of the service share: settings, access to the log, users, and what is held.

One request records at a time; few others wait for their turn, and none for ever.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import BoundedSemaphore, Lock
from typing import Any, Final, Generic, Protocol, TypeVar

from starlette.requests import Request

from twin.app.twin import Twin
from twin.log import place_of
from twin.model.instants import MAIN, SECOND, Instant
from twin.web.access.signing import AccessControl
from twin.web.access.users import Users
from twin.web.errors import Busy, WritesRefused
from twin.web.estates.readers import LogOpening, Readers
from twin.web.estates.workers import Workers
from twin.web.settings import ServerSettings

Value = TypeVar("Value")

_KEPT: Final = 16
"""The most values of one kind, unless the caller says another number."""


class ComputedValues:
    """The last values of each kind, by key. A value pushes out values of its own kind only."""

    def __init__(self) -> None:
        """Begin without any."""
        self._kinds: dict[str, dict[Hashable, Any]] = {}
        self._lock = Lock()

    def get(
        self,
        kind: str,
        key: Hashable,
        make: Callable[[], Value],
        *,
        keeps: Callable[[Value], bool] = lambda _: True,
        most: int = _KEPT,
    ) -> Value:
        """Return the value of a kind and a key; make it if it is not kept.

        `keeps` says whether a value is to be kept: a large one may be not worth the memory. `most`
        is how many values of the kind are kept. Two requests may make the same value at the same
        time: neither waits for the other.
        """
        with self._lock:
            values = self._kinds.setdefault(kind, {})
            if key in values:
                value: Value = values.pop(key)
                values[key] = value
                return value
        value = make()
        if keeps(value):
            self.keep(kind, key, value, most=most)
        return value

    def keep(self, kind: str, key: Hashable, value: object, *, most: int = _KEPT) -> None:
        """Keep a value, in place of the one that the key had."""
        with self._lock:
            values = self._kinds.setdefault(kind, {})
            values.pop(key, None)
            values[key] = value
            while len(values) > most:
                del values[next(iter(values))]

    def newest(self, kind: str, first: Hashable) -> Any:
        """Return the value of a kind used last whose key is a tuple that begins with `first`.

        None if there is none.
        """
        with self._lock:
            values = self._kinds.get(kind, {})
            keys = [key for key in values if isinstance(key, tuple) and key[0] == first]
            return values[keys[-1]] if keys else None


WAITING: Final = 32
"""How many requests wait for their turn at the same time; each keeps a thread waiting."""

WITHIN: Final = 30.0
"""The seconds that a request waits for its turn."""


class RecordingTurns:
    """The turns of those who record."""

    def __init__(self, waiting: int = WAITING, within: float = WITHIN) -> None:
        """Let at most `waiting` requests wait, each for at most `within` seconds."""
        self._within = within
        self._places = BoundedSemaphore(waiting + 1)
        self._turn = Lock()

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Take a turn; the next one begins where the block ends.

        Raises:
            Busy: if too many wait already, or no turn comes within the time.
        """
        if not self._places.acquire(blocking=False):
            raise Busy
        try:
            if not self._turn.acquire(timeout=self._within):
                raise Busy
            try:
                yield
            finally:
                self._turn.release()
        finally:
            self._places.release()


_MOST: Final = 50

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


class HeldScripts:
    """The last scripts of one service, each under a key that cannot be guessed."""

    def __init__(self) -> None:
        """Begin without any."""
        self._scripts: dict[str, str] = {}
        self._lock = Lock()

    def add(self, script: str) -> str:
        """Hold a script; return its key. The oldest goes if there are too many."""
        key = secrets.token_urlsafe(12)
        with self._lock:
            self._scripts[key] = script
            while len(self._scripts) > _MOST:
                del self._scripts[next(iter(self._scripts))]
        return key

    def get(self, key: str) -> str | None:
        """Return the script of a key; None if it is not held."""
        with self._lock:
            return self._scripts.get(key)


class Service:
    """One log, served.

    Attributes:
        settings: what the service was started with.
        readers: twins for requests that read.
        workers: processes for requests that compute for long.
        access: who may use the service.
        computed: what was computed for pages, and answers to questions about fixed instants.
        scrapes: the last metrics of each branch.
        scripts: scripts that do not belong in a URL.
    """

    def __init__(self, settings: ServerSettings) -> None:
        """Serve with these settings; nothing is opened before the first request."""
        self.settings = settings
        self._opening = LogOpening(
            settings.url, settings.simulate_on_main, settings.exits, place_of(settings.url)
        )
        self.readers = Readers(self._opening, settings.readers)
        self.workers = Workers(self._opening, settings.workers, deadline=settings.deadline)
        self.computed = ComputedValues()
        self.scrapes: ScrapeCache[Any] = ScrapeCache()
        self.scripts = HeldScripts()
        self.access = AccessControl(Users(settings.users))
        self._writer: Twin | None = None
        self._turns = RecordingTurns()

    @contextmanager
    def writing(self, branch: str = MAIN) -> Iterator[Twin]:
        """Lend the twin that writes, on a branch; one request at a time.

        Raises:
            WritesRefused: if the service only reads.
            Busy: if too many wait to record already, or no turn comes in time.
            NoSuchBranch: if the branch does not exist.
            LogMoved: if the log is not the file that the service began with.
        """
        if self.settings.read_only:
            raise WritesRefused
        with self._turns.taken():
            self._opening.demand_place()
            if self._writer is None:
                self._writer = self._opening.writer()
            yield self._writer if branch == MAIN else self._writer.on_branch(branch)

    def close(self) -> None:
        """Close the log; no request may be running."""
        self.workers.close()
        self.readers.close()
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def service_of(request: Request) -> Service:
    """Return the service that a request was sent to."""
    service = request.app.state.service
    assert isinstance(service, Service)  # noqa: S101 - for the type checker
    return service


def _lasts(scrape: Scraped, now: Instant) -> bool:
    lasts = max(LASTS, _SHARE * scrape.seconds) * SECOND
    return now - scrape.at < lasts
