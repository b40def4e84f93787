"""Runbooks of a uniform cluster: the next strmqm would undo them, so a step says so."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.app.scenes import START, make_twin
from tests.review.runbooks.carrying import carry_out
from twin import events
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR
from twin.review.runbooks.runbook import WorkedRunbook, work_out
from twin.review.runbooks.subjects import RunbookRequest
from twin.review.runbooks.walk import StepState, WalkedStep
from twin.rules import membership

INI: Final = """AutoCluster:
   Type=Uniform
   ClusterName=UNI
   Repository1Name=U1
   Repository1Conname=u1(1414)
   Repository2Name=U2
   Repository2Conname=u2(1414)
"""
MQSC: Final = """DEFINE CHANNEL('+AUTOCL+_+QMNAME+') CHLTYPE(CLUSRCVR) CONNAME('+CONNAME+') +
  CLUSTER('+AUTOCL+') REPLACE
DEFINE QLOCAL(APPQ) CLUSTER('+AUTOCL+') DEFBIND(NOTFIXED) REPLACE
DEFINE QLOCAL(OWN) REPLACE
"""
STEP: Final = "automatic-configuration"


def configuration(name: str) -> events.AutomaticConfiguration:
    """Return the automatic configuration of a member."""
    return events.AutomaticConfiguration(
        ini=(events.ConfigurationFile(name="u.ini", text=INI),),
        mqsc=(events.ConfigurationFile(name="u.mqsc", text=MQSC),),
        variables={"CONNAME": f"{name.lower()}(1414)"},
    )


@pytest.fixture
def twin(sqlite_url: str) -> Twin:
    """Return the uniform cluster UNI: U1 to U4, with the full repositories U1 and U2."""
    twin = make_twin(sqlite_url, lambda: START + HOUR)
    for name in ("U1", "U2", "U3", "U4"):
        twin.crtmqm(name, configuration=configuration(name), at=START)
        twin.strmqm(name, at=START)
    return twin


def step(worked: WorkedRunbook, name: str = STEP) -> WalkedStep:
    """Return a step by its id."""
    return next(each for each in worked.steps if each.step.id == name)


def runbook(twin: Twin, name: str, **options: Any) -> WorkedRunbook:
    """Work a runbook out now."""
    return work_out(twin, name, RunbookRequest(**options))


def test_what_leaves_is_defined_again_at_its_next_start_unless_its_files_change(twin: Twin) -> None:
    """The step names the commands and their lines; it is done when a person says so."""
    said = step(runbook(twin, "leave", qmgr="U3"))
    assert said.state is StepState.NEXT
    assert said.unknown == (
        "whether the files of crtmqm -ii and -ic were changed at U3, where every strmqm undoes "
        "this: DEFINE CHANNEL(UNI_U3) in u.mqsc:1, DEFINE QLOCAL(APPQ) in u.mqsc:3"
    )
    request = RunbookRequest(qmgr="U3", confirmed=frozenset({STEP}))
    carried = carry_out(twin, "leave", request)
    assert carried.steps[-1].state is StepState.DONE
    rehearsal = carried.rehearsal
    rehearsal.endmqm("U3")
    rehearsal.strmqm("U3")
    assert membership.clusters_joined(rehearsal.estate.qmgrs["U3"]) == ("UNI",)


def test_members_lead_to_a_full_repository_that_leaves_at_their_next_starts(twin: Twin) -> None:
    """Their stanza AutoCluster names it, so their files have to change too."""
    said = step(runbook(twin, "leave", qmgr="U1")).unknown
    assert "u.mqsc:3, the stanza AutoCluster makes it a full repository of UNI; and whether" in said
    assert said.endswith(
        "; and whether the files of crtmqm -ii and -ic were changed at U2, U3, U4: every strmqm "
        "there defines a CLUSSDR to U1 again"
    )


def test_a_role_comes_back_at_the_next_start_unless_the_stanza_names_the_other(twin: Twin) -> None:
    """The role that was taken over is taken back by the stanza, and members follow theirs."""
    said = step(runbook(twin, "move-full-repository", qmgr="U1", to="U3"))
    assert said.unknown == (
        "whether the files of crtmqm -ii and -ic were changed at U1, where every strmqm undoes "
        "this: the stanza AutoCluster makes it a full repository of UNI; and whether the files of "
        "crtmqm -ii and -ic were changed at U2, U3, U4, to name U3 and not U1: every strmqm there "
        "defines a CLUSSDR to U1 again"
    )
    request = RunbookRequest(qmgr="U1", to="U3", confirmed=frozenset({STEP}))
    rehearsal = carry_out(twin, "move-full-repository", request).rehearsal
    assert not membership.is_full(rehearsal.estate.qmgrs["U1"], "UNI")
    rehearsal.advance(rehearsal.now() + DAY)
    rehearsal.endmqm("U1")
    rehearsal.strmqm("U1")
    assert membership.is_full(rehearsal.estate.qmgrs["U1"], "UNI")


def test_a_queue_manager_is_made_again_with_its_files(twin: Twin) -> None:
    """The flags are those of the old one, and the rehearsal makes the new one with them."""
    create = step(runbook(twin, "rebuild", qmgr="U3"), "create")
    assert [each.text for each in create.commands] == [
        "crtmqm -ii u.ini -ic u.mqsc -iv 'CONNAME=u3(1414)' U3",
        "strmqm U3",
    ]
    assert "applies its automatic configuration (u.ini, u.mqsc): give crtmqm the" in create.detail
    carried = carry_out(twin, "rebuild", RunbookRequest(qmgr="U3"))
    assert carried.steps[-1].state is StepState.DONE
    assert carried.rehearsal.estate.qmgrs["U3"].configuration == configuration("U3")


def test_other_clusters_and_other_objects_are_not_named(twin: Twin) -> None:
    """A member without such files leaves at once, also beside a uniform cluster."""
    twin.crtmqm("PLAIN", at=START)
    twin.strmqm("PLAIN", at=START)
    script = """DEFINE CHANNEL(UNI_PLAIN) CHLTYPE(CLUSRCVR) CONNAME('plain(1)') CLUSTER(UNI)
DEFINE CHANNEL(UNI_U1) CHLTYPE(CLUSSDR) CONNAME('u1(1414)') CLUSTER(UNI)"""
    assert twin.runmqsc("PLAIN", script, at=START).exit_code == 0
    said = step(runbook(twin, "leave", qmgr="PLAIN"))
    assert (said.state, said.unknown) == (StepState.DONE, "")
    assert said.detail == "no automatic configuration that is known undoes it in UNI"
