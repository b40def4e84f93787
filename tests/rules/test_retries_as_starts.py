"""Each retry of a channel is a start; those that are left out would change nothing."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given

from tests.laws import examples
from tests.rules.retry_scenes import EXITS, SCRIPTS, STEPS, Step
from tests.sandbox import Sandbox
from twin.fold.seen_retries import retries_of
from twin.rules import consequences
from twin.rules.channels import channel_status
from twin.rules.repository import connecting


def built() -> Sandbox:
    """Build the estate, and let the application open its queues."""
    box = Sandbox().create(*SCRIPTS)
    for name, script in SCRIPTS.items():
        box.run(name, script)
    for queue in ("MAIL", "FREIGHT"):
        box.open("APP", queue)
    return box


def act(box: Sandbox, step: Step) -> None:
    """Perform the act of a step, unless it cannot be done in this state."""
    running = box.estate.qmgr(step.qmgr).running
    verb, _, queue = step.act.partition(" ")
    if verb in {"endmqm", "strmqm"}:
        if running == (verb == "endmqm"):
            box.control(verb, step.qmgr)
    elif running and verb == "put":
        box.put(step.qmgr, queue, count=3, bind="notfixed")
    elif running:
        box.run(step.qmgr, step.act)


def skipped(box: Sandbox) -> Iterator[tuple[str, str, int]]:
    """Yield the retries that will not be run: queue manager, channel and instant."""
    for name, qmgr in box.estate.qmgrs.items():
        for channel, state in qmgr.activity.channels.items() if qmgr.running else ():
            if state.status == "RETRYING" and (state.retry or 0) <= box.draft.at:
                at = retries_of(qmgr, channel, state).next_after(state.since, box.draft.at)
                if at is not None:
                    yield name, channel, at


def waiting(box: Sandbox, name: str, channel: str) -> list[tuple[int, int]]:
    """Return the messages that wait for a channel: the position of their put, and how many."""
    qmgr = box.estate.qmgr(name)
    found = channel_status.waiting_messages(qmgr, channel) if qmgr.has_messaging else ()
    return [(parcel.put, parcel.count) for parcel in found]


@examples(times=2)
@given(STEPS)
def test_a_retry_that_is_not_run_would_change_nothing(steps: list[Step]) -> None:
    """At every instant, each retry that is left out would fail and leave its messages waiting."""
    box = built()
    for step in steps:
        box.draft.exits = EXITS[step.exit]
        consequences.await_exits(box.draft)
        box.pass_time(step.lasts)
        act(box, step)
        for name, channel, at in skipped(box):
            trial = Sandbox(box.draft.trial())
            trial.draft.exits, trial.draft.at = box.draft.exits, at
            before = waiting(trial, name, channel)
            connecting.retry(trial.draft, trial.estate.qmgr(name), channel)
            consequences.settle(trial.draft)
            state = trial.estate.qmgr(name).activity.channels.get(channel)
            assert (state.status if state else "", waiting(trial, name, channel)) == (
                "RETRYING",
                before,
            )
