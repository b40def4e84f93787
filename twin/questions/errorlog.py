"""What queue managers would have written to their error logs about clusters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from twin import events
from twin.fold.estate import Estate, NoSuchQueueManager, QueueManager
from twin.model.asof import AsOf
from twin.model.messages import Message
from twin.questions.answer import Answer, Row
from twin.questions.facts import Fact, Facts, bearer

_COLUMNS: Final = ("on", "id", "at", "inserts", "text")

_ZOS: Final = "MVS"
"""The platform whose messages have numbers of their own, as PLATFORM calls it."""

_SEEN_ON_ZOS: Final = {"406": "E", "456": "I", "469": "E"}
"""Last three digits -> severity of the z/OS form, where IBM's pages show it: REFRESH CLUSTER of the
configuration reference for 406, APAR PH34265 for 456 and 469."""

_REMEMBERED_ON_ZOS: Final = dict.fromkeys("405 410 411 441 442 443 444".split(), "I")
"""The same from memory; no test depends on these."""

LETTERS_ON_ZOS: Final[Mapping[str, str]] = MappingProxyType(_REMEMBERED_ON_ZOS | _SEEN_ON_ZOS)
"""Last three digits -> severity letter of the z/OS form; others have that of the AMQ form."""


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
    `id` takes either form, with or without letter.

    Raises:
        NoSuchQueueManager: when none was ever called `on`.
    """
    if on is not None and on not in estate.names.values():
        raise NoSuchQueueManager(on)
    wanted = None if id is None else _digits(id)
    rows: list[Row] = []
    evidence = []
    for fact in facts:
        if on not in (None, fact.event.qmgr):
            continue
        for message in _MESSAGES[type(fact.event)](fact.event):
            if wanted in (None, _digits(message.id)):
                rows.append(_row(estate, fact, message))
                evidence.append((fact.position,))
    return Answer(
        "errorlog", as_of, _COLUMNS, tuple(rows), frozenset({"at"}), evidence=tuple(evidence)
    )


def _digits(id_: str) -> str:
    """Return what the forms of one message share: AMQ9469W, AMQ9469 and CSQX469E are 9469."""
    text = id_.upper().rstrip("IWEST")
    return f"9{text.removeprefix('CSQX')}" if text.startswith("CSQX") else text.removeprefix("AMQ")


def _row(estate: Estate, fact: Fact, message: Message) -> Row:
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
    if qmgr.platform == _ZOS and message.id.startswith("AMQ94"):
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
    """Only where RESET CLUSTER was entered is it said to be processed."""
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
    }
)
"""What each event had a queue manager write (domain facts, repository and channel messages)."""

READS: Final = frozenset(_MESSAGES)
"""The events that the error logs come from."""
