"""A workload exit in a choice: its effect, its failures, and that it is called only once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.sandbox import Sandbox, small_cluster
from twin import Twin, events
from twin.model.instants import DAY, MINUTE
from twin.rules.consequences import await_exits
from twin.rules.deriving import derive
from twin.rules.workload.exits import (
    MQWDR,
    MQWQR,
    MQWXP,
    REASON_MOVE,
    REASON_OPEN,
    REASON_PUT,
    RESPONSE_SUPPRESS_EXIT,
    RESPONSE_SUPPRESS_FUNCTION,
    WorkloadExit,
)


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


def test_an_exit_that_is_not_loaded_is_a_warning() -> None:
    """The rules choose if the exit is not loaded, and the event says 2267."""
    put = scene(None).put("PR2", "Q", count=4)
    assert (put.reason, put.order) == (0, ("FR2", "PR1") * 2)
    assert put.exit is not None
    assert put.exit.reason == 2267


@pytest.mark.parametrize(("bind", "at"), [("open", "open"), ("notfixed", "put"), ("group", "put")])
def test_an_exit_that_fails_fails_the_call(bind: str, at: str) -> None:
    """A call whose exit fails ends with 2266; nothing is put, and the log says why."""
    sandbox = scene(broken)
    put = sandbox.put("PR2", "Q", bind=bind, count=2)
    assert (put.reason, put.at, put.count) == (2266, at, 0)
    said = events.ExitSaid(name="mine", reason=2266, problem="ValueError: Q")
    failure = events.WorkloadExitFailed(qmgr="PR2", queue="Q", exit=said)
    assert [each.event for each in sandbox.draft.events][-1] == failure


def test_after_a_failure_calls_on_the_handle_go_without_the_exit() -> None:
    """The call that fails ends with 2266; later calls on its handle go as if CLWLEXIT were blank.

    Another handle still has the exit.
    """
    sandbox = scene(broken)
    for handle in ("h1", "h2"):
        assert not sandbox.open("PR2", "Q", bind="notfixed", handle=handle).failed
    first = sandbox.put("PR2", handle="h1", count=2)
    assert (first.reason, first.at, first.count) == (2266, "put", 0)
    second = sandbox.put("PR2", handle="h1", count=4)
    assert (second.reason, second.order, second.exit) == (0, ("FR2", "PR1") * 2, None)
    assert sandbox.put("PR2", handle="h2").reason == 2266


def test_messages_before_the_failure_are_put() -> None:
    """If the exit fails for the third message, the first two are put and the call ends there."""
    answers = iter([1, 2, 99])

    def fails_late(block: MQWXP, *_: object) -> MQWXP:
        return replace(block, destination_chosen=next(answers))

    put = scene(fails_late).put("PR2", "Q", bind="notfixed", count=5)
    assert (put.reason, put.order, put.count) == (2266, ("FR2", "PR1"), 2)


class Asked:
    """An exit that lists the reasons for which it was called, and answers by a function."""

    def __init__(self, answer: WorkloadExit) -> None:
        """Answer calls of MQXR_CLWL_MOVE by `answer`; keep any other choice."""
        self.answer, self.reasons = answer, list[int]()

    def __call__(
        self, block: MQWXP, destinations: tuple[MQWDR, ...], queues: tuple[MQWQR, ...]
    ) -> MQWXP:
        """Take a call."""
        self.reasons.append(block.exit_reason)
        move = block.exit_reason == REASON_MOVE
        return self.answer(block, destinations, queues) if move else block


def waiting(exit_: Asked, bind: str = "notfixed") -> Sandbox:
    """Put 4 messages for FR2 and PR1, of which those for PR1 wait, as the link is cut."""
    sandbox = scene(exit_)
    derive(sandbox.draft, events.LinkChanged(qmgr="PR2", other="PR1", cut=True))
    sandbox.put("PR2", "Q", bind=bind, count=4)
    return sandbox


def reallocations(sandbox: Sandbox) -> list[events.MessagesReallocated]:
    """Return the recorded passes."""
    decided = [each.event for each in sandbox.draft.events]
    return [each for each in decided if isinstance(each, events.MessagesReallocated)]


def test_a_pass_asks_the_exit_for_each_message() -> None:
    """A pass calls the exit with MQXR_CLWL_MOVE, and its choice counts."""
    exit_ = Asked(lambda block, *_: block)
    sandbox = waiting(exit_)
    assert exit_.reasons == [REASON_PUT] * 4 + [REASON_MOVE] * 2
    assert sandbox.depth("FR2", "Q") == 4
    (moved,) = reallocations(sandbox)
    assert (sum(move.share.count for move in moved.moves), moved.exit) == (
        2,
        events.ExitSaid(name="mine"),
    )


@pytest.mark.parametrize("answer", [nobody, lambda block, *_: replace(block, destination_chosen=0)])
def test_a_message_stays_if_the_exit_refuses(answer: WorkloadExit) -> None:
    """MQXCC_SUPPRESS_FUNCTION, or no destination, keeps a message where it is."""
    sandbox = waiting(Asked(answer))
    assert (sandbox.depth("FR2", "Q"), sandbox.depth("PR1", "Q")) == (2, 0)
    (stayed,) = reallocations(sandbox)
    assert (stayed.moves, stayed.stayed) == ((), 2)


def test_a_pass_goes_by_the_rules_after_the_exit_failed() -> None:
    """The message for which the exit fails stays; the rules move the others."""
    sandbox = waiting(Asked(broken))
    assert sandbox.depth("FR2", "Q") == 3
    (passed, stayed) = reallocations(sandbox)
    assert (passed.exit.reason if passed.exit else 0, stayed.stayed) == (2266, 1)
    assert any(isinstance(each.event, events.WorkloadExitFailed) for each in sandbox.draft.events)


def test_an_exit_is_not_asked_again_for_bind_on_open() -> None:
    """Messages that are bound on open stay, and the exit is called once, at the MQOPEN."""
    exit_ = Asked(last_one)
    sandbox = scene(exit_)
    sandbox.run("PR1", "ALTER QLOCAL(Q) CLWLPRTY(5)")
    derive(sandbox.draft, events.LinkChanged(qmgr="PR2", other="PR1", cut=True))
    sandbox.put("PR2", "Q", bind="open", count=3)
    assert exit_.reasons == [REASON_OPEN]


def test_each_failed_retry_asks_the_exit_for_each_message() -> None:
    """What an exit kept at a failed start it is asked again at each retry, and may move then."""
    answers = iter([False, False] * 3 + [True, True])

    def changes(block: MQWXP, *_: object) -> MQWXP:
        return block if next(answers) else replace(block, destination_chosen=0)

    exit_ = Asked(changes)
    sandbox = waiting(exit_)
    assert sandbox.depth("FR2", "Q") == 2
    sandbox.pass_time(2 * MINUTE)
    assert exit_.reasons == [REASON_PUT] * 4 + [REASON_MOVE] * 2 * 3
    kept = [(each.cause, each.moves, each.stayed) for each in reallocations(sandbox)]
    assert kept == [("retry", (), 2)] * 3
    sandbox.pass_time(MINUTE)
    assert sandbox.depth("FR2", "Q") == 4


def test_a_retry_goes_by_the_rules_once_the_exit_is_not_loaded() -> None:
    """Messages that an exit kept move at the first retry without it; with it, it is asked again."""
    sandbox = waiting(Asked(nobody))
    exits, sandbox.draft.exits = sandbox.draft.exits, {}
    sandbox.run("FR2", "ALTER QLOCAL(Q) PUT(DISABLED)")
    sandbox.pass_time(2 * MINUTE)
    assert len(reallocations(sandbox)) == 1
    sandbox.draft.exits = exits
    await_exits(sandbox.draft)
    sandbox.pass_time(MINUTE)
    assert len(reallocations(sandbox)) == 2
    sandbox.draft.exits = {}
    sandbox.run("FR2", "ALTER QLOCAL(Q) PUT(ENABLED)")
    sandbox.pass_time(MINUTE)
    assert sandbox.depth("FR2", "Q") == 4


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
