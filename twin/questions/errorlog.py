"""The messages about clusters that queue managers would have written to their error logs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from twin import events
from twin.errors import SubjectError
from twin.fold.estate import Estate, NoSuchQueueManager, QueueManager
from twin.model.asof import AsOf
from twin.model.messages import CATALOGUE, Message
from twin.model.platforms import ZOS
from twin.questions.answer import Answer, Row
from twin.questions.facts import Facts, FoldedFact, bearer

"""The PLATFORM whose messages have their own numbers."""

_HOST_NOT_AVAILABLE: Final = "AMQ9202"
_NOT_PUT: Final = "AMQ9544"
_ENDED_ABNORMALLY: Final = "AMQ9999"

CHANNEL_ENDED: Final = frozenset({_HOST_NOT_AVAILABLE, _NOT_PUT, _ENDED_ABNORMALLY})
"""What is written about channels that failed or could not start, or put nothing where it was for.

These are many where a queue manager is away.
"""

_SEEN_ON_ZOS: Final = {"406": "E", "456": "I", "469": "E"}
"""Last three digits -> severity of the z/OS form, where IBM's pages show it: REFRESH CLUSTER of the
configuration reference for 406, APAR PH34265 for 456 and 469."""

_REMEMBERED_ON_ZOS: Final = dict.fromkeys("405 410 411 441 442 443 444".split(), "I")
"""Severities that are unverified; no test depends on them."""

LETTERS_ON_ZOS: Final[Mapping[str, str]] = MappingProxyType(_REMEMBERED_ON_ZOS | _SEEN_ON_ZOS)
"""Last three digits -> severity letter of the z/OS form; others have that of the AMQ form."""


class NoSuchMessage(
    SubjectError,
    LookupError,
    message="no message has the id {!r}: write AMQ9469, 9469 or CSQX469",
):
    """A message id that is not known."""


def errorlog(
    estate: Estate,
    as_of: AsOf,
    *,
    facts: Facts,
    on: str | None = None,
    id: str | None = None,  # noqa: A002 - MQ's word
) -> Answer:
    """List what queue managers would have written to their error logs, in the order of time.

    Ids are AMQ9nnn, without the severity letter, which the text has from 9.1 on; on z/OS they are
    CSQX4nn with it, the last three digits the same (domain facts, from APAR PH34265). The filter
    `id` takes either form, with or without letter. A channel that failed, or could not start, is
    one row for why and one for its end; retries that came to nothing are in no log, and in no row.

    Raises:
        NoSuchQueueManager: when none was ever called `on`.
        NoSuchMessage: for an `id` that no message has.
    """
    if on is not None and on not in estate.names.values():
        raise NoSuchQueueManager(on)
    wanted = None if id is None else _digits(id)
    if id is not None and wanted not in set(map(_digits, CATALOGUE)):
        raise NoSuchMessage(id)
    rows: list[Row] = []
    evidence = []
    for fact in facts:
        if on not in (None, fact.event.qmgr):
            continue
        for message in _MESSAGES[type(fact.event)](fact.event):
            if wanted in (None, _digits(message.id)):
                rows.append(_row(estate, fact, _with_host(estate, fact.event, message)))
                evidence.append((fact.position,))
    return Answer.of("errorlog", as_of, rows, evidence)


def _with_host(estate: Estate, event: events.Event, message: Message) -> Message:
    """Let a message about a remote host name it as the channel's CONNAME does, where one is known.

    Its inserts are the host and the channel.
    """
    if message.id != _HOST_NOT_AVAILABLE or not isinstance(event, events.ChannelStatusChanged):
        return message
    host = event.partner or event.channel
    qmgr = estate.qmgrs.get(event.qmgr)
    if qmgr is not None:
        definition = qmgr.definitions.get(("CHANNEL", event.channel))
        told = (
            belief.values
            for name, belief in qmgr.repository.of_kind("qmgr")
            if name[2] == event.channel and belief.owner != qmgr.qmid
        )
        values = definition.values if definition is not None else next(told, {})
        host = str(values.get("CONNAME") or host)
    return Message(message.id, host, event.channel)


def _digits(id_: str) -> str:
    """Return the number that all forms of a message share: AMQ9469W and CSQX469E are 9469."""
    text = id_.upper().rstrip("IWEST")
    return f"9{text.removeprefix('CSQX')}" if text.startswith("CSQX") else text.removeprefix("AMQ")


def _row(estate: Estate, fact: FoldedFact, message: Message) -> Row:
    qmgr = bearer(estate, fact.event.qmgr, fact.at)
    shown, text = _forms(qmgr, message)
    return {
        "on": fact.event.qmgr,
        "id": shown,
        "at": fact.at,
        "inserts": message.inserts,
        "text": text,
    }


def _forms(qmgr: QueueManager | None, message: Message) -> tuple[str, str]:
    """Return the id and the line of a message as this queue manager writes them."""
    if qmgr is None:
        return message.id, message.render()
    if qmgr.platform == ZOS and message.id.startswith("AMQ94"):
        digits = message.id[-3:]
        shown = f"CSQX{digits}{LETTERS_ON_ZOS.get(digits, message.template.letter)}"
        return shown, f"{shown}: {message.text}"
    return message.id, message.render(qmgr.cmdlevel)


_Reader: TypeAlias = Callable[[Any], Iterable[Message]]


def _started(event: events.QueueManagerStarted) -> Iterable[Message]:
    return (Message("AMQ9410"),)


def _ended(event: events.QueueManagerEnded) -> Iterable[Message]:
    return (Message("AMQ9411"),)


def _refreshed(event: events.RepositoryRefreshed) -> Iterable[Message]:
    return (Message("AMQ9442", event.refreshed, event.republished),)


def _suspended(event: events.QueueManagerSuspended) -> Iterable[Message]:
    return (Message("AMQ9443", event.cluster),)


def _resumed(event: events.QueueManagerResumed) -> Iterable[Message]:
    return (Message("AMQ9444", event.cluster),)


def _removed(event: events.MemberForceRemoved) -> Iterable[Message]:
    """Write that RESET CLUSTER was processed, at the queue manager where it was entered."""
    if event.source != event.qmgr:
        return
    if event.queues:
        yield Message("AMQ9405", event.member, event.cluster)
    yield Message("AMQ9441", event.cluster, event.member)


def _overdue(event: events.RenewalOverdue) -> Iterable[Message]:
    for _, name in event.names:
        yield Message(event.id, name, event.owner, event.cluster, event.days, event.left)


def _logged(event: events.ErrorLogged) -> Iterable[Message]:
    return (Message(event.id, *event.inserts),)


def _channel_ended(event: events.ChannelStatusChanged) -> Iterable[Message]:
    """Write why a channel failed or could not start, and that it ended."""
    if not event.reason:
        return
    yield Message(event.reason, event.channel)
    yield Message(_ENDED_ABNORMALLY, event.channel)


def _dead_lettered(event: events.MessagesArrived) -> Iterable[Message]:
    """Write that messages were put on the dead-letter queue."""
    if event.reason:
        yield Message(_NOT_PUT, event.channel)


_MESSAGES: Final[Mapping[type[events.Event], _Reader]] = MappingProxyType(
    {
        events.QueueManagerStarted: _started,
        events.QueueManagerEnded: _ended,
        events.RepositoryRefreshed: _refreshed,
        events.QueueManagerSuspended: _suspended,
        events.QueueManagerResumed: _resumed,
        events.MemberForceRemoved: _removed,
        events.RenewalOverdue: _overdue,
        events.ErrorLogged: _logged,
        events.ChannelStatusChanged: _channel_ended,
        events.MessagesArrived: _dead_lettered,
    }
)
"""What each event makes a queue manager write: repository and channel messages."""

READS: Final = frozenset(_MESSAGES)
"""The events that make queue managers write to their error logs."""
