"""What the parts of the service share: settings, access to the log, and users."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from starlette.requests import Request

from twin.app.twin import Twin
from twin.log import place_of
from twin.model.asof import MAIN
from twin.web.access.signing import AccessControl
from twin.web.access.users import Users
from twin.web.computed_values import ComputedValues
from twin.web.errors import WritesRefused
from twin.web.estates.opening import LogOpening
from twin.web.estates.readers import Readers
from twin.web.estates.workers import Workers
from twin.web.held_scripts import HeldScripts
from twin.web.scrape_cache import ScrapeCache
from twin.web.settings import ServerSettings
from twin.web.turns import RecordingTurns


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
