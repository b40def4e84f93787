"""A running service for tests: a real server on a free port, its users, and their clients."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import httpx

from tests.patience import PATIENCE
from twin.app.twin import Twin
from twin.web.access.passwords import Cost
from twin.web.access.users import Role, Users
from twin.web.server import serving
from twin.web.service import RecordingTurns
from twin.web.settings import ServerSettings

PASSWORD: Final = "a password"  # noqa: S105 - of users that exist in tests alone
ROLES: Final = {
    "admin": frozenset({Role.ADMIN, Role.USER}),
    "reader": frozenset({Role.READER}),
    "user": frozenset({Role.USER}),
}
CSRF: Final = {"ibm-mq-rest-csrf-token": ""}
"""The header that every request needs that changes something."""

CHEAP: Final = Cost(n=16, p=1)
"""The cost of a hash that tests need not wait for."""

LIMITS: Final = {
    "twin.web.estates.readers._WAITS": PATIENCE,
    "twin.web.server._WITHIN": PATIENCE,
    "twin.web.server._ENDS_WITHIN": PATIENCE,
    "twin.web.server._IDLE": PATIENCE,
    "twin.web.service.RecordingTurns": partial(RecordingTurns, within=PATIENCE),
}
"""The limits of the service's own waits that are no settings, as for `tests.patience.unhurried`."""

_UNHURRIED: Final = {"deadline": PATIENCE, "recording": PATIENCE, "body_within": PATIENCE}
"""The settings that are limits of time."""

_FILES: Final = ("", "-wal", "-shm", "-queue")


@dataclass(frozen=True)
class Served:
    """A running service.

    Attributes:
        url: where it listens.
        log: the file of its log.
        admin, reader, user, nobody: clients of users with a role each, and one without a user.
    """

    url: str
    log: Path
    admin: httpx.Client
    reader: httpx.Client
    user: httpx.Client
    nobody: httpx.Client

    @property
    def log_url(self) -> str:
        """The URL of its log."""
        return f"sqlite:///{self.log}"

    def head(self) -> str:
        """Return the head of its log: it changes whenever something is recorded."""
        with Twin.open(self.log_url, read_only=True) as twin:
            return str(twin.log.last())


def copy_log(log: Path, folder: Path) -> Path:
    """Copy the files of a log into a folder; return the path of the copy."""
    folder.mkdir(parents=True, exist_ok=True)
    for ending in _FILES:
        source = log.with_name(log.name + ending)
        if source.exists():
            shutil.copy(source, folder / source.name)
    return folder / log.name


def make_users(path: Path) -> Path:
    """Write a file with one user for each role."""
    users = Users(path)
    for name, roles in ROLES.items():
        users.add(name, PASSWORD, roles, cost=CHEAP)
    return path


@contextmanager
def served(log: Path, users: Path, **settings: Any) -> Iterator[Served]:
    """Serve a log until the block ends."""
    usual = {"url": f"sqlite:///{log}", "users": users, "port": 0, **_UNHURRIED}
    made = ServerSettings(**{**usual, **settings})
    with serving(made) as url, ExitStack() as opened:

        def client(name: str = "") -> httpx.Client:
            auth = httpx.BasicAuth(name, PASSWORD) if name else None
            return opened.enter_context(httpx.Client(base_url=url, auth=auth, timeout=PATIENCE))

        yield Served(url, log, *map(client, [*ROLES, ""]))
