"""Send or reroute waiting messages after channels started, failed, stopped or retried.

This runs after all other rules of a decision. So when a queue manager ends, all channels to it have
failed before any message is rerouted. A retry that moves no message is not recorded. Only the next
retry that will move a message is put on the agenda (decisions 8 and 12).
"""

from __future__ import annotations

from twin.fold.estate import ChannelState, QueueManager
from twin.rules import waiting_calls
from twin.rules.channels import get_inhibited, retrying
from twin.rules.draft import ChannelOutcome, Draft
from twin.rules.messages import best_routes, outbound, reallocation, workload_exits
from twin.rules.queues import put_times


def settle(draft: Draft) -> None:
    """Send or reroute the messages of channels whose status changed, and schedule retries.

    Calls whose full repositories have answered go on.

    Only retries that will move messages are scheduled. This costs nothing while no messages wait.
    """
    while draft.channel_outcomes or waiting_calls.end_answered(draft):
        if not draft.channel_outcomes:
            continue
        name, channel = next(iter(draft.channel_outcomes))
        outcome = draft.channel_outcomes.pop((name, channel))
        qmgr = draft.estate.qmgrs.get(name)
        if qmgr is not None and qmgr.running:
            _react(draft, qmgr, channel, outcome)
    if draft.dirty_qmgrs:
        _await_moves(draft)
        draft.dirty_qmgrs.clear()


def await_exits(draft: Draft) -> None:
    """Put the next retries on the agenda at which a workload exit that is loaded now will be asked.

    The decision before may have been made without the exit.
    """
    for name in draft.estate.qmgrs_with_waiting_messages if draft.exits else ():
        if workload_exits.exit_of(draft, draft.qmgr(name))[1] is not None:
            draft.dirty_qmgrs[name] = None
    settle(draft)


def _react(draft: Draft, qmgr: QueueManager, channel: str, outcome: ChannelOutcome) -> None:
    match outcome:
        case "ran":
            outbound.resume(draft, qmgr, channel)
        case "tried" | "retried":
            reallocation.run(draft, qmgr, channel, "retry", quiet=outcome == "retried")
        case "failed" | "stopped" | "forced":
            reallocation.run(draft, qmgr, channel, "stop", interrupted=outcome == "forced")
            get_inhibited.start_for_waiting(draft, qmgr, channel)


def _await_moves(draft: Draft) -> None:
    """Put the next retry of a channel on the agenda if it will reroute or send messages.

    A workload choice depends only on the queue manager that makes it. So it is made again only at
    queue managers where something happened. If it begins to fail, or succeeds again, that is
    recorded. Whether a receiver takes what it gave back depends on both ends.
    """
    for name in list(draft.estate.qmgrs_with_waiting_messages):
        qmgr = draft.estate.qmgrs[name]
        states = _retrying(qmgr) if qmgr.running else {}
        prospects = best_routes.Prospects(draft, qmgr) if name in draft.dirty_qmgrs else None
        if states and qmgr.messaging.switching:
            retrying.await_switches(draft, qmgr)
        for channel, state in states.items():
            if prospects is not None:
                put_times.record_choice(draft, qmgr, channel, prospects.fail)
            if (state.retry or 0) > draft.at:
                continue
            if (prospects is not None and prospects.move(channel)) or (
                (prospects is not None or state.partner in draft.dirty_qmgrs)
                and outbound.is_welcome(draft, qmgr, channel)
            ):
                retrying.await_retry(draft, qmgr, channel, state)


def _retrying(qmgr: QueueManager) -> dict[str, ChannelState]:
    """Return the RETRYING channels that messages wait for, with their states."""
    states = qmgr.activity.channels
    return {
        channel: states[channel]
        for channel in qmgr.messaging.channels()
        if channel in states and states[channel].status == "RETRYING"
    }
