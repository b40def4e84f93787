"""A database server that ends a connection in the middle of anything is one clear error."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest

from tests.log.writing import OpenLog, fill, new
from tests.postgres import end_connections
from twin.log import Log, LogUnreachable

WORK: dict[str, Callable[[Log], Any]] = {
    "append": lambda log: log.append([new(9)], recorded_at=9),
    "append of many": lambda log: log.append([new(9) for _ in range(50)], recorded_at=9),
    "head": lambda log: log.head(),
    "rows": lambda log: log.rows(),
    "verify": lambda log: log.verify(),
    "create branch": lambda log: log.create_branch("what-if"),
    "note": lambda log: log.set_info("colour", "blue"),
}


@pytest.mark.parametrize("work", WORK)
def test_a_server_that_dies_is_one_clear_error(
    postgres_url: str, open_log: OpenLog, caplog: pytest.LogCaptureFixture, work: str
) -> None:
    """Nothing is logged beside it, and the next use connects again."""
    log = open_log(postgres_url)
    fill(log, 1, 2)
    end_connections(postgres_url)
    with caplog.at_level(logging.WARNING), pytest.raises(LogUnreachable) as raised:
        WORK[work](log)
    assert "\n" not in str(raised.value)
    assert caplog.records == []
    WORK[work](log)


@pytest.mark.parametrize("statement", ["insert_events", "fetch"])
def test_a_server_that_dies_within_a_transaction_leaves_nothing_of_it(
    postgres_url: str, open_log: OpenLog, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    """The batch is not there, and can be appended again."""
    log = open_log(postgres_url)
    fill(log, 1, 2)
    database, before = log._database, log.last()
    done = getattr(database, statement)

    def dying(*args: Any, **values: Any) -> Any:
        monkeypatch.undo()
        end_connections(postgres_url)
        return done(*args, **values)

    monkeypatch.setattr(database, statement, dying)
    batch = [new(9), new(9)]
    with pytest.raises(LogUnreachable):
        log.append(batch, recorded_at=9)
    assert log.last() == before
    assert log.append(batch, recorded_at=9).recorded
