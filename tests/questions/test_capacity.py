"""`ask capacity`: what each member carries, and with further members."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import START, build, make_twin
from tests.app.test_laws import fresh
from tests.declared_rows import problems
from tests.laws import examples
from twin import events
from twin.app.twin import Twin
from twin.fold.estate import NoSuchQueueManager
from twin.model.basis import Basis
from twin.model.instants import HOUR, MINUTE
from twin.questions.answer import Answer

NOW = START + HOUR


@pytest.fixture
def twin(sqlite_url: str) -> Twin:
    """Return two full repositories; PR1 has two queues, and PR2 uses one of them."""
    twin = build(make_twin(sqlite_url, lambda: NOW))
    for queue in ("Q1", "Q2"):
        twin.runmqsc("PR1", f"DEFINE QLOCAL({queue}) CLUSTER(CA)", at=START)
    twin.put("PR2", "Q1", at=NOW)
    return twin


def figures(answer: Answer, qmgr: str, column: str = "now") -> dict[Any, Any]:
    """Return the figures of a queue manager, by their names."""
    return {row["figure"]: row[column] for row in answer.rows if row["qmgr"] == qmgr}


def test_the_figures_of_each_member(twin: Twin) -> None:
    """Channels are counted at both ends, and records with the renewals that they need."""
    answer = twin.ask("capacity")
    assert problems(answer) == []
    assert figures(answer, "FR1") == {
        "sending": 3,
        "receiving": 3,
        "running": 5,
        "records": 6,
        "own-records": 1,
        "renewals-per-day": 1,
        "channels": 6,
    }
    assert figures(answer, "PR2") == {
        "sending": 3,  # both full repositories, and PR1
        "receiving": 2,
        "running": 4,
        "records": 5,
        "own-records": 1,
        "renewals-per-day": 1,
        "channels": 5,
    }
    assert {row["then"] for row in answer.rows} == {None}
    keys = [(row["cluster"], row["qmgr"], row["figure"]) for row in answer.rows]
    assert len(keys) == len({*keys}) == 4 * 7


def test_channels_stand_beside_their_limit(twin: Twin) -> None:
    """100 by default; an observed queue manager whose qm.ini nobody read has an unknown one."""
    (row,) = twin.ask("capacity", on="FR1", figure="channels").rows
    assert (row["limit"], row["limited_by"], row["enough"]) == (100, "MaxChannels", True)
    answer = twin.ask("capacity", on="FR1", figure="channels", add="50")
    assert [note[:15] for note in answer.notes] == ["then is assumed"]
    (row,) = answer.rows
    assert (row["then"], row["enough"]) == (106, False)
    assert row["basis"] == Basis.ASSUMED  # each further member is taken to be like the median one
    (row,) = twin.ask("capacity", on="FR1", figure="channels", add="50", basis="derived").rows
    assert (row["now"], row["then"], row["enough"], row["basis"]) == (6, None, None, Basis.DERIVED)
    member = "DEFINE CHANNEL('CA.SEEN') CHLTYPE(CLUSRCVR) CONNAME('s(1)') CLUSTER('CA') REPLACE\n"
    twin.ingest(member, qmgr="SEEN", at=NOW)
    seen = {row["figure"]: row for row in twin.ask("capacity", on="SEEN").rows}
    assert (seen["channels"]["limit"], seen["channels"]["enough"]) == (None, None)
    assert seen["running"]["now"] is None  # nobody saw the status of a channel


def test_nobody_to_be_like_makes_an_unknown_figure(twin: Twin) -> None:
    """In a cluster without partial repositories, further ones are like nobody."""
    for name in ("PR1", "PR2"):
        twin.runmqsc(name, "ALTER QMGR REPOS(CA)", at=NOW)
    answer = twin.ask("capacity", add="5")
    assert {row["then"] for row in answer.rows} == {None}
    with pytest.raises(NoSuchQueueManager):
        twin.ask("capacity", on="QM9")
    assert twin.ask("capacity", cluster="CZ").rows == ()


@examples(cost=4)
@given(st.integers(1, 3), st.integers(0, 3), st.integers(1, 4))
def test_a_full_repository_carries_what_was_said_once_the_members_are_there(
    members: int, queues: int, more: int
) -> None:
    """Members that are alike make of a full repository what --add says."""
    with fresh(1) as (twin,):
        build(twin)
        for name in ("PR1", "PR2"):
            twin.endmqm(name, at=START)
            twin.dltmqm(name, at=START)
        for full in ("FR1", "FR2"):
            text = "RESET CLUSTER(CA) ACTION(FORCEREMOVE) QMNAME({}) QUEUES(YES)"
            twin.runmqsc(full, "\n".join(map(text.format, ("PR1", "PR2"))), at=START + MINUTE)
        for number in range(members):
            _join(twin, f"M{number}", queues)
        said = twin.ask("capacity", as_of=NOW, add=str(more))
        for number in range(members, members + more):
            _join(twin, f"M{number}", queues)
        there = twin.ask("capacity", as_of=NOW)
        for full in ("FR1", "FR2"):
            then = figures(said, full, "then")
            now = figures(there, full)
            assert {**then, "running": None} == {**now, "running": None}


def _join(twin: Twin, name: str, queues: int) -> None:
    twin.crtmqm(name, at=NOW)
    twin.strmqm(name, at=NOW)
    script = [
        f"DEFINE CHANNEL(CA.{name}) CHLTYPE(CLUSRCVR) CONNAME('{name}(1414)') CLUSTER(CA)",
        "DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CONNAME('fr1(1414)') CLUSTER(CA)",
        *(f"DEFINE QLOCAL({name}.{queue}) CLUSTER(CA)" for queue in range(queues)),
    ]
    assert twin.runmqsc(name, "\n".join(script), at=NOW).exit_code == 0


@pytest.mark.parametrize(
    ("more", "expected"),
    [("", (500, "MaxChannels")), ("  MaxActiveChannels=40\n", (40, "MaxActiveChannels"))],
)
def test_max_active_channels_is_max_channels_unless_it_is_given(
    twin: Twin, more: str, expected: tuple[int, str]
) -> None:
    """A qm.ini that only raises MaxChannels raises the number of active channels too."""
    ini = events.ConfigurationFile(name="qm.ini", text=f"Channels:\n  MaxChannels=500\n{more}")
    twin.crtmqm("BIG", configuration=events.AutomaticConfiguration(ini=(ini,)), at=NOW)
    twin.strmqm("BIG", at=NOW)
    member = "DEFINE CHANNEL(CA.BIG) CHLTYPE(CLUSRCVR) CONNAME('big(1414)') CLUSTER(CA)"
    twin.runmqsc("BIG", member, at=NOW)
    (row,) = twin.ask("capacity", on="BIG", figure="channels").rows
    assert (row["limit"], row["limited_by"]) == expected
