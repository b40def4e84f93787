"""The statuses that channels had come back from error logs, events and measurements.

What these feeds do not carry:

- statuses in between, such as BINDING, in doubt batches, and messages that wait;
- in an error log, that a channel ran, if it failed within the connect time, or if the log ends
  then: its start is logged before the negotiation;
- fractions of a second in events, and of a millisecond in logs; only their order within them;
- in measurements, everything between two of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from hypothesis import given

from tests.feeds.errorlog.error_logs import Said, console_line, json_line, text
from tests.round_trip.histories import (
    Change,
    changes_of,
    event_messages,
    logged,
    measured,
    range_answer,
)
from tests.round_trip.random_estates import ACTS, Act, built, live
from twin.events import ChannelObserved
from twin.feeds.converters import CONVERTERS
from twin.feeds.converting.error_logs import CONNECT_TIME
from twin.feeds.detect import FileFormat
from twin.feeds.observed import DatedFact, FeedSource
from twin.model.instants import HOUR, SECOND, Instant

FORMS: dict[FileFormat, Callable[[Said], str]] = {
    FileFormat.ERROR_LOG: text,
    FileFormat.JSON_LOG: json_line,
    FileFormat.CONTAINER_LOG: console_line,
}
MILLISECOND = SECOND // 1000


def statuses(written: str, file_format: FileFormat, qmgr: str = "") -> list[DatedFact]:
    """Convert a feed, and return the statuses of channels in the order of time."""
    facts = CONVERTERS[file_format](written.splitlines(), FeedSource(qmgr=qmgr))
    found = [each for each in facts if isinstance(each, DatedFact)]
    return sorted(
        (each for each in found if isinstance(each.event, ChannelObserved)),
        key=lambda each: (each.at, each.identity),
    )


def said(facts: Sequence[DatedFact], unit: int) -> list[Change]:
    """Return facts as changes, at their instants in a unit of time."""
    return [
        Change(each.at // unit, each.event.qmgr, each.event.channel, each.event.status or "")
        for each in facts
        if isinstance(each.event, ChannelObserved)
    ]


def in_unit(changes: Sequence[Change], unit: int) -> list[Change]:
    """Return changes at their instants in a unit of time."""
    return [each._replace(at=each.at // unit) for each in changes]


def shown_by_log(changes: Sequence[Change]) -> list[Change]:
    """Return the changes of a queue manager that its error log shows."""
    return [
        each
        for number, each in enumerate(changes)
        if each.status != "RUNNING" or ran(each, changes[number + 1 :])
    ]


def ran(start: Change, later: Sequence[Change]) -> bool:
    """Tell whether the messages after a start show that the channel ran."""
    for each in later:
        if (
            each.at // MILLISECOND * MILLISECOND
            > start.at // MILLISECOND * MILLISECOND + CONNECT_TIME
        ):
            return True
        if each.channel == start.channel:
            return each.status == "INACTIVE"
    return False


@given(ACTS)
def test_error_logs_of_all_forms_give_the_statuses_back(acts: list[Act]) -> None:
    """Text, JSON and console give the same facts, with the same identities."""
    changes = sorted(changes_of(live(built(), acts)), key=lambda each: each.qmgr)
    for qmgr, group in groupby(changes, key=lambda each: each.qmgr):
        own = list(group)
        found = [
            statuses("".join(map(form, logged(own))), file_format, qmgr)
            for file_format, form in FORMS.items()
        ]
        assert sorted(said(found[0], MILLISECOND)) == sorted(
            in_unit(shown_by_log(own), MILLISECOND)
        )
        identities = [[(each.at, each.identity) for each in facts] for facts in found]
        assert identities[0] == identities[1] == identities[2]


@given(ACTS)
def test_channel_events_give_the_statuses_back(acts: list[Act]) -> None:
    """Every change is a fact; those of one second keep their order."""
    changes = changes_of(live(built(), acts))
    found = statuses(event_messages(changes), FileFormat.AMQSEVT_JSON)
    expected = sorted(in_unit(changes, SECOND), key=lambda each: (each.at, each.qmgr))
    assert sorted(said(found, SECOND), key=lambda each: (each.at, each.qmgr)) == expected


@given(ACTS)
def test_measurements_give_the_statuses_at_their_instants_back(acts: list[Act]) -> None:
    """The status of each channel at each measurement."""
    box = live(built(), acts)
    changes = changes_of(box)
    instants: list[Instant] = list(range(box.as_of.valid - 20 * HOUR, box.as_of.valid, HOUR))
    expected = measured(changes, instants)
    found = statuses(range_answer(expected), FileFormat.PROMETHEUS_ANSWER)
    assert sorted(said(found, 1)) == sorted(expected)
