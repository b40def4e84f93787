"""A real Prometheus for tests: private, temporary, from the distribution's package."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from tests.patience import PATIENCE, wait_until
from tests.postgres import free_port

_MISSING: Final = "is missing: install the distribution's package prometheus"


def program(name: str) -> str:
    """Return the path of a program; skip the test without it, or fail where tests must run."""
    path = shutil.which(name)
    if path is None:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{name} {_MISSING}")
        pytest.skip(f"{name} {_MISSING}")
    return path


class Prometheus:
    """A running Prometheus."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    def get(self, path: str, **parameters: str) -> Any:
        """Return the data of an answer of its API."""
        answer = self._client.get(f"/api/v1/{path}", params=parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    def query(self, expression: str) -> list[dict[str, Any]]:
        """Return the series that an expression has now."""
        result: list[dict[str, Any]] = self.get("query", query=expression)["result"]
        return result

    def series(self, expression: str) -> list[dict[str, Any]]:
        """Wait until an expression has series, and return them."""
        return wait_until(lambda: self.query(expression), expression)


@contextmanager
def running(config: Path, folder: Path) -> Iterator[Prometheus]:
    """Run Prometheus with a configuration until the block ends; its data are in a folder."""
    port = free_port()
    command = [
        program("prometheus"),
        f"--config.file={config}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--log.level=error",
    ]
    with (
        (folder / "prometheus.log").open("wb") as log,
        subprocess.Popen(command, stdout=log, stderr=log, cwd=folder) as process,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE) as client,
    ):
        try:
            wait_until(lambda: process.poll() is not None or _is_ready(client), "it is ready")
            assert process.poll() is None, (folder / "prometheus.log").read_text(errors="replace")
            yield Prometheus(client)
        finally:
            process.kill()


def _is_ready(client: httpx.Client) -> bool:
    try:
        return client.get("/-/ready").status_code == 200
    except httpx.TransportError:
        return False
