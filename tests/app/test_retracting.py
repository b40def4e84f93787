"""The laws of retractions: the estate is as if the facts had never been recorded."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import (
    LATER,
    START,
    Act,
    build,
    histories,
    late_observations,
    make_twin,
    picture,
)
from tests.laws import examples
from twin import events
from twin.app.acting import Fact
from twin.app.retracting import CannotRetract, CannotUndo, NothingSince
from twin.app.twin import Twin
from twin.events.base import PrimaryFact
from twin.log import NewEvent
from twin.log.visibility import OWN
from twin.model.instants import HOUR, MINUTE, SECOND, Instant


class Retract(NamedTuple):
    """Retract some of the acts so far, or all since an instant."""

    numbers: list[int]
    since: int | None


class Undo(NamedTuple):
    """Undo one of the retractions so far."""

    number: int


Step: TypeAlias = Act | Retract | Undo

_RETRACTS: Final = st.builds(
    Retract, st.lists(st.integers(0, 9), min_size=1, max_size=3), st.none() | st.integers(1, 20)
)
_STEPS: Final = st.one_of(_RETRACTS, st.builds(Undo, st.integers(0, 3)), late_observations())


@st.composite
def programs(draw: st.DrawFn) -> list[Step]:
    """Draw acts in order, with late observations, retractions and undoings among them."""
    steps: list[Step] = []
    for act in draw(histories(least=2)):
        steps.append(act)
        steps += draw(st.lists(_STEPS, max_size=2))
    steps.append(draw(_RETRACTS))
    return [*steps, *draw(st.lists(_STEPS, max_size=2))]


class Done(NamedTuple):
    """An act that was recorded: its position, and whether a retraction hides it."""

    act: Act
    position: int


class Struck(NamedTuple):
    """A retraction that was recorded, and the positions that it hides."""

    position: int
    hides: frozenset[int]


@dataclass
class Program:
    """A program that runs on a twin, and the acts that stand after it."""

    twin: Twin
    done: list[Done] = field(default_factory=list)
    struck: list[Struck] = field(default_factory=list)

    def run(self, steps: list[Step]) -> None:
        """Run all steps."""
        for step in steps:
            match step:
                case Act():
                    self._perform(step)
                case Retract():
                    self._retract(step)
                case Undo():
                    self._undo(step)

    def standing(self) -> list[Act]:
        """Return the acts that are not retracted, in the order of their instants."""
        hidden = self._hidden()
        acts = [each.act for each in self.done if each.position not in hidden]
        return sorted(acts, key=lambda act: act.at)

    def _hidden(self) -> set[int]:
        return set().union(*(each.hides for each in self.struck))

    def _perform(self, act: Act) -> None:
        before = self.twin.log.last().position
        act.perform(self.twin)
        self.done += [Done(act, position) for position in primary(self.twin, after=before)]

    def _retract(self, step: Retract) -> None:
        hidden, before = self._hidden(), self.twin.log.last().position
        if step.since is not None:
            since = START + step.since * HOUR
            latest = self.twin.log.head(self.twin.branch).occurred_at
            if latest is None or latest < since:
                with pytest.raises(NothingSince):
                    self.twin.retract(since=since)
                return
            done = self.twin.retract(since=since)
            hides = frozenset(each.position for each in self.done if each.act.at >= since)
        else:
            standing = [each.position for each in self.done if each.position not in hidden]
            if not standing:
                return
            hides = frozenset(standing[number % len(standing)] for number in step.numbers)
            done = self.twin.retract(sorted(hides))
        assert done.facts == len(hides - hidden)
        assert done.position > before
        self.struck.append(Struck(done.position, hides))

    def _undo(self, step: Undo) -> None:
        if not self.struck:
            return
        before = self._hidden()
        undone = self.struck.pop(step.number % len(self.struck))
        done = self.twin.undo_retraction(undone.position)
        assert done.facts == len(before - self._hidden())


def primary(twin: Twin, *, after: int) -> list[int]:
    """Return the positions of the primary facts that were recorded after a position."""
    return [
        each.position
        for each in twin.log.events(after=after, branch=twin.branch)
        if each.cause is None and each.type not in OWN
    ]


@contextmanager
def fresh(count: int) -> Iterator[list[Twin]]:
    """Make twins on empty logs whose clocks advance a second with every reading."""
    with TemporaryDirectory() as folder, ExitStack() as stack:
        ticks = itertools.count(LATER, SECOND)
        yield [
            stack.enter_context(
                make_twin(f"sqlite:///{Path(folder) / str(number)}.db", lambda: next(ticks))
            )
            for number in range(count)
        ]


@examples(cost=2)
@given(programs(), st.integers(0, 40))
def test_a_retraction_leaves_the_estate_as_if_the_facts_had_never_been_recorded(
    steps: list[Step], hour: int
) -> None:
    """The estate is that of the standing facts, in any order with late facts and undoings."""
    with fresh(2) as (one, other):
        build(one)
        program = Program(one)
        program.run(steps)
        build(other)
        for act in program.standing():
            act.perform(other)
        for at in (START + hour * HOUR, LATER):
            assert picture(one.view(as_of=at)[0]) == picture(other.view(as_of=at)[0])
        one.log.verify()


@examples(cost=2)
@given(programs(), programs())
def test_a_branch_retracts_for_itself(steps: list[Step], more: list[Step]) -> None:
    """A branch retracts facts that it inherits, and main keeps them; and the other way round."""
    with fresh(2) as (one, other):
        build(one)
        program = Program(one)
        program.run(steps)
        one.create_branch("what-if")
        branch = one.on_branch("what-if")
        begun = picture(branch.view(as_of=LATER)[0])
        forked = one.log.branch("what-if").fork_occurred_at
        inherited = [each for each in program.done if each.act.at <= forked]
        reached = {each.position for each in inherited}
        seen = {each.position for each in one.log.events(branch="what-if")}
        struck = [
            each._replace(hides=each.hides & reached)
            for each in program.struck
            if each.position in seen
        ]
        on_branch = Program(branch, inherited, struck)
        acts = [step for step in more if not isinstance(step, Act) or step.observed]
        on_branch.run(acts)
        assert picture(one.view(as_of=LATER)[0]) == begun
        build(other)
        for act in on_branch.standing():
            act.perform(other)
        expected = picture(other.view(as_of=LATER)[0])
        assert picture(branch.view(as_of=LATER)[0]) == expected
        program.run(acts)
        assert picture(branch.view(as_of=LATER)[0]) == expected
        one.log.verify()


@examples(cost=2)
@given(programs(), st.integers(0, 40), st.integers(1, 5))
def test_what_was_known_before_a_retraction_never_changes(
    steps: list[Step], hour: int, every: int
) -> None:
    """A view as known before a retraction still has the facts, with snapshots of any time."""
    with fresh(1) as (twin,):
        build(twin)
        valid, seen = START + hour * HOUR, []
        program = Program(twin)
        for step in steps:
            program.run([step])
            twin.snapshot(every=every)
            position = twin.log.head().position
            found = twin.views.upto(branch="main", valid=valid, position=position)
            seen.append((position, picture(found)))
        for position, before in seen:
            found = twin.views.upto(branch="main", valid=valid, position=position)
            assert picture(found) == before


@pytest.fixture
def twin(tmp_path: Path) -> Iterator[Twin]:
    """Return a twin on a new log, with the four queue managers of the scene."""
    with make_twin(f"sqlite:///{tmp_path / 'twin.db'}", lambda: LATER) as made:
        yield build(made)


def names(twin: Twin, *, as_of: Instant = LATER, known_at: Instant | None = None) -> set[object]:
    """Return the queues at PR1."""
    estate = twin.view(as_of=as_of, known_at=known_at)[0]
    definitions = estate.qmgr("PR1").definitions
    return {name for kind, name in definitions if kind == "QUEUE" and name.startswith("Q.")}


def define(twin: Twin, name: str, at: Instant) -> int:
    """Define a queue at PR1; return the position of the command."""
    before = twin.log.last().position
    assert twin.runmqsc("PR1", f"DEFINE QLOCAL({name})", at=at).exit_code == 0
    (position,) = primary(twin, after=before)
    return position


def test_retracting_a_queue_manager_leaves_later_commands_without_effect(twin: Twin) -> None:
    """Commands at a queue manager whose crtmqm was retracted do nothing, until it is undone."""
    before = picture(twin.view(as_of=LATER)[0])
    created = [
        each.position
        for each in twin.log.events(qmgr="PR1")
        if each.type == "ControlCommandEntered" and "crtmqm" in each.body
    ]
    done = twin.retract(created)
    assert "PR1" not in twin.view(as_of=LATER)[0].qmgrs
    twin.undo_retraction(done.position)
    assert picture(twin.view(as_of=LATER)[0]) == before
    twin.log.verify()


@pytest.mark.parametrize(
    "fact",
    [
        events.ChannelHeld(qmgr="LATER", channel="C"),
        events.ChannelReleased(qmgr="LATER", channel="C"),
        events.RepositoryStorageExhausted(qmgr="LATER"),
        events.HandleClosed(qmgr="LATER", handle="H"),
    ],
)
def test_a_fact_at_a_queue_manager_whose_creation_is_retracted_changes_nothing(
    twin: Twin, fact: events.Event
) -> None:
    """Every estate can be rebuilt after a creation was retracted, whatever was recorded there."""
    twin.crtmqm("LATER", at=START + HOUR)
    position = twin.log.last().position - 1
    twin.strmqm("LATER", at=START + HOUR)
    twin.record([Fact(fact, "command")], at=START + 2 * HOUR)
    twin.retract([position])
    assert "LATER" not in twin.view(as_of=LATER)[0].qmgrs


def test_a_backup_lacks_queue_managers_whose_creation_is_retracted(twin: Twin) -> None:
    """A backup's records and requests of a queue manager are left out if its creation is."""
    twin.crtmqm("LATER", at=START + HOUR)
    position = twin.log.last().position - 1
    joins = (
        "DEFINE CHANNEL(CA.LATER) CHLTYPE(CLUSRCVR) CONNAME('later(1414)') CLUSTER(CA)",
        "DEFINE CHANNEL(CA.FR1) CHLTYPE(CLUSSDR) CONNAME('fr1(1414)') CLUSTER(CA)",
    )
    twin.strmqm("LATER", at=START + HOUR)
    assert twin.runmqsc("LATER", "\n".join(joins), at=START + HOUR).exit_code == 0
    twin.restore("FR1", to=START + 2 * HOUR, at=START + 3 * HOUR)
    assert "LATER" in {row["qmgr"] for row in twin.ask("members", as_of=LATER).rows}
    twin.retract([position])
    members = twin.ask("members", as_of=LATER).rows
    assert members
    assert not [row for row in members if "LATER" in f"{row['qmgr']} {row['known_by']}"]
    twin.log.verify()


def test_a_clock_that_was_wrong_is_cured(tmp_path: Path) -> None:
    """After `--since` the branch is back before the wrong instant, and goes on from there."""
    now = [START]
    with make_twin(f"sqlite:///{tmp_path / 'twin.db'}", lambda: now[0]) as twin:
        build(twin)
        now[0] = LATER
        define(twin, "Q.WRONG", LATER)
        now[0] = START + HOUR
        assert twin.present() == LATER
        done = twin.retract(since=START + MINUTE)
        assert done.latest <= START + HOUR
        assert twin.present() == done.latest
        define(twin, "Q.RIGHT", START + HOUR)
        assert names(twin, as_of=START + HOUR, known_at=LATER) == {"Q.RIGHT"}
        twin.log.verify()


def test_a_wrong_clock_is_cured_by_position_too(tmp_path: Path) -> None:
    """What fell due up to a retracted command on main is recorded no further than now."""
    now = [START]
    with make_twin(f"sqlite:///{tmp_path / 'twin.db'}", lambda: now[0]) as twin:
        build(twin)
        now[0] = LATER
        wrong = define(twin, "Q.WRONG", LATER)
        now[0] = START + HOUR
        done = twin.retract([wrong])
        assert done.latest <= START + HOUR


def test_on_a_branch_the_present_goes_back_to_the_facts_that_remain(twin: Twin) -> None:
    """Ticks that were recorded on the way to a retracted command are gone with it."""
    twin.create_branch("b")
    branch = twin.on_branch("b")
    branch.pass_time(START + HOUR)
    position = define(branch, "Q.A", START + 24 * 40 * HOUR)
    assert branch.present() == START + 24 * 40 * HOUR
    branch.retract([position])
    assert branch.present() == START + HOUR


def test_what_was_retracted_can_be_observed_again(twin: Twin) -> None:
    """The same observation is recorded again, with the same id too."""
    observed = events.ObjectObserved(qmgr="PR1", kind="QUEUE", name="Q.A", type="QLOCAL", values={})
    for event_id in (None, "seen-1"):
        fact = Fact(observed, "observation:test", event_id)
        for _ in range(3):
            before = twin.log.last().position
            twin.record_observations([fact], at=START + HOUR)
            assert names(twin) == {"Q.A"}
            (position,) = primary(twin, after=before)
            twin.retract([position])
            assert names(twin) == set()
    ids = [each.event_id for each in twin.log.events() if each.event_id.startswith("seen-1")]
    assert [each for each in ids if "." not in each] == ["seen-1", "seen-1~2", "seen-1~3"]
    twin.log.verify()


def test_a_batch_of_retracted_facts_is_known_once_it_is_recorded_again(twin: Twin) -> None:
    """Whoever sends a batch again after a retraction gets it recorded once."""
    observed = Fact(
        events.ObjectObserved(qmgr="PR1", kind="QUEUE", name="Q.A", type="QLOCAL", values={}),
        "observation:test",
        "seen-1",
    )
    before = twin.log.last().position
    twin.record_observations([observed], at=START + HOUR)
    stored = list(twin.log.events(after=before))
    batch = [
        NewEvent(
            each.occurred_at,
            each.type,
            each.qmgr,
            each.cause,
            each.source,
            each.event_id,
            each.body,
        )
        for each in stored
    ]
    assert not twin.log.append(batch, recorded_at=LATER).recorded
    twin.retract([stored[0].position])
    assert twin.log.append(batch, recorded_at=LATER).recorded
    assert not twin.log.append(batch, recorded_at=LATER).recorded


def test_what_cannot_be_retracted_is_refused_in_one_line(twin: Twin) -> None:
    """Derived facts, events about the log, unknown positions and repetitions are refused."""
    position = define(twin, "Q.A", START + HOUR)
    twin.create_branch("b")
    other = define(twin.on_branch("b"), "Q.B", START + 2 * HOUR)
    twin.tick(START + 28 * 24 * HOUR)
    tick = next(
        each.position for each in twin.log.events() if (each.cause or "").startswith("tick-")
    )
    done = twin.retract([position])
    undone = twin.undo_retraction(done.position)
    again = twin.retract([position])
    last = twin.log.last().position
    refused: list[tuple[Callable[[], object], type[Exception], str]] = [
        (lambda: twin.retract([0]), CannotRetract, f"the log has positions 1 to {last}"),
        (lambda: twin.retract([10**30]), CannotRetract, f"the log has positions 1 to {last}"),
        (lambda: twin.retract([position]), CannotRetract, "it is retracted already"),
        (
            lambda: twin.retract([position + 1]),
            CannotRetract,
            f"it follows from position {position}; retract that fact instead",
        ),
        (lambda: twin.retract([tick]), CannotRetract, "time alone caused it"),
        (lambda: twin.retract([other]), CannotRetract, "branch main does not see it; it is on b"),
        (
            lambda: twin.retract([again.position]),
            CannotRetract,
            f"it is a retraction; twin retract --undo {again.position} undoes it",
        ),
        (lambda: twin.retract([undone.position]), CannotRetract, "it undid a retraction"),
        (lambda: twin.retract([again.position - 1]), CannotRetract, "DerivedFactsWithdrawn"),
        (lambda: twin.undo_retraction(done.position), CannotUndo, "undid it already"),
        (lambda: twin.undo_retraction(position), CannotUndo, "not a retraction"),
        (lambda: twin.undo_retraction(-1), CannotUndo, f"the log has positions 1 to {last}"),
        (lambda: twin.retract(since=LATER), NothingSince, "branch main has no event at 2030-01-01"),
    ]
    for act, error, words in refused:
        with pytest.raises(error) as raised:
            act()
        assert words in str(raised.value)
        assert "\n" not in str(raised.value)
    assert twin.log.last().position == last


def test_everything_can_be_retracted(tmp_path: Path) -> None:
    """A log whose facts are all retracted answers like an empty one, and can be used again."""
    with make_twin(f"sqlite:///{tmp_path / 'twin.db'}", lambda: LATER) as twin:
        build(twin)
        done = twin.retract(since=START)
        assert done.latest == START - 1
        assert twin.view()[0].qmgrs == {}
        twin.create_branch("b")
        twin.log.verify()
        twin.snapshot(every=1)
        twin.crtmqm("EARLY", at=START - HOUR)
        build(twin, at=START + HOUR)
        assert set(twin.view()[0].qmgrs) == {"EARLY", "FR1", "FR2", "PR1", "PR2"}
        twin.undo_retraction(done.position)
        twin.log.verify()


def test_primary_facts_have_types_of_their_own_room() -> None:
    """Events about the log itself are no facts of MQ, and have no queue manager."""
    assert issubclass(events.FactsRetracted, PrimaryFact)
    assert {"FactsRetracted", "RetractionUndone", "DerivedFactsWithdrawn"} <= OWN
