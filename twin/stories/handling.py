"""Steps about channels: what is seen of them, held back and let go, and runswchl."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from twin.model.instants import Instant
from twin.rules.channels.switching import Switching, cluster_senders
from twin.stories.matching import Table
from twin.stories.outcome import Outcome, not_done
from twin.stories.stage import Stage
from twin.stories.story import MessageStep


def _observe(step: MessageStep, stage: Stage, at: Instant) -> Outcome:
    options = dict(step.options)
    occurred = options.pop("occurred", None)
    if "indoubt" in options:
        options["indoubt"] = options["indoubt"] == "YES"
    seen = at if occurred is None else occurred.at(stage.start)
    if problem := _unknown(step, stage, seen):
        return not_done(problem)
    stage.twin.observe_channel(step.on, options.pop("channel"), at=seen, **options)
    return Outcome()


def _unknown(step: MessageStep, stage: Stage, at: Instant) -> str:
    """Say that a queue manager has no such channel at an instant, and knows of none; or ''.

    A channel that is mistyped would be held to no effect, and so would one that the queue manager
    has not heard of yet: cluster-sender channels are made as they are needed.
    """
    estate, _ = stage.twin.view(as_of=at)
    qmgr, channel = estate.qmgr(step.on), str(step.options["channel"])
    if channel in qmgr.channels or channel in cluster_senders(qmgr):
        return ""
    return f"{step.on} has no channel {channel}, and does not know of one"


def _hold(step: MessageStep, stage: Stage, at: Instant) -> Outcome:
    if problem := _unknown(step, stage, at):
        return not_done(problem)
    stage.twin.hold(step.on, at=at, **step.options)
    return Outcome()


def _release(step: MessageStep, stage: Stage, at: Instant) -> Outcome:
    if problem := _unknown(step, stage, at):
        return not_done(problem)
    stage.twin.release(step.on, at=at, **step.options)
    return Outcome()


def _runswchl(step: MessageStep, stage: Stage, at: Instant) -> Outcome:
    found = stage.twin.runswchl(step.on, step.options["channel"], at=at)
    rows = [_row(each) for each in found]
    return Outcome(
        lines=[_line(each) for each in found],
        table=Table(rows, columns=Switching._fields, start=stage.start),
    )


def _row(found: Switching) -> dict[str, Any]:
    return found._asdict()


def _line(found: Switching) -> str:
    done = "switched" if found.switched else f"not switched: {found.status}"
    return f"{found.channel} {found.xmitq} {found.pending_xmitq} {found.messages} {done}"


STEPS: Final[Mapping[str, Callable[[MessageStep, Stage, Instant], Outcome]]] = {
    "observe": _observe,
    "hold": _hold,
    "release": _release,
    "runswchl": _runswchl,
}
