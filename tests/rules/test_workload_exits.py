"""A workload exit in a choice: its effect, its failures, and that it is called only once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.sandbox import Sandbox, small_cluster
from twin import Twin, events
from twin.model.instants import DAY
from twin.rules.workload.exit_structures import (
    MQWDR,
    MQWQR,
    MQWXP,
    RESPONSE_SUPPRESS_EXIT,
    RESPONSE_SUPPRESS_FUNCTION,
)
from twin.rules.workload.exits import WorkloadExit


def last_one(block: MQWXP, destinations: tuple[MQWDR, ...], queues: tuple[MQWQR, ...]) -> MQWXP:
    """Choose the last destination, whatever it is."""
    del queues
    return replace(block, destination_chosen=len(destinations))


def nobody(block: MQWXP, destinations: tuple[MQWDR, ...], queues: tuple[MQWQR, ...]) -> MQWXP:
    """Refuse every choice."""
    del destinations, queues
    return replace(block, exit_response=RESPONSE_SUPPRESS_FUNCTION)


def once(block: MQWXP, destinations: tuple[MQWDR, ...], queues: tuple[MQWQR, ...]) -> MQWXP:
    """Choose the last destination, and suppress further calls."""
    chosen = last_one(block, destinations, queues)
    return replace(chosen, exit_response=RESPONSE_SUPPRESS_EXIT)


def broken(block: MQWXP, destinations: tuple[MQWDR, ...], queues: tuple[MQWQR, ...]) -> MQWXP:
    """Raise an error."""
    raise ValueError(block.q_name)


def scene(exit_: WorkloadExit | None, attributes: str = "") -> Sandbox:
    """Let FR2 and PR1 have Q, and PR2 choose with an exit."""
    sandbox = small_cluster()
    for host in ("FR2", "PR1"):
        sandbox.run(host, f"DEFINE QLOCAL(Q) CLUSTER(CA) DEFBIND(NOTFIXED) {attributes}")
    sandbox.run("PR2", "ALTER QMGR CLWLEXIT('mine')")
    if exit_ is not None:
        sandbox.draft.exits = {"mine": exit_}
    return sandbox


def test_an_exit_chooses_what_the_rules_would_not() -> None:
    """Every message goes where the exit decides, and is counted as a use."""
    sandbox = scene(last_one)
    put = sandbox.put("PR2", "Q", count=3)
    assert put.order == ("PR1",) * 3
    assert put.exit == events.ExitSaid(name="mine", to=put.shares[0].to, channel="CA.PR1")
    assert sandbox.estate.qmgr("PR2").messaging.workload.last == 3


def test_an_exit_may_choose_a_put_disabled_instance() -> None:
    """An exit may choose a put-disabled instance, and MQOPEN and the put succeed."""
    sandbox = scene(last_one, "PUT(DISABLED)")
    opened = sandbox.open("PR2", "Q", bind="open").opened
    assert opened is not None
    assert (opened.reason, opened.bound_to) == (0, "PR1")
    assert sandbox.put("PR2", "Q", bind="notfixed").reason == 0
    assert scene(None, "PUT(DISABLED)").put("PR2", "Q").reason == 2268


@pytest.mark.parametrize(("bind", "at"), [("open", "open"), ("notfixed", "put"), ("group", "put")])
def test_an_exit_that_refuses_fails_the_call(bind: str, at: str) -> None:
    """A call whose exit refuses fails with 2188."""
    put = scene(nobody).put("PR2", "Q", bind=bind, count=2)
    assert (put.reason, put.at, put.count) == (2188, at, 0)


def test_an_exit_that_had_enough_is_not_called_again() -> None:
    """An exit that returns SUPPRESS_EXIT is not called again."""
    assert scene(once).put("PR2", "Q", count=4).order == ("PR1", "FR2", "PR1", "FR2")


@pytest.mark.parametrize(("exit_", "reason"), [(broken, 2266), (None, 2267)])
def test_an_exit_that_fails_or_is_not_there_is_a_warning(
    exit_: WorkloadExit | None, reason: int
) -> None:
    """The rules choose if the exit fails or is not loaded, and the event says why."""
    sandbox = scene(exit_)
    put = sandbox.put("PR2", "Q", count=4)
    assert (put.reason, put.order) == (0, ("FR2", "PR1") * 2)
    assert put.exit is not None
    assert put.exit.reason == reason


def test_what_an_exit_said_is_replayed_and_not_asked_again(tmp_path: Path) -> None:
    """A replay has an exit's choice without calling it; after a late fact the rules choose."""
    calls: list[str] = []

    def counting(block: MQWXP, destinations: tuple[MQWDR, ...], queues: tuple[MQWQR, ...]) -> MQWXP:
        calls.append(block.q_name)
        return last_one(block, destinations, queues)

    url = f"sqlite:///{tmp_path / 'log.db'}"
    with Twin.open(url, exits={"mine": counting}, clock=lambda: DAY) as twin:
        for name in ("FR", "A", "B"):
            twin.crtmqm(name)
            twin.strmqm(name)
            twin.runmqsc(name, f"DEFINE CHANNEL(C.{name}) CHLTYPE(CLUSRCVR) CLUSTER(C) CONNAME(X)")
        twin.runmqsc("FR", "ALTER QMGR REPOS(C) CLWLEXIT('mine')")
        for name in ("A", "B"):
            sender = "DEFINE CHANNEL(C.FR) CHLTYPE(CLUSSDR) CLUSTER(C) CONNAME(X)"
            twin.runmqsc(name, f"{sender}\nDEFINE QLOCAL(Q) CLUSTER(C)")
        assert twin.put("FR", "Q", count=2, bind="notfixed").order == ("B", "B")
        assert calls == ["Q", "Q"]
    with Twin.open(url, read_only=True, clock=lambda: DAY) as twin:
        estate, _ = twin.view()
        assert estate.qmgr("B").messaging.depth("Q") == 2
    assert calls == ["Q", "Q"]
