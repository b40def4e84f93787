"""Receive repository commands: add new records to a repository.

The receiver warns of instances of one clustered queue whose definitions differ.

The receiver's reaction belongs to modules on higher floors, so what was received is reported as a
happening (`RecordsAccepted`, `CommandsReceived`).

Decided here: a record of an owner that the repository does not hold, and a subscription that is not
noted, need storage. Renewed, changed and deleted records need none.

Sources: IBM MQ 9.4, cluster concepts (a record that arrives twice is discarded); "RESET CLUSTER".

Source: z/OS message CSQX407: only DEFPRTY, DEFPSIST, DEFPRESP and DEFBIND are compared; AMQ9407 is
its counterpart on other platforms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import Final, NamedTuple, TypeAlias

from twin.events import (
    ErrorLogged,
    InformationReceived,
    Item,
    Removal,
    RepositoryCommand,
)
from twin.events.base import Values
from twin.fold.beliefs import Belief, CommandsInTransit, QueuedCommands
from twin.fold.estate import QueueManager
from twin.model.attributes import TYPES
from twin.rules import membership
from twin.rules.channels import channel_status, retrying
from twin.rules.draft import Draft
from twin.rules.repository import lifetimes, outgoing_items
from twin.rules.workload import counters


class Commands(NamedTuple):
    """Repository commands that travel together.

    Attributes:
        items: records, identified by their publications.
        asks: requests for records, as (kind, name).
        removals: members that were removed by force.
        answers: the requests of the receiver that these commands answer, as (kind, name).
    """

    items: tuple[Item, ...] = ()
    asks: tuple[tuple[str, str], ...] = ()
    removals: tuple[Removal, ...] = ()
    answers: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, commands: QueuedCommands | CommandsInTransit | RepositoryCommand) -> Commands:
        """Return commands that wait or are in transit, without their state."""
        return cls(commands.items, commands.asks, commands.removals, commands.answers)


class RecordsAccepted(NamedTuple):
    """A happening: a queue manager has received records that it did not hold.

    Attributes:
        target: the queue manager.
        sender: the queue manager that sent the records.
        cluster: the cluster that they belong to.
        items: the records.
        newcomers: the QMIDs of their owners of which a target that is a full repository did not
            know a channel until now.
        full: whether the target is a full repository of the cluster.
    """

    target: QueueManager
    sender: QueueManager
    cluster: str
    items: tuple[Item, ...]
    newcomers: tuple[str, ...]
    full: bool


class CommandsReceived(NamedTuple):
    """A happening: a queue manager has received requests or removals from a sender."""

    target: QueueManager
    sender: QueueManager
    cluster: str
    commands: Commands


def receive(
    draft: Draft, sender: QueueManager, target: QueueManager, cluster: str, commands: Commands
) -> None:
    """Let a queue manager receive commands: records first, then requests, then removals."""
    items, asks, removals, _ = commands
    if items and (news := outgoing_items.news(draft, target, cluster, items)):
        accept(draft, target, sender, cluster, news)
    if asks or removals:
        draft.react(CommandsReceived(target, sender, cluster, commands))


def lacks_storage(
    draft: Draft,
    sender: QueueManager,
    target: QueueManager,
    cluster: str,
    commands: Commands,
) -> bool:
    """Return whether a queue manager would need storage for commands, and has none."""
    repository = target.repository
    if not repository.exhausted:
        return False
    if membership.is_full(target, cluster) and any(
        sender.qmid not in repository.subscribers.get((cluster, *ask), ())
        for ask in commands.asks
        if ask[0] in _NOTED
    ):
        return True
    for item in outgoing_items.news(draft, target, cluster, commands.items):
        records = draft.estate.owner(item.owner).published[item.sequence].records
        for key in records if item.only is None else item.only:
            held = repository.instances(cluster, *key)
            if not records[key].deleted and item.owner not in held:
                return True
    return False


def accept(
    draft: Draft,
    target: QueueManager,
    sender: QueueManager,
    cluster: str,
    news: tuple[Item, ...],
) -> None:
    """Add new records to a repository, except those of owners that were just removed by force."""
    if target.repository.force_removed:
        news = tuple(item for item in news if not _is_barred(draft, target, cluster, item.owner))
    if not news:
        return
    full, routes = membership.is_full(target, cluster), target.repository.routes
    first = full and (cluster, sender.qmid) not in routes
    unknown = [item.owner for item in news if full and (cluster, item.owner) not in routes]
    changed = changed_by(draft, target, cluster, news)
    with counters.records_change(draft, target, cluster, map(_OWNER, news)):
        draft.emit(
            InformationReceived(qmgr=target.name, sender=sender.name, cluster=cluster, items=news)
        )
    _await_new_addresses(draft, target, news)
    warn(draft, target, cluster, changed)
    if first and not _has_others(target, cluster):
        draft.emit(ErrorLogged(qmgr=target.name, id=ONLY_REPOSITORY, inserts=(cluster,)))
    if full or outgoing_items.mention_full_repository(draft, cluster, news):
        newcomers = tuple(qmid for qmid in dict.fromkeys(unknown) if (cluster, qmid) in routes)
        draft.react_later(RecordsAccepted(target, sender, cluster, news, newcomers, full))


_NOTED: Final = frozenset({"qmgr", "queue", "topic"})
"""The kinds of names of which a full repository notes subscriptions."""

_OWNER: Final = attrgetter("owner")

ONLY_REPOSITORY: Final = "AMQ9418"
"""Logged when a member joins at the only full repository of a cluster. Decided here: sources tell
the meaning of the message, not how often it is written.
"""


def _await_new_addresses(draft: Draft, target: QueueManager, news: tuple[Item, ...]) -> None:
    """Let channels whose records have changed try the addresses in them at their next retry.

    One that has a retry to come keeps it: it may be due at this very instant.
    """
    owners = {draft.estate.names[each.owner] for each in news} if draft.estate.links else set()
    for channel, state in list(target.activity.channels.items()) if owners else ():
        waits = state.status == "RETRYING" and state.retry is None and state.partner in owners
        if waits and channel_status.can_reach(draft, target, channel, state.partner):
            retrying.await_retry(draft, target, channel, state)


def _has_others(full: QueueManager, cluster: str) -> bool:
    known = full.repository.known_full_repositories
    return any(name == cluster and owner != full.qmid for name, owner in known)


def _is_barred(draft: Draft, qmgr: QueueManager, cluster: str, owner: str) -> bool:
    """Return whether an owner was removed by force less than ten seconds ago.

    Source: IBM MQ 9.4, "RESET CLUSTER": attempts to join again within 10 seconds are ignored.
    """
    removed = qmgr.repository.force_removed.get((cluster, owner))
    return removed is not None and draft.at < removed[0] + lifetimes.REJOIN_AFTER


_DIFFER: Final = "AMQ9407"
_COMPARED: Final = {
    keyword: TYPES["QLOCAL"].by_keyword[keyword].default
    for keyword in ("DEFPRTY", "DEFPSIST", "DEFPRESP", "DEFBIND")
}
"""The attributes that are compared, with their defaults."""

OwnedQueue: TypeAlias = tuple[str, str]
"""An instance of a queue: its owner's QMID, and the name of the queue."""


def changed_by(
    draft: Draft, qmgr: QueueManager, cluster: str, items: Iterable[Item]
) -> list[OwnedQueue]:
    """Return the instances that records will add or change when they are received."""
    beliefs, changed = qmgr.repository.beliefs, []
    for item in items:
        records = draft.estate.owner(item.owner).published[item.sequence].records
        for key in records if item.only is None else item.only:
            record = records.get(key)
            if key[0] != "queue" or record is None:
                continue
            held = beliefs.get((cluster, *key), _NOBODY).get(item.owner)
            if held is None or (held.values is not record.values and held.values != record.values):
                changed.append((item.owner, key[1]))
    return changed


_NOBODY: Final[Mapping[str, Belief]] = {}


def warn(draft: Draft, qmgr: QueueManager, cluster: str, changed: Iterable[OwnedQueue]) -> None:
    """Log each queue of which an instance was added or changed, if it differs from another.

    A queue is logged once.
    """
    beliefs = qmgr.repository.beliefs
    names = (
        name for owner, name in changed if owner in beliefs.get((cluster, "queue", name), _NOBODY)
    )
    for name in dict.fromkeys(names):
        instances = beliefs[cluster, "queue", name].values()
        if len({_compared(belief.values) for belief in instances}) > 1:
            draft.emit(ErrorLogged(qmgr=qmgr.name, id=_DIFFER, inserts=(name,)))


def _compared(values: Values) -> tuple[str, ...]:
    return tuple(str(values.get(keyword, default)) for keyword, default in _COMPARED.items())
