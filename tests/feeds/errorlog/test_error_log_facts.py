"""The facts that follow from an error log: statuses of channels with their instants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.feeds.errorlog.error_logs import FIRST, Said, json_line, text
from twin.events import Origin
from twin.feeds.errorlog import facts
from twin.feeds.errorlog.facts import LogFact, LogSource, NoLogFact, log_facts
from twin.feeds.errorlog.json_lines import read_json
from twin.feeds.errorlog.meanings import MEANINGS
from twin.feeds.errorlog.record import LogRecord
from twin.feeds.errorlog.text import read_text
from twin.model.instants import SECOND

SAMPLES: Final = Path(__file__).parents[4] / "shared" / "samples"
TYPES: Final = {"TO.B": "CLUSSDR", "TO.C": "SDR", "TO.QMA": "CLUSRCVR", "APP": "SVRCONN"}


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


def records_of(messages: Iterable[Said]) -> list[LogRecord]:
    """Write messages as JSON and read them."""
    found = read_json("".join(map(json_line, messages)).splitlines())
    return [each for each in found if isinstance(each, LogRecord)]


def type_of(_qmgr: str, channel: str) -> str:
    """Return the type of a channel."""
    return TYPES.get(channel, "")


def rows(*messages: Said) -> list[LogFact | NoLogFact]:
    """Return what messages say."""
    return list(log_facts(records_of(messages), type_of=type_of))


def shown(*messages: Said) -> list[tuple[float, str, str | None]]:
    """Return the facts: seconds after the first instant, channel, status; in order of time."""
    found = [each for each in rows(*messages) if isinstance(each, LogFact)]
    start = FIRST.at
    return sorted(
        ((each.at - start) / SECOND, each.observation.channel, each.observation.status)
        for each in found
    )


def whys(*messages: Said) -> list[str]:
    """Return why records give no fact."""
    return [each.why for each in rows(*messages) if isinstance(each, NoLogFact)]


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
    assert whys(said("AMQ9002I"), said("AMQ5041I", 5, "")) == [
        facts.NOTHING_SAID,
        facts.UNDECIDED,
    ]


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
    assert facts.DENIED in whys(said("AMQ9002I"), denial, LATER)


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


@pytest.mark.parametrize("channel", ["TO.QMA", "APP", "UNKNOWN"])
def test_only_channels_that_send_give_facts(channel: str) -> None:
    """An instance of a receiver or of a client says nothing about others of its name."""
    for id_ in ("AMQ9999E", "AMQ9002I", "AMQ9528W"):
        assert whys(said(id_, 0, channel), LATER)[0] == facts.NOT_SENDING


def test_the_reasons_for_no_fact() -> None:
    """Each record without a fact says why: no id known, no channel, an act, mere evidence."""
    assert whys(said("AMQ1234I")) == [facts.UNKNOWN_ID]
    assert whys(said("AMQ9259E", 0, "")) == [facts.NO_CHANNEL]
    assert whys(said("AMQ8003I")) == [facts.NOT_CARRIED]
    assert whys(said("AMQ9206E", 0, "")) == [facts.NOTHING_SAID]
    assert whys(replace(said("AMQ9999E"), qmgr="")) == [facts.NO_QMGR]


def test_a_log_without_names_and_zones_needs_both() -> None:
    """The queue manager and the zone of a log of 8.0 are given beside it, and so is its file."""
    old = replace(said("AMQ9999E"), qmgr="", explanation="")
    found = read_text(text(old, old=True).splitlines())
    records = [each for each in found if isinstance(each, LogRecord)]
    assert [type(each) for each in log_facts(records, type_of=type_of)] == [NoLogFact]
    named = LogSource(qmgr="QMA")
    (undated,) = log_facts(records, type_of=type_of, source=named)
    assert isinstance(undated, NoLogFact)
    assert undated.why == facts.NO_INSTANT
    source = LogSource(qmgr="QMA", file="AMQERR01.LOG", zone=ZoneInfo("Europe/Berlin"))
    (fact,) = log_facts(records, type_of=type_of, source=source)
    assert isinstance(fact, LogFact)
    assert fact.at == FIRST.at - 3600 * SECOND - 123_000
    assert fact.observation.origin == Origin(file="AMQERR01.LOG", line=1)


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
    """A record gives a fact or a reason, once."""
    records = records_of(messages)
    given_back = Counter(each.record for each in log_facts(records, type_of=type_of))
    assert given_back == Counter(records)


@given(MESSAGES, st.integers(0, 12))
def test_a_log_that_grows_takes_no_fact_back(messages: list[Said], cut: int) -> None:
    """The facts of the beginning of a log are facts of the whole log too."""
    records = records_of(messages)
    whole = [each for each in log_facts(records, type_of=type_of) if isinstance(each, LogFact)]
    begin = log_facts(records[:cut], type_of=type_of)
    assert all(each in whole for each in begin if isinstance(each, LogFact))


@given(MESSAGES)
def test_text_and_json_give_the_same_facts(messages: list[Said]) -> None:
    """The two forms of one log say the same, but for their lines."""
    written = read_text("".join(map(text, messages)).splitlines())
    records = [each for each in written if isinstance(each, LogRecord)]
    forms = [
        [
            (each.at, each.observation, each.record.digest)
            for each in log_facts(form, type_of=type_of)
            if isinstance(each, LogFact)
        ]
        for form in (records, records_of(messages))
    ]
    assert forms[0] == forms[1]


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
def test_public_logs_say_what_happened_to_their_channels() -> None:
    """Each record of the public logs gives a row, and its id is in the table."""
    for path in sorted(SAMPLES.glob("*/amqerr-text/*")):
        if path.suffix not in {".log", ".LOG", ".txt"}:
            continue
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        records = [each for each in read_text(lines) if isinstance(each, LogRecord)]
        source = LogSource(qmgr="QM1", zone=ZoneInfo("UTC"))
        found = list(log_facts(records, type_of=lambda *_: "SDR", source=source))
        assert len(found) == len(records)
        assert {each.record.id for each in found} <= MEANINGS.keys()
