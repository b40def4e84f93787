"""The runbook `leave`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import START, Act, build, histories, make_twin
from tests.app.test_laws import fresh
from tests.laws import examples
from tests.review.runbooks.carrying import carry_out, take
from twin import events
from twin.app.acting import Fact
from twin.app.twin import Twin
from twin.fold.estate import NoSuchQueueManager
from twin.model.instants import DAY, HOUR, parse_instant
from twin.review.runbooks.runbook import RUNBOOKS, UnknownStep, WorkedRunbook, work_out
from twin.review.runbooks.subjects import (
    NotInCluster,
    RunbookRequest,
    SeveralClusters,
    UnknownQmid,
)
from twin.review.runbooks.walk import RunbookWalk, StepState, WalkedStep
from twin.rules import membership

_LINKS = st.sets(
    st.sampled_from([("FR1", "PR1"), ("FR2", "PR2"), ("PR1", "PR2"), ("FR2", "PR1")]), max_size=2
)


@pytest.fixture
def twin(sqlite_url: str) -> Twin:
    """Return a cluster with ORD at PR1 and FR2, and a sender PR2 that uses it."""
    twin = build(make_twin(sqlite_url, lambda: START + HOUR))
    for name in ("PR1", "FR2"):
        twin.runmqsc(name, "DEFINE QLOCAL(ORD) CLUSTER(CA) DEFBIND(NOTFIXED)", at=START)
    twin.put("PR2", "ORD", count=2, at=START)
    return twin


def leave(twin: Twin, qmgr: str = "PR1", **options: object) -> WorkedRunbook:
    """Work the runbook out now."""
    return work_out(twin, "leave", RunbookRequest(qmgr=qmgr, **options))  # type: ignore[arg-type]


def step(worked: WorkedRunbook, name: str) -> WalkedStep:
    """Return a step by its id."""
    return next(each for each in worked.steps if each.step.id == name)


def states(worked: WorkedRunbook) -> dict[str, str]:
    """Return the state of each step by its id."""
    return {each.step.id: str(each.state) for each in worked.steps}


@examples(cost=4)
@given(histories(), st.sampled_from(["FR1", "FR2", "PR1", "PR2"]), _LINKS)
def test_each_step_that_is_taken_becomes_done_and_then_nobody_remembers(
    history: list[Act], name: str, cut: set[tuple[str, str]]
) -> None:
    """The steps are done one after the other, on the dates that were promised at the beginning."""
    with fresh(1) as (twin,):
        build(twin)
        for act in history:
            act.perform(twin)
        for one, other in sorted(cut):
            twin.link("cut", one, other, at=history[-1].at)
        carried = carry_out(twin, "leave", RunbookRequest(qmgr=name, cluster="CA"))
        if carried.steps[-1].state is not StepState.DONE:
            assert any(each.blocked_by for each in carried.steps)
            assert cut
            return
        qmid = carried.subject.qmid
        for question in ("beliefs", "members"):
            rows = carried.rehearsal.ask(question).rows
            assert not [row for row in rows if row["qmid"] == qmid]
            assert not [row for row in rows if row.get("observer") == name]
        assert carried.promised == carried.rehearsal.now()


def test_the_last_memory_goes_when_the_record_of_who_cannot_hear_is_removed(twin: Twin) -> None:
    """A partial repository that is cut off removes the records 90 days after they were sent."""
    for full in ("FR1", "FR2"):
        twin.link("cut", "PR2", full, at=START + HOUR)
    worked = leave(twin)
    assert worked.ends == START + 90 * DAY
    assert not worked.is_blocked


def test_a_full_repository_that_cannot_hear_blocks_the_first_step_that_it_has_to_hear_of(
    twin: Twin,
) -> None:
    """The step names where the commands wait; those after it have no dates."""
    for other in ("PR1", "PR2", "FR2"):
        twin.link("cut", "FR1", other, at=START + HOUR)
    worked = leave(twin)
    assert states(worked) | {"suspend": ""} == {
        **dict.fromkeys(("save", "automatic-configuration", "hand-over"), "done"),
        **dict.fromkeys(("forward-elsewhere", "redirect"), "done"),
        "suspend": "",
        **dict.fromkeys(("withdraw-objects", "drain", "send", "leave"), "later"),
        **dict.fromkeys(("repositories-forget", "disconnect", "forget", "forgotten"), "later"),
    }
    suspend = step(worked, "suspend")
    assert (suspend.state, suspend.blocked_by) == (
        StepState.BLOCKED,
        (
            "FR1 holds PR1 without SUSPEND(YES) (its commands wait at FR2: CA.FR1 is RETRYING, "
            "next retry 2026-01-01T01:02:00Z)"
        ),
    )
    assert (worked.is_blocked, worked.ends) == (True, None)


def test_the_only_running_full_repository_does_not_leave(twin: Twin) -> None:
    """The step is blocked, and names the runbook that comes before."""
    twin.endmqm("FR2", at=START + HOUR)
    assert step(leave(twin, "FR1"), "hand-over").blocked_by == (
        "FR1 is the only running full repository of CA: FR2 has ended; first run twin runbook "
        "move-full-repository FR1 --to QM"
    )


def test_a_queue_manager_that_has_ended_is_started_or_lost(twin: Twin) -> None:
    """One that has ended blocks; one that is lost or deleted is removed by force."""
    twin.endmqm("PR1", at=START + HOUR)
    suspend = step(leave(twin), "suspend")
    assert suspend.blocked_by == "PR1 has ended; if it never comes back, say --lost"
    removal = "RESET CLUSTER(CA) ACTION(FORCEREMOVE) QMID('PR1_2026-01-01_00.00.00') QUEUES(YES)"
    lost = leave(twin, lost=True)
    assert [str(each) for step in lost.steps for each in step.commands] == [f"FR1: {removal}"]
    assert not lost.is_blocked
    twin.dltmqm("PR1", at=START + HOUR)
    deleted = leave(twin)
    assert [str(each) for step in deleted.steps for each in step.commands] == [f"FR1: {removal}"]
    assert carry_out(twin, "leave", RunbookRequest(qmgr="PR1")).steps[-1].state is StepState.DONE


@pytest.mark.parametrize("name", ["leave", "rebuild", "move-full-repository"])
def test_one_that_runs_is_not_lost(twin: Twin, name: str) -> None:
    """It would publish again after each FORCEREMOVE; once it has ended, it is removed."""
    request = RunbookRequest(qmgr="FR1", to="PR2", lost=True)
    worked = work_out(twin, name, request)
    (blocked,) = (each.blocked_by for each in worked.steps if each.blocked_by)
    assert blocked == (
        "FR1 runs, and publishes again after each FORCEREMOVE: end it first (endmqm FR1), or leave "
        "out --lost"
    )
    twin.endmqm("FR1", at=START + HOUR)
    assert not work_out(twin, name, request).is_blocked


def test_an_imported_one_may_be_lost_although_it_ran_when_it_was_seen(sqlite_url: str) -> None:
    """Nothing may have been imported since, so what was said of it counts."""
    twin = build(make_twin(sqlite_url, lambda: START + HOUR))
    member = "DEFINE CHANNEL('CA.SEEN') CHLTYPE(CLUSRCVR) CONNAME('s(1)') CLUSTER('CA') REPLACE\n"
    twin.ingest(member, qmgr="SEEN", at=START + HOUR)
    assert twin.view()[0].qmgrs["SEEN"].running
    assert not leave(twin, "SEEN", lost=True).is_blocked


def test_messages_and_bound_handles_are_waited_for(twin: Twin) -> None:
    """Messages that wait for it, and handles that are bound to it, are named; they do not last."""
    twin.open_queue("PR2", "ORD", bind="open", handle="h1", at=START + HOUR)
    bound = twin.view()[0].qmgrs["PR2"].messaging.handles["h1"].bound
    assert bound is not None
    name = twin.view()[0].names[bound.to]
    drain = next(each for each in leave(twin, name).steps if each.step.id == "drain")
    assert drain.detail == f"handles are bound to {name}: PR2 (h1)"
    twin.link("cut", "PR2", name, at=START + HOUR)
    twin.put("PR2", handle="h1", count=3, at=START + HOUR)
    drain = next(each for each in leave(twin, name).steps if each.step.id == "drain")
    assert drain.detail == (f"messages for {name} wait: 3 messages at PR2 (CA.{name} is RETRYING)")
    assert drain.blocked_by == drain.detail


def test_a_later_step_that_somebody_confirms_blocks_nothing(twin: Twin) -> None:
    """Messages that nobody waits for are no reason against the steps after it."""
    for name in ("PR1", "FR2"):
        twin.link("cut", "PR2", name, at=START + HOUR)
    twin.put("PR2", "ORD", to="PR1", count=3, at=START + HOUR)
    assert step(leave(twin), "drain").state is StepState.BLOCKED
    drain = step(leave(twin, confirmed=frozenset({"drain"})), "drain")
    assert (drain.state, drain.blocked_by) == (StepState.LATER, "")
    assert "3 messages at PR2" in drain.detail


def test_one_that_joins_again_before_it_forgets_has_no_channel_that_is_stopped(twin: Twin) -> None:
    """The auto-defined CLUSSDR to FR1 is left; PR1 joins again through FR2."""
    rehearsal = twin.rehearse()
    request = RunbookRequest(qmgr="PR1")
    subject = RUNBOOKS["leave"].subject(rehearsal, request)
    left = set[str]()
    while "disconnect" not in left:
        walked = RunbookWalk(subject, rehearsal, frozenset()).through(RUNBOOKS["leave"].steps)
        due = next(each for each in walked if each.state is StepState.NEXT)
        take(rehearsal, due, subject)
        left.add(due.step.id)
    joins = """DEFINE CHANNEL(CA.FR2) CHLTYPE(CLUSSDR) CONNAME(FR2) CLUSTER(CA)
    DEFINE CHANNEL(CA.PR1) CHLTYPE(CLUSRCVR) CONNAME(PR1) CLUSTER(CA)"""
    assert rehearsal.runmqsc("PR1", joins).exit_code == 0
    channels = rehearsal.estate.qmgr("PR1").activity.channels
    assert {channels[name].status for name in ("CA.FR1", "CA.FR2")} == {"RUNNING"}


def test_a_queue_in_two_clusters_stays_in_the_other(twin: Twin) -> None:
    """The namelist of an object is not altered: the object gets the cluster that is left."""
    twin.runmqsc(
        "PR1",
        "DEFINE NAMELIST(BOTH) NAMES(CA, CB)\n"
        "ALTER CHANNEL(CA.PR1) CHLTYPE(CLUSRCVR) CLUSTER(' ') CLUSNL(BOTH)\n"
        "ALTER QLOCAL(ORD) CLUSTER(' ') CLUSNL(BOTH)\n",
        at=START + HOUR,
    )
    with pytest.raises(SeveralClusters, match="PR1 has to do with CA, CB"):
        leave(twin)
    worked = leave(twin, cluster="CA")
    commands = {each.step.id: [command.text for command in each.commands] for each in worked.steps}
    assert commands["withdraw-objects"] == ["ALTER QLOCAL(ORD) CLUSNL(' ') CLUSTER(CB)"]
    assert commands["leave"] == ["ALTER CHANNEL(CA.PR1) CHLTYPE(CLUSRCVR) CLUSNL(' ') CLUSTER(CB)"]
    assert commands["disconnect"] == [
        "STOP CHANNEL(CA.FR1) STATUS(INACTIVE)",
        "DELETE CHANNEL(CA.FR1)",
    ]
    carried = carry_out(twin, "leave", RunbookRequest(qmgr="PR1", cluster="CA"))
    assert carried.steps[-1].state is StepState.DONE
    left = carried.rehearsal.estate.qmgrs["PR1"].repository.own_records
    assert [name[:2] for name in left] == [("CB", "qmgr"), ("CB", "queue")]


@pytest.mark.parametrize(
    ("names", "commands"),
    [
        ("CA", ["ALTER QMGR REPOSNL(' ')"]),
        ("CA, CB", ["ALTER QMGR REPOSNL(' ') REPOS(CB)"]),
        (
            "CA, CB, CC",
            [
                "DEFINE NAMELIST(ALL.CB.CC) NAMES(CB,CC)",
                "ALTER QMGR REPOSNL(ALL.CB.CC)",
            ],
        ),
    ],
)
def test_a_full_repository_of_several_clusters_gives_up_one(
    twin: Twin, names: str, commands: list[str]
) -> None:
    """Its role in the other clusters stays, and the namelist is not altered."""
    twin.runmqsc(
        "FR1",
        f"DEFINE NAMELIST(ALL) NAMES({names})\nALTER QMGR REPOS(' ') REPOSNL(ALL)",
        at=START + HOUR,
    )
    worked = leave(twin, "FR1", cluster="CA")
    assert [each.text for each in step(worked, "hand-over").commands] == commands
    carried = carry_out(twin, "leave", RunbookRequest(qmgr="FR1", cluster="CA"))
    assert carried.steps[-1].state is StepState.DONE
    full = membership.full_repository_of(carried.rehearsal.estate.qmgrs["FR1"])
    assert list(full) == names.split(", ")[1:]


def test_what_nobody_observed_is_not_done_until_somebody_confirms_it(twin: Twin) -> None:
    """The depth of a transmission queue that was never observed is unknown, not 0."""
    member = (
        "DEFINE CHANNEL('CA.SEEN') CHLTYPE(CLUSRCVR) CONNAME('seen(1414)') CLUSTER('CA') REPLACE\n"
    )
    twin.ingest(f"* dump\n{member}", qmgr="SEEN", at=START + HOUR)
    never = "the depth of SYSTEM.CLUSTER.TRANSMIT.QUEUE was never observed at SEEN"

    def unknown(worked: WorkedRunbook) -> dict[str, str]:
        return {each.step.id: each.unknown for each in worked.steps if each.unknown}

    worked = leave(twin)
    assert unknown(worked) == {"drain": never}
    assert not worked.is_blocked
    saved = leave(twin, "SEEN", confirmed=frozenset(["save"]))
    assert unknown(saved) == {"send": never}
    _depth(twin, 2)
    assert unknown(leave(twin)) == {
        "drain": "2 messages lay on SYSTEM.CLUSTER.TRANSMIT.QUEUE of SEEN at 2026-01-01T01:00:00Z"
    }
    confirmed = leave(twin, "SEEN", confirmed=frozenset(["save", "suspend", "send"]))
    save, suspend = step(confirmed, "save"), step(confirmed, "suspend")
    assert (save.detail, save.confirmed, save.accepted) == ("confirmed with --done", True, False)
    assert suspend.detail == "confirmed with --done although SEEN is not suspended in CA"
    assert suspend.accepted


def _depth(twin: Twin, depth: int) -> None:
    seen = events.DepthsObserved(
        qmgr="SEEN",
        depths=(events.QueueDepth(queue="SYSTEM.CLUSTER.TRANSMIT.QUEUE", depth=depth),),
    )
    twin.record_observations([Fact(seen, "observation:test")], at=START + HOUR)


def test_bad_input_is_named(twin: Twin) -> None:
    """An unknown queue manager, QMID, cluster or step is refused."""
    with pytest.raises(NoSuchQueueManager, match="QM9 does not exist"):
        leave(twin, "QM9")
    with pytest.raises(UnknownQmid, match=r"PR2_2026-01-01_00\.00\.00"):
        leave(twin, qmid="PR2_2026-01-01_00.00.00")
    with pytest.raises(NotInCluster, match="PR1 has nothing to do with cluster CZ; it has to do"):
        leave(twin, cluster="CZ")
    with pytest.raises(UnknownStep, match=r"leave has no step drian; .* did you mean drain"):
        leave(twin, confirmed=frozenset(["drian"]))


GATEWAY = """DEFINE QALIAS(STOCK) TARGET(ORD) CLUSTER(CA) DEFBIND(NOTFIXED)
DEFINE QREMOTE(ROME) RNAME(' ') RQMNAME(PARIS) XMITQ(PARIS) CLUSTER(CA)
DEFINE QREMOTE(FAR) RNAME(THERE) RQMNAME(PARIS) XMITQ(PARIS) CLUSTER(CA)
DEFINE QLOCAL(PARIS) USAGE(XMITQ)
"""


def _gateway(twin: Twin) -> Twin:
    """Let PR2 be a gateway to PARIS, for which others have definitions."""
    scripts = {
        "PR2": GATEWAY,
        "PR1": "DEFINE QREMOTE(TO.ROME) RNAME(THERE) RQMNAME(ROME)\n"
        "DEFINE QREMOTE(TO.PR2) RNAME(THERE) RQMNAME(PR2)\n"
        "DEFINE QALIAS(MY.STOCK) TARGET(STOCK)\n"
        "DEFINE QALIAS(MY.ORD) TARGET(ORD)\n",
    }
    twin.crtmqm("OUT", at=START)
    twin.strmqm("OUT", at=START)
    scripts["OUT"] = (
        "DEFINE QLOCAL(PR2) USAGE(XMITQ)\n"
        "DEFINE CHANNEL(OUT.PR2) CHLTYPE(SDR) CONNAME('pr2(1414)') XMITQ(PR2)\n"
        "DEFINE QREMOTE(ORDERS) RNAME(ORD) RQMNAME(ANY.CA) XMITQ(PR2)\n"
        "DEFINE QREMOTE(DEAD) RNAME(ORD) RQMNAME(PR2)\n"
        "DEFINE QREMOTE(ELSEWHERE) RNAME(X) RQMNAME(NOBODY) XMITQ(PR2)\n"
    )
    scripts["PR2"] += (
        "DEFINE CHANNEL(OUT.PR2) CHLTYPE(RCVR)\nDEFINE QALIAS(OWN) TARGET(ORD)\n"
        "DEFINE QREMOTE(ANY.CA) RNAME(' ') RQMNAME(' ')\n"
    )
    for name, script in scripts.items():
        assert twin.runmqsc(name, script, at=START).exit_code == 0
    return twin


def test_what_a_gateway_forwards_is_given_to_another_member_first(twin: Twin) -> None:
    """Aliases, remote queues and aliases of queue managers that only it has are named."""
    _gateway(twin)
    worked = leave(twin, "PR2")
    forward = step(worked, "forward-elsewhere")
    assert forward.state is StepState.NEXT
    assert [(each.on, each.text) for each in forward.commands] == [
        (
            "another member of CA",
            "DEFINE QREMOTE(FAR) RNAME(THERE) RQMNAME(PARIS) XMITQ(PARIS) CLUSTER(CA)",
        ),
        (
            "another member of CA",
            "DEFINE QREMOTE(ROME) RNAME(' ') RQMNAME(PARIS) XMITQ(PARIS) CLUSTER(CA)",
        ),
        (
            "another member of CA",
            "DEFINE QALIAS(STOCK) TARGET(ORD) DEFBIND(NOTFIXED) CLUSTER(CA)",
        ),
    ]
    assert not worked.is_blocked
    for command in forward.commands:
        assert twin.runmqsc("FR1", command.text, at=START + HOUR).exit_code == 0
    assert step(leave(twin, "PR2"), "forward-elsewhere").state is StepState.DONE


def test_definitions_that_lead_to_it_or_through_it_are_named(twin: Twin) -> None:
    """They lead nowhere afterwards: at members, at others that send through it, and its own.

    A message that names PR2 itself finds no ORD there now either.
    """
    redirect = step(leave(_gateway(twin), "PR2"), "redirect")
    assert redirect.unknown == (
        "whether anybody still uses QREMOTE(ORDERS) at OUT (ORD through PR2); "
        "QALIAS(MY.STOCK) at PR1 (TARGET(STOCK), which only PR2 has); "
        "QREMOTE(TO.PR2) at PR1 (RQMNAME(PR2)); "
        "QREMOTE(TO.ROME) at PR1 (RQMNAME(ROME), an alias that only PR2 has); "
        "QALIAS(OWN) at PR2 (TARGET(ORD)); QALIAS(STOCK) at PR2 (TARGET(ORD))"
    )
    for name, script in {
        "OUT": "DELETE QREMOTE(ORDERS)",
        "PR1": "DELETE QALIAS(MY.STOCK)\nDELETE QREMOTE(TO.PR2)\nDELETE QREMOTE(TO.ROME)",
        "PR2": "DELETE QALIAS(OWN)\nDELETE QALIAS(STOCK)",
    }.items():
        assert twin.runmqsc(name, script, at=START + HOUR).exit_code == 0
    assert step(leave(twin, "PR2"), "redirect").state is StepState.DONE


def test_those_that_are_named_are_those_whose_puts_fail_afterwards(twin: Twin) -> None:
    """Before it leaves, messages for each of them have a way, and afterwards they have none."""
    _gateway(twin)
    for name in ("TO.ROME", "TO.PR2", "MY.STOCK", "MY.ORD"):
        assert not twin.open_queue("PR1", name, bind="notfixed", at=START + HOUR).reason
    confirmed = frozenset({"forward-elsewhere", "redirect"})
    carried = carry_out(twin, "leave", RunbookRequest(qmgr="PR2", confirmed=confirmed))
    assert carried.steps[-1].state is StepState.DONE
    reasons = {
        (on, queue): carried.rehearsal.open_queue(on, queue, bind="notfixed").reason
        for on, queue in [
            *(("PR1", name) for name in ("TO.ROME", "TO.PR2", "MY.STOCK", "MY.ORD")),
            ("PR2", "OWN"),
        ]
    }
    assert {key: bool(reason) for key, reason in reasons.items()} == {
        ("PR1", "TO.ROME"): True,
        ("PR1", "TO.PR2"): True,
        ("PR1", "MY.STOCK"): True,
        ("PR1", "MY.ORD"): False,
        ("PR2", "OWN"): True,
    }


def test_the_dump_is_that_of_an_instant_before_the_first_change(twin: Twin) -> None:
    """Definitions that were withdrawn or deleted since are in it."""
    began = START + HOUR
    save = step(leave(twin), "save")
    assert save.detail == "twin dmpmqcfg PR1 --as-of 2026-01-01T01:00:00Z writes its definitions"
    script = (
        "SUSPEND QMGR CLUSTER(CA)\nALTER QLOCAL(ORD) CLUSTER(' ')\n"
        "ALTER CHANNEL(CA.PR1) CHLTYPE(CLUSRCVR) CLUSTER(' ')"
    )
    assert twin.runmqsc("PR1", script, at=began).exit_code == 0
    later = work_out(twin, "leave", RunbookRequest(qmgr="PR1"), as_of=began + HOUR)
    save = step(later, "save")
    assert save.state is StepState.DONE
    at = save.detail.split()[4]
    dumped = "\n".join(twin.dmpmqcfg("PR1", as_of=parse_instant(at, now=0)))
    assert "CLUSTER('CA')" in dumped
    assert dumped.index("DEFINE QLOCAL('ORD')") < dumped.index("DEFINE CHANNEL('CA.PR1')")


def test_without_a_suspension_it_is_not_known_which_dump_is_from_before(twin: Twin) -> None:
    """Then the first step says so, and does not call the definitions of now saved."""
    twin.runmqsc("PR1", "ALTER CHANNEL(CA.PR1) CHLTYPE(CLUSRCVR) CLUSTER(' ')", at=START + HOUR)
    save = step(leave(twin), "save")
    assert (save.state, save.detail) == (StepState.NEXT, "")
    assert save.unknown.startswith("whether the definitions of PR1 were saved before it began to")
