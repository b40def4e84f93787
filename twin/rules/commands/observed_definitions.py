"""Consequences of a definition that was entered or observed: what the cluster makes of it.

Sources: IBM MQ, "How long do the queue manager repositories retain information?" (an altered or
deleted object is published at once); "Queue manager definition commands" (REPOS, REPOSNL).
"""

from __future__ import annotations

from typing import Final

from twin import events
from twin.fold.estate import QueueManager
from twin.model.objects import Definition
from twin.rules.channels import get_inhibited, retrying
from twin.rules.draft import Draft
from twin.rules.repository import connecting, publication

_ROLE: Final = frozenset({"CLUSRCVR", "CLUSSDR", "NAMELIST"})
_SHARED: Final = frozenset({"QLOCAL", "QALIAS", "QREMOTE", "TOPIC"})


def object_changed(
    draft: Draft, qmgr: QueueManager, key: tuple[str, str], *, was: Definition | None
) -> None:
    """Tell the cluster about an object that was defined, altered, deleted or observed.

    Channels are told about their transmission queues.
    """
    if not qmgr.running:
        return
    now = qmgr.definitions.get(key)
    types = {definition.type for definition in (was, now) if definition is not None}
    if _for_transmission(was) or _for_transmission(now):
        get_inhibited.get_changed(draft, qmgr, was, now)
        retrying.await_switches(draft, qmgr)
    if types & _ROLE:
        connecting.bring_up_to_date(draft, qmgr)
        if now is None and was is not None and was.kind == "CHANNEL":
            connecting.channel_removed(draft, qmgr, was)
    elif types & _SHARED and (_shared(was) or _shared(now)):
        publication.publish_changes(draft, qmgr, only=key)


def _shared(definition: Definition | None) -> bool:
    return definition is not None and bool(
        definition.values.get("CLUSTER") or definition.values.get("CLUSNL")
    )


def _for_transmission(definition: Definition | None) -> bool:
    return definition is not None and definition.values.get("USAGE") == "XMITQ"


def attributes_changed(draft: Draft, qmgr: QueueManager, keywords: set[str]) -> None:
    """Tell the cluster about changed attributes of the queue manager that concern it."""
    if keywords & {"REPOS", "REPOSNL"}:
        connecting.bring_up_to_date(draft, qmgr)
    if "DEFCLXQ" in keywords and qmgr.running:
        retrying.await_switches(draft, qmgr)


def first_seen(draft: Draft, observation: events.QueueManagerFirstSeen) -> None:
    """Try the channels that have waited for a queue manager that is now first observed."""
    connecting.wake_partners(draft, draft.qmgr(observation.qmgr))
