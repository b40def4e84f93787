"""The laws of the two times: late facts, snapshots, and what was known when."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from tests.app.scenes import (
    LATER,
    SCRIPTS,
    START,
    Act,
    build,
    histories,
    late_observations,
    make_twin,
    picture,
)
from tests.laws import examples
from twin.app.twin import Twin
from twin.fold.estate import Estate
from twin.fold.replay import replay
from twin.model.instants import HOUR, SECOND


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


def on_time(history: list[Act], late: list[Act]) -> list[Act]:
    """Insert late acts where they would have been on time."""
    merged = [*history, *late]
    return sorted(merged, key=lambda act: act.at)


def brute_force(twin: Twin, *, valid: int, known: int) -> Estate:
    """Replay everything from the beginning, without snapshots."""
    rows = twin.log.rows(branch=twin.branch, valid=valid, known=known)
    return replay(Estate(), rows)


@examples(cost=2)
@given(histories(least=2), st.lists(late_observations(), min_size=1, max_size=3))
def test_a_late_fact_leaves_the_estate_as_if_it_had_come_on_time(
    history: list[Act], late: list[Act]
) -> None:
    """The estate is the same for late facts as for facts on time, in any order of arrival."""
    with fresh(2) as (one, other):
        build(one)
        for act in [*history, *late]:
            act.perform(one)
        build(other)
        for act in on_time(history, late):
            act.perform(other)
        assert picture(one.view(as_of=LATER)[0]) == picture(other.view(as_of=LATER)[0])
        one.log.verify()


@examples(cost=2)
@given(
    histories(least=3),
    st.lists(late_observations(), max_size=3),
    st.integers(1, 5),
    st.integers(0, 40),
    st.booleans(),
)
def test_a_view_through_snapshots_is_the_view_without(
    history: list[Act],
    late: list[Act],
    every: int,
    hour: int,
    again: bool,  # noqa: FBT001 - drawn
) -> None:
    """A view of any instant is the same with snapshots from before or after late facts."""
    with fresh(1) as (twin,):
        build(twin)
        positions = []
        for number, act in enumerate([*history, *late]):
            act.perform(twin)
            positions.append(twin.log.head().position)
            if number == len(history) - 1 or again:
                twin.snapshot(every=every)
        for valid, known in itertools.product((START, START + hour * HOUR, LATER), positions):
            seen = twin.views.upto(branch="main", valid=valid, position=known)
            assert picture(seen) == picture(brute_force(twin, valid=valid, known=known))


@given(histories(), st.lists(late_observations(), min_size=1, max_size=3), st.integers(0, 40))
def test_a_view_as_known_at_an_earlier_instant_never_changes(
    history: list[Act], late: list[Act], hour: int
) -> None:
    """A view of an earlier instant, as known then, never changes."""
    with fresh(1) as (twin,):
        build(twin)
        valid = START + hour * HOUR
        points = []
        for act in [*history, *late]:
            act.perform(twin)
            known = twin.as_of().known
            seen = [twin.ask("beliefs", as_of=valid, known_at=known, on=name) for name in SCRIPTS]
            points.append((known, [answer.rows for answer in seen]))
        for known, before in points:
            after = [
                twin.ask("beliefs", as_of=valid, known_at=known, on=name).rows for name in SCRIPTS
            ]
            assert after == before


@given(histories(), histories())
def test_a_branch_never_changes_its_parent(history: list[Act], other: list[Act]) -> None:
    """An act on a branch leaves main unchanged, and the branch begins with main's estate."""
    with fresh(1) as (twin,):
        build(twin)
        for act in history:
            act.perform(twin)
        before = picture(twin.view(as_of=LATER)[0])
        twin.create_branch("what-if")
        branch = twin.on_branch("what-if")
        assert picture(branch.view(as_of=LATER)[0]) == before
        for act in other:
            if not act.observed:
                Act(max(act.at, history[-1].at), act.event).perform(branch)
        assert picture(twin.view(as_of=LATER)[0]) == before


def test_known_at_separates_what_was_true_from_what_was_known() -> None:
    """A queue observed late is valid from its instant, and known only from its recording."""
    with fresh(1) as (twin,):
        build(twin)
        twin.runmqsc("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)", at=START + 2 * HOUR)
        known = twin.as_of().known
        twin.ingest("DEFINE QLOCAL(LATE) CLUSTER(CA)", qmgr="PR1", at=START + HOUR)

        def on_fr1(as_of: int, known_at: int | None = None) -> set[object]:
            answer = twin.ask("beliefs", on="FR1", kind="queue", as_of=as_of, known_at=known_at)
            return {row["name"] for row in answer.rows}

        assert on_fr1(as_of=START + HOUR) == {"LATE"}
        assert on_fr1(as_of=START + HOUR, known_at=known) == set()
        assert on_fr1(as_of=START + 3 * HOUR) == {"LATE", "ORD"}
        assert on_fr1(as_of=START + 3 * HOUR, known_at=known) == {"ORD"}


def test_a_late_fact_does_not_swap_facts_of_one_later_instant() -> None:
    """An observation after a command of one instant stays after it when both are derived again."""
    with fresh(1) as (twin,):
        build(twin)
        at = START + 2 * HOUR
        twin.runmqsc("PR1", "DEFINE QLOCAL(Q) DESCR(COMMAND)", at=at)
        twin.ingest("ALTER QLOCAL(Q) DESCR(SEEN)", qmgr="PR1", at=at)
        before = picture(twin.view(as_of=at)[0])["PR1"]
        twin.ingest("DEFINE QLOCAL(OTHER)", qmgr="PR2", at=START + HOUR)
        assert picture(twin.view(as_of=at)[0])["PR1"] == before
        definition = twin.view(as_of=at)[0].qmgr("PR1").definitions["QUEUE", "Q"]
        assert definition.values["DESCR"] == "SEEN"
