"""Scrapes of mq_prometheus, and answers of Prometheus to range queries: facts of each instant.

A value without an instant is of the instant of its file. Of several instances of a channel that
sends, the worst status counts. `channel_status_squash` does not tell INACTIVE from STOPPED, so it
is ignored. Channels of clients, metrics that say no state, and what a twin computed and nobody
measured (`source="twin"`) are passed over, once each. A value that cannot be is left out, and each
one is reported. A series that is missing says nothing:
exporters filter.

The exporter asks each queue manager about its own membership, so `cluster_suspend` is a fact. It
reports the status 0 if it cannot connect to the queue manager, which is taken to have ended.

The values of a whole file are held until its end, because instances of a channel have series of
their own.

Source: see `twin.feeds.prometheus.scrapes`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from math import isfinite
from typing import Final, TypeAlias

from twin.feeds.converting.measured_states import MeasuredStates, SeenChannel, is_status
from twin.feeds.observed import Converted, FeedSource, NotRecorded, PassedOver
from twin.feeds.prometheus.ranges import read_ranges
from twin.feeds.prometheus.scrapes import Sample, read_scrape
from twin.feeds.reading.not_understood import NotUnderstood
from twin.model.instants import SECOND, Instant, is_instant
from twin.model.names import CHANNEL_NAME_LENGTH, legal_name

NO_INSTANT: Final = "has no instant, and the file has none"
NO_QMGR: Final = "has no label with the name of a queue manager"
NO_NAME: Final = "has no label with a name that MQ allows"
NO_WORD: Final = "has a value that is no status"
NO_COUNT: Final = "has a value that is no count"

_GREATEST: Final = 1 << 53
_CLIENTS: Final = frozenset({"SVRCONN", "CLNTCONN", "AMQP", "MQTT"})


def converted(
    read: Callable[[Iterable[str]], Iterator[Sample | NotUnderstood]],
    lines: Iterable[str],
    source: FeedSource,
) -> Iterator[Converted]:
    """Yield the facts by instant and queue manager, after what gives none.

    Args:
        read: the reader of the form.
        lines: the lines.
        source: what is known of the file; `at` is the instant of values without one.
    """
    measured: dict[tuple[Instant, str], MeasuredStates] = {}
    passed_over: set[str] = set()
    for each in read(lines):
        if isinstance(each, NotUnderstood):
            yield NotRecorded(*each)
            continue
        why = _take(measured, each, source)
        if why:
            yield NotRecorded(each.line, each.metric, why)
        elif why is not None and each.metric not in passed_over:
            passed_over.add(each.metric)
            yield PassedOver(each.line, each.metric, "")
    for (at, qmgr), states in sorted(measured.items(), key=lambda item: item[0]):
        yield from states.facts(qmgr, at, source.file, feed="prometheus")


def _take(
    measured: dict[tuple[Instant, str], MeasuredStates], sample: Sample, source: FeedSource
) -> str | None:
    """Add a value to what was measured; return why not, '' if it says no state."""
    take = _METRICS.get(sample.metric)
    if take is None or sample.labels.get("source") == "twin" or sample.channel_type in _CLIENTS:
        return ""
    at = source.at if sample.at is None else sample.at
    if at is None:
        return NO_INSTANT
    qmgr = sample.labels.get("qmgr", "").strip() or source.qmgr
    if not qmgr or not legal_name(qmgr):
        return NO_QMGR
    if (at, qmgr) not in measured:
        measured[at, qmgr] = MeasuredStates(sample.line)
    return take(measured[at, qmgr], sample, at)


def _channel(states: MeasuredStates, sample: Sample, at: Instant) -> str | None:
    del at
    name = sample.labels.get("channel", "").strip()
    if not name or not legal_name(name, limit=CHANNEL_NAME_LENGTH):
        return NO_NAME
    if not is_status(sample.word):
        return NO_WORD
    partner = sample.labels.get("connname", "").strip(" -")
    states.add_channel(name, sample.channel_type, SeenChannel(sample.word, partner, sample.line))
    return None


def _status(states: MeasuredStates, sample: Sample, at: Instant) -> str | None:
    del at
    if not sample.word:
        return NO_WORD
    states.status = sample.word
    return None


def _uptime(states: MeasuredStates, sample: Sample, at: Instant) -> str | None:
    number = _number(sample)
    if number is None or not is_instant(at - number * SECOND):
        return NO_COUNT
    states.started = at - number * SECOND
    return None


def _depth(states: MeasuredStates, sample: Sample, at: Instant) -> str | None:
    del at
    queue, number = sample.labels.get("queue", "").strip(), _number(sample)
    if not queue or not legal_name(queue):
        return NO_NAME
    if number is None:
        return NO_COUNT
    if sample.metric == "queue_depth":
        states.add_depth(queue, depth=number)
    else:
        states.add_depth(queue, oldest=number)
    return None


def _suspend(states: MeasuredStates, sample: Sample, at: Instant) -> str | None:
    del at
    cluster = sample.labels.get("cluster", "").strip()
    if not cluster or not legal_name(cluster):
        return NO_NAME
    if not sample.word:
        return NO_WORD
    states.suspended[cluster] = sample.word == "YES"
    return None


def _number(sample: Sample) -> int | None:
    """Return a value as a count; None if it is not a count."""
    value = sample.value
    return int(value) if isfinite(value) and 0 <= value < _GREATEST else None


_Taking: TypeAlias = Callable[[MeasuredStates, Sample, Instant], str | None]
_METRICS: Final[Mapping[str, _Taking]] = {
    "channel_status": _channel,
    "qmgr_status": _status,
    "qmgr_uptime": _uptime,
    "queue_depth": _depth,
    "queue_oldest_message_age": _depth,
    "cluster_suspend": _suspend,
}
"""The metric without its prefix -> the function that takes its values."""

scrape_facts = partial(converted, read_scrape)
range_facts = partial(converted, read_ranges)
