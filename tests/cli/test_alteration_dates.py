"""ALTDATE and ALTTIME of a dump: they date a change that another dump shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.feeds.test_dumps import OWN, dump

QUEUE = """DEFINE QLOCAL('A') +
*  ALTDATE({date}) +
*  ALTTIME({time}) +
   DESCR('{text}') +
   REPLACE
"""
FIRST, LAST = "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"


def put(at: str, text: str, date: str, time: str = "08.30.00") -> None:
    """Write a dump with one queue, to import at an instant."""
    Path(at[:10]).mkdir()
    body = QUEUE.format(text=text, date=date, time=time)
    Path(at[:10], "QM7.mqsc").write_text(dump(OWN, body), encoding="utf-8")


def change(run: Run) -> set[tuple[str, str]]:
    """Return when which fields of queue A changed after the first dump."""
    words = ("ask", "changes", "--since", FIRST, "--as-of", LAST, "--format", "json")
    rows = run(*words).json["rows"]
    return {(row["field"], row["at"]) for row in rows if row["name"] == "A"}


def shown(run: Run) -> str:
    """Return ALTDATE and ALTTIME of queue A after the last dump."""
    typed = "DISPLAY QL(A) ALTDATE ALTTIME\n"
    out = run("runmqsc", "QM7", "--as-of", LAST, typed=typed).out
    return " ".join(out.partition("ALTDATE(")[2].partition("One MQSC")[0].split())


@pytest.mark.parametrize("order", [(FIRST, LAST), (LAST, FIRST)])
def test_a_change_is_dated_by_the_later_dump(run: Run, order: tuple[str, str]) -> None:
    """It lies between two dumps, whichever of them was imported first."""
    put(FIRST, "one", "2026-01-15")
    put(LAST, "two", "2026-02-20")
    for at in order:
        assert run("import", at[:10], "--at", at).code == 0
    assert change(run) == {("DESCR", "2026-02-20T08:30:00Z")}
    assert shown(run) == "2026-02-20) ALTTIME(08.30.00)"


def test_the_zone_dates_it(run: Run) -> None:
    """ALTDATE and ALTTIME are local times."""
    put(FIRST, "one", "2026-01-15")
    put(LAST, "two", "2026-02-20")
    for at in (FIRST, LAST):
        run("import", at[:10], "--at", at, "--tz", "Europe/Berlin")
    assert change(run) == {("DESCR", "2026-02-20T07:30:00Z")}


@pytest.mark.parametrize("date", ["2026-01-20", "2027-01-01", "2026-02-31", "someday"])
def test_a_date_that_does_not_lie_between_the_dumps_dates_nothing(run: Run, date: str) -> None:
    """Then the change is dated by the dump that shows it."""
    put(FIRST, "one", "2026-01-15")
    put(LAST, "two", date)
    for at in (FIRST, LAST):
        run("import", at[:10], "--at", at)
    assert change(run) == {("DESCR", LAST)}


def test_what_did_not_change_keeps_its_date(run: Run) -> None:
    """The first dump says when an object was altered last; the same again changes nothing."""
    put(FIRST, "one", "2026-01-15")
    put(LAST, "one", "2026-01-15")
    for at in (FIRST, LAST):
        run("import", at[:10], "--at", at)
    assert change(run) == set()
    assert shown(run) == "2026-01-15) ALTTIME(08.30.00)"


def test_what_was_set_to_the_same_values_has_the_later_date(run: Run) -> None:
    """It was altered, and differs in nothing but its date."""
    put(FIRST, "one", "2026-01-15")
    put(LAST, "one", "2026-02-20")
    for at in (LAST, FIRST):
        run("import", at[:10], "--at", at)
    assert change(run) == {("ALTDATE", "2026-02-20T08:30:00Z")}
    assert shown(run) == "2026-02-20) ALTTIME(08.30.00)"


def test_a_start_that_no_file_states_is_blank(run: Run) -> None:
    """The instant of the import is not shown as the start of the queue manager."""
    put(FIRST, "one", "2026-01-15")
    run("import", FIRST[:10], "--at", FIRST)
    typed = "DISPLAY QMSTATUS STARTDA STARTTI\n"
    out = run("runmqsc", "QM7", "--as-of", LAST, typed=typed).out
    assert "STARTDA( )" in out
    assert "STARTTI( )" in out
