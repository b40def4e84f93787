"""Forced removal of a member: from one full repository to all who may know it.

Source: IBM MQ 9.4, "RESET CLUSTER".
"""

from __future__ import annotations

from twin.events import MemberForceRemoved, Removal
from twin.fold.estate import QueueManager
from twin.rules import membership
from twin.rules.channels import sending_channels
from twin.rules.draft import Draft
from twin.rules.repository import protocol, subscribers


def remove(
    draft: Draft, qmgr: QueueManager, cluster: str, removal: Removal, *, source: QueueManager
) -> None:
    """Let a member go that was removed by force, and tell others who may know it.

    Source: IBM MQ 9.4, "RESET CLUSTER". What is no news is not passed on, so that it ends.
    """
    repository = qmgr.repository
    if removal.member == qmgr.qmid:
        return
    known = any(
        (cluster, *key) in repository.beliefs
        and removal.member in repository.beliefs[cluster, *key]
        and (key[0] == "qmgr" or removal.queues)
        for key in repository.ever_held.get((cluster, removal.member), ())
    )
    if not known and qmgr is not source:
        return
    lost = tuple(repository.routes.get((cluster, removal.member), ()))
    draft.emit(
        MemberForceRemoved(
            qmgr=qmgr.name,
            cluster=cluster,
            member=removal.member,
            queues=removal.queues,
            source=source.name,
            upto=draft.estate.owner(removal.member).repository.sequence,
        )
    )
    for channel in lost:
        sending_channels.release(draft, qmgr, channel)
    if membership.is_full(qmgr, cluster):
        for there, owner in list(repository.routes):
            other = subscribers.live(draft, owner)
            if there != cluster or other is None or other.name in (qmgr.name, source.name):
                continue
            route = subscribers.route_to(draft, qmgr, other, cluster)
            if route is not None and owner != removal.member:
                protocol.send(draft, qmgr, other, route, cluster, removals=[removal])
