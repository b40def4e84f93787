"""What administrators do to a cluster: suspend, resume, refresh and reset."""

from __future__ import annotations

from typing import Literal

from twin.events.base import Event, event
from twin.events.repository import Item


@event
class QueueManagerSuspended(Event):
    """A queue manager asked others in a cluster to avoid it; `mode` is QUIESCE or FORCE."""

    cluster: str
    mode: str = "QUIESCE"


@event
class QueueManagerResumed(Event):
    """A queue manager is there for others in a cluster again."""

    cluster: str


@event
class RepositoryRefreshed(Event):
    """REFRESH CLUSTER dropped what a repository held of others; REPOS(YES) also where to ask.

    `dropped` are the records that went, `refreshed` is their number; `republished` counts its own,
    which are sent again.
    """

    cluster: str
    repos: Literal["NO", "YES"]
    dropped: tuple[Item, ...]
    refreshed: int
    republished: int


@event
class MemberForceRemoved(Event):
    """RESET CLUSTER removed a member, by QMID, from what this queue manager holds.

    `source` is the full repository where the command was given. What the member had published by
    then, up to the publication `upto`, does not bring it back.
    """

    cluster: str
    member: str
    queues: bool
    source: str
    upto: int = 0


@event
class ErrorLogged(Event):
    """A queue manager wrote a message to its error log that no other event says."""

    id: str
    inserts: tuple[str, ...] = ()
