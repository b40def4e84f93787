"""What becomes of a record of an error log: the observation that it is, by the id of its message.

The id alone decides, without severity letter. A message that is not in the table says something
about the queue manager, and about the channel if it names one: it is evidence. The texts and the
places of names are in `twin.model.messages`.

Sources: those of the rows there. A sender is meant where a status follows: a receiver here says
nothing about the sender, and of a CLUSRCVR a record is about one instance, that of its partner.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from twin.events.base import Observation
from twin.events.channels import ChannelObserved
from twin.events.observations import (
    ClusterCommandObserved,
    EvidenceObserved,
    QueueManagerReplaced,
    QueueManagerStatusObserved,
    RenewalOverdueObserved,
    RepositoryManagerObserved,
    SuspensionObserved,
    TransmissionQueueObserved,
)
from twin.model.messages import CATALOGUE, form_on_zos

__all__ = [
    "BECOMES",
    "EXPLAINING",
    "FAILED_PUTS",
    "FAILING",
    "KEPT",
    "OVERDUE",
    "OVERDUE_OBJECTS",
    "REFUSED_REFRESHES",
    "RESTARTS",
    "WORKING",
    "Becomes",
    "FailureKind",
    "becomes_of",
]


class Becomes(NamedTuple):
    """What becomes of a message.

    Attributes:
        event: the type of the observation, if the record names what that needs; None if no fact is
            taken from it.
        values: the fields that the id decides; the record has the others.
        certain: whether it is so at once. That a channel program started says that the channel
            runs, but only if nothing denies it within the connect time.
    """

    event: type[Observation] | None
    values: Mapping[str, Any] = MappingProxyType({})
    certain: bool = True


def _with_zos(*ids: str) -> tuple[str, ...]:
    """Return ids with those of their z/OS forms."""
    return (*ids, *map(form_on_zos, ids))


def _channel(status: str, *, certain: bool = True) -> Becomes:
    return Becomes(ChannelObserved, {"status": status}, certain)


FAILING, WORKING = map(frozenset, map(_with_zos, ("AMQ9448", "AMQ9449")))
"""The messages that a repository manager fails, and that it works again."""

_INACTIVE, _RETRYING, _STOPPED = map(_channel, ("INACTIVE", "RETRYING", "STOPPED"))
_DUE = Becomes(RenewalOverdueObserved)
_SWITCHED = Becomes(TransmissionQueueObserved)
_TASKS: Final = (
    *(5022, 5023, 5024, 5025, 5026, 5027, 5037, 5041, 5051, 5052, 5540, 5541, 5775, 5782),
    *(5806, 5807, 5975, 5976, 6183, 6184, 6206, 6209, 6287, 6776, 7125, 7229, 7230, 7231),
    *(7232, 7233, 8024, 8048, 8576, 8939, 8942, 9557, 9722, 9788),
)
"""Internal tasks, listeners, command server, initiator; replay of the log at start."""

_TABLE: Final[Iterable[tuple[Becomes, Iterable[str]]]] = (
    (_channel("RUNNING", certain=False), ("AMQ9002", "CSQX500")),
    (_INACTIVE, ("AMQ9001", *_with_zos("AMQ9545"), "CSQX501")),
    # The partner closed the connection, or nobody listens: the retry follows.
    (
        _RETRYING,
        (
            *("AMQ9202", "AMQ9259", "AMQ9271", "AMQ9999", "CSQX202", "CSQX599"),
            *_with_zos("AMQ9519", "AMQ9520", "AMQ9524", "AMQ9558"),
        ),
    ),
    (_STOPPED, _with_zos("AMQ9528")),
    (
        Becomes(QueueManagerStatusObserved, {"status": "RUNNING", "restarted": True}),
        ("AMQ8003",),
    ),
    # On Multiplatforms a repository manager starts, and ends normally, with its queue manager only.
    (Becomes(QueueManagerStatusObserved, {"status": "RUNNING"}), ("AMQ9410",)),
    (Becomes(QueueManagerStatusObserved, {"status": "ENDED"}), ("AMQ8004", "AMQ9411")),
    (Becomes(ClusterCommandObserved, {"command": "REFRESH", "done": True}), _with_zos("AMQ9442")),
    (Becomes(SuspensionObserved, {"suspended": True}), _with_zos("AMQ9443")),
    (Becomes(SuspensionObserved, {"suspended": False}), _with_zos("AMQ9444")),
    # They start and end the clock of five days.
    (Becomes(RepositoryManagerObserved, {"running": False}), FAILING),
    (Becomes(RepositoryManagerObserved, {"running": True}), WORKING),
    # One is counted once with the warning that the rules derive.
    (_DUE, _with_zos("AMQ9456", "AMQ9469")),
    (_SWITCHED, ("AMQ7341", "CSQM551")),
    (Becomes(QueueManagerReplaced), _with_zos("AMQ9468")),
    (Becomes(None), (f"AMQ{number}" for number in _TASKS)),
    (Becomes(None), _with_zos("AMQ9487", "AMQ9488", "AMQ9489", "AMQ9490")),
)

BECOMES: Final[Mapping[str, Becomes]] = MappingProxyType(
    {id_: becomes for becomes, ids in _TABLE for id_ in ids}
)
"""What becomes of a message, by id without severity letter; all others are evidence."""

RESTARTS: Final = frozenset({"AMQ8001", "AMQ8003", "AMQ8004"})
"""The messages that a queue manager was created, started or ended: no channel of it runs then."""

OVERDUE: Final = frozenset(id_ for id_, becomes in BECOMES.items() if becomes is _DUE)
"""The warnings that a record was not renewed."""

OVERDUE_OBJECTS: Final = frozenset(id_ for id_ in OVERDUE if "object" in CATALOGUE[id_].roles)
"""Those of them about a queue or another object of a cluster."""

FAILED_PUTS: Final = frozenset(_with_zos("AMQ9511"))
"""What a repository manager logs just before it says that it failed: the queue and the reason."""

REFUSED_REFRESHES: Final = frozenset(_with_zos("AMQ9406"))
"""That REFRESH CLUSTER REPOS(YES) was refused at a full repository."""


class FailureKind(StrEnum):
    """What an error log says of why a channel fails."""

    SEQUENCE = "sequence"
    """The ends disagree about the next sequence number."""
    NOT_PUT = "not put"
    """What arrived could not be put on its queue."""
    BLOCKED = "blocked"
    """A channel authentication record, or a list of users, blocked the partner."""
    TLS = "TLS"
    LIMIT = "limit"
    """MaxChannels or MaxActiveChannels is reached."""
    IN_USE = "in use"
    """An old instance of the receiving end looks alive."""
    STOPPED = "stopped"
    """The receiving end is STOPPED, or lets nobody in."""


EXPLAINING: Final[Mapping[str, FailureKind]] = MappingProxyType(
    {
        id_: kind
        for kind, ids in (
            (FailureKind.SEQUENCE, _with_zos("AMQ9526")),
            (FailureKind.NOT_PUT, _with_zos("AMQ9544")),
            (FailureKind.BLOCKED, ("AMQ9776", "AMQ9777")),
            (FailureKind.TLS, (id_ for id_ in CATALOGUE if id_.startswith("AMQ96"))),
            (FailureKind.LIMIT, _with_zos("AMQ9513")),
            (FailureKind.IN_USE, _with_zos("AMQ9514")),
            (FailureKind.STOPPED, _with_zos("AMQ9558")),
        )
        for id_ in ids
    }
)
"""What explains the failure of a channel, by id: in the log of its own end, or of its partner."""

KEPT: Final = FAILED_PUTS | REFUSED_REFRESHES | EXPLAINING.keys()
"""The messages of which the fold keeps the last of each kind and channel: rules read them."""

_EVIDENCE: Final = Becomes(EvidenceObserved)


def becomes_of(id_: str) -> Becomes:
    """Return what becomes of a message; evidence if its id says nothing more."""
    return BECOMES.get(id_, _EVIDENCE)
