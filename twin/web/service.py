"""What the parts of the service share: settings, access to the log, and users."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.requests import Request

from twin.app.twin import Twin
from twin.errors import TwinError
from twin.model.asof import MAIN
from twin.web.access.users import Users
from twin.web.estates.readers import Readers
from twin.web.settings import ServerSettings


class WritesRefused(TwinError):
    """A write to a service that was started for reading alone."""

    def __init__(self) -> None:
        super().__init__("this service was started with --read-only and records nothing")


class Service:
    """One log, served.

    Attributes:
        settings: what the service was started with.
        readers: twins for requests that read.
        users: who may use the service.
    """

    def __init__(self, settings: ServerSettings) -> None:
        """Serve with these settings; nothing is opened before the first request."""
        self.settings = settings
        self.readers = Readers(self._open_reader, settings.readers)
        self.users = Users(settings.users)
        self._writer: Twin | None = None
        self._turn = threading.Lock()

    def _open_reader(self) -> Twin:
        return Twin.open(
            self.settings.url,
            read_only=True,
            keeps_caches=True,
            simulate_on_main=self.settings.simulate_on_main,
        )

    @contextmanager
    def writing(self, branch: str = MAIN) -> Iterator[Twin]:
        """Lend the twin that writes, on a branch; one request at a time.

        Raises:
            WritesRefused: if the service only reads.
            NoSuchBranch: if the branch does not exist.
        """
        if self.settings.read_only:
            raise WritesRefused
        with self._turn:
            if self._writer is None:
                self._writer = Twin.open(
                    self.settings.url, simulate_on_main=self.settings.simulate_on_main
                )
            yield self._writer if branch == MAIN else self._writer.on_branch(branch)

    def close(self) -> None:
        """Close the log; no request may be running."""
        self.readers.close()
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def service_of(request: Request) -> Service:
    """Return the service that a request was sent to."""
    service = request.app.state.service
    assert isinstance(service, Service)  # noqa: S101 - for the type checker
    return service
