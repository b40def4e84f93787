"""End the waits for full repositories: calls go on, and channels that were held up send again.

Source: IBM swg21225022; see `twin.rules.repository.answers`. A call waits only once: what is still
unknown then fails (2085, 2189).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from twin.events import AnswerAwaited, AnswerWaitEnded
from twin.fold.agenda import TimerKind
from twin.fold.beliefs import Names
from twin.fold.estate import QueueManager
from twin.rules.draft import Draft
from twin.rules.messages import opening, outbound, putting
from twin.rules.messages.destinations import Resolver
from twin.rules.repository import answers


def end_answered(draft: Draft) -> bool:
    """End the next wait whose answers have come; return whether there was one."""
    for _, name, names in sorted(draft.estate.agenda.heaps[TimerKind.AWAITED]):
        qmgr = draft.estate.qmgrs.get(name)
        if qmgr is None or not qmgr.running:
            continue
        for each in [names] if names else list(qmgr.activity.waits):
            if each in qmgr.activity.waits and _has_come(draft, qmgr, each):
                end(draft, qmgr, each)
                return True
    return False


def _has_come(draft: Draft, qmgr: QueueManager, names: Names) -> bool:
    lookup = Resolver(draft, qmgr, asks=False)
    known = any(
        lookup.queues(name) if kind == "queue" else lookup.members(name) for kind, name in names
    )
    return answers.has_come(draft, qmgr, names, known=known)


def end(draft: Draft, qmgr: QueueManager, names: Names) -> None:
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
    return Resolver(draft, qmgr, asks=False).resolve(entered.queue, entered.to).reason


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
