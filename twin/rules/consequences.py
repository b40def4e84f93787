"""Send or reroute waiting messages after channels started, failed, stopped or retried.

Calls that wait for full repositories go on once they have answered.

This runs after all other rules of a decision. So when a queue manager ends, all channels to it have
failed before any message is rerouted. A retry that moves no message is not recorded. Only the next
retry that will move a message is put on the agenda (decisions 8 and 12).

Source: IBM swg21225022; see `twin.rules.repository.answers`. A call waits only once: what is still
unknown then fails (2085, 2189).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from twin.events import AnswerAwaited, AnswerWaitEnded
from twin.fold.agenda import TimerKind
from twin.fold.beliefs import Names
from twin.fold.estate import ChannelState, QueueManager
from twin.rules.channels import retrying, starting
from twin.rules.draft import ChannelOutcome, Draft
from twin.rules.messages import (
    best_routes,
    destinations,
    opening,
    outbound,
    putting,
    reallocation,
    workload_exits,
)
from twin.rules.queues import put_times
from twin.rules.repository import answers


def settle(draft: Draft) -> None:
    """Send or reroute the messages of channels whose status changed, and schedule retries.

    Calls whose full repositories have answered go on.

    Only retries that will move messages are scheduled. This costs nothing while no messages wait.
    """
    while draft.channel_outcomes or end_answered_wait(draft):
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
            starting.start_for_waiting(draft, qmgr, channel)
        case "cut short":
            reallocation.cut_short(draft, qmgr, channel)
            starting.start_for_waiting(draft, qmgr, channel)


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
        if qmgr.running and qmgr.messaging.switching:
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


def end_answered_wait(draft: Draft) -> bool:
    """End the next wait whose answers have come; return whether there was one."""
    for _, name, names in sorted(draft.estate.agenda.heaps[TimerKind.AWAITED]):
        qmgr = draft.estate.qmgrs.get(name)
        if qmgr is None or not qmgr.running:
            continue
        for each in [names] if names else list(qmgr.activity.waits):
            if each in qmgr.activity.waits and _has_come(draft, qmgr, each):
                end_wait(draft, qmgr, each)
                return True
    return False


def _has_come(draft: Draft, qmgr: QueueManager, names: Names) -> bool:
    lookup = destinations.Resolver(draft, qmgr, asks=False)
    known = any(
        lookup.queues(name) if kind == "queue" else lookup.members(name) for kind, name in names
    )
    return answers.has_come(draft, qmgr, names, known=known)


def end_wait(draft: Draft, qmgr: QueueManager, names: Names) -> None:
    """End a wait: carry out its calls, in the order in which they came."""
    calls = qmgr.activity.waits[names].calls
    draft.emit(
        AnswerWaitEnded(qmgr=qmgr.name, names=names, reason=_reason(draft, qmgr, calls[0].call))
    )
    for position, at, call in calls:
        result = _go_on(draft, qmgr, call)
        if result is not None:
            draft.ended[position] = _with_wait(result, draft.at - at)


def _reason(draft: Draft, qmgr: QueueManager, call: AnswerAwaited) -> int:
    """Return the reason code with which the name of a call is not resolved; 0 if it is."""
    entered = call.opened or call.put
    if entered is None or not entered.queue:
        return 0
    return destinations.Resolver(draft, qmgr, asks=False).resolve(entered.queue, entered.to).reason


def _go_on(draft: Draft, qmgr: QueueManager, call: AnswerAwaited) -> Any:
    """Carry out a call that has waited; return its result, or None for a channel."""
    if call.opened is not None:
        return opening.carry_out(draft, qmgr, call.opened, waited=True)
    if call.put is not None:
        return putting.put(draft, qmgr, call.put, waited=True)
    if call.closed is not None:
        draft.emit(call.closed)
        return None
    sender = draft.estate.qmgrs.get(call.sender)
    if sender is not None and sender.running:
        outbound.flush(draft, sender, call.channel, answered=call.names)
    return None


def _with_wait(result: Any, waited: int) -> Any:
    if isinstance(result, opening.Opened):
        return result._replace(waited=waited)
    return replace(result, waited=waited)
