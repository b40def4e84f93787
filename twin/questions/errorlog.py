"""The messages about clusters that queue managers would have written to their error logs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from twin import events
from twin.errors import SubjectError
from twin.fold.estate import Estate, NoSuchQueueManager
from twin.model.asof import AsOf
from twin.model.instants import MINUTE, SECOND, Instant
from twin.model.messages import (
    CATALOGUE,
    CLOSED,
    ENDED_ABNORMALLY,
    HOST_NOT_AVAILABLE,
    NOT_AVAILABLE,
    NOT_PUT,
    RESET,
    TIMED_OUT,
    Message,
)
from twin.model.names import without_ports
from twin.model.periods import RESTART_AFTER
from twin.model.platforms import ZOS
from twin.questions.answer import Answer, Row
from twin.questions.channel_log import CHANNEL_RUNS, ChannelRuns, LogLine
from twin.questions.channel_log import READS as RUNS_READ
from twin.questions.facts import Facts, bearer
from twin.questions.remote_hosts import READS as HOSTS_READ
from twin.questions.remote_hosts import RemoteHosts
from twin.rules.channels.exclusive_queues import CANNOT_OPEN

_ABOUT_HOSTS: Final = frozenset({HOST_NOT_AVAILABLE, CLOSED, RESET, TIMED_OUT})
"""Messages of channels that name the remote host."""

ABOUT_CHANNELS: Final = (
    CHANNEL_RUNS
    | _ABOUT_HOSTS
    | {
        *(NOT_AVAILABLE, NOT_PUT, ENDED_ABNORMALLY),
        *("AMQ9519", "AMQ9520", "AMQ9524"),
    }
)
"""Messages about channels that start and end, fail, or could not put to the target queue.

There are many, above all while a queue manager is down.
"""

SEVERITIES: Final = "IWEST"
"""The severity letters of messages, least first."""

_SEEN_ON_ZOS: Final = {"406": "E", "456": "I", "469": "E"}
"""Last three digits -> severity of the z/OS form, if IBM's pages show it: REFRESH CLUSTER of the
configuration reference for 406, APAR PH34265 for 456 and 469.
"""

_REMEMBERED_ON_ZOS: Final = dict.fromkeys("405 410 411 441 442 443 444".split(), "I")
"""Severities that are unverified; no test depends on them."""

LETTERS_ON_ZOS: Final[Mapping[str, str]] = MappingProxyType(_REMEMBERED_ON_ZOS | _SEEN_ON_ZOS)
"""Last three digits -> severity letter of the z/OS form; others have that of the AMQ form."""


class NoSuchMessage(
    SubjectError,
    LookupError,
    message="unknown message id {!r}; expected one such as AMQ9469, 9469 or CSQX469",
):
    """A message id that is not known."""


def errorlog(
    estate: Estate,
    as_of: AsOf,
    *,
    facts: Facts,
    before: Estate | None = None,
    since: Instant | None = None,
    on: str | None = None,
    id: str | None = None,  # noqa: A002 - MQ's word
    severity: str | None = None,
) -> Answer:
    """List what queue managers would have written to their error logs, in the order of time.

    Ids are AMQ9nnn. The text has the severity letter too, from 9.1 on. On z/OS the id is CSQX4nn
    with its letter and the same last three digits (domain facts, from APAR PH34265). The filter
    `id` takes either form, with or without the letter; `severity` is the least severity. A channel
    that failed, or could not start, is one row for the reason and one row for its end. Failed
    retries are not listed, because there are too many; only the first one that the partner refuses
    is (AMQ9558). `before` is the estate before the facts, if they do not begin with the log;
    `since` is when they begin.

    Raises:
        NoSuchQueueManager: when no queue manager ever had the name `on`.
        NoSuchMessage: when no message has this `id`.
    """
    if on is not None and on not in estate.names.values() and on not in estate.undefined:
        raise NoSuchQueueManager(on)
    wanted = None if id is None else _digits(id)
    if id is not None and wanted not in set(map(_digits, CATALOGUE)):
        raise NoSuchMessage(id)
    least = SEVERITIES.index(severity or SEVERITIES[0])
    runs, hosts = ChannelRuns(before, since), RemoteHosts(estate, before)
    lines = [
        line
        for line in (*_lines(hosts, runs, facts), *runs.disconnected(estate, as_of.valid))
        if on in (None, line.qmgr)
        and wanted in (None, _digits(line.message.id))
        and SEVERITIES.index(line.message.template.letter) >= least
    ]
    lines.sort(key=attrgetter("at"))
    rows = ((_row(estate, line), (line.position,)) for line in lines)
    return Answer.of("errorlog", as_of, rows)


def _lines(hosts: RemoteHosts, runs: ChannelRuns, facts: Facts) -> Iterator[LogLine]:
    for at, position, event in facts:
        yield from runs.lines_after(at, position, event)
        for message in messages_of(hosts, at, event):
            yield LogLine(at, position, event.qmgr, message)


def messages_of(hosts: RemoteHosts, at: Instant, event: events.Event) -> Iterator[Message]:
    """Yield what an event makes its queue manager write, but not that a channel runs or ended.

    Events come in fold order, as they say where channels led.
    """
    hosts.note(event)
    for message in _MESSAGES.get(type(event), _nothing)(event):
        if message.id in _ABOUT_HOSTS and isinstance(event, events.ChannelStatusChanged):
            yield Message(message.id, _host_in(message.id, hosts.host(at, event)), event.channel)
        else:
            yield message


def _host_in(id_: str, conname: str) -> str:
    """Return the host as a message names it: AMQ9209 has no port.

    Source: IBM technote 21110505 and public error logs, where AMQ9209 has 'host (address)', and
    the AMQ9208 of a sending end 'host (address)(port)'. Twin does not know the address, and leaves
    it out. Of a CONNAME with several hosts, all are named, as twin does not know which one it was.
    """
    return without_ports(conname) if id_ == CLOSED else conname


def _digits(id_: str) -> str:
    """Return the number that all forms of a message share: AMQ9469W and CSQX469E are 9469."""
    text = id_.upper().rstrip("IWEST")
    return f"9{text.removeprefix('CSQX')}" if text.startswith("CSQX") else text.removeprefix("AMQ")


def _row(estate: Estate, line: LogLine) -> Row:
    id_, text = shown(estate, line.qmgr, line.message, line.at)
    return {
        "on": line.qmgr,
        "id": id_,
        "at": line.at,
        "inserts": line.message.inserts,
        "text": text,
    }


def shown(estate: Estate, on: str, message: Message, at: Instant) -> tuple[str, str]:
    """Return the id and the line of a message as a queue manager writes them at an instant."""
    qmgr = bearer(estate, on, at)
    if qmgr is None:
        return message.id, message.render()
    if qmgr.platform == ZOS and message.id.startswith("AMQ94"):
        digits = message.id[-3:]
        id_ = f"CSQX{digits}{LETTERS_ON_ZOS.get(digits, message.template.letter)}"
        return id_, f"{id_}: {message.text}"
    return message.id, message.render(qmgr.cmdlevel)


_Reader: TypeAlias = Callable[[Any], Iterable[Message]]


def _nothing(_event: events.Event) -> Iterable[Message]:
    return ()


def _removed(event: events.MemberForceRemoved) -> Iterable[Message]:
    """Return the message that RESET CLUSTER was processed, at the queue manager that ran it."""
    if event.source != event.qmgr:
        return
    if event.queues:
        yield Message("AMQ9405", event.member, event.cluster)
    yield Message("AMQ9441", event.cluster, event.member)


def _receiving_end_ended(event: events.ReceivingEndEnded) -> Iterable[Message]:
    """Return the messages of a receiving end that heard nothing; none if it was stopped."""
    if event.reason:
        yield Message(event.reason, event.partner)
        yield Message(ENDED_ABNORMALLY, event.channel)


def _channel_ended(event: events.ChannelStatusChanged) -> Iterable[Message]:
    """Return the messages that a channel failed or could not start, and that it ended."""
    if not event.reason:
        return
    if event.reason != CANNOT_OPEN:  # that is logged with its inserts
        yield Message(event.reason, event.channel)
    yield Message(ENDED_ABNORMALLY, event.channel)


def _repository_manager_failed(event: events.RepositoryManagerFailed) -> Iterable[Message]:
    """Return the messages that an operation failed, and when it is run again."""
    yield Message("AMQ9511", event.queue, event.reason) if event.queue else Message("TWN0011")
    if event.after is None or event.left is None:
        yield Message("CSQX448", RESTART_AFTER // SECOND)
    else:
        yield Message("AMQ9448", event.after // MINUTE, event.left // MINUTE)


_MESSAGES: Final[Mapping[type[events.Event], _Reader]] = MappingProxyType(
    {
        **dict.fromkeys(RUNS_READ | HOSTS_READ, _nothing),
        events.QueueManagerStarted: lambda _: (Message("AMQ9410"),),
        events.QueueManagerEnded: lambda event: (
            Message("AMQ9409" if event.failed else "AMQ9411"),
        ),
        events.RepositoryManagerFailed: _repository_manager_failed,
        events.RepositoryManagerRestarted: lambda _: (Message("AMQ9449"),),
        events.ClusterCommandsPut: lambda event: (
            (Message(NOT_PUT, event.channel),) if event.reason else ()
        ),
        events.RepositoryRefreshed: lambda event: (
            Message("AMQ9442", event.refreshed, event.republished),
        ),
        events.QueueManagerSuspended: lambda event: (Message("AMQ9443", event.cluster),),
        events.QueueManagerResumed: lambda event: (Message("AMQ9444", event.cluster),),
        events.MemberForceRemoved: _removed,
        events.RenewalOverdue: lambda event: (
            Message(event.id, name, event.owner, event.cluster, event.days, event.left)
            for _, name in event.names
        ),
        events.ErrorLogged: lambda event: (Message(event.id, *event.inserts),),
        events.ChannelStatusChanged: _channel_ended,
        events.ReceivingEndEnded: _receiving_end_ended,
        # A reason says why the messages were put on the dead-letter queue.
        events.MessagesArrived: lambda event: (
            (Message(NOT_PUT, event.channel),) if event.reason else ()
        ),
    }
)
"""The function that writes the messages of each event: repository and channel messages."""

READS: Final = frozenset(_MESSAGES)
"""The events that make queue managers write to their error logs, or say what they write."""
