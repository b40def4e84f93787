"""Facts with instants of their own: recorded once, in pieces, as if they had come on time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import LATER, START, Act, build, histories, picture
from tests.app.test_laws import fresh
from tests.app.test_observed_states import STATES
from tests.laws import examples
from twin import events
from twin.app.importing import dated
from twin.app.importing.dated import DatedFacts, SourcedFact, id_of
from twin.app.importing.marks import Marks
from twin.app.twin import Twin
from twin.feeds.observed import DatedFact
from twin.model.instants import DAY, HOUR, MINUTE

POINTS = [START + hours * HOUR for hours in (1, 7, 13, 30, 24 * 28, 24 * 95)]


def sourced(*facts: DatedFact, file: int = 0) -> list[SourcedFact]:
    """Return facts of one file."""
    return [SourcedFact(fact, "observation:error-log", file) for fact in facts]


def record(twin: Twin, facts: Sequence[DatedFact], marks: Marks | None = None) -> int:
    """Record facts, and return how many were new."""
    return DatedFacts(twin, sourced(*facts), marks or Marks()).record().total()


@st.composite
def states(draw: st.DrawFn, *, least: int = 1, most: int = 12) -> list[DatedFact]:
    """Draw states of some hours; each has its own instant."""
    said = draw(st.lists(STATES, min_size=least, max_size=most))
    minutes = draw(
        st.lists(st.integers(1, 60 * 30), min_size=len(said), max_size=len(said), unique=True)
    )
    return [
        DatedFact(START + minute * MINUTE + 1, each, f"{minute}", f"text {minute}")
        for minute, each in sorted(zip(minutes, said, strict=True), key=lambda pair: pair[0])
    ]


def seen(twin: Twin) -> list[Any]:
    """Return what a twin knows at several instants."""
    return [picture(twin.view(as_of=at)[0]) for at in POINTS]


def one_by_one(twin: Twin, history: list[Act], facts: list[DatedFact]) -> None:
    """Perform acts and record facts in the order of their instants."""
    acts = [*history, *(Act(fact.at, fact.event) for fact in facts)]
    for act in sorted(acts, key=lambda act: act.at):
        act.perform(twin)


@pytest.fixture(autouse=True, params=[2, 2_000])
def piece(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Let a piece have two facts, or as many as it has."""
    monkeypatch.setattr(dated, "PIECE", request.param)
    return int(request.param)


@examples(cost=4)
@given(histories(), states())
def test_late_facts_of_many_instants_count_as_if_they_had_come_on_time(
    history: list[Act], facts: list[DatedFact]
) -> None:
    """The estate is the same as if each fact had come in the order of time, one by one."""
    with fresh(2) as (one, other):
        build(one)
        for act in history:
            act.perform(one)
        one.tick(START + 30 * DAY)
        record(one, facts)
        build(other)
        one_by_one(other, history, facts)
        assert seen(one) == seen(other)
        one.log.verify()


@examples(cost=4)
@given(states(least=3), st.integers(0, 12), st.randoms(use_true_random=False))
def test_files_that_grow_and_overlap_record_each_fact_once(
    facts: list[DatedFact], cut: int, chance: Any
) -> None:
    """The beginning, the whole, and the whole in another order give each fact once."""
    shuffled = list(facts)
    chance.shuffle(shuffled)
    with fresh(2) as (one, other):
        build(one)
        build(other)
        assert record(one, facts[:cut]) + record(one, facts) == len(facts)
        assert record(one, shuffled) == 0
        assert record(other, shuffled) == len(facts)
        assert seen(one) == seen(other)
        one.log.verify()


def running(minute: int, status: str = "RUNNING") -> DatedFact:
    """Return a state of a channel."""
    event = events.ChannelObserved(qmgr="PR1", channel="CA.FR1", status=status, instance="")
    return DatedFact(START + minute * MINUTE, event, f"{minute} {status}")


def evidence(minute: int, text: str = "AMQ9206") -> DatedFact:
    """Return evidence, from which nothing follows."""
    event = events.EvidenceObserved(qmgr="PR1", id="AMQ9206")
    return DatedFact(START + minute * MINUTE, event, f"{minute} {text}", text)


def types(twin: Twin, after: int = 0) -> Counter[str]:
    """Return the types of the events after a position."""
    return Counter(each.type.partition("@")[0] for each in twin.log.events(after=after))


def test_late_evidence_withdraws_nothing() -> None:
    """Evidence is added as it is, with its text."""
    with fresh(1) as (twin,):
        build(twin)
        twin.tick(START + 30 * DAY)
        before = twin.log.last().position
        record(twin, [evidence(minute) for minute in range(1, 6)])
        assert types(twin, before) == {"EvidenceObserved": 5}


def test_late_states_that_change_nothing_else_withdraw_nothing() -> None:
    """What was derived before stays; only what follows from the new facts is added."""
    with fresh(1) as (twin,):
        build(twin)
        twin.tick(START + 30 * DAY)
        before = twin.log.last().position
        record(twin, [running(5, "STOPPED"), running(9), running(15, "STOPPED"), running(19)])
        added = types(twin, before)
        assert added["ChannelObserved"] == 4
        assert "DerivedFactsWithdrawn" not in added
        assert sum(added.values()) <= 12
        twin.log.verify()


def test_what_comes_out_differently_is_withdrawn_once_from_there_on() -> None:
    """A channel that was down when a record was published again delays it, from then on."""
    with fresh(2) as (twin, other):
        for each in (twin, other):
            build(each)
        twin.tick(START + 60 * DAY)
        before = twin.log.last().position
        down = [running(27 * 24 * 60 - 5, "STOPPED"), running(28 * 24 * 60)]
        early = [running(5, "STOPPED"), running(9)]
        record(twin, [*early, *down])
        withdrawn = [
            each for each in twin.log.events(after=before) if each.type == "DerivedFactsWithdrawn"
        ]
        assert len(withdrawn) == 1
        assert withdrawn[0].occurred_at > START + 26 * DAY
        one_by_one(other, [], [*early, *down])
        other.tick(START + 60 * DAY)
        assert seen(twin) == seen(other)
        twin.log.verify()


def test_a_retracted_fact_can_be_observed_again() -> None:
    """It gets the next free id, and counts again; a third time it is known."""
    with fresh(1) as (twin,):
        build(twin)
        fact = running(5, "STOPPED")
        assert record(twin, [fact]) == 1
        stored = twin.log.find(id_of(fact.identity))
        assert stored is not None
        twin.retract([stored.position])
        assert record(twin, [fact]) == 1
        assert record(twin, [fact]) == 0
        again = twin.log.find(f"{id_of(fact.identity)}~2")
        assert again is not None
        twin.retract([again.position])
        assert record(twin, [fact]) == 1
        assert twin.log.find(f"{id_of(fact.identity)}~3") is not None


def test_each_branch_records_a_fact_for_itself() -> None:
    """A fact of one branch is not known to another one; one that both see is."""
    with fresh(1) as (twin,):
        build(twin)
        record(twin, [running(1)])
        twin.pass_time(START + HOUR)
        twin.create_branch("a")
        twin.create_branch("b")
        for name in ("a", "b"):
            branch = twin.on_branch(name)
            assert record(branch, [running(1), running(5, "STOPPED")]) == 1
            assert record(branch, [running(1), running(5, "STOPPED")]) == 0
        assert record(twin, [running(5, "STOPPED")]) == 1
        twin.log.verify()


def test_a_fact_of_the_future_is_recorded_now_with_its_claim() -> None:
    """An instant after the clock is claimed, not believed; the fact is known the next time."""
    with fresh(1) as (twin,):
        build(twin)
        fact = running(5)._replace(at=LATER + 9 * DAY)
        assert record(twin, [fact]) == 1
        stored = twin.log.find(id_of(fact.identity))
        assert stored is not None
        assert stored.occurred_at < LATER + DAY
        assert f'"claimed":{fact.at}' in stored.body.replace(" ", "")
        assert record(twin, [fact]) == 0


def test_the_text_of_a_fact_is_kept_with_it() -> None:
    """The text is found under its digest, also of a fact on time."""
    with fresh(1) as (twin,):
        build(twin)
        record(twin, [evidence(5, "one"), evidence(24 * 60 * 400, "two")])
        for text in ("one", "two"):
            assert twin.log.evidence(sha256(text.encode()).hexdigest()) == text


def marks() -> Marks:
    """Return the marks of one file."""
    begin = events.ImportBegun(qmgr="", digest="ab" * 32, name="a.log")

    def ended(recorded: int) -> events.ImportEnded:
        return events.ImportEnded(qmgr="", digest="ab" * 32, events=recorded)

    return Marks({0: begin}, {0: ended})


@pytest.mark.parametrize("late", [False, True])
def test_an_import_begins_before_its_facts_and_ends_after_them(*, late: bool) -> None:
    """The end says how many facts were recorded; an import that records nothing has no marks."""
    with fresh(1) as (twin,):
        build(twin)
        if late:
            twin.tick(START + 30 * DAY)
        before = twin.log.last().position
        facts = [running(5, "STOPPED"), running(9), evidence(7), running(15, "STOPPED")]
        record(twin, facts, marks())
        stored = [each.type for each in twin.log.events(after=before)]
        assert (stored.index("ImportBegun"), stored[-1]) == (0, "ImportEnded")
        state = twin.log.import_of("ab" * 32)
        assert state is not None
        assert (state.events, state.done) == (4, True)
        last = twin.log.last().position
        record(twin, facts, marks())
        assert twin.log.last().position == last
        twin.log.verify()


class _Killed(Exception):
    """Stands for the end of the process."""


@examples(cost=8)
@given(states(least=4), st.integers(1, 4), st.booleans())
def test_a_killed_import_is_finished_by_the_same_import(
    facts: list[DatedFact],
    pieces: int,
    late: bool,  # noqa: FBT001 - drawn
) -> None:
    """No fact twice, none missing, and the same estate as without the kill."""
    with fresh(2) as (one, other):
        for each in (one, other):
            build(each)
            if late:
                each.tick(START + 40 * DAY)
        act, made = one.writer.act, [0]

        def killed(decide: Any) -> Any:
            if made[0] == pieces:
                raise _Killed
            made[0] += 1
            return act(decide)

        one.writer.act = killed  # type: ignore[method-assign]
        since = None
        try:
            record(one, facts, marks())
        except _Killed:
            state = one.log.import_of("ab" * 32)
            assert state is not None
            assert state.done is None
            begun = next(one.log.events(after=state.begun - 1, limit=1))
            since = begun.occurred_at
        one.writer.act = act  # type: ignore[method-assign]
        again = marks() if since is None else marks()._replace(begin={}, wanted=frozenset({0}))
        record(one, facts, again._replace(since=since and since - 1))
        record(other, facts, marks())
        assert seen(one) == seen(other)
        ids = Counter(each.event_id for each in one.log.events())
        assert max(ids.values()) == 1
        assert all(one.log.find(id_of(fact.identity)) for fact in facts)
        state = one.log.import_of("ab" * 32)
        assert state is not None
        assert state.done
        one.log.verify()
