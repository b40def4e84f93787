"""The turns of requests that record."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import islice

import httpx
import pytest

from tests.web.conftest import Serve
from tests.web.serving import CSRF
from twin.web.errors import Busy
from twin.web.service import WAITING, RecordingTurns


def test_whoever_waits_too_long_for_a_turn_is_told() -> None:
    """A request does not wait for ever while another one records."""
    turns = RecordingTurns(within=0.01)
    with turns.taken(), pytest.raises(Busy), turns.taken():
        pass
    with turns.taken():
        pass


def test_only_a_few_wait_for_a_turn() -> None:
    """One more than may wait is refused at once."""
    turns = RecordingTurns(waiting=0, within=3600.0)
    with turns.taken(), pytest.raises(Busy), turns.taken():
        pass
    with turns.taken():
        pass


def test_others_are_answered_while_many_wait_to_record(serve: Serve) -> None:
    """While one request records for long, only some wait for it, and the service lives."""
    service = serve()
    more = 3
    recording = sqlite3.connect(service.log, isolation_level=None)
    recording.execute("BEGIN IMMEDIATE")

    def create(number: int) -> httpx.Response:
        body = {"name": f"b{number}"}
        return service.admin.post("/twin/v1/branches", json=body, headers=CSRF)

    with ThreadPoolExecutor(WAITING + 1 + more) as clients:
        waiting = [clients.submit(create, number) for number in range(WAITING + 1 + more)]
        refused = [each.result() for each in islice(as_completed(waiting), more)]
        assert service.nobody.get("/healthz").text == "alive\n"
        assert service.reader.get("/twin/v1/branches").status_code == 200
        recording.close()
    assert {each.status_code for each in refused} == {503}
    assert all("too much to do" in each.text for each in refused)
