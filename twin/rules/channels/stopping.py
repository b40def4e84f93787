"""STOP, RESOLVE and RESET of a channel, as far as its messages are concerned.

Sources: IBM MQ 8.0, "STOP CHANNEL" (QUIESCE finishes the batch, FORCE and TERMINATE do not and may
leave it in doubt); "RESOLVE CHANNEL" (COMMIT deletes the batch that is in doubt, BACKOUT puts it
back) [memory, unverified]; IBM MQ 9.4, "Example of a cluster with more than one instance of a
queue" (on z/OS a channel stops once all its messages were chosen for, and a forced stop interrupts
that). Default STATUS is STOPPED, and INACTIVE with CONNAME or QMNAME [memory, unverified].
"""

from __future__ import annotations

from twin.events import ChannelStatusChanged
from twin.fold.estate import QueueManager
from twin.rules.channels import batches, reaching, sending_channels
from twin.rules.draft import Draft
from twin.rules.messages import outbound
from twin.rules.queues import put_times
from twin.rules.workload import counter_resets

_ZOS = "MVS"


def stop(draft: Draft, qmgr: QueueManager, channel: str, *, status: str, mode: str) -> None:
    """Stop a channel: with QUIESCE its batch goes to its end first, and else it is cut short.

    In virtual time a channel is never STOPPING. It is remembered who its partner was: the status of
    a stopped channel shows that (IBM MQ 9.4, "Working with cluster transmission queues and
    cluster-sender channels", its example).
    """
    if qmgr.has_messaging and channel in qmgr.messaging.at_risk:
        if mode == "QUIESCE":
            outbound.finish_batch(draft, qmgr, channel)
        else:
            batches.lose_at_risk(draft, qmgr, channel)
    counter_resets.status_changes(draft, qmgr, channel, status)
    forced = qmgr.platform == _ZOS and mode != "QUIESCE"
    if status == "INACTIVE" or forced:
        put_times.keep(draft, qmgr, channel)
    partner = _partner(draft, qmgr, channel) if status == "STOPPED" else ""
    draft.emit(
        ChannelStatusChanged(qmgr=qmgr.name, channel=channel, status=status, partner=partner)
    )
    sending_channels.note(draft, qmgr, channel, "forced" if forced else "stopped")


def _partner(draft: Draft, qmgr: QueueManager, channel: str) -> str:
    """Name the partner a sending channel has, or had when it last ran; '' where it never did."""
    state = qmgr.activity.channels.get(channel)
    if state is not None and state.partner:
        return state.partner
    return reaching.leads_to(draft, qmgr, channel) if channel in qmgr.activity.saved else ""
