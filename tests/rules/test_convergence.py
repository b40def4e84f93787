"""After any actions, once all are up and connected, every full repository has correct records."""

from __future__ import annotations

from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from tests.sandbox import Sandbox
from twin.questions.divergence import divergence
from twin.rules import membership

FULL: Final = ("FR1", "FR2", "FR3")
PARTIAL: Final = ("PR1", "PR2")
ANY: Final = st.sampled_from(FULL + PARTIAL)
QUEUE: Final = st.sampled_from(["Q1", "Q2"])

COMMANDS: Final = st.one_of(
    QUEUE.map(lambda queue: f"DEFINE QLOCAL({queue}) CLUSTER(CA) REPLACE"),
    QUEUE.map(lambda queue: f"ALTER QLOCAL({queue}) PUT(DISABLED)"),
    QUEUE.map(lambda queue: f"ALTER QLOCAL({queue}) CLUSTER(' ')"),
    QUEUE.map(lambda queue: f"DELETE QLOCAL({queue})"),
    st.just("DEFINE TOPIC(T) TOPICSTR(t) CLUSTER(CA) REPLACE"),
    st.just("DELETE TOPIC(T)"),
    ANY.map(lambda name: f"STOP CHANNEL(CA.{name})"),
    ANY.map(lambda name: f"STOP CHANNEL(CA.{name}) STATUS(INACTIVE)"),
    ANY.map(lambda name: f"START CHANNEL(CA.{name})"),
)
STEPS: Final = st.one_of(
    st.tuples(st.just("run"), ANY, COMMANDS),
    st.tuples(st.just("open"), st.sampled_from(PARTIAL), QUEUE),
    st.tuples(st.just("endmqm"), ANY, st.just("")),
    st.tuples(st.just("strmqm"), ANY, st.just("")),
    st.tuples(st.just("role"), st.just("FR3"), st.sampled_from(["CA", " "])),
)


def cluster() -> Sandbox:
    """Make three full repositories with channels between all of them, and two members."""
    sandbox = Sandbox().create(*FULL, *PARTIAL)
    for name in FULL:
        sandbox.full(name, *(other for other in FULL if other != name))
    return sandbox.member("PR1", "FR1").member("PR2", "FR2")


def perform(sandbox: Sandbox, kind: str, name: str, what: str) -> None:
    """Perform one step, if the state of the queue manager allows it."""
    running = sandbox.estate.qmgr(name).running
    if kind in ("endmqm", "strmqm"):
        if running is (kind == "endmqm"):
            sandbox.control(kind, name)
    elif not running:
        return
    elif kind == "open":
        sandbox.open(name, what)
    else:
        sandbox.run(name, what if kind == "run" else f"ALTER QMGR REPOS('{what}')")


def heal(sandbox: Sandbox) -> None:
    """Start every queue manager and every stopped channel, and make FR3 a full repository."""
    for name in FULL + PARTIAL:
        perform(sandbox, "strmqm", name, "")
    for name in FULL + PARTIAL:
        for channel in list(sandbox.estate.qmgr(name).activity.channels):
            sandbox.run(name, f"START CHANNEL({channel})")
    sandbox.run("FR3", "ALTER QMGR REPOS(CA)")
    sandbox.at("+1h")  # by then every channel has retried


@given(st.lists(STEPS, max_size=14))
def test_a_healed_cluster_converges(steps: list[tuple[str, str, str]]) -> None:
    """A healed cluster has exactly the owners' records in full repositories, and nothing waits."""
    sandbox = cluster()
    for step in steps:
        perform(sandbox, *step)
    heal(sandbox)
    truth = {
        (name, qmgr.qmid): values
        for qmgr in sandbox.estate.qmgrs.values()
        for name, values in membership.own_records(qmgr).items()
    }
    for name in FULL:
        records = {
            (key, owner): belief.values
            for key, owners in sandbox.estate.qmgr(name).repository.beliefs.items()
            for owner, belief in owners.items()
        }
        assert records == truth, name
    assert divergence(sandbox.estate, sandbox.as_of).rows == ()
    assert not any(qmgr.repository.waiting for qmgr in sandbox.estate.qmgrs.values())
