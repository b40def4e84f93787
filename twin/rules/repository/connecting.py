"""A channel of a cluster starts or is retried: the repository commands that it sends then.

Channels that fail are in `twin.rules.reachability`.

Sources: IBM MQ 8.0, "STOP CHANNEL"; 9.4, "Short retry interval".
"""

from __future__ import annotations

from typing import Final

from twin.events import (
    ChannelRetryAwaited,
    ErrorLogged,
)
from twin.fold.estate import QueueManager
from twin.model.messages import ENDED_ABNORMALLY, NOT_AVAILABLE
from twin.model.objects import Definition
from twin.rules import membership, standing
from twin.rules.channels import (
    channel_status,
    retrying,
    starting,
    stopping,
)
from twin.rules.draft import Draft
from twin.rules.path import partners
from twin.rules.repository import delivery, publication, requests


def connect(
    draft: Draft,
    qmgr: QueueManager,
    sender: Definition,
    *,
    again: bool = False,
    started: bool = False,
) -> None:
    """Start a manual CLUSSDR of a member, and send the member's own records over it.

    With `again` (a retry), two full repositories that shared their records before do not share all
    of them again. A disconnected channel stays disconnected while repository commands pass over it,
    unless it is `started` (START CHANNEL).
    """
    clusters = membership.clusters(qmgr, sender)
    joined = [name for name in clusters if name in membership.clusters_joined(qmgr)]
    if not joined or not qmgr.running:
        return
    partner = partners.partner_of(draft.estate, qmgr, sender)
    if partner is None:
        if not partners.may_lead_outside(draft.estate, qmgr, sender):
            _fail(draft, qmgr, sender.name, "")
        return
    name = sender.name
    ran = channel_status.status_of(qmgr, name, draft.at) == "RUNNING"
    ran = ran or standing.stands(qmgr, name)
    idle = not started and channel_status.carries_while_idle(draft, qmgr, name, partner.name)
    if not idle and not revive(draft, qmgr, name, partner.name):
        return
    for cluster in joined:
        if not (ran or idle or membership.is_full(partner, cluster)):
            _warn_of_no_repository(draft, qmgr, name, partner, cluster)
        was_told = (cluster, partner.qmid) in qmgr.repository.last_sent
        requests.renew(draft, qmgr, cluster, publication.send_unsent_records(draft, qmgr, cluster))
        both = membership.is_full(qmgr, cluster) and membership.is_full(partner, cluster)
        if both and not (again and was_told):
            publication.share_all(draft, qmgr, partner, cluster)


def _warn_of_no_repository(
    draft: Draft, qmgr: QueueManager, channel: str, partner: QueueManager, cluster: str
) -> None:
    """Log that a manual CLUSSDR leads to no full repository, as it starts, at both ends.

    The partner logs that it received what is meant for a full repository: AMQ9430 for the record of
    a queue manager, AMQ9428 for those of queues. The twin sends it nothing. Sources: "Components of
    a cluster" (AMQ9427, AMQ9428 appear); AMQ9430 is from memory.
    """
    own = [name[1] for name in qmgr.repository.own_records if name[0] == cluster]
    logged = [(qmgr, _NO_REPOSITORY, channel)]
    logged += [(partner, id_, "") for kind, id_ in _UNEXPECTED.items() if kind in own]
    for at, id_, insert in logged:
        draft.emit(ErrorLogged(qmgr=at.name, id=id_, inserts=(insert,) if insert else ()))


_NO_REPOSITORY: Final = "AMQ9427"
_UNEXPECTED: Final = {"qmgr": "AMQ9430", "queue": "AMQ9428"}
"""Kind of record -> the message of a queue manager that is no full repository and receives it."""


def _fail(draft: Draft, qmgr: QueueManager, channel: str, partner: str) -> None:
    state = qmgr.activity.channels.get(channel)
    if state is None or (state.status, state.partner) != ("RETRYING", partner):
        starting.start(draft, qmgr, channel, partner)


def revive(draft: Draft, qmgr: QueueManager, channel: str, partner: str) -> bool:
    """Start a channel unless it is STOPPED, and send its commands; return whether it runs.

    A channel that waits for an answer is left alone. One whose status stands as it was seen is only
    used.
    """
    if standing.stands(qmgr, channel):
        if not starting.start(draft, qmgr, channel, partner):
            return False
        delivery.deliver_waiting(draft, qmgr, channel)
        return True
    state = channel_status.current_state(qmgr, channel, draft.at)
    if state is not None and (state.status == "STOPPED" or state.silence is not None):
        return False
    if not channel_status.can_reach(draft, qmgr, channel, partner):
        _fail(draft, qmgr, channel, partner)
        return False
    started = state is not None and state.status == "RUNNING" and state.partner == partner
    if not started and not starting.start(draft, qmgr, channel, partner):
        return False
    delivery.deliver_waiting(draft, qmgr, channel)
    return True


def retry(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Retry a RETRYING channel; if that fails, its messages are rerouted.

    Its transmission queue is checked, as at every start. Over a link that is not silent any more,
    it fails at once, and so do the next retries. A hold keeps a channel down whose failure was
    observed. A partner that did not exist before is looked for. Of the retries that the partner
    refuses, those on the agenda are logged (AMQ9558): the first one, and those that move messages.
    A status that was seen stands.
    """
    state = qmgr.activity.channels.get(channel)
    if state is None or state.status != "RETRYING" or standing.stands(qmgr, channel):
        return
    kept_down = state.observed and channel in qmgr.messaging.held
    taken = bool(stopping.queue_holder(draft, qmgr, channel))
    partner = state.partner or partners.leads_to(draft.estate, qmgr, channel)
    if kept_down or taken or not channel_status.can_reach(draft, qmgr, channel, partner):
        obstacle = channel_status.obstacle(draft, qmgr, channel, partner)
        if state.retries.hangs and not channel_status.is_silent(draft, qmgr.name, partner):
            retrying.answered(draft, qmgr, channel, taken=taken and not obstacle)
        if taken:
            stopping.await_queue(draft, qmgr, channel)
        starting.check_transmission_queue(draft, qmgr, channel)
        if obstacle == NOT_AVAILABLE:
            starting.log_refusal(draft, qmgr, channel, partner)
            for message in (NOT_AVAILABLE, ENDED_ABNORMALLY):
                draft.emit(ErrorLogged(qmgr=qmgr.name, id=message, inserts=(channel,)))
            reason = "" if taken else NOT_AVAILABLE
            draft.emit(ChannelRetryAwaited(qmgr=qmgr.name, channel=channel, reason=reason))  # once
        channel_status.note_outcome(draft, qmgr, channel, "retried")
        return
    reconnect(draft, qmgr, channel, partner)


def reconnect(draft: Draft, qmgr: QueueManager, channel: str, partner: str) -> None:
    """Start a channel again that failed, and send what waited for it."""
    if not revive(draft, qmgr, channel, partner):
        return
    definition = qmgr.definitions.get(("CHANNEL", channel))
    if definition is not None and definition.type == "CLUSSDR":
        connect(draft, qmgr, definition, again=True)
