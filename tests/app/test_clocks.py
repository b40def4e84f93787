"""The clock is believed unless something speaks against it; then main is left alone."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import pytest

from twin import events
from twin.app.acting import Fact
from twin.app.clocks import (
    AheadOfClock,
    ClockInDoubt,
    ClockOutOfRange,
    ClockReading,
    Timekeeper,
    doubt,
)
from twin.app.twin import Twin
from twin.log import Log, ReadOnlyLog
from twin.model.instants import DAY, HOUR, MINUTE, SECOND, Instant, parse_instant

NOW: Instant = parse_instant("2026-03-01T09:00:00Z", now=0)
YEARS = 3653 * DAY


@pytest.mark.parametrize(
    ("recorded", "wall", "begun", "elapsed", "says"),
    [
        (None, NOW, NOW, 0, ""),
        (NOW - DAY, NOW, NOW, 0, ""),
        (NOW, NOW, NOW, None, ""),
        (NOW + MINUTE, NOW, NOW, 0, ""),
        (NOW + MINUTE + 1, NOW, NOW, 0, "lies before 2026-03-01T09:01:00.000001Z, when main was"),
        (NOW + YEARS, NOW, NOW, 0, "the clock shows 2026-03-01T09:00:00Z, which lies before"),
        (NOW - 400 * DAY, NOW, NOW, 0, ""),
        (NOW - 400 * DAY - 1, NOW, NOW, 0, "400 days after 2025-01-25T08:59:59.999999Z, when main"),
        (NOW - YEARS, NOW, NOW, 0, "3,653 days after"),
        (NOW - YEARS, NOW + 500 * DAY, NOW - YEARS, 500 * DAY + YEARS, ""),
        (NOW, NOW + 500 * DAY, NOW, 500 * DAY, ""),
        (NOW, NOW + MINUTE, NOW, 0, ""),
        (NOW, NOW + MINUTE + 1, NOW, 0, "the clock was set ahead by 60 seconds"),
        (None, NOW + YEARS, NOW, HOUR, "the clock was set ahead by 3,652 days"),
        (NOW - DAY, NOW - HOUR, NOW, HOUR, "the clock was set back by 2 hours"),
        (NOW, NOW + HOUR, NOW, HOUR + 30 * SECOND, ""),
        (NOW, NOW, NOW, 0, ""),
    ],
)
def test_what_speaks_against_the_clock(
    recorded: Instant | None, wall: Instant, begun: Instant, elapsed: int | None, says: str
) -> None:
    """A pure decision from the last recording, the wall clock and the monotonic clock."""
    found = doubt(recorded, ClockReading(wall, begun, elapsed))
    assert says in found
    assert bool(says) == bool(found)


def test_a_recording_that_was_accepted_once_is_not_asked_about_again() -> None:
    """Only a later one is: recorded_at never decreases, and stays ahead for years."""
    reading = ClockReading(NOW, NOW, 0)
    assert doubt(NOW + YEARS, reading, trusted=NOW + YEARS) == ""
    assert doubt(NOW + YEARS + 1, reading, trusted=NOW + YEARS) != ""


class Clocks:
    """A wall clock and a monotonic clock that the test sets."""

    def __init__(self) -> None:
        self.wall = NOW
        self.steady = 5 * DAY

    def open(self, url: str, *, trust_clock: bool = False) -> Twin:
        """Open a twin with these clocks; the default is that nobody trusts them."""
        return Twin.open(
            url, clock=lambda: self.wall, monotonic=lambda: self.steady, trust_clock=trust_clock
        )

    def move(self, wall: int, steady: int) -> None:
        """Let both run on."""
        self.wall += wall
        self.steady += steady


@pytest.fixture
def clocks() -> Clocks:
    """Make clocks that agree."""
    return Clocks()


ACTS: dict[str, Callable[[Twin], object]] = {
    "command": lambda twin: twin.crtmqm("QM2"),
    "observation": lambda twin: twin.ingest("DEFINE QLOCAL(Q)", qmgr="QM7", at=NOW - DAY),
    "tick": lambda twin: twin.tick(twin.clock()),
    "facts": lambda twin: twin.record([Fact(events.TimePassed(qmgr=""), "clock")]),
}


@pytest.mark.parametrize("act", ACTS)
def test_a_main_ahead_of_the_clock_is_not_written(
    clocks: Clocks, sqlite_url: str, act: str
) -> None:
    """Under a clock ten years ahead main went there; under the right one it is left alone."""
    clocks.wall += YEARS
    with clocks.open(sqlite_url) as twin:
        twin.crtmqm("QM1")
        last = twin.log.last()
    clocks.wall -= YEARS
    for trust in (False, True):
        with clocks.open(sqlite_url, trust_clock=trust) as twin:
            assert "twin retract --since 2026-03-01T09:00:01Z" in twin.clock_problem()
            with pytest.raises(AheadOfClock, match="main has reached 2036-03-01"):
                ACTS[act](twin)
            assert twin.log.last() == last


def test_a_branch_of_a_main_ahead_of_the_clock_can_be_used(clocks: Clocks, sqlite_url: str) -> None:
    """What was recorded ahead is not lost: a branch goes on from there."""
    clocks.wall += YEARS
    with clocks.open(sqlite_url) as twin:
        twin.crtmqm("QM1")
    clocks.wall -= YEARS
    with clocks.open(sqlite_url) as twin:
        twin.create_branch("ahead")
        branch = twin.on_branch("ahead")
        assert branch.clock_problem() == ""
        branch.strmqm("QM1")


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("jump", [2 * MINUTE, -2 * MINUTE, YEARS])
def test_a_clock_that_was_set_is_in_doubt(
    clocks: Clocks, sqlite_url: str, act: str, jump: int
) -> None:
    """The wall clock and the monotonic clock are compared within a process."""
    with clocks.open(sqlite_url) as twin:
        twin.crtmqm("QM1", at=NOW - DAY)
        clocks.move(HOUR + jump, HOUR)
        with pytest.raises(ClockInDoubt, match=r"the clock was set .* say --trust-clock"):
            ACTS[act](twin)
        clocks.wall -= jump
        ACTS[act](twin)


def test_a_trusted_clock_may_be_set(clocks: Clocks, sqlite_url: str) -> None:
    """Whoever says so records under a clock that speaks against itself."""
    with clocks.open(sqlite_url, trust_clock=True) as twin:
        clocks.move(YEARS, HOUR)
        twin.crtmqm("QM1")
        assert twin.log.head().occurred_at == NOW + YEARS


def test_a_suspended_machine_is_no_clock_that_was_set() -> None:
    """The wall clock is set only if it differs from all clocks that only grow."""
    shown = [NOW, 0, 0]
    keeper = Timekeeper(lambda: shown[0], [lambda: shown[1], lambda: shown[2]])
    shown[:] = [NOW + 9 * HOUR, HOUR, 9 * HOUR]
    assert doubt(None, keeper.read()) == ""


def test_a_clock_a_year_past_the_last_record_is_in_doubt(clocks: Clocks, sqlite_url: str) -> None:
    """Between processes the last recording of main is compared with the clock."""
    with clocks.open(sqlite_url) as twin:
        twin.crtmqm("QM1")
    clocks.move(401 * DAY, 0)
    with clocks.open(sqlite_url) as twin, pytest.raises(ClockInDoubt, match="401 days after"):
        twin.strmqm("QM1")
    with clocks.open(sqlite_url, trust_clock=True) as twin:
        twin.strmqm("QM1")
    with clocks.open(sqlite_url) as twin:
        twin.endmqm("QM1")
        clocks.move(401 * DAY, 401 * DAY)
        twin.strmqm("QM1")


def test_a_clock_before_the_last_record_is_in_doubt(clocks: Clocks, sqlite_url: str) -> None:
    """Also if what was recorded then is about an earlier instant."""
    clocks.wall += YEARS
    with clocks.open(sqlite_url) as twin:
        twin.crtmqm("QM1", at=NOW)
    clocks.wall -= YEARS
    with clocks.open(sqlite_url) as twin, pytest.raises(ClockInDoubt, match="lies before 2036-03"):
        twin.strmqm("QM1")


def test_what_was_recorded_ahead_of_the_clock_is_in_the_answers(
    clocks: Clocks, sqlite_url: str
) -> None:
    """The default of known-at is what the log knows, though the clock is before that."""
    clocks.wall += YEARS
    with clocks.open(sqlite_url) as twin:
        twin.crtmqm("QM1", at=NOW)
    clocks.wall -= YEARS
    with clocks.open(sqlite_url) as twin:
        estate, point = twin.view()
        assert "QM1" in estate.qmgrs
        assert (point.valid, point.known) == (NOW, NOW + YEARS)
        assert "QM1" not in twin.view(known_at=NOW)[0].qmgrs


def test_a_clock_without_an_instant_is_one_clear_error(clocks: Clocks, sqlite_url: str) -> None:
    """A clock in the year 60000, or before 1900, is refused when the log is opened."""
    for wrong in (YEARS * 5000, -YEARS * 10):
        clocks.wall = wrong
        with pytest.raises(ClockOutOfRange, match="this machine's clock is out of range"):
            clocks.open(sqlite_url)


def test_the_clock_of_a_server_is_the_judge(clocks: Clocks, postgres_url: str) -> None:
    """On PostgreSQL a machine whose clock differs from the server's writes nothing on main."""
    with Twin.open(postgres_url) as twin:
        server = twin.log.server_clock()
        assert server is not None
        right = server()
    clocks.wall = right
    with clocks.open(postgres_url) as twin:
        twin.crtmqm("QM1")
    for wrong in (right + YEARS, right - YEARS):
        clocks.wall = wrong
        with clocks.open(postgres_url) as twin:
            assert "but that of the database server" in twin.clock_problem()
            assert "retract" not in twin.clock_problem()
            with pytest.raises(ClockInDoubt, match="but that of the database server"):
                twin.strmqm("QM1")
    with clocks.open(postgres_url, trust_clock=True) as twin:
        assert "main has reached" in twin.clock_problem()


def test_a_file_has_no_clock_of_a_server(sqlite_url: str) -> None:
    """The machine's clock is all there is."""
    with Twin.open(sqlite_url) as twin:
        assert twin.log.server_clock() is None


def test_a_log_keeps_notes(log: Log, log_url: str) -> None:
    """A note replaces the one before, and another process reads it."""
    assert log.info("colour") is None
    log.set_info("colour", "blue")
    log.set_info("colour", "red")
    with closing(Log.open(log_url, mode="read")) as other:
        assert other.info("colour") == "red"
        assert other.info("reader") is not None
        with pytest.raises(ReadOnlyLog):
            other.set_info("colour", "green")
