"""Forced removal of a member: a full repository tells all members that may know it.

Source: IBM MQ 9.4, "RESET CLUSTER".
"""

from __future__ import annotations

from twin.events import MemberForceRemoved, Removal
from twin.fold.estate import QueueManager
from twin.rules import membership
from twin.rules.channels import stopping
from twin.rules.draft import Draft
from twin.rules.repository import delivery, receiving, recipients


def remove(
    draft: Draft, qmgr: QueueManager, cluster: str, removal: Removal, *, source: QueueManager
) -> None:
    """Remove the records of a member that was removed by force, and tell others that may know it.

    If the member is unknown here, the removal is not passed on.
    """
    repository = qmgr.repository
    if removal.member == qmgr.qmid:
        return
    is_known = any(
        (cluster, *key) in repository.beliefs
        and removal.member in repository.beliefs[cluster, *key]
        and (key[0] == "qmgr" or removal.queues)
        for key in repository.ever_held.get((cluster, removal.member), ())
    )
    if not is_known and qmgr is not source:
        return
    channels = tuple(repository.routes.get((cluster, removal.member), ()))
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
    for channel in channels:
        stopping.drop_unused_status(draft, qmgr, channel)
    if membership.is_full(qmgr, cluster):
        for in_cluster, owner in list(repository.routes):
            other = recipients.live_qmgr(draft, owner)
            if in_cluster != cluster or other is None or other.name in (qmgr.name, source.name):
                continue
            route = recipients.route_to(draft, qmgr, other, cluster)
            if route is not None and owner != removal.member:
                delivery.send(
                    draft,
                    delivery.CommandRoute(qmgr, other, route, cluster),
                    receiving.Commands(removals=(removal,)),
                )
