"""The error logs that the queue managers of a simulated estate would have written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, TypeAlias

from tests.feeds.errorlog.error_logs import Said, console_line, json_line, text
from tests.sandbox import Sandbox
from twin import events
from twin.feeds.converting.error_logs import CONNECT_TIME
from twin.model.instants import MINUTE, SECOND, Instant
from twin.questions.answer import FoldedFact
from twin.questions.errorlog import READS, errorlog

FORMS: Final[Mapping[str, Callable[[Said], str]]] = {
    "AMQERR01.LOG": text,
    "AMQERR01.json": json_line,
    "console.log": console_line,
}
"""The name of a file -> the function that writes a record in its form."""

Inserts: TypeAlias = tuple[str, str, str]
_MILLISECOND: Final = SECOND // 1000

_CHANNEL: Final = frozenset({"AMQ9002", "AMQ9528", "AMQ9545"})
_ENDED: Final = frozenset({"AMQ9001", "AMQ9999"})
_OVERDUE: Final = frozenset({"AMQ9456", "AMQ9469"})


def error_logs(box: Sandbox) -> dict[str, list[Said]]:
    """Return all records of each queue manager, in the order of time."""
    facts = [
        FoldedFact(at, position, event) for position, (at, event) in enumerate(box.draft.events, 1)
    ]
    read = [fact for fact in facts if type(fact.event) in READS]
    answer = errorlog(box.estate, box.as_of, facts=read)
    clusters = {
        fact.position: fact.event.cluster
        for fact in read
        if isinstance(fact.event, events.RepositoryRefreshed)
    }
    written = [
        (int(str(row["at"])), _record(row, clusters.get(evidence[0], "")))
        for row, evidence in zip(answer.rows, answer.evidence, strict=True)
    ]
    written += [(fact.at, _run(fact)) for fact in facts if isinstance(fact.event, _RUNS)]
    found: dict[str, list[Said]] = defaultdict(list)
    for _, record in sorted(written, key=lambda each: each[0]):
        found[record.qmgr].append(record)
    return found


_RUNS: Final = (events.QueueManagerStarted, events.QueueManagerEnded)


def _run(fact: FoldedFact) -> Said:
    """Return the record that a queue manager started or ended."""
    started, qmgr = isinstance(fact.event, events.QueueManagerStarted), fact.event.qmgr
    id_, what = ("AMQ8003I", "started") if started else ("AMQ8004I", "ended")
    return Said(
        moment=_moment(fact.at),
        id=id_,
        message=f"IBM MQ queue manager '{qmgr}' {what}.",
        explanation="It is so.",
        comments=("9.4.0.0", "", qmgr) if started else ("", "", qmgr),
        qmgr=qmgr,
    )


def _record(row: Mapping[str, Any], cluster: str) -> Said:
    shown, _, message = str(row["text"]).partition(": ")
    comments, arith = _inserts(str(row["id"]), row["inserts"], cluster)
    return Said(
        moment=_moment(int(row["at"])),
        id=shown,
        message=message,
        explanation="It is so.",
        comments=comments,
        arith=arith,
        qmgr=str(row["on"]),
        process=f"{1 + sum(map(ord, ''.join(comments)))}.1",
    )


def _inserts(id_: str, said: Sequence[str], cluster: str) -> tuple[Inserts, tuple[str, str]]:
    """Return the inserts of a record at the places where real logs have them."""
    if id_ in _CHANNEL:
        return (said[0], "", ""), ("", "")
    if id_ in _ENDED:
        return (said[0], "4711", ""), ("", "")
    if id_ == "AMQ9202":
        return (said[0], "TCP/IP", said[1]), ("79", "")
    if id_ == "AMQ9442":
        return (cluster, "", ""), (said[0], said[1])
    if id_ in _OVERDUE:
        return (said[0], said[1], said[2]), (said[3], said[4])
    one, two, three = (*map(str, said), "", "", "")[:3]
    return (one, two, three), ("", "")


def _moment(at: Instant) -> datetime:
    return datetime.fromtimestamp(at // _MILLISECOND / 1000, UTC)


def written(records: Iterable[Said], file: str) -> str:
    """Write records in the form that the name of a file has."""
    return "".join(map(FORMS[file], records))


class Word(NamedTuple):
    """The status of a channel, or '' for a queue manager that started, as a log tells it."""

    at: Instant
    channel: str
    status: str


_WORDS: Final[Mapping[str, str]] = {
    "AMQ9001": "INACTIVE",
    "AMQ9002": "RUNNING",
    "AMQ9202": "RETRYING",
    "AMQ9528": "STOPPED",
    "AMQ9545": "INACTIVE",
    "AMQ9999": "RETRYING",
}
_RESTARTS: Final = frozenset({"AMQ8003", "AMQ8004"})


def words(records: Sequence[Said]) -> Iterator[Word]:
    """Yield what a log tells of the statuses of channels, in the order of time.

    A start tells that a channel runs unless something denies it before the connect time is over. A
    channel that was stopped also ends; that is no word of its own.
    """
    stopped: dict[str, Instant] = {}
    for number, record in enumerate(records):
        id_, channel = record.id[:7], record.comments[2 if record.id[:7] == "AMQ9202" else 0]
        if id_ == "AMQ8003":
            yield Word(record.at, "", "")
        if id_ not in _WORDS:
            continue
        closed = record.at - stopped.get(channel, -MINUTE - 1) <= MINUTE
        if id_ == "AMQ9002" and not _ran(channel, record.at, records[number + 1 :]):
            continue
        if id_ == "AMQ9528":
            stopped[channel] = record.at
        elif id_ != "AMQ9001":
            stopped.pop(channel, None)
        if not (id_ == "AMQ9001" and closed):
            yield Word(record.at, channel, _WORDS[id_])


def _ran(channel: str, start: Instant, later: Iterable[Said]) -> bool:
    """Return whether the records after a start tell that the channel ran."""
    for record in later:
        id_ = record.id[:7]
        if record.at > start + CONNECT_TIME:
            return True
        if id_ in _RESTARTS:
            return False
        if id_ in _WORDS and channel in record.comments:
            return id_ in {"AMQ9001", "AMQ9545"}
    return False
