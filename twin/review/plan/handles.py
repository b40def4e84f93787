"""What becomes of messages that are put through handles which are open, and bound elsewhere.

Bind open keeps the destination of a handle, also when its queue there is deleted or altered: no
other instance is chosen (IBM MQ 9.4, "MQOPEN", MQOO_BIND_ON_OPEN). So the puts of a plan, which
open the queue, do not show it. One message is put through each handle on both sides, in memory,
and followed for a minute. A deleted queue manager counts as one whose queues are all deleted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from twin.model.instants import SECOND
from twin.model.reasons import reason_name
from twin.questions.put_outcome import put_outcome
from twin.review.bound_handles import handles_bound_to

if TYPE_CHECKING:
    from twin.app.rehearsing import Rehearsal
    from twin.questions.put_outcome import PutOutcome
    from twin.review.bound_handles import BoundHandle
    from twin.review.plan.pair import RehearsedPair

_MINUTE: Final = 60 * SECOND


class HandleChange(NamedTuple):
    """An open handle whose messages end elsewhere with the change than without it.

    Attributes:
        on: the queue manager at which it is open.
        handle: its name.
        queue: the name that was opened.
        qmgr: the queue manager to which it is bound.
        before, after: what becomes of a message without the change and with it.
    """

    on: str
    handle: str
    queue: str
    qmgr: str
    before: str
    after: str


def handle_changes(pair: RehearsedPair) -> Iterator[HandleChange]:
    """Compare the open handles that are bound to where queues are deleted or altered."""
    qmids = {one.qmid for _, one, other in pair.qmgrs if one is not None and other is None}
    qmids |= {
        sides.before.qmid
        for sides, (kind, _), was, _ in pair.objects
        if kind == "QUEUE" and was is not None and sides.before is not None
    }
    if not qmids:
        return
    after = pair.changed.estate.qmgrs
    for handle in handles_bound_to(pair.base.estate.qmgrs.values(), qmids):
        if handle.on not in after or not _is_open(pair.changed, handle):
            continue
        ends = [_end(each, handle) for each in (pair.base, pair.changed)]
        if ends[0] != ends[1]:
            to = pair.base.estate.names[handle.bound.to]
            yield HandleChange(handle.on, handle.name, handle.queue, to, *ends)


def _is_open(rehearsal: Rehearsal, handle: BoundHandle) -> bool:
    qmgr = rehearsal.estate.qmgrs[handle.on]
    return any(each == handle for each in handles_bound_to([qmgr], {handle.bound.to}))


def _end(rehearsal: Rehearsal, handle: BoundHandle) -> str:
    """Put a persistent message through a handle; return what becomes of it."""
    trial = rehearsal.fork()
    decided = len(trial.decided)
    put = trial.put(handle.on, handle=handle.name, persistent=True)
    if put.reason:
        return f"are refused with {put.reason} {reason_name(put.reason)}"
    trial.advance(trial.now() + _MINUTE)
    facts = [each.event for each in trial.decided[decided:]]
    return _said(put_outcome(trial.estate, handle.on, put, facts, at=trial.now()))


def _said(outcome: PutOutcome) -> str:
    """Return what becomes of the message; dates of retries are left out, as they differ."""
    for dead in outcome.dead_lettered:
        why = f"{dead.reason} {reason_name(dead.reason)}"
        return f"go to the dead-letter queue {dead.queue} of {dead.on} ({why})"
    for waits in outcome.waits:
        block = waits.block._replace(next_retry=None)
        return f"wait on {waits.queue} at {waits.on}: {waits._replace(block=block)}"
    for sent in outcome.redirected:
        return f"go on to {sent.to}"
    if outcome.circulating:
        return "circulate for ever"
    return "are lost" if outcome.lost else "arrive"
