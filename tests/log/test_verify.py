"""Whatever is done to a log behind its back, verify finds it and names where it begins."""

# ruff: noqa: S608 - tampering is done in SQL

from __future__ import annotations

from typing import Any

import pytest

from tests.log.database import behind_the_back
from tests.log.writing import new
from twin.log import Log, LogDamaged
from twin.log.chain import digest_of
from twin.log.schema import event


@pytest.fixture
def filled(log: Log) -> Log:
    """Fill a log with ten events on two branches."""
    log.create_branch("b")
    for n in range(5):
        log.append([new(n, body=f"[{n}]")], recorded_at=n)
        log.append([new(n, cause="x")], recorded_at=n, branch="b")
    return log


def tampered(log: Log, url: str, *changes: str, expect: str | None = None) -> LogDamaged:
    """Change the database without its triggers, and return what verify finds."""
    with behind_the_back(url, guarded=False) as connection:
        for change in changes:
            connection.execute(change)
    with pytest.raises(LogDamaged) as damage:
        log.verify(expect=expect)
    return damage.value


ALTERED = {
    "position": "100",
    "branch": "1",
    "occurred_at": "occurred_at + 1",
    "recorded_at": "recorded_at - 1",
    "type": "'Other'",
    "qmgr": "qmgr || ' '",
    "cause": "NULL",
    "source": "''",
    "event_id": "'other'",
    "body": "body || ' '",
}


def test_every_column_is_tampered_with() -> None:
    """The tests below leave no column out."""
    assert {*ALTERED, "digest"} == {column.name for column in event.c}


@pytest.mark.parametrize(("column", "value"), ALTERED.items())
def test_an_altered_column_is_found(filled: Log, log_url: str, column: str, value: str) -> None:
    """Each column of an event is covered by its digest."""
    found = tampered(filled, log_url, f"UPDATE event SET {column} = {value} WHERE position = 4")
    assert found.position == 4


@pytest.mark.parametrize("position", [1, 4, 10])
def test_an_altered_digest_is_found(filled: Log, log_url: str, position: int) -> None:
    """A digest that does not follow from its event is found at that event."""
    other = "(SELECT digest FROM event WHERE position = 2)"
    found = tampered(
        filled, log_url, f"UPDATE event SET digest = {other} WHERE position = {position}"
    )
    assert found.position == position


def test_an_absent_cause_is_not_an_empty_one(filled: Log, log_url: str) -> None:
    """A primary fact cannot be made to look derived."""
    found = tampered(filled, log_url, "UPDATE event SET cause = '' WHERE position = 3")
    assert found.position == 3


def test_text_cannot_move_between_columns(filled: Log, log_url: str) -> None:
    """The framing tells apart where one text ends and the next begins."""
    found = tampered(
        filled, log_url, "UPDATE event SET type = type || 'Q', qmgr = 'M1' WHERE position = 3"
    )
    assert found.position == 3


def test_swapped_events_are_found(filled: Log, log_url: str) -> None:
    """Two events that changed places are found at the first of them."""
    moves = [(3, 100), (7, 3), (100, 7)]
    found = tampered(
        filled,
        log_url,
        *(f"UPDATE event SET position = {to} WHERE position = {at}" for at, to in moves),
    )
    assert found.position == 3


@pytest.mark.parametrize("position", [1, 5])
def test_a_missing_event_is_found(filled: Log, log_url: str, position: int) -> None:
    """A hole is found where it is."""
    found = tampered(filled, log_url, f"DELETE FROM event WHERE position = {position}")
    assert (found.position, "missing" in found.why) == (position, True)


def test_a_hole_that_was_closed_is_found(filled: Log, log_url: str) -> None:
    """Moving the rest up does not hide that something is missing."""
    moves = [f"UPDATE event SET position = {n - 1} WHERE position = {n}" for n in range(6, 11)]
    found = tampered(filled, log_url, "DELETE FROM event WHERE position = 5", *moves)
    assert found.position == 5


def test_an_event_before_the_first_is_found(filled: Log, log_url: str) -> None:
    """The log begins at 1."""
    found = tampered(filled, log_url, "UPDATE event SET position = 0 WHERE position = 1")
    assert found.position == 1


@pytest.mark.parametrize("keep", [0, 7])
def test_a_cut_tail_is_found(filled: Log, log_url: str, keep: int) -> None:
    """The head remembers how far the log went."""
    found = tampered(filled, log_url, f"DELETE FROM event WHERE position > {keep}")
    assert found.position == keep + 1
    assert "10" in found.why


def test_a_cut_tail_with_its_head_is_found_by_what_is_expected(filled: Log, log_url: str) -> None:
    """A log that was cut consistently is sound in itself: only what was noted elsewhere tells."""
    noted = str(filled.verify())
    digest = "(SELECT digest FROM event WHERE position = 7)"
    cut = [
        "DELETE FROM event WHERE position > 7",
        f"UPDATE head SET position = 7, digest = {digest}",
    ]
    found = tampered(filled, log_url, *cut, expect=noted)
    assert found.position == 8
    assert filled.verify().position == 7


def test_a_rewritten_log_is_found_by_what_is_expected(filled: Log, log_url: str) -> None:
    """A log whose events were all chained anew is not the one whose digest was noted."""
    noted = filled.verify()
    with behind_the_back(log_url, guarded=False) as connection:
        _rewrite(connection, log_url)
    assert filled.verify().position == 10
    with pytest.raises(LogDamaged) as damage:
        filled.verify(expect=str(noted))
    assert damage.value.position == 10


def _rewrite(connection: Any, url: str) -> None:
    mark = "?" if url.startswith("sqlite") else "%s"
    digest = bytes(32)
    for row in connection.execute("SELECT * FROM event ORDER BY position").fetchall():
        columns = [*row[:-1]]
        columns[-1] = "{}"
        digest = digest_of(digest, columns)
        connection.execute(
            f"UPDATE event SET body = {mark}, digest = {mark} WHERE position = {mark}",
            ("{}", digest, row[0]),
        )
        connection.execute(
            f"UPDATE head SET digest = {mark} WHERE position = {mark}", (digest, row[0])
        )


def test_a_wrong_type_is_damage_on_sqlite(sqlite_url: str) -> None:
    """SQLite lets anything into a column; verify takes it for damage, not for a failure."""
    log = Log.open(sqlite_url)
    log.append([new(1), new(2)], recorded_at=1)
    for value in ("x'00ff'", "'text'", "1.5", "x'ff'"):
        for column in ("recorded_at", "body", "digest"):
            change = f"UPDATE event SET {column} = {value} WHERE position = 2"
            assert tampered(log, sqlite_url, change).position == 2
    log.close()


def test_progress_is_told_of_long_verifications(
    filled: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever waits is told how far it is."""
    monkeypatch.setattr("twin.log.verifying._PROGRESS_EVERY", 0.0)
    told: list[int] = []
    filled.verify(progress=told.append)
    assert told == [10]
