"""What is collected from a large estate, some of it late and some never, and what was so then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final, NamedTuple, TypeAlias

from tests.feeds.errorlog.error_logs import Said
from tests.round_trip.error_log_files import FORMS, Word, error_logs, words, written
from tests.round_trip.event_files import Message, channel_changes, messages_of
from tests.round_trip.histories import Change, measured, range_answer
from tests.round_trip.large_estates import BEGIN, FULL, QMGRS, LargeEstate, lived
from tests.round_trip.test_dumps_and_captures import Displayed, defined, displayed
from tests.round_trip.written import dump_text, scrape_text, session_text, web_text
from twin.model.instants import DAY, HOUR, SECOND, Instant, format_instant
from twin.questions.answer import Answer, Row
from twin.questions.belief import beliefs, lifetimes, shown_name
from twin.questions.channels import channels

COLLECTED: Final = tuple(BEGIN + days * DAY for days in (10, 40, 70, 100))
"""When the estate is collected."""

FORM_NAMES: Final = tuple(FORMS)

BETWEEN: Final = 6
"""At how many other instants answers are compared."""

MEASURED: Final = frozenset(FULL["CA"])
"""The queue managers of which Prometheus keeps measurements, and nobody collects logs."""

WITH_EVENTS: Final = frozenset(QMGRS[3::4])
"""The queue managers that put event messages; nobody collects their logs."""

WITH_LOGS: Final = frozenset(QMGRS) - MEASURED - WITH_EVENTS
"""The queue managers whose error logs are collected."""

WITH_WEB: Final = frozenset(QMGRS[2::3])
"""The queue managers that mqweb is asked about, not runmqsc."""

SCRAPED: Final = frozenset(QMGRS[1::4])
"""The queue managers of which a scrape is collected, too."""

RecordKey: TypeAlias = tuple[str, str, str, str, str, str]
"""Observer, cluster, kind, name, owner and QMID of a record."""

ChannelKey: TypeAlias = tuple[str, str]
"""Queue manager and channel."""


@dataclass(frozen=True)
class Moment:
    """What the source would have answered at an instant.

    Attributes:
        at: the instant.
        running: the queue managers that ran.
        beliefs: the answer to `ask beliefs`, by record.
        lifetimes: the answer to `ask lifetimes`, by record.
        since: record -> since when the observer held it with these values.
        channels: the answer to `ask channels`.
        suspended: queue manager -> the clusters from which it is suspended.
        shown: queue manager -> its answers to DISPLAY; empty unless the estate is collected then.
        defined: queue manager -> its definitions, if the estate is collected then, or if it puts
            event messages.
    """

    at: Instant
    running: frozenset[str]
    beliefs: Mapping[RecordKey, Row]
    lifetimes: Mapping[RecordKey, Row]
    since: Mapping[RecordKey, Instant]
    channels: Mapping[ChannelKey, Row]
    suspended: Mapping[str, frozenset[str]]
    shown: Mapping[str, Displayed]
    defined: Mapping[str, list[str]]


def record_key(row: Row) -> RecordKey:
    """Return the record that a row is about."""
    observer, cluster, kind, name, owner, qmid = (
        str(row[each]) for each in ("observer", "cluster", "kind", "name", "owner", "qmid")
    )
    return observer, cluster, kind, name, owner, qmid


def channel_key(row: Row) -> ChannelKey:
    """Return the channel that a row is about."""
    return str(row["on"]), str(row["channel"])


def sends(key: ChannelKey, qmgr: str) -> bool:
    """Return whether a channel is one over which a queue manager sends."""
    return key[0] == qmgr and not key[1].endswith(f".{qmgr}")


def _records(answer: Answer) -> dict[RecordKey, Row]:
    return {record_key(row): row for row in answer.rows}


def _moment(large: LargeEstate) -> Moment:
    estate, as_of = large.estate, large.box.as_of
    since = {
        (name, *key[:2], shown_name(key, belief.owner_name), belief.owner_name, belief.owner): (
            belief.since
        )
        for name, qmgr in estate.qmgrs.items()
        for key, owners in qmgr.repository.beliefs.items()
        for belief in owners.values()
    }
    running = frozenset(name for name in QMGRS if large.runs(name))
    asked = sorted(running) if large.now in COLLECTED else ()
    return Moment(
        large.now,
        running,
        _records(beliefs(estate, as_of)),
        _records(lifetimes(estate, as_of)),
        since,
        {channel_key(row): row for row in channels(estate, as_of).rows},
        {name: frozenset(qmgr.suspended) for name, qmgr in estate.qmgrs.items()},
        {name: displayed(estate, as_of, name) for name in asked},
        {name: defined(estate, as_of, name) for name in {*asked, *(running & WITH_EVENTS)}},
    )


class Parts(NamedTuple):
    """What was collected of a queue manager; None for what is missing."""

    dump: str | None
    display: str | None
    late: bool
    scrape: str | None = None


@dataclass
class History:
    """What happened in an estate, and what was collected.

    Attributes:
        moments: what was so at each instant that is compared, in the order of time.
        collections: instant -> queue manager -> what was collected of it then.
        logs: queue manager -> all records of its error log.
        messages: queue manager -> all its event messages, of those that put some.
        changes: queue manager -> the changes of the statuses of its channels.
    """

    moments: list[Moment] = field(default_factory=list)
    collections: dict[Instant, dict[str, Parts]] = field(default_factory=dict)
    logs: dict[str, list[Said]] = field(default_factory=dict)
    messages: dict[str, list[Message]] = field(default_factory=dict)
    changes: dict[str, list[Change]] = field(default_factory=dict)

    def with_display(self, at: Instant) -> set[str]:
        """Return the queue managers whose answers were collected at an instant."""
        found = self.collections.get(at, {})
        return {name for name, parts in found.items() if parts.display is not None}

    def with_dump(self, at: Instant) -> set[str]:
        """Return the queue managers whose definitions were collected at an instant."""
        found = self.collections.get(at, {})
        return {name for name, parts in found.items() if parts.dump is not None}

    def log_of(self, qmgr: str, at: Instant) -> list[Said]:
        """Return the records of the log of a queue manager that are collected at an instant.

        Every second queue manager keeps its whole log, the others that since the last collection.
        """
        if qmgr not in WITH_LOGS:
            return []
        before = max((each for each in COLLECTED if each < at), default=0)
        since = 0 if QMGRS.index(qmgr) % 2 else before - DAY
        return [each for each in self.logs[qmgr] if since < each.at <= at]

    def told(self, qmgr: str) -> list[Word]:
        """Return what was collected of the statuses of channels that send, in the order of time."""
        logged = {word for at in COLLECTED for word in words(self.log_of(qmgr, at))}
        if qmgr in WITH_EVENTS:
            logged |= {Word(each.at, each.channel, each.status) for each in self.changes[qmgr]}
            logged |= {each for each in words(self.logs[qmgr]) if not each.channel}
        if qmgr in MEASURED:
            logged |= {Word(at, name, status) for at, _, name, status in self.measurements(qmgr)}
        shown = {
            Word(moment.at, key[1], str(row["status"]))
            for moment in self.moments
            if qmgr in self.with_display(moment.at) | self.scraped(moment.at)
            for key, row in moment.channels.items()
            if sends(key, qmgr)
        }
        known = min((at for at, of in self.collections.items() if qmgr in of), default=0)
        return sorted(word for word in logged | shown if word.at >= known)

    def starts(self, qmgr: str) -> set[Word]:
        """Return the starts of channels that send, as answers show them later (CHSTADA)."""
        return {
            Word(int(str(row["since"])), key[1], "RUNNING")
            for moment in self.moments
            if qmgr in self.with_display(moment.at)
            for key, row in moment.channels.items()
            if sends(key, qmgr) and row["status"] == "RUNNING"
        }

    def scraped(self, at: Instant) -> set[str]:
        """Return the queue managers of which a scrape was collected at an instant."""
        found = self.collections.get(at, {})
        return {name for name, parts in found.items() if parts.scrape is not None}

    def measurements(self, qmgr: str) -> list[Change]:
        """Return what Prometheus has of the channels of a queue manager: every sixth hour."""
        return measured(self.changes[qmgr], range(BEGIN + HOUR, COLLECTED[-1], 6 * HOUR))

    def last_display(self, qmgr: str, at: Instant) -> Moment | None:
        """Return the last moment by an instant at which a queue manager answered."""
        found = [
            each for each in self.moments if each.at <= at and qmgr in self.with_display(each.at)
        ]
        return found[-1] if found else None


def history(seed: int) -> History:
    """Simulate an estate, and collect it now and then."""
    random, result = Random(seed), History()
    others = [BEGIN + random.randrange(10 * DAY, 100 * DAY, SECOND) for _ in range(BETWEEN)]
    large = None
    for large in lived(seed, sorted([*COLLECTED, *others])):
        result.moments.append(_moment(large))
        if large.now in COLLECTED:
            result.collections[large.now] = dict(_collected(large, random))
    assert large is not None
    result.logs = error_logs(large.box)
    for name in QMGRS:
        result.changes[name] = channel_changes(large.box, name, result.logs[name])
        if name in WITH_EVENTS:
            result.messages[name] = messages_of(large.box, name, result.logs[name])
    return result


def _collected(large: LargeEstate, random: Random) -> Iterator[tuple[str, Parts]]:
    """Yield what is collected of each queue manager that answers; some is late, or missing."""
    estate, as_of = large.estate, large.box.as_of
    for name in QMGRS:
        lacks, late = random.choice(_LACKS), random.random() < _LATE
        if not large.runs(name) or lacks == "all":
            continue
        dump = None if lacks == "dump" else dump_text(estate, as_of, name)
        written_as = web_text if name in WITH_WEB else session_text
        display = None if lacks == "display" else written_as(estate, as_of, name)
        scrape = scrape_text(estate, as_of, name) if name in SCRAPED else None
        yield name, Parts(dump, display, late, scrape)


_LACKS: Final = ("all", "dump", "display", *[""] * 9)
_LATE: Final = 0.15


def deliver(collected: History, folder: Path) -> Iterator[Path]:
    """Write the files; yield each folder to import, in the order of their arrival.

    What is late arrives after the next collection.
    """
    late: list[Path] = []
    for number, (at, of_qmgrs) in enumerate(collected.collections.items()):
        on_time, delayed = folder / f"twin-{number}", folder / f"twin-{number}-late"
        for place in (on_time, delayed):
            _manifest(place, at)
        for position, name in enumerate(QMGRS):
            parts = of_qmgrs.get(name, Parts(None, None, late=False))
            place = (delayed if parts.late else on_time) / name
            place.mkdir()
            for file, text in _files(collected, name, at, parts, FORM_NAMES[position % 3]):
                if text:
                    (place / file).write_text(text, encoding="utf-8")
        yield on_time
        yield from late
        late = [delayed] if any(delayed.glob("*/*")) else []
    yield from late


def _files(
    collected: History, qmgr: str, at: Instant, parts: Parts, log: str
) -> Iterator[tuple[str, str]]:
    """Yield the names of the files of a queue manager in a collection, with their texts."""
    yield "dmpmqcfg.mqsc", parts.dump or ""
    yield "answers.json" if qmgr in WITH_WEB else "display.txt", parts.display or ""
    yield "metrics.prom", parts.scrape or ""
    yield log, written(collected.log_of(qmgr, at), log)
    messages = collected.messages.get(qmgr, ())
    yield "events.json", "".join(each.text for each in messages if each.at <= at)
    if qmgr in MEASURED:
        values = [each for each in collected.measurements(qmgr) if each.at <= at]
        yield "range.json", range_answer(values) if values else ""


def _manifest(folder: Path, at: Instant) -> None:
    folder.mkdir()
    when = format_instant(at)
    lines = ("script: twin collect-script --unix", f"begin: {when}", f"end: {when}", "TZ: UTC", "")
    (folder / "manifest.txt").write_text("\n".join(lines), encoding="utf-8")
