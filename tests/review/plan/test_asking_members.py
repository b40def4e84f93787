"""Members that must ask for a queue first: those that a plan puts together are alike."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import START, build, make_twin
from tests.app.test_laws import fresh
from tests.laws import examples
from twin.app.twin import Twin
from twin.model.commands import Command
from twin.model.instants import HOUR, MINUTE
from twin.questions.explanation import ExplainRequest
from twin.review.plan.affected import NOT_OPENED
from twin.review.plan.asking_members import NO_SUCH_NAME
from twin.review.plan.plan import Plan, Request, plan
from twin.review.plan.planned import PlannedChange, PlannedScript
from twin.review.plan.text import text_of

MEMBERS = ("PR3", "PR4", "PR5", "PR6")


def joined(twin: Twin) -> Twin:
    """Let four more members join; PR1 and FR2 have Q, and nobody has opened it."""
    build(twin)
    for number, name in enumerate(MEMBERS):
        twin.crtmqm(name, at=START)
        twin.strmqm(name, at=START)
        script = f"""DEFINE CHANNEL(CA.{name}) CHLTYPE(CLUSRCVR) CONNAME({name}) CLUSTER(CA)
        DEFINE CHANNEL(CA.FR{1 + number % 2}) CHLTYPE(CLUSSDR) CONNAME(FR) CLUSTER(CA)"""
        assert twin.runmqsc(name, script, at=START).exit_code == 0
    for name, queue in (("PR1", "Q"), ("FR2", "Q"), ("PR1", "OTHER")):
        twin.runmqsc(name, f"DEFINE QLOCAL({queue}) CLUSTER(CA) DEFBIND(NOTFIXED)", at=START)
    return twin


@pytest.fixture
def twin(sqlite_url: str) -> Twin:
    """Return such a cluster."""
    return joined(make_twin(sqlite_url, lambda: START + HOUR))


def planned(twin: Twin, *changes: PlannedChange) -> Plan:
    """Plan these changes an hour after the beginning."""
    return plan(twin, Request(changes=lambda _: changes), as_of=START + HOUR)


DISABLE = PlannedScript("PR1", "ALTER QLOCAL(Q) PUT(DISABLED)")


def groups(made: Plan, queue: str = "Q") -> list[tuple[str, ...]]:
    """Return the members that a plan puts together."""
    return sorted((each.put.on, *each.alike) for each in made.routing if each.put.queue == queue)


def test_members_that_have_opened_nothing_are_one_group(twin: Twin) -> None:
    """They all ask the same full repositories, and learn the same."""
    assert groups(planned(twin, DISABLE)) == [("FR1",), ("PR1",), ("PR2", *MEMBERS)]


def test_a_member_that_cannot_ask_or_cannot_reach_an_instance_is_apart(twin: Twin) -> None:
    """PR3 reaches no full repository, so nothing changes; the channel of PR4 has failed."""
    for other in ("FR1", "FR2"):
        twin.link("cut", "PR3", other, at=START + MINUTE)
    twin.link("cut", "PR4", "PR1", at=START + MINUTE)
    twin.put("PR4", "OTHER", at=START + MINUTE)
    assert groups(planned(twin, DISABLE)) == [("FR1",), ("PR1",), ("PR2", "PR5", "PR6")]
    ended = planned(twin, Command.program("PR1", "endmqm"))
    assert groups(ended) == [("FR1",), ("PR2", "PR5", "PR6")]


def test_members_that_all_have_a_channel_that_failed_are_alike(twin: Twin) -> None:
    """A full repository that everybody is connected to ends, with a queue of its own."""
    twin.runmqsc("FR1", "DEFINE QLOCAL(MINE) CLUSTER(CA)", at=START)
    made = planned(twin, Command.program("FR1", "endmqm"))
    assert groups(made, "MINE") == [("FR2",), ("PR1", "PR2", *MEMBERS)]


def test_an_own_instance_of_lower_rank_does_not_keep_a_member_from_asking(twin: Twin) -> None:
    """PR3 has a queue Q that it has never opened; its rank is below that of the other instances."""
    twin.runmqsc("PR3", "DEFINE QLOCAL(Q) CLUSTER(CA) DEFBIND(NOTFIXED)", at=START + MINUTE)
    assert not [each for each in groups(planned(twin, DISABLE)) if "PR3" in each]
    for name in ("PR1", "FR2"):
        twin.runmqsc(name, "ALTER QLOCAL(Q) CLWLRANK(5)", at=START + MINUTE)
    assert ("PR3",) in groups(planned(twin, DISABLE))


REMOVE = PlannedScript("FR1", "RESET CLUSTER(CA) ACTION(FORCEREMOVE) QMNAME(PR3) QUEUES(YES)")


def test_a_member_that_is_removed_by_force_is_apart_from_those_that_stay(twin: Twin) -> None:
    """No full repository has a channel to PR3 any more, so its question gets no answer."""
    twin.runmqsc("PR3", "DEFINE QLOCAL(MINE) CLUSTER(CA)", at=START + MINUTE)
    made = planned(twin, REMOVE, DISABLE)
    refused = {
        on: each.after.reason
        for each in made.routing
        if each.put.queue == "Q"
        for on in (each.put.on, *each.alike)
    }
    assert {on for on, reason in refused.items() if reason} == {"PR3"}
    assert ("PR2", "PR4", "PR5", "PR6") in groups(made)


def test_members_that_can_ask_nobody_any_more_are_listed_together(twin: Twin) -> None:
    """When all full repositories end, the first open of any queue fails; PR1 has all queues."""
    twin.put("PR6", "Q", at=START + MINUTE)
    both = planned(twin, Command.program("FR1", "endmqm"), Command.program("FR2", "endmqm"))
    changes = [each for each in both.routing if each.put.queue == NOT_OPENED]
    assert {on for each in changes for on in (each.put.on, *each.alike)} == {
        "PR2",
        *MEMBERS,
    }
    assert {(each.cluster, each.before.reason, each.after.reason) for each in changes} == {
        ("CA", 0, 2189)
    }
    text = " ".join(line.strip() for line in text_of(both))
    assert "to any queue of CA that they have not opened yet: works -> 2189" in text


@pytest.mark.parametrize(
    ("changes", "senders"),
    [
        ([("PR2", "STOP CHANNEL(CA.FR1)")], set()),
        ([("PR2", "STOP CHANNEL(CA.FR1)\nSTOP CHANNEL(CA.FR2)")], {"PR2"}),
        ([("FR1", "ALTER QMGR REPOS(' ')")], set()),
        (
            [("FR1", "ALTER QMGR REPOS(' ')"), ("FR2", "ALTER QMGR REPOS(' ')")],
            {"FR1", "FR2", "PR1", "PR2", *MEMBERS},
        ),
    ],
)
def test_a_put_to_a_name_that_nobody_has_fails_otherwise_where_nobody_can_be_asked(
    twin: Twin, changes: list[tuple[str, str]], senders: set[str]
) -> None:
    """One full repository that answers is enough for 2085; PR1 has all queues that exist."""
    made = planned(twin, *(PlannedScript(on, text) for on, text in changes))
    found = [each for each in made.routing if each.put.queue == NO_SUCH_NAME]
    assert {on for each in found for on in (each.put.on, *each.alike)} == senders
    assert {(each.before.reason, each.after.reason) for each in found} <= {(2085, 2189)}
    lines = [line for line in text_of(made) if "any name that nobody has" in line]
    assert len(lines) == bool(senders)


def test_a_full_repository_that_starts_answers_puts_to_a_name_that_nobody_has(twin: Twin) -> None:
    """Both had ended: then 2189, and with one of them 2085."""
    for name in ("FR1", "FR2"):
        twin.endmqm(name, at=START + MINUTE)
    made = plan(
        twin,
        Request(changes=lambda _: [Command.program("FR1", "strmqm")], advance=HOUR),
        as_of=START + HOUR,
    )
    found = [each for each in made.routing if each.put.queue == NO_SUCH_NAME]
    assert {on for each in found for on in (each.put.on, *each.alike)} == {"PR1", "PR2", *MEMBERS}
    assert {(each.before.reason, each.after.reason) for each in found} == {(2189, 2085)}


def _cut(one: str, other: str) -> Callable[[Twin], object]:
    return lambda twin: twin.link("cut", one, other, at=START + MINUTE)


def _put(on: str, queue: str) -> Callable[[Twin], object]:
    return lambda twin: twin.put(on, queue, at=START + 2 * MINUTE)


def _run(on: str, text: str) -> Callable[[Twin], object]:
    return lambda twin: twin.runmqsc(on, text, at=START + 3 * MINUTE)


_ACTS = st.one_of(
    st.builds(_cut, st.sampled_from(MEMBERS), st.sampled_from(["FR1", "FR2", "PR1"])),
    st.builds(_put, st.sampled_from(MEMBERS), st.just("OTHER")),
    st.builds(
        _run,
        st.sampled_from(MEMBERS),
        st.sampled_from(
            [
                "ALTER QMGR CLWLMRUC(1)",
                "STOP CHANNEL(CA.PR1)",
                "STOP CHANNEL(CA.FR1)",
                "DEFINE QLOCAL(Q)",
                "DEFINE QALIAS(Q) TARGET(OTHER)",
                "ALTER QLOCAL(SYSTEM.CLUSTER.TRANSMIT.QUEUE) PUT(DISABLED)",
            ]
        ),
    ),
)
_CHANGES: list[PlannedChange] = [
    DISABLE,
    PlannedScript("PR1", "SUSPEND QMGR CLUSTER(CA)"),
    PlannedScript("FR2", "DELETE QLOCAL(Q)"),
    Command.program("PR1", "endmqm"),
    Command.program("FR1", "endmqm"),
    REMOVE,
]


@examples(cost=3)
@given(st.lists(_ACTS, max_size=5), st.sampled_from(_CHANGES))
def test_every_member_of_a_group_is_alike(
    acts: list[Callable[[Twin], object]], change: PlannedChange
) -> None:
    """Each one, asked alone on a branch with the change, puts to the same queue managers."""
    with fresh(1) as (twin,):
        joined(twin)
        for act in sorted(acts, key=lambda each: each.__qualname__):  # cut, put, run: in time
            act(twin)
        made = planned(twin, change)
        twin.create_branch("w", at=START + HOUR)
        branch = twin.on_branch("w")
        if isinstance(change, PlannedScript):
            branch.runmqsc(change.on, change.text, at=START + HOUR)
        else:
            branch.endmqm(change.on, at=START + HOUR)
        goes = {
            on: (each.before, each.after)
            for each in made.routing
            if each.put.queue == "Q"
            for on in (each.put.on, *each.alike)
        }
        refused = {
            on: (each.before.reason, each.after.reason)
            for each in made.routing
            if each.put.queue == NOT_OPENED
            for on in (each.put.on, *each.alike)
        }
        unknown = {
            on: (each.before.reason, each.after.reason)
            for each in made.routing
            if each.put.queue == NO_SUCH_NAME
            for on in (each.put.on, *each.alike)
        }
        for on in {"PR2", *MEMBERS} - {change.on}:
            was, now = (_goes(each, on, made.until, "NOSUCH") for each in (twin, branch))
            assert unknown.get(on, (was[0], was[0])) == (was[0], now[0]), on
            was, now = (_goes(each, on, made.until) for each in (twin, branch))
            if on in goes:
                before, after = goes[on]
                shown = [
                    (each.reason, {share.qmgr for share in each.shares}, bool(each.waits))
                    for each in (before, after)
                ]
                assert shown == [was, now], on
            elif (
                on in refused and ("QUEUE", "Q") not in twin.rehearse().estate.qmgr(on).definitions
            ):
                assert refused[on] == (was[0], now[0])
            else:
                assert was == now, on


def _goes(twin: Twin, on: str, at: int, queue: str = "Q") -> tuple[int, set[str], bool]:
    explained, _ = twin.explain(on, ExplainRequest(queue=queue), as_of=at)
    trace, waits = explained.trace, explained.block is not None
    if trace is None:
        return explained.reason, {explained.alone[0]} - {""}, waits
    routes = trace.finalists if trace.chosen is not None else ()
    return explained.reason, {route.qmgr for route in routes}, waits


def test_a_queue_manager_alias_is_no_queue_to_put_to(twin: Twin) -> None:
    """No put to it is compared where it goes, where it comes, or where nobody can ask any more."""
    alias = "DEFINE QREMOTE(TO.X) RNAME(' ') RQMNAME(X) CLUSTER(CA)"
    assert twin.runmqsc("PR1", alias, at=START).exit_code == 0
    role = "ALTER QMGR REPOS(' ')"
    for changes in (
        [PlannedScript("FR1", role), PlannedScript("FR2", role)],
        [PlannedScript("PR1", "DELETE QREMOTE(TO.X)")],
        [PlannedScript("PR1", alias.replace("TO.X", "TO.Y"))],
    ):
        puts = {each.put.queue for each in planned(twin, *changes).routing}
        assert not puts & {"TO.X", "TO.Y"}
    as_queue = PlannedScript("PR1", "DELETE QREMOTE(TO.X)\nDEFINE QLOCAL(TO.X) CLUSTER(CA)")
    assert "TO.X" in {each.put.queue for each in planned(twin, as_queue).routing}
