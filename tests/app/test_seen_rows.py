"""Rows of DISPLAY CLUSQMGR and QCLUSTER: what they say of their observer, and of dates."""

from __future__ import annotations

from datetime import UTC
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import START
from tests.app.test_laws import fresh
from tests.laws import examples
from twin import events
from twin.app.acting import Fact
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR, Instant, format_instant

_TEXT: Final = """Starting MQSC for queue manager HUB.
     1 : DISPLAY CLUSQMGR(*) ALL
{rows}One MQSC command read.
No commands have a syntax error.
All valid MQSC commands were processed.
"""
_ROW: Final = """AMQ8441I: Display Cluster Queue Manager details.
   CLUSQMGR({name})                        CHANNEL(RIVER.{name})
   CLUSTER(RIVER)                          CLUSDATE({date})
   CLUSTIME({time})                        CONNAME({name}.example(1414))
   DEFTYPE({deftype})                      QMID({name}_2025-01-01_00.00.00)
   QMTYPE({qmtype})                        SUSPEND(NO)
"""


def _row(name: str, deftype: str, qmtype: str, date: Instant) -> str:
    day, time = _written(date)
    return _ROW.format(name=name, deftype=deftype, qmtype=qmtype, date=day, time=time)


def _written(at: Instant) -> tuple[str, str]:
    day, time = format_instant(at).rstrip("Z").split("T")
    return day, time.replace(":", ".")


def _take(twin: Twin, *rows: str, at: Instant, role: str = "REPOS", own: int = 5) -> None:
    """Import a complete answer of HUB with its own row, which has that many days, and others."""
    itself = _row("HUB", "CLUSRCVR", role, at - own * DAY)
    text = _TEXT.format(rows="".join((itself, *rows)))
    twin.ingest(text, qmgr=None, at=at, zone=UTC)


def _script(twin: Twin, at: Instant) -> None:
    """Import MILL, a partial repository that HUB holds a record of, with its channel to HUB."""
    text = (
        "DEFINE CHANNEL(RIVER.MILL) CHLTYPE(CLUSRCVR) CONNAME('MILL.example(1414)') CLUSTER(RIVER)"
        "\nDEFINE CHANNEL(RIVER.HUB) CHLTYPE(CLUSSDR) CONNAME('HUB.example(1414)') CLUSTER(RIVER)\n"
    )
    twin.ingest_files([FileText(text, "MILL")], at=at)


@pytest.mark.parametrize("role", ["REPOS", "NORMAL"])
def test_the_own_row_makes_a_member_without_a_dump(twin: Twin, role: str) -> None:
    """Its CLUSRCVR, role and address count as observed; DISPLAY shows the DEFTYPEs of the rows."""
    hub = _row("WEIR", "CLUSSDRB", "REPOS", START), _row("MILL", "CLUSSDRA", "NORMAL", START)
    _take(twin, *hub, at=START + DAY, role=role)
    rows = {row["qmgr"]: row for row in twin.ask("members", as_of=START + DAY).rows}
    assert set(rows) == {"HUB", "WEIR", "MILL"}
    itself = rows["HUB"]
    assert (itself["qmid"], itself["qmtype"]) == ("HUB_2025-01-01_00.00.00", role)
    assert itself["basis"] == "observed"
    shown = twin.mqsc("HUB", as_of=START + DAY).run("DISPLAY CLUSQMGR(*) DEFTYPE CONNAME").lines
    text = "\n".join(shown)
    for each in ("DEFTYPE(CLUSRCVR)", "DEFTYPE(CLUSSDRB)", "DEFTYPE(CLUSSDRA)"):
        assert text.count(each) == 1
    assert "CONNAME(HUB.example(1414))" in text
    found = {row["id"] for row in twin.ask("doctor", as_of=START + DAY).rows}
    assert "full-repository-without-receiver" not in found


def test_what_the_own_row_shows_is_an_event_of_its_own(twin: Twin) -> None:
    """It is derived from the answer, once: the fold of an answer defines nothing by itself."""
    _take(twin, at=START)
    _take(twin, at=START + DAY)
    answers = [each.event_id for each in twin.log.events(types=["BeliefsObserved"])]
    implied = list(twin.log.events(types=["ObjectsImplied"]))
    assert [each.cause for each in implied] == [answers[0]] * 2
    assert ['"kind":"CHANNEL"' in each.body for each in implied] == [True, False]


def test_a_later_own_row_changes_the_role(twin: Twin) -> None:
    """A queue manager whose row said REPOS, and says NORMAL now, is no full repository any more."""
    _take(twin, at=START)
    _take(twin, at=START + DAY, role="NORMAL")
    roles = [twin.ask("members", as_of=at).rows[0]["qmtype"] for at in (START + HOUR, START + DAY)]
    assert roles == ["REPOS", "NORMAL"]


def test_a_row_of_a_channel_that_was_never_answered_is_no_record(twin: Twin) -> None:
    """DEFTYPE(CLUSSDR) shows a manual channel only."""
    _take(twin, _row("WEIR", "CLUSSDR", "NORMAL", START), at=START + DAY)
    assert [row["qmgr"] for row in twin.ask("members", as_of=START + DAY).rows] == ["HUB"]


def _dates(twin: Twin, at: Instant) -> dict[str, object]:
    (row,) = twin.ask("lifetimes", on="HUB", owner="MILL", as_of=at).rows
    return {each: row[each] for each in ("published", "removal", "or_published", "basis")}


def test_an_old_clusdate_is_not_taken_as_renewed(twin: Twin) -> None:
    """Nobody saw a renewal: the earlier date counts, the later one stands beside it."""
    at = START + 60 * DAY
    _script(twin, at - HOUR)
    _take(twin, _row("MILL", "CLUSSDRA", "NORMAL", START), at=at)
    found = _dates(twin, at)
    assert found == {
        "published": START,
        "removal": START + 90 * DAY,
        "or_published": START + 54 * DAY,
        "basis": "assumed",
    }
    (warning,) = (
        row for row in twin.ask("doctor", as_of=at).rows if str(row["id"]) == "record-expired"
    )
    assert warning["severity"] == "warning"
    assert "nobody saw a channel of MILL" in str(warning["finding"])


def test_a_channel_that_was_seen_to_work_settles_the_renewal(twin: Twin) -> None:
    """The owner reached a full repository after the renewal was due."""
    at = START + 60 * DAY
    _script(twin, START)
    seen = events.ChannelObserved(qmgr="MILL", channel="RIVER.HUB", status="RUNNING")
    twin.record_observations([Fact(seen, "observation:test")], at=at - DAY)
    _take(twin, _row("MILL", "CLUSSDRA", "NORMAL", START), at=at)
    found = _dates(twin, at)
    assert (found["published"], found["or_published"]) == (START + 54 * DAY, None)
    assert found["basis"] == "derived"


def test_an_old_date_of_its_own_shows_that_renewals_do_not_move_it(twin: Twin) -> None:
    """Then an old CLUSDATE is no reason to warn."""
    at = START + 60 * DAY
    _script(twin, at - HOUR)
    _take(twin, _row("MILL", "CLUSSDRA", "NORMAL", START), at=at, own=50)
    rows = [row for row in twin.ask("doctor", as_of=at).rows if row["id"] == "record-expired"]
    assert [row["severity"] for row in rows] == ["info"]


@given(data=st.data())
@examples(cost=5)
def test_captures_over_time_tell_whether_a_renewal_moves_clusdate(data: st.DataObject) -> None:
    """If it moved in all renewals that they show, it is the last one; if it stayed in one, open."""
    moves = data.draw(st.lists(st.booleans(), min_size=1, max_size=4))
    altered = data.draw(st.integers(1, 400))
    date, at = START, START + DAY
    dates = "ALTDATE({}) ALTTIME({})\n".format(*_written(START - altered * DAY))
    with fresh(1) as (twin,):
        _script(twin, START)
        for each in (None, *moves):
            if each is not None:
                date, at = date + 27 * DAY * each, at + 27 * DAY
            row = _row("MILL", "CLUSSDRA", "NORMAL", date)
            _take(twin, f"{row}   {dates}", at=at, own=(at - START) // DAY if not all(moves) else 1)
        later = at + 28 * DAY
        (row_of,) = twin.ask("lifetimes", on="HUB", owner="MILL", as_of=later).rows
        notes = twin.ask("lifetimes", on="HUB", owner="MILL", as_of=later).notes
    count = sum(moves)
    assert any(each.startswith(f"CLUSDATE moved in {count} of") for each in notes) == bool(count)
    if all(moves):
        assert (row_of["published"], row_of["or_published"]) == (date, None)
        assert any(f"{count} of {count} renewals" in each for each in notes)
    else:
        assert row_of["or_published"] is not None


@pytest.mark.parametrize("is_late", [False, True])
def test_what_a_log_says_to_the_day_wins(twin: Twin, *, is_late: bool) -> None:
    """The days of AMQ9469 give the removal, whenever the log is imported."""
    at = START + 60 * DAY
    said = events.RenewalOverdueObserved(
        qmgr="HUB",
        id="AMQ9469",
        cluster="RIVER",
        owner="MILL_2025-01-01_00.00.00",
        name="RIVER.MILL",
        days=10,
        left=53,
    )

    def log() -> None:
        twin.record_observations([Fact(said, "observation:test")], at=at + HOUR)

    _take(twin, _row("MILL", "CLUSSDRA", "NORMAL", START), at=at)
    if not is_late:
        log()
    _take(twin, _row("MILL", "CLUSSDRA", "NORMAL", START), at=at + DAY)
    if is_late:
        log()
    found = _dates(twin, at + DAY)
    assert found["removal"] == at + HOUR + 53 * DAY
    assert (found["or_published"], found["basis"]) == (None, "derived")
    row = next(
        row for row in twin.ask("doctor", as_of=at + DAY).rows if "record-" in str(row["id"])
    )
    assert row["severity"] == "error"
