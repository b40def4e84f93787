"""A log that is moved, replaced or out of reach while it is served: 503, and no log is made."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import httpx
import pytest

from tests.postgres import NoPostgres, Server
from tests.web.conftest import Serve
from tests.web.serving import CSRF, Served, make_users, served
from twin.app.twin import Twin

MQSC: Final = "/ibmmq/rest/v3/admin/action/qmgr/PR1/mqsc"
MOVED: Final = "its file was moved, removed or replaced after it was opened"


def command(service: Served, text: str) -> httpx.Response:
    """Run a command."""
    body = {"type": "runCommand", "parameters": {"command": text}}
    return service.admin.post(MQSC, json=body, headers=CSRF)


def answers(service: Served) -> dict[str, httpx.Response]:
    """Ask the service for something of each kind: reads, a write, and work of a process."""
    return {
        "ready": service.nobody.get("/readyz"),
        "page": service.reader.get("/map"),
        "question": service.reader.get("/twin/v1/ask/members"),
        "question about the past": service.reader.get("/twin/v1/ask/members?as-of=-2h"),
        "metrics": service.reader.get("/metrics"),
        "command that reads": command(service, "DISPLAY QMGR"),
        "command that writes": command(service, "DEFINE QLOCAL(NEW.Q) REPLACE"),
    }


def statuses(service: Served) -> set[int]:
    """Return the statuses of these answers."""
    return {answer.status_code for answer in answers(service).values()}


@pytest.mark.parametrize("warm", [True, False])
def test_a_log_that_was_moved_is_neither_served_nor_made_again(serve: Serve, *, warm: bool) -> None:
    """All is 503 with the reason until the file is back, whether it was open or not."""
    service = serve()
    if warm:
        assert statuses(service) == {200}
    folder = service.log.parent
    away = folder.parent / "away"
    folder.rename(away)
    folder.mkdir()
    lost = answers(service)
    assert {name: answer.status_code for name, answer in lost.items()} == dict.fromkeys(lost, 503)
    assert MOVED in lost["ready"].json()["detail"]
    assert lost["command that writes"].headers["retry-after"] == "5"
    assert list(folder.iterdir()) == []
    folder.rmdir()
    away.rename(folder)
    assert statuses(service) == {200}


def test_a_log_that_was_replaced_is_not_served(serve: Serve) -> None:
    """A copy of the log in its place is another file, which may have another future."""
    service = serve()
    assert statuses(service) == {200}
    before = service.head()
    service.log.rename(service.log.with_suffix(".away"))
    shutil.copy(service.log.with_suffix(".away"), service.log)
    assert statuses(service) == {503}
    assert MOVED in service.nobody.get("/readyz").json()["detail"]
    service.log.unlink()
    service.log.with_suffix(".away").rename(service.log)
    assert service.nobody.get("/readyz").text == "ready\n"
    assert service.head() == before


def test_an_empty_file_in_place_of_the_log_stays_empty(serve: Serve) -> None:
    """Nobody makes a log in it."""
    service = serve()
    service.log.rename(service.log.with_suffix(".away"))
    service.log.touch()
    assert statuses(service) == {503}
    assert service.log.stat().st_size == 0


@pytest.fixture
def server() -> Iterator[Server]:
    """Run a PostgreSQL server that can be stopped."""
    try:
        made = Server()
    except (NoPostgres, OSError) as error:
        pytest.skip(str(error))
    with closing(made):
        yield made


def test_a_server_that_is_away_for_a_while_is_503_until_it_is_back(
    server: Server, tmp_path: Path
) -> None:
    """The service connects again by itself."""
    url = server.new_database()
    with Twin.open(url) as twin:
        twin.crtmqm("PR1")
        twin.strmqm("PR1")
    users = make_users(tmp_path / "users.json")
    with served(tmp_path / "none.db", users, url=url) as service:
        assert statuses(service) == {200}
        server.stop()
        lost = answers(service)
        assert {answer.status_code for answer in lost.values()} == {503}
        assert "cannot be used" in lost["ready"].json()["detail"]
        server.start_again()
        assert service.nobody.get("/readyz").text == "ready\n"
        assert statuses(service) == {200}
