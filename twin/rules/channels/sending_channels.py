"""Sending channels start, run, fail and retry.

One that finds no partner is RETRYING with AMQ9202. Sources: IBM MQ 8.0, "STOP CHANNEL"; 9.1, "Short
retry interval"; "Long retry interval".
"""

from __future__ import annotations

from typing import Final

from twin.events import ChannelStatusChanged
from twin.fold.estate import QueueManager
from twin.model.instants import Instant
from twin.model.objects import Definition
from twin.model.retries import Retries
from twin.rules.channels import (
    awaited_retries,
    batches,
    disconnecting,
    get_inhibited,
    reaching,
    switching,
)
from twin.rules.draft import Draft, Turn
from twin.rules.queues import put_times
from twin.rules.workload import counter_resets

HOST_NOT_AVAILABLE: Final = "AMQ9202"


def status_of(qmgr: QueueManager, channel: str, at: Instant) -> str:
    """Return the status of a channel at an instant, MQSC's word."""
    state = disconnecting.current(qmgr, channel, at)
    return state.status if state is not None else "INACTIVE"


def usable(draft: Draft, sender: QueueManager, channel: str, target: QueueManager) -> bool:
    """Say whether a channel runs, or would if it were started now."""
    state = sender.activity.channels.get(channel)
    if state is not None and state.partner == target.name:
        if state.status != "RUNNING":
            return False
        if not disconnecting.is_idle(sender, channel, state, draft.at):
            return True
    return (state is None or state.status != "STOPPED") and reaching.can_reach(
        draft, sender, channel, target.name
    )


def ensure_running(draft: Draft, sender: QueueManager, channel: str, target: str) -> bool:
    """Start a channel if it is inactive; say whether it runs now.

    A STOPPED channel does not start by itself, and one that is RETRYING waits for its next retry
    (IBM MQ 8.0, "STOP CHANNEL"; 9.1, "Short retry interval"). One that has disconnected is used as
    if it ran, and nothing is recorded, where it can reach its partner.
    """
    state = sender.activity.channels.get(channel)
    if state is None:
        return start(draft, sender, channel, target)
    if state.status != "RUNNING":
        return False
    if state.partner == target:
        ends = state.ends
        if ends is None or draft.at < ends or reaching.can_reach(draft, sender, channel, target):
            return True
        if not disconnecting.is_idle(sender, channel, state, draft.at):
            return True
    return start(draft, sender, channel, target)


def passes(draft: Draft, sender: QueueManager, channel: str, target: str) -> bool:
    """Say whether repository commands pass over a channel that has disconnected."""
    state = sender.activity.channels.get(channel)
    return (
        state is not None
        and state.partner == target
        and disconnecting.is_idle(sender, channel, state, draft.at)
        and reaching.can_reach(draft, sender, channel, target)
    )


def start(draft: Draft, qmgr: QueueManager, channel: str, partner: str) -> bool:
    """Start a sending channel to a partner, '' where it has none; say whether it runs now.

    As it starts, its transmission queue is looked at anew, whether or not it finds its partner; and
    a batch that was in doubt is settled with a partner that it finds: in the twin none of it has
    arrived. One that may get nothing off its transmission queue ends at once.
    """
    associate(draft, qmgr, channel)
    if partner and reaching.can_reach(draft, qmgr, channel, partner):
        if get_inhibited.ends(draft, qmgr, channel):
            return False
        _run(draft, qmgr, channel, partner)
        return True
    retry_later(draft, qmgr, channel, partner, reason=HOST_NOT_AVAILABLE)
    return False


def associate(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Look at the transmission queue of a cluster-sender channel that is started."""
    definition = qmgr.definitions.get(("CHANNEL", channel))
    if definition is None or definition.type == "CLUSSDR":
        switching.start(draft, qmgr, channel)


def run(draft: Draft, qmgr: QueueManager, channel: str, partner: str) -> None:
    """Let a sending channel run, as it started and found its partner."""
    associate(draft, qmgr, channel)
    _run(draft, qmgr, channel, partner)


def _run(draft: Draft, qmgr: QueueManager, channel: str, partner: str) -> None:
    counter_resets.status_changes(draft, qmgr, channel, "RUNNING")
    put_times.keep(draft, qmgr, channel)
    draft.emit(
        ChannelStatusChanged(
            qmgr=qmgr.name,
            channel=channel,
            status="RUNNING",
            partner=partner,
            discint=disconnecting.interval(reaching.attributes_of(draft, qmgr, channel, partner)),
        )
    )
    if qmgr.has_messaging:
        batches.begin(draft, qmgr, channel)
    draft.turned.pop((qmgr.name, channel), None)
    if qmgr.has_messaging:
        draft.turned[qmgr.name, channel] = "ran"


def start_defined(draft: Draft, qmgr: QueueManager, definition: Definition) -> bool:
    """Start a sending channel by its definition; say whether it runs now."""
    partner = reaching.partner_of(draft, qmgr, definition)
    return start(draft, qmgr, definition.name, partner.name if partner is not None else "")


def fail(draft: Draft, qmgr: QueueManager, channel: str, *, reason: str) -> None:
    """Let a running channel fail: what a fast one had sent outside syncpoint is lost.

    Source: IBM MQ, "What happens when a queue manager fails?" (non-persistent messages on a fast
    channel might be lost; in the twin those that were seen to be sent are).
    """
    batches.lose_at_risk(draft, qmgr, channel)
    partner = qmgr.activity.channels[channel].partner
    retry_later(draft, qmgr, channel, partner, reason=reason)


def retry_later(
    draft: Draft, qmgr: QueueManager, channel: str, partner: str, *, reason: str
) -> None:
    """Let a channel that could not start, or failed, be RETRYING, with the retries of now."""
    turn: Turn = "failed" if status_of(qmgr, channel, draft.at) == "RUNNING" else "tried"
    retries = reaching.retries_of(draft, qmgr, channel, partner)
    draft.emit(
        ChannelStatusChanged(
            qmgr=qmgr.name,
            channel=channel,
            status="RETRYING",
            partner=partner,
            reason=reason,
            retries=None if retries == Retries() else retries,
            gives_up=retries.end(draft.at),
        )
    )
    awaited_retries.await_switches(draft, qmgr, only=channel)
    note(draft, qmgr, channel, turn)


def note(draft: Draft, qmgr: QueueManager, channel: str, turn: Turn) -> None:
    """Note what became of a channel, if there are messages that this could concern."""
    if qmgr.name in draft.estate.qmgrs_with_waiting_messages:
        draft.turned.pop((qmgr.name, channel), None)
        draft.turned[qmgr.name, channel] = turn


def release(draft: Draft, qmgr: QueueManager, channel: str) -> None:
    """Let the status of a channel go that is neither defined nor known from a cluster any more.

    One that something waits for is kept (IBM MQ 9.2, "REFRESH CLUSTER").
    """
    if channel not in qmgr.activity.channels or channel in qmgr.repository.waiting:
        return
    if qmgr.has_messaging and qmgr.messaging.waits_for(channel):
        return
    elsewhere = ("CHANNEL", channel) in qmgr.definitions or any(
        name[2] == channel for name, _ in qmgr.repository.of_kind("qmgr")
    )
    if not elsewhere:
        draft.emit(ChannelStatusChanged(qmgr=qmgr.name, channel=channel, status="INACTIVE"))
