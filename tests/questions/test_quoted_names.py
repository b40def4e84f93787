"""Commands that answers name, for clusters whose names need quotes."""

from __future__ import annotations

import pytest

from tests.app.scenes import SCRIPTS, START, make_twin
from tests.feeds.test_dumps import OWN, dump
from twin import events
from twin.app.acting import Fact
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.commands import Command
from twin.model.instants import DAY, HOUR
from twin.questions.doctor.diagnosis import diagnose

NOW = START + 4 * HOUR


@pytest.fixture
def twin(sqlite_url: str) -> Twin:
    """Return the usual four queue managers in a cluster whose name is in lower case."""
    twin = make_twin(sqlite_url, lambda: START + 20 * DAY)
    for name in SCRIPTS:
        twin.crtmqm(name, at=START)
        twin.strmqm(name, at=START)
    for name, script in SCRIPTS.items():
        named = script.replace("CLUSTER(CA)", "CLUSTER('ca')").replace("REPOS(CA)", "REPOS('ca')")
        assert twin.runmqsc(name, named, at=START).exit_code == 0
    return twin


def test_a_refresh_of_repositories_that_disagree_quotes_the_cluster(twin: Twin) -> None:
    """Without quotes, REFRESH CLUSTER would be about a cluster in upper case."""
    for name in ("FR1", "PR1"):
        twin.runmqsc(name, "STOP CHANNEL(CA.FR2)", at=START)
    twin.runmqsc("PR1", "DEFINE QLOCAL(NEW) CLUSTER('ca')", at=START)
    rehearsal = twin.rehearse(as_of=NOW)
    found = diagnose(rehearsal.estate, NOW, rules=["full-repositories-disagree"]).found
    assert [each.finding.otherwise for each in found] == [
        (Command.of("FR2", "REFRESH", "CLUSTER", "ca", REPOS="NO"),)
    ]


def test_the_command_that_clears_a_queue_manager_that_is_gone_quotes_the_cluster(
    twin: Twin,
) -> None:
    """Without quotes, RESET CLUSTER would be about a cluster in upper case."""
    channels = """DEFINE CHANNEL('CA.QM7') CHLTYPE(CLUSRCVR) +
   CONNAME('qm7(1414)') CLUSTER('ca') +
   REPLACE
DEFINE CHANNEL('CA.FR1') CHLTYPE(CLUSSDR) +
   CONNAME('fr1(1414)') CLUSTER('ca') +
   REPLACE
"""
    twin.ingest_files([FileText(dump(OWN, channels))], at=START + DAY)
    gone = events.QueueManagerGone(qmgr="QM7")
    twin.record_observations([Fact(gone, "observation:gone")], at=START + 10 * DAY)
    (row,) = twin.ask("ingest", kind="replaced", as_of=START + 11 * DAY).rows
    assert "RESET CLUSTER('ca') ACTION(FORCEREMOVE) QMID('" in str(row["why"])
