"""Names in MQ: legal characters and lengths, generic names, connection names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import ip_address
from typing import Final

from twin.model.instants import Instant, parse_instant

NAME_LENGTH: Final = 48
"""The maximum length of the name of a queue manager, queue, cluster, namelist or topic."""

CHANNEL_NAME_LENGTH: Final = 20
"""The maximum length of a channel name (MQ_CHANNEL_NAME_LENGTH of cmqc.h)."""

COMMAND_QUEUE: Final = "SYSTEM.CLUSTER.COMMAND.QUEUE"
"""The queue on which repository commands arrive."""

CLUSTER_TRANSMISSION_QUEUE: Final = "SYSTEM.CLUSTER.TRANSMIT.QUEUE"
"""The transmission queue of all cluster-sender channels that have no other."""

REPOSITORY_QUEUE: Final = "SYSTEM.CLUSTER.REPOSITORY.QUEUE"
"""The queue on which a repository manager keeps what it knows."""

OWN_TRANSMISSION_QUEUES: Final = "SYSTEM.CLUSTER.TRANSMIT."
"""What the name of a transmission queue of one channel (DEFCLXQ) begins with; the channel follows.
"""

INITIATION_QUEUE: Final = "SYSTEM.CHANNEL.INITQ"
"""The queue that triggers channels, which the channel initiator has open."""

DEFAULT_LISTENER: Final = "SYSTEM.LISTENER.TCP.1"
"""The listener that `crtmqm -p` makes."""

IN_NO_CLUSTER: Final = frozenset(
    f"SYSTEM.{name}"
    for name in (
        *("CHANNEL.INITQ", "CHANNEL.SYNCQ", "CLUSTER.COMMAND.QUEUE", "CLUSTER.REPOSITORY.QUEUE"),
        *("COMMAND.INPUT", "QSG.CHANNEL.SYNCQ", "QSG.TRANSMIT.QUEUE"),
    )
)
"""Queues that cannot be shared in a cluster (IBM MQ, reason code 3090)."""

QMID_LENGTH: Final = 48
DEFAULT_PORT: Final = 1414
"""The TCP port of a connection name without a port."""

_NAME: Final = re.compile(r"[A-Za-z0-9._/%]+", re.ASCII)
_CLCHNAME: Final = re.compile(r"[A-Za-z0-9._/%*]*", re.ASCII)
_CONNECTION: Final = re.compile(r"([^()]*?)\s*(?:\(\s*(\d{1,5})\s*\))?", re.ASCII)
_BETWEEN_CONNECTIONS: Final = re.compile(r",(?![^(]*\))")


_CREATED: Final = re.compile(r"\d{4}-\d\d-\d\d_\d\d\.\d\d\.\d\d")


def legal_name(name: str, *, limit: int = NAME_LENGTH) -> bool:
    """Return whether a name has only legal characters and at most `limit` of them.

    Letters of both cases, digits and the four characters `.` `/` `_` `%` are legal, anywhere.

    Source: IBM MQ, Rules for naming IBM MQ objects; lengths from cmqc.h.
    """
    return len(name) <= limit and _NAME.fullmatch(name) is not None


def name_limit(kind: str) -> int:
    """Return the maximum length of a name of this kind."""
    return CHANNEL_NAME_LENGTH if kind in {"CHANNEL", "CLNTCONN"} else NAME_LENGTH


def generic(pattern: str, name: str) -> bool:
    """Return whether a name matches a generic name, in which only a final `*` is a wildcard.

    Source: IBM MQ, Generic values in MQSC commands.
    """
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern


def legal_generic(pattern: str, *, limit: int = NAME_LENGTH) -> bool:
    """Return whether this is a generic name: a name, a name with a final asterisk, or an asterisk.

    Source: IBM MQ, Generic values in MQSC commands.
    """
    return pattern == "*" or legal_name(pattern.removesuffix("*"), limit=limit)


def legal_channel_pattern(pattern: str) -> bool:
    """Return whether CLCHNAME may have this value: 20 characters, any number of `*` anywhere.

    Source: IBM MQ, ClusterChannelName (MQCHAR20).
    """
    return len(pattern) <= CHANNEL_NAME_LENGTH and _CLCHNAME.fullmatch(pattern) is not None


def connection(text: str) -> tuple[tuple[str, int], ...]:
    """Read a CONNAME list as (host in lower case, port) pairs; the default port is 1414.

    A part that is not a host with an optional port in parentheses is taken as a host.

    Source: IBM MQ, Connection name (CONNAME).
    """
    return tuple((host.lower(), port) for host, port in _hosts_and_ports(text))


def without_ports(text: str) -> str:
    """Return the hosts of a CONNAME list as typed, without their ports."""
    return ",".join(host for host, _ in _hosts_and_ports(text))


def _hosts_and_ports(text: str) -> Iterator[tuple[str, int]]:
    for part in filter(None, map(str.strip, _BETWEEN_CONNECTIONS.split(text))):
        if match := _CONNECTION.fullmatch(part):
            yield match[1], int(match[2] or DEFAULT_PORT)
        else:
            yield part, DEFAULT_PORT


def is_address(host: str) -> bool:
    """Return whether a host is an IP address, and no name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def qmid_of(name: str, date: str, time: str) -> str:
    """Return the QMID of a queue manager that was created then: at most 48 characters.

    `date` and `time` are as MQ writes them. Of a long name the beginning is taken [decided here].

    Source: IBM MQ, MQ_Q_MGR_IDENTIFIER_LENGTH in cmqc.h; 9.4, "Queue manager attributes" (QMID).
    """
    end = f"_{date}_{time}"
    return f"{name[: QMID_LENGTH - len(end)]}{end}"


def is_later_qmid(qmid: str, before: str) -> bool:
    """Return whether one queue manager was created after another, as their QMIDs say.

    A QMID on Multiplatforms is the name and the local time of creation, YYYY-MM-DD_HH.MM.SS. If one
    is of another form, as on z/OS, nothing is said.

    Source: IBM MQ 9.4, "Queue manager attributes" (QMID: name and time of creation).
    """
    created, then = _created_by(qmid), _created_by(before)
    return bool(then) and created > then


def _created_by(qmid: str) -> str:
    name, end = qmid[: -len("_YYYY-MM-DD_HH.MM.SS")], qmid[-len("YYYY-MM-DD_HH.MM.SS") :]
    return end if name and _CREATED.fullmatch(end) else ""


def creation_of(qmid: str) -> Instant:
    """Return the date in a QMID, taken as UTC; 0 if it has none."""
    created = _created_by(qmid)
    day, _, time = created.partition("_")
    return parse_instant(f"{day}T{time.replace('.', ':')}Z", now=0) if created else 0


def may_follow(qmid: str, before: str) -> bool:
    """Return whether a QMID that is seen later may be that of a queue manager built again.

    It may if it is of a later time; if the two cannot be ordered, the one that is seen last counts.
    """
    if not (_created_by(qmid) and _created_by(before)):
        return qmid != before
    return is_later_qmid(qmid, before)
