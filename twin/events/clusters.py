"""Cluster administration: suspend, resume, refresh and reset."""

from __future__ import annotations

from typing import Literal

from twin.events.base import ClusterEvent, Event, event
from twin.events.repository import Item


@event
class QueueManagerSuspended(ClusterEvent):
    """A queue manager asked a cluster to avoid it (SUSPEND); `mode` is QUIESCE or FORCE."""

    mode: str = "QUIESCE"


@event
class QueueManagerResumed(ClusterEvent):
    """A queue manager is available to a cluster again (RESUME)."""


@event
class RepositoryRefreshed(ClusterEvent):
    """REFRESH CLUSTER dropped records of other owners (with REPOS(YES) also full repositories).

    `dropped` are the records, `refreshed` is their number; `republished` is the number of its own
    records, which are sent again. `renumbered` says that the numbers of its records begin
    again, so that others take them for older than those that they hold.
    """

    repos: Literal["NO", "YES"]
    dropped: tuple[Item, ...]
    refreshed: int
    republished: int
    renumbered: bool = False


@event
class MemberForceRemoved(ClusterEvent):
    """RESET CLUSTER removed a member, by QMID, from the records of this queue manager.

    `source` is the full repository where the command was entered. Publications of the member up to
    number `upto` do not restore it.
    """

    member: str
    queues: bool
    source: str
    upto: int = 0


@event
class ErrorLogged(Event):
    """A queue manager wrote a message to its error log that no other event implies."""

    id: str
    inserts: tuple[str, ...] = ()
