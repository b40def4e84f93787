"""The runbook `rebuild`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import START, Act, add_on_zos, build, histories, make_twin
from tests.app.test_laws import fresh
from tests.laws import examples
from tests.review.runbooks.carrying import carry_out
from twin.app.twin import Twin
from twin.model.instants import HOUR, MINUTE
from twin.review.runbooks.runbook import WorkedRunbook, work_out
from twin.review.runbooks.subjects import RunbookRequest
from twin.review.runbooks.walk import StepState, WalkedStep

OLD = "PR1_2026-01-01_00.00.00"


@pytest.fixture
def twin(sqlite_url: str) -> Twin:
    """Return a cluster with ORD at PR1, and a sender PR2 that uses it."""
    twin = build(make_twin(sqlite_url, lambda: START + HOUR))
    twin.runmqsc("PR1", "DEFINE QLOCAL(ORD) CLUSTER(CA)", at=START)
    twin.put("PR2", "ORD", count=2, at=START)
    return twin


def rebuild(twin: Twin, **options: Any) -> WorkedRunbook:
    """Work the runbook out now for PR1."""
    return work_out(twin, "rebuild", RunbookRequest(**{"qmgr": "PR1"} | options))


@examples(cost=4)
@given(
    histories(),
    st.sampled_from(["FR1", "FR2", "PR1", "PR2"]),
    st.sampled_from(["leaves", "is lost"]),
)
def test_each_step_that_is_taken_becomes_done_and_then_there_is_one_qmid(
    history: list[Act], name: str, way: str
) -> None:
    """The new one shares what the old one shared, and nobody remembers the old QMID."""
    with fresh(1) as (twin,):
        build(twin)
        for act in history:
            act.perform(twin)
        rehearsal = twin.rehearse()
        own = {*rehearsal.estate.qmgrs[name].repository.own_records}
        carried = carry_out(twin, "rebuild", RunbookRequest(qmgr=name, lost=way == "is lost"))
        assert carried.steps[-1].state is StepState.DONE
        made = carried.rehearsal.estate.qmgrs[name]
        assert made.qmid != carried.subject.qmid
        assert {*made.repository.own_records} == own
        rows = carried.rehearsal.ask("beliefs").rows
        assert not [row for row in rows if row["qmid"] == carried.subject.qmid]
        (known_by,) = (
            row["known_by"] for row in carried.rehearsal.ask("members").rows if row["qmgr"] == name
        )
        assert isinstance(known_by, tuple)
        assert {"FR1", "FR2", name} <= {*known_by}


def test_the_only_full_repository_needs_no_cluster_sender(twin: Twin) -> None:
    """A lost one is made again: it is no other full repository to which a CLUSSDR must lead."""
    twin.runmqsc("FR2", "ALTER QMGR REPOS(' ')", at=START + HOUR)
    script = (
        "ALTER QMGR REPOS(CA)\n"
        "DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSRCVR) CONNAME('fr1(1414)') CLUSTER(CA)\n"
    )
    carried = carry_out(twin, "rebuild", RunbookRequest(qmgr="FR1", script=script, lost=True))
    assert [each.blocked_by for each in carried.steps if each.blocked_by] == []
    assert carried.steps[-1].state is StepState.DONE


def test_one_that_was_deleted_is_made_again_from_what_it_had(twin: Twin) -> None:
    """Its definitions are those from just before it was deleted."""
    twin.endmqm("PR1", at=START + HOUR)
    twin.dltmqm("PR1", at=START + HOUR)
    worked = rebuild(twin)
    assert worked.steps[0].detail.startswith(
        "twin dmpmqcfg PR1 --as-of 2026-01-01T00:59:59.999999Z"
    )
    assert worked.ends is not None
    carried = carry_out(twin, "rebuild", RunbookRequest(qmgr="PR1"))
    assert carried.steps[-1].state is StepState.DONE
    own = carried.rehearsal.estate.qmgrs["PR1"].repository.own_records
    assert ("CA", "queue", "ORD") in own


def test_one_that_is_lost_is_removed_by_its_qmid(twin: Twin) -> None:
    """RESET CLUSTER by name would be refused while two queue managers have it."""
    twin.endmqm("PR1", at=START + HOUR)
    commands = [
        (each.on, each.text) for step in rebuild(twin, lost=True).steps for each in step.commands
    ]
    assert commands == [
        ("FR1", f"RESET CLUSTER(CA) ACTION(FORCEREMOVE) QMID('{OLD}') QUEUES(YES)"),
        ("PR1", "dltmqm PR1"),
        ("PR1", "crtmqm PR1"),
        ("PR1", "strmqm PR1"),
        ("PR1", "twin dmpmqcfg PR1 --as-of 2026-01-01T01:00:00Z > PR1.mqsc"),
        ("PR1", "runmqsc PR1 < PR1.mqsc"),
    ]


def test_on_zos_no_control_command_is_named_and_the_steps_can_be_taken(twin: Twin) -> None:
    """MQSC and CSQUTIL do it there; that a person deletes and makes it is said in words."""
    add_on_zos(twin)
    worked = rebuild(twin, qmgr="ZOS1")
    texts = [each.text for step in worked.steps for each in step.commands]
    assert texts[-5:] == [
        "STOP QMGR",
        "START QMGR",
        "START CHINIT",
        "twin dmpmqcfg ZOS1 --as-of 2026-01-01T01:00:00Z > ZOS1.mqsc",
        "CSQUTIL PARM='ZOS1': COMMAND DDNAME(CMDINP), where CMDINP is ZOS1.mqsc",
    ]
    assert "on z/OS no command deletes it: remove its subsystem" in _step(worked, "delete").detail
    assert "on z/OS no command makes it: define its subsystem" in _step(worked, "create").detail
    carried = carry_out(twin, "rebuild", RunbookRequest(qmgr="ZOS1"))
    assert carried.steps[-1].state is StepState.DONE
    made = carried.rehearsal.estate.qmgrs["ZOS1"]
    assert made.platform == "MVS"
    assert made.qmid != carried.subject.qmid


def test_on_zos_one_that_is_lost_is_ended_with_stop_qmgr(twin: Twin) -> None:
    """A queue manager that is said to be lost and runs is ended in the words of its platform."""
    add_on_zos(twin)
    blocked = rebuild(twin, qmgr="ZOS1", lost=True).steps[2].blocked_by
    assert "end it first (STOP QMGR), or leave out --lost" in blocked


def test_a_script_that_is_given_is_run_from_its_file(twin: Twin) -> None:
    """The definitions are not written again; of standard input there is no file to name."""
    define = _step(rebuild(twin, script=_join("PR1"), script_file="my pr1.mqsc"), "define")
    assert [*map(str, define.commands)] == ["PR1: runmqsc PR1 < 'my pr1.mqsc'"]
    assert not _step(rebuild(twin, script=_join("PR1"), script_file="-"), "define").commands


def test_one_in_another_cluster_is_rebuilt_in_all_of_them(twin: Twin) -> None:
    """Deleting it would take it from the other cluster, and others there would hold its records."""
    receiver = "DEFINE CHANNEL(CB.{0}) CHLTYPE(CLUSRCVR) CONNAME('{0}(1)') CLUSTER(CB)\n"
    sender = "DEFINE CHANNEL(CB.PR2) CHLTYPE(CLUSSDR) CONNAME('PR2(1)') CLUSTER(CB)\n"
    for name, script in (("PR2", "ALTER QMGR REPOS(CB)\n"), ("PR1", sender)):
        twin.runmqsc(name, script + receiver.format(name), at=START + HOUR)
    for lost in (False, True):
        worked = rebuild(twin, cluster="CA", lost=lost)
        assert _step(worked, "no-other-cluster").blocked_by == (
            "PR1 is also in CB, and is deleted for all clusters: leave out --cluster, so "
            "that it leaves all of them and joins them again"
        )
        assert worked.is_blocked
    assert not rebuild(twin).is_blocked
    twin.endmqm("PR1", at=START + HOUR)
    twin.dltmqm("PR1", at=START + HOUR)
    last = _step(rebuild(twin, cluster="CA"), "forgotten")
    assert (last.state, last.detail) == (
        StepState.LATER,
        f"FR1, FR2, PR2 hold 7 records of {OLD}",
    )


def test_without_the_definitions_the_rest_has_no_dates(twin: Twin) -> None:
    """Once the old one has left, its clusters are in the script only."""
    twin.runmqsc(
        "PR1",
        "ALTER QLOCAL(ORD) CLUSTER(' ')\nALTER CHANNEL(CA.PR1) CHLTYPE(CLUSRCVR) CLUSTER(' ')",
        at=START + HOUR,
    )
    worked = rebuild(twin)
    dates = {each.step.id: each.expected for each in worked.steps if each.state != "done"}
    assert dates["create"] is not None
    assert dates["define"] is dates["joined"] is dates["forgotten"] is None
    assert not worked.is_blocked
    script = (
        "DEFINE CHANNEL(CA.PR1) CHLTYPE(CLUSRCVR) CONNAME('pr1(1414)') CLUSTER(CA)\n"
        "DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CONNAME('fr1(1414)') CLUSTER(CA)\n"
    )
    assert rebuild(twin, script=script).ends == START + HOUR + MINUTE  # the next retry


def test_a_script_that_is_refused_in_part_blocks_its_step(twin: Twin) -> None:
    """The step names each refused command, its line and its reply; what follows has no dates."""
    script = (
        _join("PR1") + "DEFINE QLOCAL(A$B!)\nDEFINE QLOCAL(GOOD)\nDEFINE QLOCAL(X) CLUSTR(CA)\n"
    )
    worked = rebuild(twin, script=script, script_file="pr1.mqsc")
    define = next(each for each in worked.steps if each.step.id == "define")
    assert (define.state, define.blocked_by) == (
        StepState.BLOCKED,
        "2 of 5 commands in pr1.mqsc would be refused",
    )
    assert [(each.line, each.text, each.messages[0][:8]) for each in define.refused] == [
        (3, "DEFINE QLOCAL(A$B!)", "AMQ8424E"),
        (5, "DEFINE QLOCAL(X) CLUSTR(CA)", "AMQ8405I"),
    ]
    assert worked.is_blocked
    assert worked.ends is None


@pytest.mark.parametrize("script", ["", "* only a comment\n"])
def test_a_script_without_commands_blocks_its_step(twin: Twin, script: str) -> None:
    """It is not taken for one that was not given."""
    worked = rebuild(twin, script=script, script_file="pr1.mqsc")
    define = next(each for each in worked.steps if each.step.id == "define")
    assert define.blocked_by == "pr1.mqsc has no commands"


def test_two_qmids_of_one_name_are_about_the_old_one(twin: Twin) -> None:
    """One that was made again without leaving is remembered until it is removed by force."""
    twin.endmqm("PR1", at=START + HOUR)
    twin.dltmqm("PR1", at=START + HOUR)
    twin.crtmqm("PR1", at=START + HOUR)
    twin.strmqm("PR1", at=START + HOUR)
    worked = rebuild(twin)
    assert worked.subject.qmid == OLD
    forget = next(each for each in worked.steps if each.step.id == "repositories-forget")
    assert (str(forget.state), forget.commands[0].on) == ("next", "FR1")
    assert next(each.state for each in worked.steps if each.step.id == "create") == "later"
    carried = carry_out(twin, "rebuild", RunbookRequest(qmgr="PR1", script=_join("PR1"), qmid=OLD))
    assert carried.steps[-1].state is StepState.DONE


def test_it_goes_on_with_the_old_one_until_the_new_one_is_named(twin: Twin) -> None:
    """Made again and not defined yet, it is in no cluster; and afterwards all steps are done."""
    twin.runmqsc(
        "PR1",
        "ALTER QLOCAL(ORD) CLUSTER(' ')\nALTER CHANNEL(CA.PR1) CHLTYPE(CLUSRCVR) CLUSTER(' ')",
        at=START + HOUR,
    )
    twin.endmqm("PR1", at=START + HOUR)
    twin.dltmqm("PR1", at=START + HOUR)
    twin.crtmqm("PR1", at=START + HOUR)
    twin.strmqm("PR1", at=START + HOUR)
    assert next(each for each in rebuild(twin).steps if each.state == "next").step.id == "define"
    twin.runmqsc("PR1", _join("PR1"), at=START + HOUR)
    worked = rebuild(twin)
    assert worked.subject.qmid == OLD
    new = twin.view()[0].qmgrs["PR1"].qmid
    assert worked.notes[0].endswith(f"say --qmid {new}.")
    again = rebuild(twin, qmid=new)
    assert (again.subject.qmid, again.done, again.notes) == (new, 4, ())


def _step(worked: WorkedRunbook, name: str) -> WalkedStep:
    return next(each for each in worked.steps if each.step.id == name)


def _join(name: str) -> str:
    return (
        f"DEFINE CHANNEL(CA.{name}) CHLTYPE(CLUSRCVR) CONNAME('x(1414)') CLUSTER(CA)\n"
        "DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CONNAME('fr1(1414)') CLUSTER(CA)\n"
    )


def test_what_was_not_observed_is_not_saved(twin: Twin) -> None:
    """The definitions of a queue manager that was seen in part are unknown until its dump comes."""
    member = "DEFINE CHANNEL('CA.SEEN') CHLTYPE(CLUSRCVR) CONNAME('s(1)') CLUSTER('CA') REPLACE\n"
    twin.ingest(member, qmgr="SEEN", at=START + HOUR)
    (first, *_) = rebuild(twin, qmgr="SEEN").steps
    assert first.unknown.startswith("not all objects of kind ")
    assert first.unknown.endswith("import its dump (dmpmqcfg -m SEEN -a)")


def test_definitions_on_zos_are_dumped_by_csqutil(twin: Twin) -> None:
    """On the machine itself there is no dmpmqcfg."""
    header = (
        "* Script generated on 2026-01-01   at 01.00.00\n* Queue manager name: SEEN\n"
        "* Queue manager platform: z/OS\n* Queue manager command level: (930/930)\n"
    )
    member = "DEFINE CHANNEL('CA.SEEN') CHLTYPE(CLUSRCVR) CONNAME('s(1)') CLUSTER('CA') REPLACE\n"
    twin.ingest(header + member, qmgr="SEEN", at=START + HOUR)
    (first, *_) = rebuild(twin, qmgr="SEEN").steps
    assert first.unknown.endswith("import its dump (CSQUTIL PARM='SEEN': COMMAND MAKEDEF)")
