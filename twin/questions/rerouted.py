"""Where a message of a route goes when its channel fails, as a reallocation pass would route it.

Source: IBM, "When does re-allocation occur?": when a channel stops or fails, and again at each
failed retry; so a message for a channel that has failed already waits until then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from twin.questions.blocked import block_of
from twin.questions.reachability import failing, rerouting
from twin.rules.workload.trace import Trace

if TYPE_CHECKING:
    from twin.fold.estate import QueueManager
    from twin.rules.draft import Draft
    from twin.rules.messages.destinations import Candidates
    from twin.rules.workload.routes import Route


def failing_now(draft: Draft, qmgr: QueueManager, route: Route) -> str:
    """Return why the channel of a route would fail because of a message; '' if it would not.

    One that is STOPPED, or waits for its next retry, does not fail because of it.
    """
    if block_of(qmgr, route.channel, draft.at) is not None:
        return ""
    return failing(draft, qmgr, route.channel, route.qmgr)


def rerouted(
    draft: Draft, qmgr: QueueManager, candidates: Candidates, route: Route
) -> Route | None:
    """Return the route of a message that is not bound when its channel fails; None if it waits."""
    workload = qmgr.messaging.workload
    trace = Trace.of(candidates.routes, candidates.context, workload)
    return rerouting(draft, qmgr, trace, workload, route, movable=True).then
