"""Dates in names, in headers of dumps, and in QMIDs."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.feeds.dating.instants import (
    date_generated,
    date_in_name,
    date_of_creation,
    name_without_date,
)
from twin.model.instants import format_instant


@pytest.mark.parametrize(
    ("name", "instant", "has_time"),
    [
        ("2026-01-31", "2026-01-31T00:00:00Z", False),
        ("20260131", "2026-01-31T00:00:00Z", False),
        ("dumps of 2026-01-31", "2026-01-31T00:00:00Z", False),
        ("2026-01-31T0213Z", "2026-01-31T02:13:00Z", True),
        ("2026-01-31T021305Z", "2026-01-31T02:13:05Z", True),
        ("2026-01-31T02:13:05+01:00", "2026-01-31T01:13:05Z", True),
        ("20260131T021300Z", "2026-01-31T02:13:00Z", True),
        ("twin-host1-20260131T021300Z", "2026-01-31T02:13:00Z", True),
        ("QM1_2026-01-31_02.13.05.txt", "2026-01-31T02:13:05Z", True),
        ("QM1-2026-01-31-02-13.txt", "2026-01-31T02:13:00Z", True),
        ("QM1.20260131.mqsc", "2026-01-31T00:00:00Z", False),
        ("2026-01-30 to 2026-01-31", "2026-01-31T00:00:00Z", False),
    ],
)
def test_a_name_may_have_a_date(name: str, instant: str, has_time: bool) -> None:  # noqa: FBT001
    """A date, with or without a time and a zone, is read from the name of a file or folder."""
    date = date_in_name(name)
    assert date is not None
    assert (format_instant(date.at(None)), date.has_time) == (instant, has_time)


@pytest.mark.parametrize(
    "name",
    [
        "QM1.mqsc",
        "QM20260131",
        "2026-13-31",
        "20260230",
        "10000000",
        "120260131",
        "2026-01",
        "v1.2",
    ],
)
def test_other_numbers_are_no_dates(name: str) -> None:
    """A part of a name that is no date of the time of MQ is not read as one."""
    assert date_in_name(name) is None


@pytest.mark.parametrize(
    ("name", "rest"),
    [
        ("QM1-20260131", "QM1"),
        ("20260131_QM1", "QM1"),
        ("QM1_2026-01-31T0213Z.mqsc", "QM1.mqsc"),
        ("QM1.2026-01-31.mqsc", "QM1.mqsc"),
        ("QM1", "QM1"),
        ("QM1-2026-01-31-display", "QM1-display"),
        ("2026-01-31", ""),
    ],
)
def test_a_name_is_left_without_its_date(name: str, rest: str) -> None:
    """The date and what separates it are taken away, so that the queue manager's name is left."""
    assert name_without_date(name) == rest


def test_a_dump_has_the_local_time_of_its_header() -> None:
    """The header of a dump has a date and a time with dots."""
    date = date_generated("****\n* Script generated on 2026-01-31   at 02.13.05 \n* x\n")
    assert date is not None
    assert format_instant(date.at(None)) == "2026-01-31T02:13:05Z"
    assert format_instant(date.at(ZoneInfo("Europe/Berlin"))) == "2026-01-31T01:13:05Z"
    assert date_generated("* Script generated on 2026-02-31 at 02.13.05\n") is None
    assert date_generated("ALTER QMGR\n") is None


def test_a_local_time_that_a_zone_has_twice_is_the_later_one() -> None:
    """At the end of daylight saving time an hour occurs twice; at its begin one does not occur."""
    berlin = ZoneInfo("Europe/Berlin")
    twice = date_in_name("2026-10-25_02.30.00")
    never = date_in_name("2026-03-29_02.30.00")
    assert twice is not None
    assert never is not None
    assert format_instant(twice.at(berlin)) == "2026-10-25T01:30:00Z"
    assert format_instant(never.at(berlin)) == "2026-03-29T01:30:00Z"


def test_a_qmid_has_the_time_of_the_creation() -> None:
    """A QMID ends with the local time at which its queue manager was created."""
    date = date_of_creation("QM_4_2026-05-14_14.38.12")
    assert date is not None
    assert format_instant(date.at(None)) == "2026-05-14T14:38:12Z"
    assert date_of_creation("TEMPUUID.0") is None


@given(st.text(alphabet="0123456789-_.:TZ+ aQM", max_size=40))
def test_any_name_is_read(name: str) -> None:
    """No name is an error, and a date that is found is an instant."""
    date = date_in_name(name)
    if date is not None:
        format_instant(date.at(ZoneInfo("Europe/Berlin")))
    name_without_date(name)
