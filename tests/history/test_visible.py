"""A branch sees the same events in a lake as in the log."""

from __future__ import annotations

import re
import tempfile
from contextlib import closing
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
from twin.history.lake import read, update
from twin.history.visible import _steps, lineage, narrowed, visible
from twin.log import Log, NoSuchBranch
from twin.log.records import Branch
from twin.log.visibility import RetractionFilter


class Happened(NamedTuple):
    """An event on one of the branches."""

    branch: int
    occurred_at: int
    kind: str


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
            Forked,
            st.integers(0, 3),
            st.none() | st.floats(0, 1),
            st.none() | INSTANTS,
        ),
    ),
    min_size=4,
    max_size=24,
)


def written(log: Log, acts: list[Happened | Forked]) -> None:
    """Write everything to a log, except on branches that are full."""
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


@examples(cost=2, tolerated=[HealthCheck.function_scoped_fixture])
@given(acts=ACTS, bucket=st.sampled_from([1, 2, 3, 5, 65_536]))
def test_a_branch_sees_of_the_lake_what_it_sees_of_the_log(
    spark: SparkSession, acts: list[Happened | Forked], bucket: int
) -> None:
    """A branch sees the same events in lake and log, with forks, late facts and withdrawals."""
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(Log.open(f"sqlite:///{folder}/twin.db")) as log,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr("twin.history.visible._BUCKET", bucket)
        written(log, acts)
        events = frame_of(spark, log).cache()
        for branch in log.branches():
            found = visible(events, log.branches(), branch.name).select("position").collect()
            assert sorted(row.position for row in found) == sorted(
                position for _, position, _, _ in log.rows(branch=branch.name)
            )
        events.unpersist()


WITHDRAWN: Final = st.dictionaries(st.integers(1, 40), st.integers(0, 8), max_size=6)


@given(withdrawn=WITHDRAWN.filter(bool), bucket=st.integers(1, 50))
def test_what_is_hidden_is_what_the_log_hides(withdrawn: dict[int, int], bucket: int) -> None:
    """Each position is in at most one group, in its own bucket, with the instant that counts."""
    retraction = RetractionFilter(withdrawn.items())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("twin.history.visible._BUCKET", bucket)
        steps = list(_steps(list(withdrawn.items())))
    for position in range(1, 45):
        matching = [
            after
            for number, first, last, after in steps
            if number == position // bucket and first <= position <= last
        ]
        assert len(matching) <= 1
        for instant in range(10):
            hidden = any(instant > after for after in matching)
            assert hidden == retraction.retracts(position, instant)


@given(acts=ACTS)
def test_a_branch_reaches_as_far_as_the_log_says(acts: list[Happened | Forked]) -> None:
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
