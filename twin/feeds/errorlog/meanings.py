"""What the messages of error logs mean for the facts that follow from them: a table.

The key is the id without severity letter, since letters differ between versions (AMQ9528 is W in
9.1). The places of names are those of the text inserts, from 1; of a form without inserts, those of
the names in the message. Source of each row:

- ``log``: seen in a public error log with its inserts (8.0.0.8, 9.0.5 JSON, 9.1, 9.2.5, 9.3, 9.4);
- ``doc``: in IBM's message reference or in an APAR, not seen in a log;
- ``catalogue``: in a public catalogue of texts of older versions; the places are those of the
  quoted names in the text, and no insert is known;
- ``memory``: neither. Nothing may rest on the places of such a row: look for known names in all
  inserts instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple

from twin.feeds.errorlog.names import names_in, quoted
from twin.feeds.errorlog.record import LogRecord


class Kind(StrEnum):
    """What becomes of a message."""

    ATTEMPT = "attempt"
    """A channel program started: running only if no failure of the channel follows."""
    STATUS = "channel status observed"
    EVIDENCE = "evidence"
    """Says something about the queue manager, and about the channel if it names one."""
    ERROR = "error logged"
    ACT = "act"
    """Something was done, or happened, that has an event of its own."""
    NONE = "none"
    """Read, and no fact taken."""


class Meaning(NamedTuple):
    """What one message means.

    Attributes:
        kind: what becomes of it.
        becomes: the event, for an act; the channel status, for a status.
        source: ``log``, ``doc``, ``catalogue`` or ``memory``.
        comments: role -> place among the text inserts.
        arith: role -> place among the numeric inserts.
        names: role -> place among the names in the message.
        condition: what must hold besides, for people who write the conversion.
    """

    kind: Kind
    becomes: str = ""
    source: str = "memory"
    comments: Mapping[str, int] = MappingProxyType({})
    arith: Mapping[str, int] = MappingProxyType({})
    names: Mapping[str, int] = MappingProxyType({})
    condition: str = ""


INACTIVE: Final = "INACTIVE"
RETRYING: Final = "RETRYING"
STOPPED: Final = "STOPPED"

_SENDER: Final = "the channel is a sender here; a receiver here says nothing about the sender"
_NAMES_CLUSTER: Final = "the record names the cluster, or the queue manager is in one only"


def _row(
    kind: Kind,
    becomes: str,
    source: str,
    *,
    comments: str = "",
    arith: str = "",
    names: str | None = None,
    condition: str = "",
) -> Meaning:
    """Return a row; roles are words in the order of their places, ``-`` for none."""
    named = comments if names is None else names
    return Meaning(
        kind, becomes, source, _places(comments), _places(arith), _places(named), condition
    )


def _places(roles: str) -> Mapping[str, int]:
    words = enumerate(roles.split(), start=1)
    return MappingProxyType({role: place for place, role in words if role != "-"})


_ATTEMPT, _STATUS, _EVIDENCE = Kind.ATTEMPT, Kind.STATUS, Kind.EVIDENCE
_ERROR, _ACT, _NONE = Kind.ERROR, Kind.ACT, Kind.NONE

_CHANNELS: Final = {
    "AMQ9001": _row(
        _STATUS, INACTIVE, "log", comments="channel process host", names="channel host"
    ),
    "AMQ9002": _row(
        _ATTEMPT,
        "",
        "log",
        comments="channel",
        condition="RUNNING only if no failure of the channel follows within its connect time",
    ),
    # The partner closed the connection, or nobody listens: the retry follows.
    "AMQ9202": _row(
        _STATUS,
        RETRYING,
        "log",
        comments="host protocol channel",
        arith="code",
        names="host",
        condition=_SENDER,
    ),
    "AMQ9206": _row(_EVIDENCE, "", "log", comments="host protocol call", arith="code", names=""),
    "AMQ9208": _row(_EVIDENCE, "", "log", comments="host protocol call", arith="code", names=""),
    "AMQ9209": _row(_EVIDENCE, "", "log", comments="host - channel", names="host channel"),
    "AMQ9213": _row(_EVIDENCE, "", "memory", comments="call"),
    # 9.1 log: host, protocol, call; no channel. It stands before AMQ9999 of the same thread.
    "AMQ9259": _row(
        _STATUS, RETRYING, "log", comments="host protocol call", names="host", condition=_SENDER
    ),
    # Only seen in 8.0, without inserts; the explanation has the address of the partner.
    "AMQ9271": _row(_STATUS, RETRYING, "log", names="channel", condition=_SENDER),
    "AMQ9487": _row(_NONE, "", "memory"),
    "AMQ9488": _row(_NONE, "", "memory"),
    "AMQ9489": _row(_NONE, "", "memory"),
    "AMQ9490": _row(_NONE, "", "log", comments="channel address", names="channel"),
    "AMQ9496": _row(_EVIDENCE, "", "catalogue", names="channel"),
    "AMQ9503": _row(_EVIDENCE, "", "catalogue", names="channel"),
    "AMQ9504": _row(_EVIDENCE, "", "catalogue", names="channel"),
    "AMQ9506": _row(_EVIDENCE, "", "catalogue", names="channel"),
    "AMQ9507": _row(
        _EVIDENCE, "", "catalogue", names="channel", condition="the channel is in doubt"
    ),
    "AMQ9508": _row(_ERROR, "ErrorLogged", "catalogue", names="qmgr"),
    "AMQ9509": _row(_ERROR, "ErrorLogged", "catalogue", names="object qmgr"),
    "AMQ9510": _row(_ERROR, "ErrorLogged", "catalogue", names="queue qmgr"),
    "AMQ9511": _row(_ERROR, "ErrorLogged", "catalogue", names="queue qmgr"),
    "AMQ9513": _row(_EVIDENCE, "", "memory", condition="finding: maximum number of channels"),
    "AMQ9514": _row(_EVIDENCE, "", "log", comments="channel", condition="at the partner"),
    # Only seen in 9.0, without inserts.
    "AMQ9519": _row(_STATUS, RETRYING, "log", names="channel", condition=_SENDER),
    "AMQ9520": _row(
        _STATUS, RETRYING, "catalogue", names="channel", condition=_SENDER + "; finding"
    ),
    "AMQ9524": _row(
        _STATUS, RETRYING, "catalogue", names="channel", condition=_SENDER + "; finding"
    ),
    "AMQ9525": _row(_EVIDENCE, "", "log", comments="channel host qmgr", names="channel"),
    "AMQ9526": _row(_EVIDENCE, "", "catalogue", names="channel"),
    "AMQ9527": _row(_EVIDENCE, "", "catalogue", names="channel"),
    # The letter is W in the 9.1 log.
    "AMQ9528": _row(_STATUS, STOPPED, "log", comments="channel"),
    "AMQ9533": _row(_EVIDENCE, "", "catalogue", names="channel"),
    "AMQ9540": _row(_EVIDENCE, "", "catalogue"),
    "AMQ9542": _row(_EVIDENCE, "", "log", comments="channel", names=""),
    "AMQ9544": _row(_ERROR, "ErrorLogged", "log", comments="channel process", names=""),
    "AMQ9545": _row(_STATUS, INACTIVE, "log", comments="channel", names=""),
    "AMQ9549": _row(_ERROR, "ErrorLogged", "catalogue", names="queue"),
    "AMQ9558": _row(_STATUS, RETRYING, "log", comments="channel host", condition=_SENDER),
    "AMQ9703": _row(
        _EVIDENCE, "", "log", comments="channel host", arith="sent expected", names="channel"
    ),
    "AMQ9776": _row(_EVIDENCE, "", "memory"),
    "AMQ9777": _row(_EVIDENCE, "", "memory"),
    "AMQ9780": _row(_EVIDENCE, "", "log"),
    "AMQ9788": _row(_NONE, "", "log"),
    "AMQ9999": _row(
        _STATUS,
        RETRYING,
        "log",
        comments="channel process host",
        names="channel host",
        condition=_SENDER + "; SVRCONN: ignore; own CLUSRCVR: one of many, keyed by the host",
    ),
}

_TLS: Final = {
    **{
        f"AMQ{number}": _row(_EVIDENCE, "", "memory")
        for number in (*range(9630, 9650), 9653, 9660, 9661, 9665, 9671, 9939)
    },
    "AMQ9636": _row(_EVIDENCE, "", "log", comments="channel dn host", names="channel"),
}

_REPOSITORY: Final = {
    **{
        f"AMQ{number}": _row(_ERROR, "ErrorLogged", "memory")
        for number in (
            *range(9405, 9410),
            *range(9412, 9418),
            *range(9427, 9431),
            *range(9432, 9437),
        )
    },
    "AMQ9410": _row(_ERROR, "ErrorLogged", "log"),
    "AMQ9411": _row(_ERROR, "ErrorLogged", "log"),
    "AMQ9418": _row(_ERROR, "ErrorLogged", "catalogue", names="cluster"),
    "AMQ9419": _row(_ERROR, "ErrorLogged", "memory", names="cluster"),
    "AMQ9420": _row(_ERROR, "ErrorLogged", "catalogue", names="cluster"),
    "AMQ9422": _row(_ERROR, "ErrorLogged", "catalogue"),
    # The order of channel and cluster is that of the explanation, not of the message.
    "AMQ9431": _row(_ERROR, "ErrorLogged", "catalogue"),
    "AMQ9437": _row(_ERROR, "ErrorLogged", "catalogue"),
    "AMQ9440": _row(_ERROR, "ErrorLogged", "memory"),
    "AMQ9441": _row(_ERROR, "ErrorLogged", "memory"),
    "AMQ9442": _row(_ACT, "RepositoryRefreshed", "catalogue", condition=_NAMES_CLUSTER),
    "AMQ9443": _row(_ACT, "QueueManagerSuspended", "memory", condition=_NAMES_CLUSTER),
    "AMQ9444": _row(_ACT, "QueueManagerResumed", "memory", condition=_NAMES_CLUSTER),
    "AMQ9447": _row(_ERROR, "ErrorLogged", "catalogue"),
    "AMQ9448": _row(_ERROR, "ErrorLogged", "memory", condition="starts the clock of five days"),
    "AMQ9449": _row(_ERROR, "ErrorLogged", "memory", condition="ends the clock of five days"),
    "AMQ9453": _row(_ERROR, "ErrorLogged", "memory"),
    "AMQ9454": _row(_ERROR, "ErrorLogged", "memory"),
    "AMQ9455": _row(_ERROR, "ErrorLogged", "memory"),
    # PH34265 gives the sense; the places are not seen.
    "AMQ9456": _row(_ACT, "RenewalOverdue", "doc", condition="count once with the derived one"),
    "AMQ9457": _row(_ERROR, "ErrorLogged", "catalogue", names="cluster channel sender"),
    "AMQ9465": _row(_EVIDENCE, "", "memory", condition="topics; no renewal"),
    "AMQ9466": _row(_EVIDENCE, "", "memory", condition="topics; no renewal"),
    "AMQ9468": _row(_ERROR, "ErrorLogged", "memory"),
    # IT28022 and PH34265 show the order of the names in the message, and the days of z/OS.
    "AMQ9469": _row(
        _ACT,
        "RenewalOverdue",
        "doc",
        names="channel qmid cluster",
        condition="count once with the derived one; full repositories only",
    ),
}

_QUEUE_MANAGER: Final = {
    "AMQ7340": _row(_EVIDENCE, "", "memory"),
    "AMQ7341": _row(_ACT, "TransmissionQueueSwitched", "doc", names="channel queue"),
    "AMQ7342": _row(_EVIDENCE, "", "memory"),
    "AMQ7347": _row(_ERROR, "ErrorLogged", "memory"),
    "AMQ8001": _row(_ACT, "QueueManagerFirstSeen", "log", comments="- - qmgr", names="qmgr"),
    "AMQ8003": _row(_ACT, "QueueManagerStarted", "log", comments="version - qmgr", names="qmgr"),
    "AMQ8004": _row(_ACT, "QueueManagerEnded", "log", comments="- - qmgr", names="qmgr"),
    # Internal tasks, listeners, command server, initiator; replay of the log at start.
    **{
        f"AMQ{number}": _row(_NONE, "", "log")
        for number in (
            *(5022, 5023, 5024, 5025, 5026, 5027, 5037, 5041, 5051, 5052, 5540, 5541, 5775, 5782),
            *(5806, 5807, 5975, 5976, 6183, 6184, 6206, 6209, 6287, 6776, 7125),
            *(7229, 7230, 7231, 7232, 7233, 8024, 8048, 8576, 8939, 8942, 9557, 9722),
        )
    },
}

_ZOS_OWN: Final = {
    # The texts of the switch are in APAR PH00544, CSQX456 and CSQX469 in PH34265.
    "CSQX202": _row(_STATUS, RETRYING, "memory", names="channel", condition=_SENDER),
    "CSQX208": _row(_EVIDENCE, "", "memory", names="channel"),
    "CSQX500": _row(_ATTEMPT, "", "memory", names="channel"),
    "CSQX501": _row(_STATUS, INACTIVE, "memory", names="channel"),
    "CSQX599": _row(_STATUS, RETRYING, "memory", names="channel", condition=_SENDER),
    "CSQX293": _row(_EVIDENCE, "", "doc", names="channel"),
    "CSQM550": _row(_EVIDENCE, "", "doc", names="channel"),
    "CSQM551": _row(_ACT, "TransmissionQueueSwitched", "memory", names="channel"),
    "CSQM553": _row(_EVIDENCE, "", "doc", names="channel"),
    "CSQM554": _row(_EVIDENCE, "", "memory", names="channel"),
    "CSQM555": _row(_ERROR, "ErrorLogged", "doc", names="channel"),
    "CSQM556": _row(_ERROR, "ErrorLogged", "doc"),
    "CSQX022": _row(_EVIDENCE, "", "doc", condition="the channel initiator started"),
    "CSQX469": _row(
        _ACT,
        "RenewalOverdue",
        "doc",
        names="channel qmid cluster",
        condition="numbers: days overdue, days left; count once with the derived one",
    ),
    "CSQX456": _row(_ACT, "RenewalOverdue", "doc", condition="count once with the derived one"),
}


def _of_zos() -> dict[str, Meaning]:
    """Return the rows of z/OS: messages 400 to 599 have the last digits of their AMQ twins."""
    same = {
        f"CSQX{id_[4:]}": meaning._replace(comments=_places(""), arith=_places(""), source="memory")
        for id_, meaning in (_CHANNELS | _REPOSITORY).items()
        if "AMQ9400" <= id_ < "AMQ9600"
    }
    return same | _ZOS_OWN


MEANINGS: Final[Mapping[str, Meaning]] = MappingProxyType(
    _CHANNELS | _TLS | _REPOSITORY | _QUEUE_MANAGER | _of_zos()
)
"""Meaning by id without severity letter."""


def named(record: LogRecord) -> dict[str, str]:
    """Return what a record names, by role: from the inserts, else from the names in the text.

    A role without a value is left out, and so is everything of an id that has no meaning. Names
    without quotes count only in the message, and only if there is one for each role: any of them
    may have been overlooked. The explanation counts if the message has no name.
    """
    meaning = MEANINGS.get(record.id)
    if meaning is None:
        return {}
    if any(record.comments) or any(record.arith):
        found = _values(meaning.comments, record.comments)
        return found | _values(meaning.arith, record.arith)
    in_message = names_in(record.message)
    if in_message and "'" not in record.message and len(in_message) < len(meaning.names):
        return {}
    return _values(meaning.names, in_message or tuple(quoted(record.explanation)))


def _values(roles: Mapping[str, int], values: tuple[str, ...]) -> dict[str, str]:
    return {
        role: values[place - 1]
        for role, place in roles.items()
        if place <= len(values) and values[place - 1]
    }
