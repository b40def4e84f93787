"""Laws of the time line: steps are in order, nothing is lost, and it can be continued."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tests.web.serving import Served
from twin.app.twin import Twin
from twin.model.instants import format_instant
from twin.web.pages.time_bar import Timeline, TimeStep, stops_of

TYPES = st.sampled_from(
    ["ObjectDefined", "ChannelStatusChanged@2", "MessagesPut", "TimePassed", "CommandEntered"]
)
ROWS = st.lists(st.tuples(st.integers(0, 60), TYPES), max_size=60).map(
    lambda rows: sorted(rows, key=lambda row: row[0])
)


def counts(steps: list[TimeStep]) -> Counter[str]:
    """Return how many events of each lane steps have."""
    total: Counter[str] = Counter()
    for step in steps:
        total.update(step.lanes)
    return total


@given(ROWS, st.integers(0, 60))
def test_a_timeline_is_continued_as_if_it_was_read_whole(
    rows: list[tuple[int, str]], cut: int
) -> None:
    """What is read in two parts is what is read at once."""
    begun = Timeline.of(1, rows[:cut])
    assert begun.followed_by(2, rows[cut:]) == Timeline.of(2, rows)


@given(ROWS, st.integers(1, 30))
def test_stops_lose_no_event(rows: list[tuple[int, str]], most: int) -> None:
    """Joined steps have all events, in order, and the last stop is the last step."""
    steps = list(Timeline.of(1, rows).steps)
    stops = stops_of(steps, most)
    assert len(stops) <= most or len(stops) == len(steps)
    assert counts(stops) == counts(steps)
    assert [stop.at for stop in stops] == sorted({stop.at for stop in stops})
    assert [stop.at for stop in stops[-1:]] == [step.at for step in steps[-1:]]


@given(ROWS, st.integers(-1, 61))
def test_steps_lead_there_and_back(rows: list[tuple[int, str]], at: int) -> None:
    """The step after is later, the step before is earlier, and there is none between."""
    timeline = Timeline.of(1, rows)
    instants = [step.at for step in timeline.steps]
    assert timeline.after(at) == min((each for each in instants if each > at), default=None)
    assert timeline.before(at) == max((each for each in instants if each < at), default=None)


def test_the_bar_shows_what_was_recorded_since(own_estate: Served) -> None:
    """A page after a new event has its step, as in a service that was started later."""
    first = own_estate.admin.get("/map").text
    with Twin.open(own_estate.log_url) as twin:
        twin.runmqsc("QM4", "ALTER QLOCAL(ORDERS) PUT(ENABLED)")
        at = twin.present()
        stops = len(Timeline.of(0, ((row[0], row[2]) for row in twin.log.rows())).steps)
    second = own_estate.admin.get("/map").text
    assert format_instant(at) not in first
    assert format_instant(at) in second
    assert second.split('data-stops="')[1].split("]")[0].count("&#34;") // 2 >= stops
