"""Dates without a zone: what they may mean, and the instants that follow from a zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.feeds.reading.local_time import (
    DateOrder,
    DateOrders,
    LocalTime,
    Undated,
    local_to_instant,
    orders_near,
    read_local_time,
)
from twin.model.instants import instant_of

BERLIN = ZoneInfo("Europe/Berlin")
DMY, MDY, YMD = DateOrder.DMY, DateOrder.MDY, DateOrder.YMD


def local(text: str) -> LocalTime:
    """Read a date and time."""
    found = read_local_time(text)
    assert found is not None
    return found[1]


@pytest.mark.parametrize(
    ("text", "moment", "orders"),
    [
        ("03/22/2019 08:17:30 AM", (2019, 3, 22, 8, 17, 30), (MDY,)),
        ("22/03/2019 08:17:30", (2019, 3, 22, 8, 17, 30), (DMY,)),
        ("22.03.2019 12:17:30 AM", (2019, 3, 22, 0, 17, 30), (DMY,)),
        ("03/19/26 14:55:47", (2026, 3, 19, 14, 55, 47), (MDY,)),
        ("2019-03-22 08:17:30", (2019, 3, 22, 8, 17, 30), (YMD,)),
        ("2019-03-22-08.17.30", (2019, 3, 22, 8, 17, 30), (YMD,)),
        ("22-03-2019  8:17:30 p.m.", (2019, 3, 22, 20, 17, 30), (DMY,)),
        ("2019\u5e7403\u670822\u65e5 08\u664217\u520630\u79d2", (2019, 3, 22, 8, 17, 30), (YMD,)),
        ("2019/03/22 \u5348\u5f8c 1:17:30", (2019, 3, 22, 13, 17, 30), (YMD,)),
    ],
)
def test_dates_of_all_locales_are_read(
    text: str, moment: tuple[int, int, int, int, int, int], orders: tuple[DateOrder, ...]
) -> None:
    """A date of any locale has its numbers, and the orders in which it can be a date."""
    found = local(f"prefix {text}")
    assert found.orders == orders
    assert found.moment(orders[0]) == datetime(*moment)  # noqa: DTZ001 - a local time
    assert local_to_instant(found, UTC) == instant_of(datetime(*moment, tzinfo=UTC))


def test_a_date_that_fits_two_orders_needs_one() -> None:
    """The third of April or the fourth of March: not guessed, but bounded."""
    found = local("03/04/2019 08:00:00")
    assert found.orders == (DMY, MDY)
    undated = local_to_instant(found, UTC)
    assert isinstance(undated, Undated)
    assert undated.between == (
        instant_of(datetime(2019, 3, 4, 8, tzinfo=UTC)),
        instant_of(datetime(2019, 4, 3, 8, tzinfo=UTC)),
    )
    assert local_to_instant(found, UTC, DMY) == instant_of(datetime(2019, 4, 3, 8, tzinfo=UTC))
    same = local("03/03/2019 08:00:00")
    assert local_to_instant(same, UTC) == instant_of(datetime(2019, 3, 3, 8, tzinfo=UTC))


def test_an_order_is_certain_only_if_all_dates_of_a_file_say_so() -> None:
    """One day after the 12th settles it; two that contradict each other settle nothing."""
    open_, day_first, month_first = map(
        local, ("03/04/2019 08:00:00", "22/03/2019 08:00:00", "03/22/2019 08:00:00")
    )
    dotted = local("11.10.2018 10:39:30")
    assert certain_order(open_, open_) is None
    assert certain_order(open_, day_first, dotted) is DMY
    assert certain_order(open_, month_first, dotted) is MDY
    assert certain_order(day_first, month_first) is None


def certain_order(*times: LocalTime) -> DateOrder | None:
    """Return the only order that the dates of a log allow."""
    orders = DateOrders()
    for each in times:
        orders.note(each, None)
    return orders.only


def test_an_instant_beside_the_date_tells_its_order() -> None:
    """Later versions write both: only one order lies within a zone's distance."""
    found = local("03/04/2019 08:00:00")
    assert orders_near(found, instant_of(datetime(2019, 4, 3, 13, tzinfo=UTC))) == (DMY,)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("27.10.2024 02:30:00", "occurs twice in its zone"),
        ("31.03.2024 02:30:00", "does not occur in its zone"),
        ("31.02.2024 02:30:00", "is not a date"),
    ],
)
def test_times_around_a_change_of_the_clocks_are_reported(text: str, why: str) -> None:
    """A time that occurs twice or never is not guessed."""
    undated = local_to_instant(local(text), BERLIN)
    assert isinstance(undated, Undated)
    assert undated.why == why
    assert (undated.between is None) is (why == "is not a date")


@given(
    st.datetimes(datetime(1950, 1, 1), datetime(2090, 1, 1)),  # noqa: DTZ001 - drawn without a zone
    st.sampled_from(["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"]),
)
def test_an_instant_is_the_local_time_in_its_zone(moment: datetime, name: str) -> None:
    """Whatever instant is found shows the local time again in the zone; an undated one is near."""
    zone = ZoneInfo(name)
    moment = moment.replace(microsecond=0)
    found = local_to_instant(local(moment.strftime("%Y-%m-%d %H:%M:%S")), zone)
    if isinstance(found, Undated):
        assert found.between is not None
        assert found.between[0] < found.between[1]
    else:
        shown = datetime.fromtimestamp(found // 1_000_000, UTC).astimezone(zone)
        assert shown.replace(tzinfo=None) == moment


def test_a_fixed_zone_has_no_such_times() -> None:
    """Every time is one instant in a zone without daylight saving time."""
    zone = timezone(timedelta(hours=2))
    found = local_to_instant(local("31.03.2024 02:30:00"), zone)
    assert found == instant_of(datetime(2024, 3, 31, 0, 30, tzinfo=UTC))


def test_a_time_without_a_date_is_no_instant() -> None:
    """A clock alone is kept and gives no instant."""
    clock = LocalTime("11:02:45", 0, (0, 0), 11, 2, 45, ())
    assert local_to_instant(clock, UTC) == Undated("has no date")


@given(st.text(max_size=60))
def test_no_text_raises(text: str) -> None:
    """Any text is read as a date, or refused without an error."""
    if (found := read_local_time(text)) is not None:
        local_to_instant(found[1], BERLIN)
