"""Verify finds any tampering with a log, and names where it begins."""

# ruff: noqa: S608 - tampering is done in SQL

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any, Final

import pytest

from tests.log.database import behind_the_back, seal_heads
from tests.log.writing import WITHDRAWAL, OpenLog, new
from twin.log import Log, LogDamaged
from twin.log.chain import digest_of
from twin.log.schema import branch, event, head, late_event


@pytest.fixture
def filled(log: Log) -> Log:
    """Make a log with ten events on two branches."""
    log.create_branch("b")
    for n in range(5):
        log.append([new(n, body=f"[{n}]")], recorded_at=n)
        log.append([new(n, cause="x")], recorded_at=n, branch="b")
    return log


def tampered(log: Log, url: str, *changes: str, expect: str | None = None) -> LogDamaged:
    """Change the database without its triggers, and return the finding of verify."""
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
    """The tests below change every column."""
    assert {*ALTERED, "digest"} == {column.name for column in event.c}


@pytest.mark.parametrize(("column", "value"), ALTERED.items())
def test_an_altered_column_is_found(filled: Log, log_url: str, column: str, value: str) -> None:
    """A change in any column of an event is found by its digest."""
    found = tampered(filled, log_url, f"UPDATE event SET {column} = {value} WHERE position = 4")
    assert found.position == 4


@pytest.mark.parametrize("position", [1, 4, 10])
def test_an_altered_digest_is_found(filled: Log, log_url: str, position: int) -> None:
    """A digest that does not match its event is reported at that event."""
    other = "(SELECT digest FROM event WHERE position = 2)"
    found = tampered(
        filled, log_url, f"UPDATE event SET digest = {other} WHERE position = {position}"
    )
    assert found.position == position


def test_an_absent_cause_is_not_an_empty_one(filled: Log, log_url: str) -> None:
    """A primary fact whose cause is set to '' is found."""
    found = tampered(filled, log_url, "UPDATE event SET cause = '' WHERE position = 3")
    assert found.position == 3


def test_text_cannot_move_between_columns(filled: Log, log_url: str) -> None:
    """Text that is moved from one column to the next is found."""
    found = tampered(
        filled, log_url, "UPDATE event SET type = type || 'Q', qmgr = 'M1' WHERE position = 3"
    )
    assert found.position == 3


def test_swapped_events_are_found(filled: Log, log_url: str) -> None:
    """Two swapped events are reported at the first of them."""
    moves = [(3, 100), (7, 3), (100, 7)]
    found = tampered(
        filled,
        log_url,
        *(f"UPDATE event SET position = {to} WHERE position = {at}" for at, to in moves),
    )
    assert found.position == 3


@pytest.mark.parametrize("position", [1, 5])
def test_a_missing_event_is_found(filled: Log, log_url: str, position: int) -> None:
    """A missing event is reported at its position."""
    found = tampered(filled, log_url, f"DELETE FROM event WHERE position = {position}")
    assert (found.position, "missing" in found.why) == (position, True)


def test_a_hole_that_was_closed_is_found(filled: Log, log_url: str) -> None:
    """A missing event is found even if later positions are renumbered."""
    moves = [f"UPDATE event SET position = {n - 1} WHERE position = {n}" for n in range(6, 11)]
    found = tampered(filled, log_url, "DELETE FROM event WHERE position = 5", *moves)
    assert found.position == 5


def test_an_event_before_the_first_is_found(filled: Log, log_url: str) -> None:
    """An event before position 1 is found."""
    found = tampered(filled, log_url, "UPDATE event SET position = 0 WHERE position = 1")
    assert found.position == 1


@pytest.mark.parametrize("keep", [0, 7])
def test_a_cut_tail_is_found(filled: Log, log_url: str, keep: int) -> None:
    """A log with a cut tail is found by its head."""
    found = tampered(filled, log_url, f"DELETE FROM event WHERE position > {keep}")
    assert found.position == keep + 1
    assert "10" in found.why


def test_a_cut_tail_with_its_head_is_found_by_what_is_expected(filled: Log, log_url: str) -> None:
    """A log whose tail and head were cut verifies, unless the noted digest is expected."""
    noted = str(filled.verify())
    cut = ["DELETE FROM event WHERE position > 7"]
    for position, instant, branches in ((7, 3, "0, 1"), (6, 2, "2")):
        cut.append(
            f"UPDATE head SET position = {position}, occurred_at = {instant}, "
            f"recorded_at = (SELECT recorded_at FROM event WHERE position = {position}), "
            f"digest = (SELECT digest FROM event WHERE position = {position}) "
            f"WHERE branch IN ({branches})"
        )
    with behind_the_back(log_url, guarded=False) as connection:
        for change in cut:
            connection.execute(change)
        seal_heads(connection, log_url)
    with pytest.raises(LogDamaged) as damage:
        filled.verify(expect=noted)
    assert damage.value.position == 8
    assert filled.verify().position == 7


def test_a_rewritten_log_is_found_by_what_is_expected(filled: Log, log_url: str) -> None:
    """A log with a new chain of digests verifies, unless the noted digest is expected."""
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
    seal_heads(connection, url)


def test_a_wrong_type_is_damage_on_sqlite(sqlite_url: str) -> None:
    """A value of a wrong type, which SQLite accepts, is reported as damage."""
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
    """Progress is reported during a long verification."""
    monkeypatch.setattr("twin.log.verifying._PROGRESS_EVERY", 0.0)
    told: list[int] = []
    filled.verify(progress=told.append)
    assert told == [10]


@pytest.fixture
def winding(log: Log) -> Log:
    """Make a log in which time goes back, on a branch that inherits and one without events.

    Its late rows are those of positions 3 and 4 (a batch that ends at 5), 6 (one that ends at 7)
    and 8, a withdrawal. Branch b has its own positions 6 and 7; branch c, forked from b, has none.
    """
    log.append([new(10), new(20)], recorded_at=0)
    log.append([new(15), new(12), new(14)], recorded_at=0)
    log.create_branch("b", at_occurred=15)
    log.append([new(13), new(30)], recorded_at=0, branch="b")
    log.append([new(40, type=WITHDRAWAL)], recorded_at=0)
    log.append([new(50)], recorded_at=0)
    log.create_branch("c", parent="b", at_position=6)
    return log


def test_a_sound_log_is_known_by_its_last_event(winding: Log) -> None:
    """The digest that verify prints is that of the last event."""
    assert tuple(winding.verify()) == winding.last()
    assert [made.fork_position for made in winding.branches()] == [0, 5, 6]


OTHER: Final = "(SELECT digest FROM event WHERE position = 1)"
EXTRA: Final = "INSERT INTO late_event SELECT {0}, branch, 50, withdraws, {0}, digest "
DAMAGES: Final = {
    "DELETE FROM late_event": (3, "late_event has no row"),
    "DELETE FROM late_event WHERE position = 4": (4, "late_event has no row"),
    "DELETE FROM late_event WHERE position = 8": (8, "late_event has no row"),
    "UPDATE late_event SET position = 5 WHERE position = 4": (4, "late_event has no row"),
    "UPDATE late_event SET branch = 2 WHERE position = 4": (4, "row of late_event"),
    "UPDATE late_event SET occurred_at = 13 WHERE position = 4": (4, "row of late_event"),
    "UPDATE late_event SET withdraws = NOT withdraws": (3, "row of late_event"),
    "UPDATE late_event SET upto = 4 WHERE position = 4": (4, "row of late_event"),
    "UPDATE late_event SET upto = 4 WHERE position < 5": (3, "row of late_event"),
    "UPDATE late_event SET upto = 6 WHERE position < 5": (3, "row of late_event"),
    "UPDATE late_event SET upto = 0 WHERE position = 6": (6, "row of late_event"),
    "UPDATE late_event SET upto = 9 WHERE position = 8": (8, "row of late_event"),
    "UPDATE late_event SET upto = 99 WHERE position = 8": (8, "row of late_event"),
    f"UPDATE late_event SET digest = {OTHER}": (3, "row of late_event"),
    f"{EXTRA.format(0)} FROM late_event WHERE position = 8": (0, "an unexpected row"),
    f"{EXTRA.format(9)} FROM late_event WHERE position = 8": (9, "an unexpected row"),
    f"{EXTRA.format(11)} FROM late_event WHERE position = 8": (11, "an unexpected row"),
    "UPDATE head SET branch = 7 WHERE branch = 2": (7, "head row of branch b is missing"),
    "UPDATE head SET position = 3 WHERE branch = 2": (4, "head row of branch b is altered"),
    "UPDATE head SET position = 8 WHERE branch = 2": (7, "head row of branch b is altered"),
    "UPDATE head SET occurred_at = 99 WHERE branch = 0": (9, "head row of the log is altered"),
    "UPDATE head SET occurred_at = 99 WHERE branch = 1": (9, "head row of branch main is altered"),
    "UPDATE head SET occurred_at = NULL WHERE branch = 2": (7, "head row of branch b is altered"),
    "UPDATE head SET occurred_at = 20 WHERE branch = 3": (6, "head row of branch c is altered"),
    "UPDATE head SET recorded_at = 9 WHERE branch = 1": (9, "head row of branch main is altered"),
    f"UPDATE head SET digest = {OTHER} WHERE branch = 2": (7, "head row of branch b is altered"),
    "DELETE FROM head": (6, "head row of branch c is missing"),
    "DELETE FROM head WHERE branch = 0": (9, "head row of the log is missing"),
    f"UPDATE head SET late = {OTHER} WHERE branch = 0": (9, "head row of the log is altered"),
    f"UPDATE head SET late = {OTHER} WHERE branch = 1": (9, "head row of branch main is altered"),
    f"UPDATE head SET seal = {OTHER} WHERE branch = 1": (9, "head row of branch main is altered"),
    "INSERT INTO head (branch, position, digest, late, seal)"
    " SELECT 9, position, digest, late, seal FROM head WHERE branch = 3": (
        6,
        "head row of unknown branch 9 is unexpected",
    ),
    "UPDATE branch SET id = 9 WHERE id = 3": (6, "branch row 3 is missing"),
    "UPDATE branch SET name = 'x' WHERE id = 2": (5, "branch row 2 (x) is altered"),
    "UPDATE branch SET parent = 1 WHERE id = 3": (6, "branch row 3 (c) is altered"),
    "UPDATE branch SET parent = NULL WHERE id = 2": (5, "branch row 2 (b) is altered"),
    "UPDATE branch SET fork_position = 4 WHERE id = 2": (4, "branch row 2 (b) is altered"),
    "UPDATE branch SET fork_occurred_at = 99 WHERE id = 2": (5, "branch row 2 (b) is altered"),
    f"UPDATE branch SET digest = {OTHER} WHERE id = 1": (0, "branch row 1 (main) is altered"),
    "DELETE FROM log_info": (0, "log_info does not state"),
    "UPDATE log_info SET value = '0.0.1' WHERE name = 'reader'": (0, "log_info does not state"),
    "INSERT INTO log_version VALUES ('0001')": (0, "log_version has 2 rows"),
    "DELETE FROM branch": (1, "branch row 1 is missing"),
    "DELETE FROM branch WHERE id = 2": (6, "branch row 2 is missing"),
    "DELETE FROM branch WHERE id = 3": (6, "head row of unknown branch 3 is unexpected"),
}


@pytest.mark.parametrize(("change", "found"), DAMAGES.items())
def test_damage_to_late_event_head_or_branch_is_found(
    winding: Log, log_url: str, change: str, found: tuple[int, str]
) -> None:
    """A row of late_event, head or branch that does not follow from the events is reported."""
    damage = tampered(winding, log_url, change)
    assert damage.position == found[0]
    assert found[1] in damage.why


@pytest.mark.parametrize("parent", [0, 2, 3, 9])
def test_a_branch_whose_parent_was_altered_is_not_read(
    winding: Log, log_url: str, parent: int
) -> None:
    """If the parent of a branch is no earlier branch, reading it ends with an error, and soon."""
    with behind_the_back(log_url, guarded=False) as connection:
        connection.execute(f"UPDATE branch SET parent = {parent} WHERE id = 2")
    with closing(Log.open(log_url)) as log, pytest.raises(LogDamaged, match="the parent of b"):
        list(log.rows(branch="b"))


@pytest.mark.parametrize("table", [late_event, head, branch])
def test_every_column_of_them_is_tampered_with(table: Any) -> None:
    """The changes above cover every column."""
    for column in table.c:
        if column.name not in {"late", "seal"}:
            assert any(f"UPDATE {table.name} SET {column.name} = " in change for change in DAMAGES)


def test_a_batch_that_is_said_to_end_early_is_found(winding: Log, log_url: str) -> None:
    """A late row with a wrong end of its batch is found."""
    digest = "(SELECT digest FROM event WHERE position = 4)"
    change = f"UPDATE late_event SET upto = 4, digest = {digest} WHERE position < 5"
    found = tampered(winding, log_url, change)
    assert (found.position, found.why) == (5, "late_event has no row for this position")


def test_a_log_that_grows_meanwhile_is_sound(log: Log, log_url: str, open_log: OpenLog) -> None:
    """A log that others append to and fork during verification verifies."""
    other = open_log(log_url)

    def grow() -> None:
        for number in range(30):
            name = f"b{number}"
            other.append([new(number), new(number - 9), new(number - 5)], recorded_at=0)
            other.create_branch(name)
            other.append([new(number - 7), new(number)], recorded_at=0, branch=name)

    with ThreadPoolExecutor(1) as pool:
        growing = pool.submit(grow)
        while not growing.done():
            log.verify()
        growing.result()
    assert log.verify().position == 150


@pytest.fixture
def struck(log: Log) -> Log:
    """Make a log with retractions: of positions 2, 3 and 5 at 8, undone at 9, all since 3 at 10."""
    log.append([new(n) for n in range(1, 7)], recorded_at=0)
    named = new(1, type="FactsRetracted", body='{"positions":[2,3,5]}')
    log.append([new(1, type=WITHDRAWAL), named], recorded_at=0)
    log.append([new(1, type="RetractionUndone", body='{"retraction":8}')], recorded_at=0)
    log.append([new(1, type="FactsRetracted", body='{"since":3}')], recorded_at=0)
    log.append([new(2)], recorded_at=0)
    return log


def test_a_log_with_retractions_is_sound(struck: Log) -> None:
    """Heads are lowered by retractions, and rows follow from the events."""
    assert struck.verify().position == 11
    assert struck.head().occurred_at == 2


ROW: Final = "INSERT INTO retraction SELECT {0}, branch, 1, 4, 4, 2, NULL "
STRUCK: Final = {
    "DELETE FROM retraction": 8,
    "DELETE FROM retraction WHERE first = 5": 8,
    "DELETE FROM retraction WHERE position = 9": 9,
    "UPDATE retraction SET branch = 2 WHERE position = 8": 8,
    "UPDATE retraction SET occurred_at = 0 WHERE position = 10": 10,
    "UPDATE retraction SET first = 1 WHERE first = 2": 8,
    "UPDATE retraction SET last = 4 WHERE first = 2": 8,
    "UPDATE retraction SET since = 4 WHERE position = 10": 10,
    "UPDATE retraction SET undoes = 10 WHERE position = 9": 9,
    "UPDATE retraction SET undoes = NULL WHERE position = 9": 9,
    f"{ROW.format(8)} FROM retraction WHERE position = 9": 8,
    f"{ROW.format(0)} FROM retraction WHERE position = 9": 0,
    f"{ROW.format(7)} FROM retraction WHERE position = 9": 7,
    f"{ROW.format(99)} FROM retraction WHERE position = 9": 99,
    "UPDATE head SET occurred_at = 6 WHERE branch = 1": 11,
}


@pytest.mark.parametrize(("change", "position"), STRUCK.items())
def test_altered_retractions_are_found(
    struck: Log, log_url: str, change: str, position: int
) -> None:
    """Every change of the index of retractions is found, with the position of its event."""
    assert tampered(struck, log_url, change).position == position
