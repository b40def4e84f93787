"""A cluster in which messages wait: PR2 hosts ORD, PR1 knows it, and puts are given as events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.questions.telling import facts_of
from tests.sandbox import Sandbox, small_cluster
from twin.events import ChannelStatusChanged, Event, MessagesPut, Share
from twin.fold.estate import Estate
from twin.fold.replay import apply
from twin.model.instants import Instant
from twin.questions.answer import Answer
from twin.questions.passes import passes

DEFAULT = "SYSTEM.CLUSTER.TRANSMIT.QUEUE"
RETRYING = {"status": "RETRYING", "partner": "PR2", "reason": "AMQ9202"}


def scene() -> Sandbox:
    """Make the cluster, in which PR1 never sent anything to PR2."""
    sandbox = small_cluster()
    sandbox.run("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)")
    sandbox.open("PR1", "ORD")
    return sandbox


def put(
    sandbox: Sandbox, count: int, *, channel: str = "CA.PR2", lies_on: str = DEFAULT, **more: Any
) -> int:
    """Put messages of PR1 for ORD at PR2 on a transmission queue; return the event's position."""
    position = sandbox.draft.position
    share = Share(
        count=count,
        to=sandbox.estate.qmgr("PR2").qmid,
        channel=channel,
        lies_on=lies_on,
        queue="ORD",
        cluster="CA",
    )
    sandbox.draft.emit(MessagesPut(qmgr="PR1", queue="ORD", shares=(share,), **more))
    return position


def tell(
    sandbox: Sandbox, event: Callable[..., Event], channel: str = "CA.PR2", **more: Any
) -> int:
    """Add an event about a channel of PR1; return its position."""
    position = sandbox.draft.position
    sandbox.draft.emit(event(qmgr="PR1", channel=channel, **more))
    return position


def fail(sandbox: Sandbox) -> int:
    """Let the channel from PR1 to PR2 fail, or fail to start."""
    return tell(sandbox, ChannelStatusChanged, **RETRYING)


def ask_passes(sandbox: Sandbox, *, since: Instant, **filters: str) -> Answer:
    """Ask for passes, with the estate of `since` made from all that was decided before."""
    facts = facts_of(sandbox, frozenset(type(event) for _, event in sandbox.draft.events))
    before = Estate()
    for at, position, event in facts:
        if at < since:
            apply(before, event, at, position)
    behind = [fact for fact in facts if fact.at >= since]
    return passes(
        sandbox.estate, sandbox.as_of, before=before, facts=behind, since=since, **filters
    )
