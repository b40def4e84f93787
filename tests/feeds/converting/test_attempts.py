"""Statuses of channels in an error log: at once, or once the connect time is over."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.feeds.errorlog.error_logs import FIRST, Said, json_line
from twin.events import ChannelObserved, EvidenceObserved
from twin.feeds.converting.error_logs import json_facts
from twin.feeds.observed import Converted, DatedFact, FeedSource
from twin.model.instants import SECOND

SOURCE: Final = FeedSource(file="AMQERR01.json")


def said(id_: str, seconds: float = 0, channel: str = "TO.B", *, process: str = "1.1") -> Said:
    """Make a message about a channel."""
    place = {"AMQ9202E": ("b.example", "TCP/IP", channel), "AMQ9259E": ("b.example", "TCP/IP", "")}
    return replace(
        FIRST,
        moment=FIRST.moment + timedelta(seconds=seconds),
        id=id_,
        message=f"Something about '{channel}'." if channel else "Something.",
        comments=place.get(id_, (channel, "", "")),
        process=process,
    )


def converted(*messages: Said, source: FeedSource = SOURCE) -> list[Converted]:
    """Write messages as JSON, and convert them."""
    lines = "".join(map(json_line, messages)).splitlines()
    return list(json_facts(lines, source))


def shown(*messages: Said) -> list[tuple[float, str, str | None]]:
    """Return the statuses: seconds after the first instant, channel, status; in order of time."""
    start = FIRST.at
    return sorted(
        ((each.at - start) / SECOND, each.event.channel, each.event.status)
        for each in converted(*messages)
        if isinstance(each, DatedFact) and isinstance(each.event, ChannelObserved)
    )


def evidence(*messages: Said) -> list[str]:
    """Return the ids of the records that are evidence."""
    return [
        each.event.id
        for each in converted(*messages)
        if isinstance(each, DatedFact) and isinstance(each.event, EvidenceObserved)
    ]


LATER: Final = said("AMQ5041I", 3600, "")
"""An hour later the log goes on."""


@pytest.mark.parametrize(
    ("id_", "status"),
    [
        ("AMQ9999E", "RETRYING"),
        ("AMQ9202E", "RETRYING"),
        ("AMQ9558E", "RETRYING"),
        ("AMQ9528W", "STOPPED"),
        ("AMQ9545I", "INACTIVE"),
        ("AMQ9001I", "INACTIVE"),
    ],
)
def test_the_end_of_a_sending_channel_is_a_fact(id_: str, status: str) -> None:
    """A failure, a stop and an ordinary end are statuses at the instant of the message."""
    assert shown(said(id_, 2)) == [(2, "TO.B", status)]


def test_an_attempt_runs_if_nothing_denies_it() -> None:
    """A channel that started runs from then on, known when the connect time is over."""
    assert shown(said("AMQ9002I"), LATER) == [(0, "TO.B", "RUNNING")]
    assert evidence(said("AMQ9002I"), said("AMQ5041I", 5, "")) == ["AMQ9002"]


@pytest.mark.parametrize(
    "denial",
    [
        said("AMQ9999E", 20),
        said("AMQ9202E", 20),
        said("AMQ9209E", 20, ""),
        said("AMQ9259E", 20, ""),
        said("AMQ9002I", 20),
        said("AMQ9528W", 20),
        said("AMQ8004I", 20, ""),
    ],
    ids=lambda each: each.id,
)
def test_an_attempt_that_is_denied_is_no_fact(denial: Said) -> None:
    """A failure of the channel or of its thread, another attempt, a stop: it did not run."""
    assert (0, "TO.B", "RUNNING") not in shown(said("AMQ9002I"), denial, LATER)
    assert "AMQ9002" in evidence(said("AMQ9002I"), denial, LATER)


@pytest.mark.parametrize(
    "other",
    [
        said("AMQ9999E", 20, "TO.C"),
        said("AMQ9259E", 20, "", process="2.7"),
        replace(said("AMQ9999E", 20), qmgr="QMZ"),
        said("AMQ9490E", 20),
    ],
)
def test_what_concerns_another_channel_denies_nothing(other: Said) -> None:
    """Another channel, another thread, another queue manager, a limit of clients."""
    assert (0, "TO.B", "RUNNING") in shown(said("AMQ9002I"), other, LATER)


def test_a_channel_that_ended_normally_ran() -> None:
    """An ordinary end within the connect time shows that the channel did run."""
    assert shown(said("AMQ9002I"), said("AMQ9001I", 20)) == [
        (0, "TO.B", "RUNNING"),
        (20, "TO.B", "INACTIVE"),
    ]


MESSAGES: Final = st.lists(
    st.builds(
        said,
        st.sampled_from(["AMQ9002I", "AMQ9999E", "AMQ9001I", "AMQ9209E", "AMQ8004I", "AMQ5041I"]),
        st.integers(0, 1000),
        st.sampled_from(["TO.B", "TO.C", "TO.QMA", ""]),
        process=st.sampled_from(["1.1", "2.2"]),
    ),
    max_size=12,
).map(lambda messages: sorted(messages, key=lambda each: each.moment))


@given(MESSAGES)
def test_every_record_gives_one_row(messages: list[Said]) -> None:
    """A record gives one fact, or is passed over."""
    assert len(converted(*messages)) == len(messages)


@given(MESSAGES, st.integers(0, 12))
def test_a_log_that_grows_takes_no_status_back(messages: list[Said], cut: int) -> None:
    """The statuses in the beginning of a log are in the whole log too, with their identities."""
    whole = converted(*messages)
    for each in converted(*messages[:cut]):
        if isinstance(each, DatedFact) and isinstance(each.event, ChannelObserved):
            assert each in whole


@given(MESSAGES)
def test_identities_are_of_one_fact_each(messages: list[Said]) -> None:
    """No two facts of a log have one identity."""
    found = [each.identity for each in converted(*messages) if isinstance(each, DatedFact)]
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(
    ("between", "end", "statuses"),
    [
        ([], said("AMQ9001I", 21), ["STOPPED"]),
        ([], said("AMQ9001I", 90), ["STOPPED", "INACTIVE"]),
        ([], said("AMQ9001I", 21, "TO.C"), ["STOPPED", "INACTIVE"]),
        ([said("AMQ9002I", 20)], said("AMQ9001I", 21), ["STOPPED", "RUNNING", "INACTIVE"]),
    ],
)
def test_a_channel_that_somebody_stopped_stays_stopped(
    between: list[Said], end: Said, statuses: list[str]
) -> None:
    """The normal end that it writes at once does not make it INACTIVE; a later one does."""
    found = shown(said("AMQ9528W", 20), *between, end)
    assert [status for _, _, status in found] == statuses
