"""A branch sees the same events in a lake as in the log."""

from __future__ import annotations

import json
import re
import tempfile
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession

from tests.history.logs import append, made
from tests.history.scene import of_few_rows
from tests.laws import examples
from tests.log.writing import WITHDRAWAL, new
from twin.history.history import _hidden, lineage, narrowed, visible
from twin.history.lake import read, update
from twin.log import Log, NoSuchBranch
from twin.log.records import Branch
from twin.log.visibility import Retraction, Visibility, rows_of


class Happened(NamedTuple):
    """An event on one of the branches."""

    branch: int
    occurred_at: int
    kind: str


class Retracted(NamedTuple):
    """A retraction on one of the branches, of some positions or since an instant, or an undoing."""

    branch: int
    occurred_at: int
    shares: list[float]
    since: int | None
    undoes: bool


class Forked(NamedTuple):
    """A branch off another, at its head or at an earlier position, instant, or both."""

    parent: int
    position: float | None
    occurred_at: int | None


INSTANTS: Final = st.integers(0, 8)
ACTS: Final = st.lists(
    st.one_of(
        st.builds(
            Happened,
            st.integers(0, 3),
            INSTANTS,
            st.sampled_from(["primary", "derived", "derived", "withdrawal"]),
        ),
        st.builds(Happened, st.integers(0, 3), INSTANTS, st.just("derived")),
        st.builds(
            Retracted,
            st.integers(0, 3),
            INSTANTS,
            st.lists(st.floats(0, 1), min_size=1, max_size=3),
            st.none() | INSTANTS,
            st.booleans(),
        ),
        st.builds(
            Forked,
            st.integers(0, 3),
            st.none() | st.floats(0, 1),
            st.none() | INSTANTS,
        ),
    ),
    min_size=4,
    max_size=24,
)


def retraction(act: Retracted, log: Log, struck: list[int]) -> tuple[str, str]:
    """Return the type and body of a retraction, or of the undoing of one of those so far."""
    last = log.last().position
    if act.undoes and struck:
        return "RetractionUndone", json.dumps({"retraction": struck[last % len(struck)]})
    struck.append(last + 1)
    if act.since is not None:
        return "FactsRetracted", json.dumps({"since": act.since})
    named = sorted({round(last * share) for share in act.shares} - {0})
    return "FactsRetracted", json.dumps({"positions": named})


def written(log: Log, acts: list[Happened | Forked | Retracted]) -> None:
    """Write everything to a log, except on branches that are full."""
    struck: list[int] = []
    for act in acts:
        branches = log.branches()
        line = branches[act[0] % len(branches)].name
        match act:
            case Forked(position=share, occurred_at=instant):
                if len(branches) > 3:
                    continue
                at = None if share is None else round(log.head(line).position * share)
                name = f"b{len(branches)}"
                log.create_branch(name, parent=line, at_position=at, at_occurred=instant)
            case Retracted(occurred_at=instant):
                type_, body = retraction(act, log, struck)
                log.append([new(instant, type=type_, body=body)], recorded_at=0, branch=line)
            case Happened(occurred_at=instant, kind=kind):
                type_ = WITHDRAWAL if kind == "withdrawal" else "QueueManagerResumed"
                cause = "x" if kind == "derived" else None
                log.append([new(instant, type=type_, cause=cause)], recorded_at=0, branch=line)


def frame_of(spark: SparkSession, log: Log) -> DataFrame:
    """Return all events of a log with the columns of the lake."""
    numbers = {branch.name: branch.id for branch in log.branches()}
    return of_few_rows(
        spark,
        [
            {**event._asdict(), "branch": numbers[event.branch], "digest": b""}
            for event in log.events()
        ],
    )


@examples(cost=4, tolerated=[HealthCheck.function_scoped_fixture])
@given(acts=ACTS, bucket=st.sampled_from([1, 2, 3, 5, 65_536]))
def test_a_branch_sees_of_the_lake_what_it_sees_of_the_log(
    spark: SparkSession, acts: list[Happened | Forked | Retracted], bucket: int
) -> None:
    """A branch sees the same events in lake and log, with forks, late facts and withdrawals."""
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(Log.open(f"sqlite:///{folder}/twin.db")) as log,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr("twin.history.history._BUCKET", bucket)
        written(log, acts)
        events = frame_of(spark, log).cache()
        for branch in log.branches():
            found = visible(events, log.branches(), branch.name).select("position").collect()
            assert sorted(row.position for row in found) == sorted(
                position for _, position, _, _ in log.rows(branch=branch.name)
            )
        events.unpersist()


WITHDRAWN: Final = st.dictionaries(st.integers(1, 40), st.integers(0, 8), max_size=6)
RETRACTED: Final = st.dictionaries(
    st.integers(41, 50),
    st.tuples(st.lists(st.integers(1, 40), max_size=4), st.none() | st.integers(0, 8)),
    max_size=3,
)


@given(withdrawn=WITHDRAWN, retracted=RETRACTED, bucket=st.integers(1, 50))
def test_what_is_hidden_is_what_the_log_hides(
    withdrawn: dict[int, int],
    retracted: dict[int, tuple[list[int], int | None]],
    bucket: int,
) -> None:
    """An event is hidden exactly if a group of its bucket has its position and its instant."""
    rows: list[Retraction] = []
    for position, (named, since) in retracted.items():
        body = json.dumps({"positions": named, "since": since})
        rows += rows_of(position, 1, -1, "FactsRetracted", body)
    visibility = Visibility(withdrawn.items(), rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("twin.history.history._BUCKET", bucket)
        hidden = list(_hidden(visibility))
    for position, derived in product(range(1, 52), (False, True)):
        matching = [
            after
            for of_derived, number, first, last, after in hidden
            if of_derived == derived and number == position // bucket and first <= position <= last
        ]
        for instant in range(10):
            found = any(instant > after for after in matching)
            assert found == visibility.hides(position, instant, "Something", derived=derived)


@given(acts=ACTS)
def test_a_branch_reaches_as_far_as_the_log_says(acts: list[Happened | Forked | Retracted]) -> None:
    """The reach of a branch into its ancestors is the same in lake and log."""
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(Log.open(f"sqlite:///{folder}/twin.db", synchronous="NORMAL")) as log,
    ):
        written(log, acts)
        for branch in log.branches():
            ours = lineage(log.branches(), branch.name)
            theirs = log._branches.lineage(branch)
            assert [each.branch for each in ours] == [each.branch for each in theirs]
            assert ours[0][1:] == (None, None)
            assert [each[1:] for each in ours[1:]] == [each[1:] for each in theirs[1:]]


def test_a_branch_that_is_none_is_named(spark: SparkSession) -> None:
    """An unknown branch is refused by name."""
    main = (Branch(1, "main", None, 0, 0),)
    with pytest.raises(NoSuchBranch, match="unknown branch 'lab'"):
        visible(spark.createDataFrame([], "branch int"), main, "lab")


def test_only_the_folders_of_a_family_are_read(spark: SparkSession, tmp_path: Path) -> None:
    """A query for some families reads only their folders."""
    append(f"sqlite:///{tmp_path}/twin.db", map(made, range(16)))
    update(spark, f"sqlite:///{tmp_path}/twin.db", tmp_path / "lake")
    channels = narrowed(read(spark, tmp_path / "lake"), "channels")
    assert {row.type for row in channels.collect()} == {"ChannelStatusChanged"}
    read_from = {
        Path(row[0]).parent.name for row in channels.selectExpr("input_file_name()").collect()
    }
    assert read_from == {"family=channels"}
    plan = channels._jdf.queryExecution().executedPlan().toString()
    assert re.search(r"PartitionFilters: \[[^\]]*family", plan)
