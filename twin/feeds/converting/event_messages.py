"""Messages of amqsevt, in JSON and in text: facts at the second at which they were put.

A configuration event says a whole object. A channel event says a status of one instance. A command
event says what was asked for, which may have failed. Statistics and accounting give one fact for
each of their parts. All other messages are evidence.

The dates in statistics are local ones. An interval ends when its message was put, and is as long as
the two dates say. The JSON form has whole seconds, so the fractions of the text form do not count.

Sources: see `twin.feeds.amqsevt.meaning`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import timedelta
from functools import partial
from hashlib import blake2b
from typing import Any, Final, TypeAlias, cast

from twin import events
from twin.events import Event, Origin, StatedObject
from twin.feeds.amqsevt.events import BEFORE, IntervalCounters, MqEvent, text_in
from twin.feeds.amqsevt.meaning import (
    ChannelSaid,
    CommandSaid,
    DefinitionSaid,
    DepthSaid,
    LifecycleSaid,
    Said,
    said,
)
from twin.feeds.amqsevt.objects import ObjectSaid
from twin.feeds.amqsevt.outputs import read_event_json, read_event_text
from twin.feeds.converting.identities import Identities, Instants, Runs, digest_of
from twin.feeds.observed import Converted, DatedFact, FeedSource, NotRecorded, PassedOver
from twin.feeds.reading.not_understood import DIGEST_SIZE, NotUnderstood
from twin.model.attributes import TYPES, Value, conflict, sparse
from twin.model.instants import SECOND, Instant
from twin.model.names import CHANNEL_NAME_LENGTH, legal_name

NO_QMGR: Final = "names no queue manager"
NO_OBJECT: Final = "is about an object of an unknown kind, or without a name"

_LONGEST: Final = 256
_NAMES: Final = (
    *("queueName", "xmitQueueName", "baseObjectName", "topicName", "reasonQualifier"),
    *("connectionName", "applName", "errorId"),
)
"""The members of a message whose values are kept with evidence."""

_UNSAID: Final = frozenset({"alterationDate", "alterationTime", "creationDate", "creationTime"})
"""The members of an object that are no attributes."""


def converted(
    read: Callable[[Iterable[str]], Iterator[MqEvent | NotUnderstood]],
    lines: Iterable[str],
    source: FeedSource,
) -> Iterator[Converted]:
    """Yield the facts in messages, in their order, and why others give none.

    Args:
        read: the reader of the form.
        lines: the lines.
        source: what is known of the file.
    """
    reading = _Reading(source)
    for each in read(lines):
        if isinstance(each, NotUnderstood):
            yield NotRecorded(*each)
        else:
            yield from reading.take(each)


class _Reading:
    """The reading of one file."""

    def __init__(self, source: FeedSource) -> None:
        self._source = source
        self._identities = Identities()
        self._instants = Instants()
        self._runs = Runs()

    def take(self, message: MqEvent) -> Iterator[Converted]:
        """Yield what a message says."""
        qmgr, line = message.qmgr or self._source.qmgr, message.line
        at = message.at - message.at % SECOND
        text = _text_of(message)
        if not _is_storable(text):
            yield NotRecorded(line, f"reason {message.reason}", "contains a half of a character")
            return
        run = self._runs.of(qmgr, at)
        identity = self._identities.of(qmgr, _digest(message, at, text), run=run)
        if not qmgr or not legal_name(qmgr):
            yield NotRecorded(line, f"reason {message.reason}", NO_QMGR)
            return
        found = said(message)
        if message.state == BEFORE:
            name = next((each.object.name for each in found if type(each) is DefinitionSaid), "")
            yield PassedOver(line, "before change", name)
            return
        at = self._instants.of(qmgr, at, run=run)
        place = _Place(qmgr, at, self._origin(line), message)
        for number, each in enumerate(found, start=1):
            if isinstance(each, DefinitionSaid):
                yield from _not_said(line, each.object)
            event = _WRITERS[type(each)](place, each)
            if event is not None:
                part = identity if number == 1 else f"{identity}/part {number}"
                kept = "" if isinstance(each, IntervalCounters) else text
                yield DatedFact(at, event, part, kept)
        if not found:
            yield DatedFact(at, _evidence(place), identity, text)

    def _origin(self, line: int) -> Origin | None:
        file = self._source.file
        return None if file is None else Origin(file=file, line=line)


class _Place:
    """Where and when something was said, and the message that says it."""

    __slots__ = ("at", "channel", "message", "origin", "qmgr")

    def __init__(self, qmgr: str, at: Instant, origin: Origin | None, message: MqEvent) -> None:
        self.qmgr = qmgr
        self.at = at
        self.origin = origin
        self.message = message
        name = text_in(message.data, "channelName")
        self.channel = name if legal_name(name, limit=CHANNEL_NAME_LENGTH) else ""


def _text_of(message: MqEvent) -> str:
    """Return a message on one line, the same for both forms; its secrets are masked."""
    shown = {"type": message.type, "reason": message.reason, "state": message.state}
    return json.dumps({**shown, "data": message.data}, sort_keys=True, ensure_ascii=False)


def _is_storable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _digest(message: MqEvent, at: Instant, text: str) -> str:
    whole = f"{at}\0{text}".encode("utf-8", "replace")
    return blake2b(whole, digest_size=DIGEST_SIZE).hexdigest()


def _evidence(place: _Place) -> Event:
    data = place.message.data
    values = (text_in(data, name)[:_LONGEST] for name in _NAMES)
    return events.EvidenceObserved(
        qmgr=place.qmgr,
        id=str(place.message.reason),
        channel=place.channel,
        inserts=tuple(value for value in values if value),
        digest=digest_of(_text_of(place.message)),
        origin=place.origin,
    )


def _channel(place: _Place, each: ChannelSaid) -> Event:
    if not each.status or not place.channel:
        return _evidence(place)
    return events.ChannelObserved(
        qmgr=place.qmgr,
        channel=place.channel,
        status=each.status,
        instance=each.conname[:_LONGEST],
        origin=place.origin,
    )


def _definition(place: _Place, each: DefinitionSaid) -> Event | None:
    stated = _stated(each)
    if stated is None:
        return None
    kind, one = stated
    return events.ObjectsObserved(
        qmgr=place.qmgr,
        kind=kind,
        said=(one,),
        lines=(place.message.line,),
        origin=place.origin,
    )


def _stated(each: DefinitionSaid) -> tuple[str, StatedObject] | None:
    """Return the kind of an object and what is said of it; None if it is not known."""
    kind, type_name, name, values, _ = each.object
    if not kind or not name:
        return None
    if type_name == "QMGR":
        known = TYPES["QMGR"].by_keyword
        own = {key: value for key, value in values.items() if known[key].settable}
        return "QMGR", StatedObject(act="alter", name="", type="QMGR", values=own)
    if each.act == "delete":
        return kind, StatedObject(act="delete", name=name, type=type_name)
    given: Mapping[str, Value] = sparse(type_name, values)
    if conflict(type_name, given) is not None:
        return None
    return kind, StatedObject(name=name, type=type_name, values=dict(given))


def _not_said(line: int, each: ObjectSaid) -> Iterator[NotRecorded]:
    """Yield what of an object is not understood."""
    if not each.kind or not each.name:
        yield NotRecorded(line, each.name, NO_OBJECT)
        return
    if problem := conflict(each.type, sparse(each.type, each.values)):
        yield NotRecorded(line, each.name, problem.text)
    for member in sorted(set(each.unread) - _UNSAID):
        yield NotRecorded(line, member, f"is unknown in a {each.type}, or has an unknown value")


def _command(place: _Place, each: CommandSaid) -> Event:
    if not each.asked:
        return _evidence(place)
    return events.ClusterCommandObserved(
        qmgr=place.qmgr,
        command=cast("Any", each.asked),
        cluster=each.cluster,
        namelist=each.namelist,
        user=each.user,
        origin=place.origin,
    )


def _lifecycle(place: _Place, each: LifecycleSaid) -> Event:
    status = "RUNNING" if each.running else "ENDED"
    return events.QueueManagerStatusObserved(qmgr=place.qmgr, status=status, origin=place.origin)


def _depth(place: _Place, each: DepthSaid) -> Event:
    if not each.queue or not 0 <= each.highest < _MOST_MESSAGES:
        return _evidence(place)
    depth = events.QueueDepth(queue=each.queue, highest=each.highest)
    return events.DepthsObserved(qmgr=place.qmgr, depths=(depth,), origin=place.origin)


_MOST_MESSAGES: Final = 1_000_000_000
"""More than the greatest MAXDEPTH."""


def _counted(place: _Place, each: IntervalCounters) -> Event:
    begin = None
    if each.begin is not None and each.end is not None and each.begin <= each.end:
        length = (each.end - each.begin) // timedelta(microseconds=1)
        begin = place.at - length
    counters: dict[str, int] = {}
    for name, number in each.counters.items():
        if isinstance(number, int):
            counters[name] = number
        else:
            counters |= {f"{name}.{part}": value for part, value in enumerate(number, start=1)}
    return events.IntervalCounted(
        qmgr=place.qmgr,
        kind=each.kind,
        name=each.name,
        begin=begin,
        labels={key: text for key, text in each.labels.items() if text},
        counters={name: value for name, value in counters.items() if abs(value) < _GREATEST},
        origin=place.origin,
    )


_GREATEST: Final = 1 << 63
_Writer: TypeAlias = Callable[[_Place, Any], Event | None]
_WRITERS: Final[Mapping[type[Said], _Writer]] = {
    ChannelSaid: _channel,
    DefinitionSaid: _definition,
    CommandSaid: _command,
    LifecycleSaid: _lifecycle,
    DepthSaid: _depth,
    IntervalCounters: _counted,
}
"""What a message says -> the function that makes the event."""

json_facts = partial(converted, read_event_json)
text_facts = partial(converted, read_event_text)
