"""A rehearsal says the same as a branch that did the same, and changes nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import START, Act, build, histories, make_twin, picture
from tests.app.test_laws import fresh
from tests.laws import examples
from twin.app.acting import COMMAND, Fact
from twin.app.rehearsing import BeforeRehearsed, NotRehearsable, Rehearsal
from twin.app.twin import Twin
from twin.fold.estate import NoSuchQueueManager
from twin.model.instants import DAY, HOUR, SECOND
from twin.questions.explanation import ExplainRequest
from twin.rules.commands.control import ControlRefused


@pytest.fixture
def twin(sqlite_url: str) -> Twin:
    """Return a twin of a cluster of four queue managers."""
    twin = make_twin(sqlite_url, lambda: START + HOUR)
    return build(twin)


def commands(acts: list[Act]) -> list[Act]:
    """Return those of the acts that are commands."""
    return [act for act in acts if not act.observed]


def stored(twin: Twin) -> list[object]:
    """Return everything that is in a log."""
    return list(twin.log.events())


@examples(cost=2)
@given(histories(least=2), histories(), st.integers(0, 100))
def test_a_rehearsal_ends_with_the_estate_of_a_branch_that_did_the_same(
    before: list[Act], then: list[Act], days: int
) -> None:
    """Commands and time change a rehearsal as they change a branch, and the log not at all."""
    with fresh(1) as (twin,):
        build(twin)
        for act in before:
            act.perform(twin)
        start = before[-1].at
        log = stored(twin)
        rehearsal = twin.rehearse(as_of=start)
        acts = [(start + act.at - START, act.event) for act in commands(then)]
        for at, event in acts:
            rehearsal.record([Fact(event, COMMAND)], at=at)
        end = (acts[-1][0] if acts else start) + days * DAY
        rehearsal.advance(end)
        assert stored(twin) == log
        twin.create_branch("w", at=start)
        branch = twin.on_branch("w")
        for at, event in acts:
            branch.record([Fact(event, COMMAND)], at=at)
        assert picture(rehearsal.estate) == picture(branch.view(as_of=end)[0])
        for question in ("members", "beliefs", "lifetimes", "channels"):
            assert rehearsal.ask(question).rows == branch.ask(question, as_of=end).rows


@examples(cost=2)
@given(histories(least=2), histories(), histories())
def test_forks_of_a_rehearsal_do_not_affect_each_other(
    before: list[Act], one: list[Act], other: list[Act]
) -> None:
    """Each fork ends as if there had been no other, and where they began stays as it was."""
    with fresh(1) as (twin,):
        build(twin)
        for act in before:
            act.perform(twin)
        start = before[-1].at

        def done(rehearsal: Rehearsal, acts: list[Act]) -> Rehearsal:
            for act in commands(acts):
                rehearsal.record([Fact(act.event, COMMAND)], at=start + act.at - START)
            return rehearsal

        base = twin.rehearse(as_of=start)
        first, second = base.fork(), base.fork()
        done(first, one)
        done(second, other)
        third = done(first.fork(), [])
        done(first, [])
        assert picture(base.estate) == picture(twin.view(as_of=start)[0])
        alone = done(twin.rehearse(as_of=start), one)
        assert picture(first.estate) == picture(third.estate) == picture(alone.estate)
        assert picture(second.estate) == picture(done(twin.rehearse(as_of=start), other).estate)


def test_a_refused_command_leaves_a_rehearsal_as_it_was(twin: Twin) -> None:
    """A control command that MQ refuses changes nothing, and the next one is carried out."""
    rehearsal = twin.rehearse()
    before = picture(rehearsal.estate)
    with pytest.raises(NoSuchQueueManager, match="NOSUCH does not exist"):
        rehearsal.strmqm("NOSUCH")
    with pytest.raises(ControlRefused, match="AMQ5"):
        rehearsal.dltmqm("FR1")
    assert picture(rehearsal.estate) == before
    rehearsal.endmqm("FR1")
    rehearsal.dltmqm("FR1")
    assert "FR1" not in rehearsal.estate.qmgrs
    assert "FR1" in twin.view()[0].qmgrs


def test_a_rehearsal_works_on_a_log_that_is_read_only(twin: Twin, sqlite_url: str) -> None:
    """It needs no right to write, and its session answers as runmqsc does."""
    twin.close()
    with Twin.open(sqlite_url, read_only=True, clock=lambda: START + HOUR) as reader:
        rehearsal = reader.rehearse()
        session = rehearsal.runmqsc("PR1", "DEFINE QLOCAL(Q) CLUSTER(CA)\nDEFINE QLOCAL(Q)")
        assert session.exit_code == 10
        assert "AMQ8150E: IBM MQ object already exists." in session.lines
        rehearsal.advance(rehearsal.now() + SECOND)
        explained = rehearsal.explain("PR2", ExplainRequest(queue="Q")).answer(rehearsal.point)
        assert [row["qmgr"] for row in explained.rows] == ["PR1"]
        assert reader.ask("beliefs", kind="queue").rows == ()


def test_a_rehearsal_does_not_go_back_in_time(twin: Twin) -> None:
    """It refuses instants before the one that it has reached, and questions about a span."""
    rehearsal = twin.rehearse()
    rehearsal.advance(rehearsal.now() + DAY)
    with pytest.raises(BeforeRehearsed, match="lies before 2026-01-02T01:00:00Z"):
        rehearsal.endmqm("FR1", at=START)
    with pytest.raises(BeforeRehearsed):
        rehearsal.view(as_of=START + 2 * HOUR)
    assert picture(rehearsal.view(as_of=START)[0]) == picture(twin.view(as_of=START)[0])
    with pytest.raises(NotRehearsable, match="changes is about a span"):
        rehearsal.ask("changes")


def test_what_is_rehearsed_at_an_observed_queue_manager_is_not_refused(twin: Twin) -> None:
    """Main is protected; a rehearsal is a what-if."""
    dump = "* dump\nDEFINE QLOCAL('Q1') REPLACE\n"
    twin.ingest(dump, qmgr="SEEN", at=START + SECOND)
    rehearsal = twin.rehearse()
    assert rehearsal.runmqsc("SEEN", "ALTER QLOCAL(Q1) DESCR('x')").exit_code == 0
