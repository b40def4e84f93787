"""What one record of an error log says: the event for it, decided by its id alone.

A record has one event. If its id has no event of its own, or the record does not name what the
event needs, it is evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from twin import events
from twin.events.logged import becomes_of
from twin.feeds.converting.identities import digest_of
from twin.feeds.errorlog.naming import (
    clock_of,
    days_of,
    named,
    names_in,
    names_of,
    others_of,
    owner_of,
)
from twin.feeds.errorlog.record import LogRecord
from twin.model.names import CHANNEL_NAME_LENGTH, QMID_LENGTH, legal_name

_LONGEST: Final = 256
"""The most characters of an insert that are kept in an event."""


class Wording:
    """What a record says wherever and whenever it was written.

    Attributes:
        channel: the channel that it names; '' if it names none that MQ allows.
        partner: the address of the partner that it names.
        evidence: the record on one line.
        content: what it says, for the identity of the record.
    """

    __slots__ = ("_digest", "channel", "content", "evidence", "partner")

    def __init__(self, record: LogRecord) -> None:
        """Take what a record says."""
        names = named(record)
        channel = names.get("channel", "")
        self.channel = channel if legal_name(channel, limit=CHANNEL_NAME_LENGTH) else ""
        self.partner = names.get("host", "")[:_LONGEST]
        self.evidence = evidence_of(record)
        self.content = record.content
        self._digest = ""

    @property
    def digest(self) -> str:
        """The digest of the evidence, computed once: few records need it."""
        if not self._digest:
            self._digest = digest_of(self.evidence)
        return self._digest


class Wordings:
    """Looks up what records say; those of a log have few wordings."""

    def __init__(self) -> None:
        """Start with none."""
        self._known: dict[tuple[object, ...], Wording] = {}

    def of(self, record: LogRecord) -> Wording:
        """Return what a record says."""
        key = (
            *(record.id, record.letter, record.arith, record.comments),
            *(record.message, record.explanation),
        )
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _MOST:
                self._known.clear()
            found = self._known[key] = Wording(record)
        return found


_MOST: Final = 2048


def qmgr_of(record: LogRecord) -> str:
    """Return the queue manager that a record names; '' if it names none that MQ allows.

    The log of an installation has records without a writer about the start of queue managers.
    """
    name = named(record).get("qmgr", "")
    return name if legal_name(name) else ""


def status_of(
    record: LogRecord, wording: Wording, qmgr: str, status: str, origin: events.Origin | None
) -> events.ChannelObserved:
    """Return the observation of the instance of a channel that a record is about."""
    return events.ChannelObserved(
        qmgr=qmgr,
        channel=wording.channel,
        status=status,
        instance=wording.partner or record.remote_host[:_LONGEST],
        reason=record.id,
        origin=origin,
    )


def event_of(
    record: LogRecord, wording: Wording, qmgr: str, origin: events.Origin | None
) -> events.Event:
    """Return the event for a record that does not say the status of a channel."""
    becomes = becomes_of(record.id)
    read = None if becomes.event is None else _FIELDS.get(becomes.event)
    fields = None if read is None else read(record, qmgr)
    if becomes.event is not None and fields is not None:
        return becomes.event(qmgr=qmgr, origin=origin, **becomes.values, **fields)
    inserts = tuple(each[:_LONGEST] for each in (*record.arith, *record.comments) if each)
    return events.EvidenceObserved(
        qmgr=qmgr,
        id=record.id,
        channel=wording.channel,
        inserts=inserts,
        digest=wording.digest,
        origin=origin,
    )


def evidence_of(record: LogRecord) -> str:
    """Return a record on one line, in the form of the console of a container.

    It is the same for the text and the JSON form of a record. A record without inserts, as up to
    version 8.0, has its explanation, which has the names. The readers have masked its secrets.
    """
    arith = [f"ArithInsert{n}({each})" for n, each in enumerate(record.arith, 1) if each]
    comments = [f"CommentInsert{n}({each})" for n, each in enumerate(record.comments, 1) if each]
    inserts = f" [{', '.join([*arith, *comments])}]" if arith or comments else ""
    explained = f" {record.explanation}" if record.explanation and not inserts else ""
    return f"{record.id}{record.letter}: {record.message}{explained}{inserts}"


_Fields: TypeAlias = dict[str, Any] | None
"""The fields of an event that a record has; None if it does not have what the event needs."""


def _cluster(record: LogRecord, qmgr: str) -> _Fields:
    """Return the cluster that a record names: by its role, or as the only name in it."""
    if cluster := named(record).get("cluster"):
        return {"cluster": cluster}
    others = [each for each in others_of(record) if each != qmgr and not owner_of(each)]
    return {"cluster": others[0]} if len(others) == 1 and legal_name(others[0]) else None


def _clock(record: LogRecord, _: str) -> _Fields:
    after, left = clock_of(record)
    return {"after": after, "left": left}


def _overdue(record: LogRecord, _: str) -> _Fields:
    names, days = names_of(record), days_of(record)
    return {
        "id": record.id,
        "cluster": names.get("cluster", ""),
        "owner": names.get("qmid", ""),
        "name": names.get("channel") or names.get("queue") or names.get("object", ""),
        "days": None if days is None else days[0],
        "left": None if days is None else days[1],
    }


def _replaced(record: LogRecord, _: str) -> _Fields:
    """Return the two QMIDs of a record in the order of its text: the new one comes first."""
    said = dict.fromkeys((*names_in(record.message), *record.comments))
    match [each for each in said if owner_of(each) and len(each) <= QMID_LENGTH]:
        case [by, owner]:
            return {"owner": owner, "by": by, "channel": named(record).get("channel", "")}
    return None


def _switched(record: LogRecord, _: str) -> _Fields:
    names = named(record)
    channel, queue = names.get("channel", ""), names.get("queue", "")
    if not legal_name(channel, limit=CHANNEL_NAME_LENGTH) or not legal_name(queue):
        return None
    return {"channel": channel, "queue": queue}


_FIELDS: Final[Mapping[type[events.Observation], Callable[[LogRecord, str], _Fields]]] = {
    events.QueueManagerStatusObserved: lambda *_: {},
    events.RepositoryManagerObserved: _clock,
    events.SuspensionObserved: _cluster,
    events.ClusterCommandObserved: _cluster,
    events.RenewalOverdueObserved: _overdue,
    events.QueueManagerReplaced: _replaced,
    events.TransmissionQueueObserved: _switched,
}
"""What reads the fields of each event that is no evidence, and not about a channel."""
