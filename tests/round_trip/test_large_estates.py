"""An estate of 30 queue managers in two clusters comes back from its feeds, after 100 days.

Queue managers are lost, links are cut, channels are stopped, clusters are refreshed, objects are
defined, altered and deleted. What is collected four times is imported into an empty log by `twin
import`: dumps, answers of runmqsc and mqweb, error logs in three forms, output of amqsevt, scrapes,
and range queries. Of some queue managers something is missing; of others it arrives after the next
collection.

Beside what test_dumps_and_captures.py and test_channel_histories.py list, the feeds do not carry:

- that a record was published again: CLUSDATE does not move. That owners do so every 27 days, and
  that their partners got it, is assumed, so whether a record has expired is, too;
- that a partial repository lost a record that has expired: its removal follows from the rules;
- what a queue manager learned, defined or altered since it was collected last;
- definitions whose dump is missing, whoever else shows them;
- the status of a channel of which only the receiving end was collected;
- in an error log, that a channel was stopped while it did not run;
- in event messages, that SUSPEND or REFRESH CLUSTER was carried out (the command may have failed),
  and so that records were sent again then;
- anything about a queue manager before its first dump or answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from freezegun import freeze_time

from tests.laws import seeds
from tests.round_trip.collected import (
    COLLECTED,
    MEASURED,
    WITH_EVENTS,
    WITH_LOGS,
    History,
    Moment,
    RecordKey,
    channel_key,
    deliver,
    history,
    record_key,
    sends,
)
from tests.round_trip.large_estates import QMGRS
from tests.round_trip.test_dumps_and_captures import Displayed, at_rest, defined, displayed
from twin.app.twin import Twin
from twin.cli import main
from twin.fold.estate import Estate
from twin.model.basis import Basis
from twin.model.instants import RESEND_AFTER, SECOND, Instant
from twin.questions.answer import Answer, Row
from twin.questions.sights import fresh
from twin.rules.membership import clusters

END: Final = "2025-04-17"
"""The day after the last collection: when everything is imported."""


class Imported(NamedTuple):
    """An estate as it was, and a twin that has what was collected of it."""

    source: History
    twin: Twin


@pytest.fixture(scope="module", params=seeds(2, 1, 3, 4, 5, 6))
def imported(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Imported]:
    """Simulate an estate, write its feeds, and import them in the order of their arrival."""
    folder: Path = tmp_path_factory.mktemp("estate")
    log = f"sqlite:///{folder / 'twin.db'}"
    source = history(request.param)
    with freeze_time(END):
        for arrived in deliver(source, folder):
            assert main(["--log", log, "import", str(arrived)]) == 0
    with Twin.open(log) as twin:
        yield Imported(source, twin)


def bases(answer: Answer, column: str) -> list[Basis]:
    """Return what a column rests on, for each row."""
    return [
        Basis(str(of.get(column, row["basis"])))
        for row, of in zip(answer.rows, answer.basis_of or ({},) * len(answer.rows), strict=True)
    ]


def observed_records(twin: Twin, at: Instant) -> dict[RecordKey, Row]:
    """Return the records that queue managers were seen to hold."""
    answer = twin.ask("beliefs", as_of=at)
    contents = bases(answer, "name")
    return {
        record_key(row): row
        for row, basis in zip(answer.rows, contents, strict=True)
        if basis is Basis.OBSERVED
    }


def shared_still(estate: Estate, key: RecordKey) -> bool:
    """Return whether nobody saw that the owner of a record does not share its object any more."""
    owner = estate.qmgrs.get(key[4])
    if owner is None or key[2] == "qmgr":
        return True
    definition = owner.definitions.get((key[2].upper(), key[3]))
    return definition is not None and key[1] in clusters(owner, definition)


def held_since(moment: Moment, qmgr: str) -> dict[RecordKey, Instant]:
    """Return the records of others that a queue manager holds, with CLUSDATE."""
    return {
        key: since // SECOND * SECOND
        for key, since in moment.since.items()
        if key[0] == qmgr and key[4] != qmgr
    }


def collected(source: History) -> list[Moment]:
    """Return the moments at which the estate was collected."""
    return [each for each in source.moments if each.at in COLLECTED]


def carried(shown: Displayed, expected: Displayed) -> Displayed:
    """Return the rows of records that are expected, and of the sending ends of channels.

    DISPLAY shows records that have expired: others are those of which only the rules say so.
    """
    subjects = {subject(command, row) for command, rows in expected.items() for row in rows}
    return {
        command: [
            row
            for row in rows
            if row.get("CHLTYPE") != "CLUSRCVR" and subject(command, row) in subjects
        ]
        for command, rows in shown.items()
    }


def differing(shown: Displayed, expected: Displayed) -> list[str]:
    """Return a line for each difference: the subject, the attribute, both values."""
    found, wanted = (
        {subject(command, row): row for command, rows in each.items() for row in rows}
        for each in (shown, carried(expected, expected))
    )
    return [
        f"{' '.join(about)} {keyword}: {row.get(keyword)}, not {right.get(keyword)}"
        for about in {**wanted, **found}
        for row, right in [(found.get(about, {}), wanted.get(about, {}))]
        for keyword in {**row, **right}
        if row.get(keyword) != right.get(keyword)
    ]


def subject(command: str, row: Mapping[str, str]) -> tuple[str, ...]:
    """Return the record that a row is about."""
    names = ("CLUSTER", "CLUSQMGR", "QMID", "CHANNEL", "QUEUE", "TOPIC")
    return (command, *(row.get(each, "") for each in names))


def test_what_was_collected_is_displayed_and_defined_again(imported: Imported) -> None:
    """DISPLAY and dmpmqcfg say the same again of each queue manager whose files were complete."""
    source, twin = imported
    for moment in collected(source):
        estate, point = twin.view(as_of=moment.at)
        for name in sorted(source.with_dump(moment.at)):
            assert defined(estate, point, name) == moment.defined[name]
        for name in sorted(source.with_dump(moment.at) & source.with_display(moment.at)):
            shown, expected = displayed(estate, point, name), moment.shown[name]
            assert differing(carried(at_rest(shown, expected), expected), expected) == []


def test_beliefs_were_seen_whenever_answers_were_collected(imported: Imported) -> None:
    """Records come back with CLUSDATE, as observed; all others have expired by the rules."""
    source, twin = imported
    for moment in collected(source):
        answer = twin.ask("beliefs", as_of=moment.at)
        seen = observed_records(twin, moment.at)
        for name in sorted(source.with_display(moment.at)):
            found = {key: row["received"] for key, row in seen.items() if key[0] == name}
            others = {key: at for key, at in found.items() if key[4] != name}
            assert others == held_since(moment, name)
            rest = [row for row in answer.rows if row["observer"] == name != row["owner"]]
            assert {row["state"] for row in rest if record_key(row) not in seen} <= {"expired"}


def test_statuses_were_seen_whenever_answers_were_collected(imported: Imported) -> None:
    """Every channel that sends has its status, as observed; others are INACTIVE."""
    source, twin = imported
    for moment in collected(source):
        answer = twin.ask("channels", as_of=moment.at)
        rows = zip(answer.rows, bases(answer, "status"), strict=True)
        found = {channel_key(row): (row["status"], basis) for row, basis in rows}
        for name in sorted(source.with_display(moment.at)):
            of_name = {key: state for key, state in found.items() if sends(key, name)}
            expected = {
                key: (row["status"], Basis.OBSERVED)
                for key, row in moment.channels.items()
                if sends(key, name)
            }
            assert {key: of_name.pop(key) for key in expected} == expected
            assert {status for status, _ in of_name.values()} <= {"INACTIVE"}


def test_between_collections_what_was_seen_stays_until_it_changes(imported: Imported) -> None:
    """Records that did not change are held; those that are observed were seen at the last one.

    If an owner was seen not to share its object any more, this is taken to have reached others.

    Since when they are held is left open while it is not known whether a definition had changed.
    """
    source, twin = imported
    for moment in source.moments:
        answer = twin.ask("beliefs", as_of=moment.at)
        seen, held = observed_records(twin, moment.at), set(map(record_key, answer.rows))
        estate, _ = twin.view(as_of=moment.at)
        for name in QMGRS:
            last = source.last_display(name, moment.at)
            shown = {} if last is None else held_since(last, name)
            assert {
                key: row["received"]
                for key, row in seen.items()
                if key[0] == name != key[4] and row["received"] is not None
            }.items() <= shown.items()
            unchanged = shown.items() & held_since(moment, name).items()
            assert {key for key, _ in unchanged if shared_still(estate, key)} <= held


def test_logs_tell_when_queue_managers_ran_and_were_suspended(imported: Imported) -> None:
    """At every instant, those whose logs were collected run, or do not, as they did."""
    source, twin = imported
    for moment in source.moments:
        estate, _ = twin.view(as_of=moment.at)
        for name in sorted(estate.qmgrs.keys() - MEASURED):
            qmgr = estate.qmgr(name)
            assert qmgr.running == (name in moment.running)
            if qmgr.running and name in WITH_LOGS:
                assert set(qmgr.suspended) == moment.suspended[name]


def test_a_channel_has_the_status_that_was_told_last(imported: Imported) -> None:
    """At every instant, it is that of the last answer or log record: observed, if that is fresh.

    An answer also tells when a channel started that runs.
    """
    source, twin = imported
    told = {name: source.told(name) for name in QMGRS}
    starts = {name: source.starts(name) for name in QMGRS}
    for moment in source.moments:
        answer = twin.ask("channels", as_of=moment.at)
        estate, _ = twin.view(as_of=moment.at)
        for row, basis in zip(answer.rows, bases(answer, "status"), strict=True):
            name, channel = channel_key(row)
            by_then = [
                each
                for each in told[name]
                if each.at <= moment.at and each.channel in {"", channel}
            ]
            if not sends((name, channel), name) or not by_then or name not in moment.running:
                continue
            expected, listed = by_then[-1].status, source.last_display(name, moment.at)
            started = [each.at for each in starts[name] if each.channel == channel]
            if any(by_then[-1].at < at <= moment.at for at in started):
                assert row["status"] == "RUNNING", (name, channel)
            elif not expected and (listed is None or listed.at < by_then[-1].at):
                assert basis is not Basis.OBSERVED, (name, channel)
            elif expected:
                age = moment.at - by_then[-1].at
                is_fresh = age <= fresh(estate, estate.qmgrs[name])
                shown = Basis.OBSERVED if is_fresh else Basis.ASSUMED
                assert (row["status"], basis) == (expected, shown), (name, channel)


def test_configuration_events_tell_all_definitions(imported: Imported) -> None:
    """Once a queue manager is known, its definitions are those of the source at every instant."""
    source, twin = imported
    for moment in source.moments:
        estate, point = twin.view(as_of=moment.at)
        for name in sorted(estate.qmgrs.keys() & WITH_EVENTS & moment.running):
            if any(name in source.with_dump(at) for at in COLLECTED if at <= moment.at):
                assert defined(estate, point, name) == moment.defined[name]


def test_lifetimes_follow_from_the_dates_of_receipt(imported: Imported) -> None:
    """A record was published when its owner has it since, or whole periods of 27 days later.

    So it is where owner and holder answered, if the owner did not send it at other times, and the
    holder got it. The dates are assumed, as nothing shows a renewal, or follow from ALTDATE. Where
    a renewal was not seen to be possible, the later date is the other reading.
    """
    source, twin = imported
    for moment in collected(source):
        answer = twin.ask("lifetimes", as_of=moment.at)
        found = {
            record_key(row): {
                int(str(row[each])) // SECOND
                for each in ("published", "or_published")
                if row[each] is not None
            }
            for row in answer.rows
        }
        assert set(bases(answer, "expires")) <= {Basis.ASSUMED, Basis.DERIVED}
        complete = source.with_dump(moment.at) & source.with_display(moment.at)
        for key, published in regularly_published(moment):
            if {key[0], key[4]} <= complete:
                assert published // SECOND in found[key], key


def regularly_published(moment: Moment) -> Iterator[tuple[RecordKey, Instant]]:
    """Yield the records that are held as their owners sent them last, every 27 days."""
    for key, row in moment.lifetimes.items():
        at_owner = (key[4], *key[1:])
        since = moment.since.get(at_owner)
        published = int(str(row["published"]))
        if since is not None and moment.lifetimes[at_owner]["published"] == published:
            period = (moment.at - since) // RESEND_AFTER * RESEND_AFTER
            if published == since + period:
                yield key, published
