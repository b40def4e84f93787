"""Error logs turned into facts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.feeds.errorlog.error_logs import FIRST, Said, console_line, json_line, saids, text
from twin import events
from twin.feeds.converters import CONVERTERS
from twin.feeds.converting.error_logs import NO_INSTANT, NO_QMGR
from twin.feeds.converting.identities import digest_of
from twin.feeds.detect import FileFormat
from twin.feeds.errorlog.record import LogRecord
from twin.feeds.errorlog.text import read_text
from twin.feeds.observed import Converted, DatedFact, FeedSource, NotRecorded, PassedOver
from twin.feeds.reading.local_time import DateOrder
from twin.model.instants import HOUR

SAMPLES = Path(__file__).parents[4] / "shared" / "samples"
SOURCE = FeedSource(qmgr="QMA", file="AMQERR01.LOG")


def converted(format_: FileFormat, written: str) -> list[Converted]:
    """Convert a text."""
    return list(CONVERTERS[format_](written.splitlines(), SOURCE))


def facts(format_: FileFormat, written: str) -> list[DatedFact]:
    """Return the facts in a text."""
    return [each for each in converted(format_, written) if isinstance(each, DatedFact)]


def without_origin(fact: DatedFact) -> events.Event:
    """Return the event of a fact without its place in the file."""
    assert isinstance(fact.event, events.Observation)
    return replace(fact.event, origin=None)


def test_a_failure_is_a_fact_with_its_instant_and_evidence() -> None:
    """The end of a channel says when, what, and which text says so."""
    (fact,) = facts(FileFormat.JSON_LOG, json_line(FIRST))
    assert fact.at == FIRST.at
    assert isinstance(fact.event, events.ChannelObserved)
    assert (fact.event.qmgr, fact.event.channel, fact.event.status) == ("QMA", "TO.B", "RETRYING")
    assert fact.evidence.startswith("AMQ9999E: Channel 'TO.B' to host")
    assert fact.evidence.endswith(
        "[CommentInsert1(TO.B), CommentInsert2(4711), CommentInsert3(b.example (10.0.0.2))]"
    )


def test_equal_records_of_one_instant_have_identities_of_their_own() -> None:
    """Two failures in one millisecond are two facts; both are found again in another file."""
    twice = json_line(FIRST) * 2
    identities = [each.identity for each in facts(FileFormat.JSON_LOG, twice)]
    assert len(set(identities)) == 2
    assert [each.identity for each in facts(FileFormat.JSON_LOG, twice)] == identities


def test_joined_logs_have_each_fact_once() -> None:
    """A log after itself, or after a part of itself, says the same; its ordinals begin again."""
    moments = [FIRST.moment + timedelta(seconds=each) for each in (0, 0, 0, 30, 500, 500)]
    lines = [json_line(replace(FIRST, moment=moment)) for moment in moments]
    once = facts(FileFormat.JSON_LOG, "".join(lines))
    assert len({each.identity for each in once}) == len(lines)
    for text_ in ("".join(lines * 2), "".join([*lines, *lines[3:]]), "".join(lines[3:] + lines)):
        again = facts(FileFormat.JSON_LOG, text_)
        assert len(again) > len(once)
        assert {(each.identity, each.at) for each in again} == {
            (each.identity, each.at) for each in once
        }


def test_a_short_log_after_itself_has_each_fact_once() -> None:
    """A log of less than a minute begins again where its first record comes again."""
    moments = [FIRST.moment + timedelta(seconds=each) for each in (0, 0, 2, 2, 30)]
    lines = [json_line(replace(FIRST, moment=moment)) for moment in moments]
    once = {(each.identity, each.at) for each in facts(FileFormat.JSON_LOG, "".join(lines))}
    again = facts(FileFormat.JSON_LOG, "".join(lines * 3))
    assert {(each.identity, each.at) for each in again} == once


def message(id_: str, text_: str, *comments: str, arith: tuple[str, str] = ("", "")) -> Said:
    """Make a message with its inserts."""
    one, two, three, *_ = (*comments, "", "", "")
    inserts = (one, two, three)
    return replace(FIRST, id=id_, message=text_, comments=inserts, arith=arith, explanation="None.")


OWNER = "QMB_2026-01-01_00.00.00"
ACTS = [
    (
        message("AMQ8003I", "IBM MQ queue manager 'QMA' started.", "9.3", "", "QMA"),
        events.QueueManagerStatusObserved(qmgr="QMA", status="RUNNING", restarted=True),
    ),
    (
        message("AMQ8004I", "IBM MQ queue manager 'QMA' ended.", "", "", "QMA"),
        events.QueueManagerStatusObserved(qmgr="QMA", status="ENDED"),
    ),
    (
        message("AMQ9443I", "SUSPEND QMGR of cluster 'CA' is done.", "CA"),
        events.SuspensionObserved(qmgr="QMA", cluster="CA", suspended=True),
    ),
    (
        message("AMQ9444I", "RESUME QMGR of cluster 'CA' is done.", "CA"),
        events.SuspensionObserved(qmgr="QMA", cluster="CA", suspended=False),
    ),
    (
        message("AMQ9442I", "REFRESH CLUSTER of 'CA' is done.", "CA"),
        events.ClusterCommandObserved(qmgr="QMA", command="REFRESH", cluster="CA", done=True),
    ),
    (
        message("AMQ9448E", "The repository manager stopped."),
        events.RepositoryManagerObserved(qmgr="QMA", running=False),
    ),
    (
        message("AMQ9449I", "The repository manager runs again."),
        events.RepositoryManagerObserved(qmgr="QMA", running=True),
    ),
    (
        message(
            "AMQ9469W",
            f"No update came for channel 'TO.B' of '{OWNER}' in cluster 'CA', 5 days, 58 left.",
        ),
        events.RenewalOverdueObserved(
            qmgr="QMA", id="AMQ9469", cluster="CA", owner=OWNER, name="TO.B", days=5, left=58
        ),
    ),
    (
        message("AMQ7341I", "The queue of channel 'TO.B' is now 'TO.B.XMITQ'."),
        events.TransmissionQueueObserved(qmgr="QMA", channel="TO.B", queue="TO.B.XMITQ"),
    ),
]


@pytest.mark.parametrize(("said", "event"), ACTS, ids=lambda each: getattr(each, "id", ""))
def test_what_was_done_is_a_fact(said: Said, event: events.Event) -> None:
    """A start, an end, a suspension, a refresh, a switch, a warning have events of their own."""
    (fact,) = facts(FileFormat.JSON_LOG, json_line(said))
    assert without_origin(fact) == event
    origin = fact.event.origin  # type: ignore[attr-defined]
    assert (origin.file, origin.line, origin.message) == ("AMQERR01.LOG", 1, said.id[:7])


@pytest.mark.parametrize("id_", ["AMQ9442I", "AMQ9443I", "AMQ7341I", "AMQ9206E", "AMQ1234I"])
def test_what_names_nothing_is_evidence(id_: str) -> None:
    """An act without its cluster, an error, and an unknown message explain something at most."""
    (fact,) = facts(FileFormat.JSON_LOG, json_line(message(id_, "Something.", arith=("7", ""))))
    evidence = fact.event
    assert isinstance(evidence, events.EvidenceObserved)
    assert (evidence.id, evidence.inserts) == (id_[:7], ("7",))
    assert evidence.digest == digest_of(fact.evidence)


def test_internal_tasks_are_passed_over() -> None:
    """They are read and counted, and nothing is recorded."""
    (row,) = converted(FileFormat.JSON_LOG, json_line(message("AMQ5041I", "A task ended.")))
    assert row == PassedOver(1, "AMQ5041", "")


def test_a_record_without_an_owner_or_an_instant_is_not_recorded() -> None:
    """The queue manager and the zone of a log of 8.0 are given beside it."""
    old = text(replace(FIRST, qmgr=""), old=True)
    (row,) = CONVERTERS[FileFormat.ERROR_LOG](old.splitlines(), FeedSource())
    assert row == NotRecorded(1, "AMQ9999", NO_QMGR, "AMQ9999")
    (row,) = converted(FileFormat.ERROR_LOG, old)
    assert row == NotRecorded(1, "AMQ9999", NO_INSTANT, "AMQ9999")
    zoned = SOURCE._replace(zone=ZoneInfo("Europe/Berlin"))
    (row,) = CONVERTERS[FileFormat.ERROR_LOG](old.splitlines(), zoned)
    assert isinstance(row, DatedFact)
    assert row.at == FIRST.at - HOUR - 123_000


FORMS: dict[FileFormat, Callable[[Said], str]] = {
    FileFormat.ERROR_LOG: text,
    FileFormat.JSON_LOG: json_line,
    FileFormat.CONTAINER_LOG: console_line,
    FileFormat.ZOS_LOG: lambda said: f"20.30.40 STC00001  CSQX208E +QMA CSQXRESP {said.message}\n",
}


@pytest.mark.parametrize("format_", FORMS)
def test_passwords_are_masked_in_every_form(format_: FileFormat) -> None:
    """Neither an event nor its evidence has a password."""
    words = "SSLKEYP('topsecret') https://me:topsecret@host/ LDAPPWD(topsecret) password=topsecret"
    said = message("AMQ9206E", f"Something with {words}.", words)
    rows = converted(format_, FORMS[format_](said))
    assert rows
    assert "topsecret" not in repr(rows)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
def test_public_logs_give_one_row_for_each_record() -> None:
    """Each record is a fact or passed over; facts are at most 1.2 times the records."""
    source = FeedSource(qmgr="QM1", zone=ZoneInfo("UTC"), order=DateOrder.DMY)
    for path in sorted(SAMPLES.glob("*/amqerr-text/*")):
        if path.suffix not in {".log", ".LOG"}:
            continue
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        records = sum(isinstance(each, LogRecord) for each in read_text(lines))
        rows = list(CONVERTERS[FileFormat.ERROR_LOG](lines, source))
        given_back = [row for row in rows if not isinstance(row, NotRecorded)]
        assert len(given_back) == records
        identities = {row.identity for row in rows if isinstance(row, DatedFact)}
        assert len(identities) == sum(isinstance(row, DatedFact) for row in rows)


@given(st.lists(saids(), max_size=5))
def test_text_and_json_give_the_same_identities_and_evidence(messages: list[Said]) -> None:
    """The two forms of one log differ in nothing but lines."""
    forms = [
        [
            (each.at, without_origin(each), each.identity, each.evidence)
            for each in facts(format_, "".join(map(written, messages)))
        ]
        for format_, written in ((FileFormat.ERROR_LOG, text), (FileFormat.JSON_LOG, json_line))
    ]
    assert forms[0] == forms[1]
