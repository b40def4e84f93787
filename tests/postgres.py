"""A real PostgreSQL server for tests: private, temporary, from the distribution's packages."""

from __future__ import annotations

import itertools
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from sqlalchemy import make_url

from tests.patience import PATIENCE

_PORTS: Final = range(15_000, 32_000)
_ATTEMPTS: Final = 5

_MISSING: Final = "initdb is missing: install the distribution's package postgresql"
_NOBODY: Final = "there is no unprivileged user to run it as"
_FAILED: Final = "initdb failed:"
_ENDED: Final = "the server ended:"
_LATE: Final = "the server did not start in time"

_UNPRIVILEGED: Final = ("postgres", "nobody")
_SETTINGS: Final = (
    *("listen_addresses=127.0.0.1", "timezone=UTC", "max_connections=40"),
    "authentication_timeout=600s",  # the longest that it allows
)
_QUICK: Final = ("fsync=off", "full_page_writes=off")


class NoPostgres(Exception):
    """PostgreSQL cannot be run on this machine."""

    def __init__(self, reason: str, details: str = "") -> None:
        super().__init__(" ".join(["no PostgreSQL:", reason, *details.split()]))


class Server:
    """A PostgreSQL server in a temporary folder, on a free port, removed when it is closed.

    A `durable` server waits for the disk, as in production; the tests need not wait.
    """

    def __init__(self, *, durable: bool = False) -> None:
        self._binaries = _binaries()
        self._as_user: dict[str, Any] = _unprivileged()
        self._settings = _SETTINGS if durable else (*_SETTINGS, *_QUICK)
        self._folder = Path(tempfile.mkdtemp(prefix="twin-pg-"))
        self._names = itertools.count(1)
        self._process: subprocess.Popen[bytes] | None = None
        try:
            if self._as_user:
                os.chown(self._folder, self._as_user["user"], self._as_user["group"])
            self._make_cluster()
            self._start()
        except BaseException:
            self.close()
            raise

    def new_database(self, copied: str = "") -> str:
        """Create an empty database, or a copy of another one that is not in use; return its URL."""
        name, template = f"twin{next(self._names)}", make_url(copied).database if copied else ""
        made = f"CREATE DATABASE {name}" + (f" TEMPLATE {template}" if template else "")
        with psycopg.connect(self._conninfo("postgres"), autocommit=True) as connection:
            connection.execute(made.encode())
        return f"postgresql+psycopg://twin@127.0.0.1:{self.port}/{name}"

    def stop(self) -> None:
        """Stop the server; its connections end."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def start_again(self) -> None:
        """Start the server again, on the same port."""
        if not self._run():
            raise NoPostgres(_ENDED, (self._folder / "server.log").read_text(errors="replace"))

    def close(self) -> None:
        """Stop the server and remove its folder."""
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _make_cluster(self) -> None:
        made = subprocess.run(
            [
                self._binaries / "initdb",
                *("-D", self._folder / "data", "-U", "twin", "-A", "trust"),
                *("-E", "UTF8", "--locale=C", "--no-sync"),
            ],
            capture_output=True,
            check=False,
            cwd=self._folder,
            **self._as_user,
        )
        if made.returncode:
            raise NoPostgres(_FAILED, made.stderr.decode(errors="replace"))

    def _start(self) -> None:
        for _ in range(_ATTEMPTS):
            self.port = free_port()
            if self._run():
                return
        raise NoPostgres(_ENDED, (self._folder / "server.log").read_text(errors="replace"))

    def _run(self) -> bool:
        """Start the server on its port; return whether it runs."""
        settings = [*self._settings, f"port={self.port}"]
        settings.append(f"unix_socket_directories={self._folder}")
        with (self._folder / "server.log").open("wb") as log:
            self._process = subprocess.Popen(
                [
                    self._binaries / "postgres",
                    *("-D", self._folder / "data"),
                    *(part for setting in settings for part in ("-c", setting)),
                ],
                stdout=log,
                stderr=log,
                cwd=self._folder,
                **self._as_user,
            )
        return self._answers()

    def _answers(self) -> bool:
        """Wait for the server; False when it gave up, as it does if another took its port."""
        deadline = time.monotonic() + PATIENCE
        while self._process is not None and self._process.poll() is None:
            try:
                psycopg.connect(self._conninfo("postgres"), connect_timeout=PATIENCE).close()
            except psycopg.OperationalError:
                if time.monotonic() > deadline:
                    raise NoPostgres(_LATE) from None
                time.sleep(0.05)
            else:
                return True
        return False

    def _conninfo(self, database: str) -> str:
        return f"host=127.0.0.1 port={self.port} user=twin dbname={database}"


def _binaries() -> Path:
    """Return the folder of the newest initdb."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    folders = Path("/usr/lib/postgresql").glob("*/bin")
    versions = sorted((f for f in folders if (f / "initdb").exists()), key=_version)
    if not versions:
        raise NoPostgres(_MISSING)
    return versions[-1]


def _version(folder: Path) -> int:
    name = folder.parent.name
    return int(name) if name.isdecimal() else 0


def _unprivileged() -> dict[str, Any]:
    """Return the user that runs the server: initdb refuses root."""
    if os.geteuid() != 0:
        return {}
    for name in _UNPRIVILEGED:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    raise NoPostgres(_NOBODY)


def free_port() -> int:
    """Return a TCP port of this machine that nobody uses.

    The system gives none of these to a client, so that nobody has it by chance a moment later.
    """
    while True:
        port = secrets.choice(_PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def end_connections(url: str) -> None:
    """End all other connections to a database, as a server that stops at once does."""
    plain = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """Run a server for all tests of this process; skip its tests if this is not possible."""
    try:
        server = Server()
    except (NoPostgres, OSError) as error:
        if os.environ.get("CI") == "true":
            pytest.fail(str(error))
        pytest.skip(str(error))
    yield server
    server.close()


@pytest.fixture
def postgres_url(postgres_server: Server) -> str:
    """Create an empty PostgreSQL database and return its URL."""
    return postgres_server.new_database()
