"""The lake: what an update copies, where, and only once."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from pyspark.sql import SparkSession

from tests.history.logs import append, late, made, positions_in_files, tree
from tests.log.writing import new
from twin.history.columns import LAKE, TYPED, VERSION
from twin.history.errors import LakeBusy, NoLake, NotALake, OldLake
from twin.history.families import FAMILIES, OTHER
from twin.history.lake import ABOUT, LOCK, About, Updated, compact, files, read, update
from twin.log import Log
from twin.log.records import StoredEvent
from twin.model.instants import format_instant, parse_instant

MADE: Final = 60
LATE: Final = (61, 62)
"""Positions of what happened before everything else and was recorded behind it."""


class Told(NamedTuple):
    """A log of three months that was copied into a lake in two updates."""

    folder: Path
    updates: tuple[Updated, Updated]
    events: list[StoredEvent]


@pytest.fixture(scope="module")
def told(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Told:
    """Copy a log into a lake, append late and other events, and update the lake."""
    place = tmp_path_factory.mktemp("told")
    url, folder = f"sqlite:///{place}/twin.db", place / "lake"
    append(url, map(made, range(MADE)))
    first = update(spark, url, folder, partition=10, batch=25)
    append(url, [late(MADE), late(MADE + 1)])
    append(url, [made(MADE + 2)])
    second = update(spark, url, folder)
    with closing(Log.open(url, mode="read")) as log:
        return Told(folder, (first, second), list(log.events()))


def positions(spark: SparkSession, folder: Path) -> list[int]:
    """Return the positions that Spark finds in a lake, in their order."""
    return sorted(row.position for row in read(spark, folder).select("position").collect())


def family_of(type_: str) -> str:
    """Return the family that a type is listed under."""
    return next((name for name, types in FAMILIES.items() if type_ in types), OTHER)


def test_a_second_update_takes_in_what_is_new_and_nothing_twice(
    spark: SparkSession, told: Told
) -> None:
    """A second update copies only new events, as seen by Spark and by other readers."""
    assert told.updates == (Updated(60, 60), Updated(3, 63))
    assert positions(spark, told.folder) == list(range(1, 64))
    assert positions_in_files(told.folder) == list(range(1, 64))


def test_late_events_lie_in_the_month_they_belong_to(told: Told) -> None:
    """An event is in the folder of the month in which it occurred, whenever it was recorded."""
    found: dict[str, set[int]] = {}
    for file in files(told.folder):
        month, family = (part.split("=")[1] for part in file.parts[-3:-1])
        held = set(positions_in_files_of(file))
        found[month] = found.get(month, set()) | held
        assert {family_of(told.events[each - 1].type.split("@")[0]) for each in held} == {family}
    assert found.keys() == {"2025-12", "2026-01"}
    assert found["2025-12"] == set(LATE)


def positions_in_files_of(file: Path) -> list[int]:
    """Return the positions in one file."""
    import duckdb

    rows = duckdb.read_parquet(str(file)).project("position").fetchall()
    return [position for (position,) in rows]


def test_the_columns_of_the_lake_are_those_of_the_event_and_of_its_body(
    spark: SparkSession, told: Told
) -> None:
    """A typed column of the lake has the field of the body, which itself stays complete."""
    frame = read(spark, told.folder)
    assert frame.columns == list(LAKE)
    assert [row.asDict() for row in frame.orderBy("position").collect()] == [
        expected(event) for event in told.events
    ]


def expected(event: StoredEvent) -> dict[str, Any]:
    """Return the expected row of an event in the lake."""
    body = json.loads(event.body)
    type_ = event.type.split("@")[0]
    return {
        "position": event.position,
        "branch": 1,
        "occurred_at": event.occurred_at,
        "recorded_at": event.recorded_at,
        "type": type_,
        "qmgr": event.qmgr,
        "derived": event.cause is not None,
        "source": event.source,
        **{name: body.get(field) for name, (field, _) in TYPED.items()},
        "body": event.body,
        "month": format_instant(event.occurred_at)[:7],
        "family": family_of(type_),
    }


def test_a_log_that_grows_meanwhile_is_taken_in_as_far_as_it_went(
    spark: SparkSession, sqlite_url: str, tmp_path: Path
) -> None:
    """An event appended during an update is left to the next; a second update at once is refused.

    The folder's name needs quoting in URLs and in patterns of file names.
    """
    append(sqlite_url, map(made, range(20)))
    folder = tmp_path / "my [lake] of 100%"
    grown: list[tuple[int, int]] = []

    def grow(done: int, of: int) -> None:
        if not grown:
            with pytest.raises(LakeBusy, match="another process is updating the lake"):
                update(spark, sqlite_url, folder)
            append(sqlite_url, map(made, range(20, 30)))
        grown.append((done, of))

    first = update(spark, sqlite_url, folder, batch=5, progress=grow)
    assert first.position in (20, 30)
    assert positions_in_files(folder) == list(range(1, first.position + 1))
    assert grown[-1] == (first.position, first.position)
    assert grown == sorted(grown)
    second = update(spark, sqlite_url, folder)
    assert (first.events + second.events, second.position) == (30, 30)
    assert positions(spark, folder) == positions_in_files(folder) == list(range(1, 31))


def test_a_lake_of_older_columns_is_built_anew_and_says_so(
    spark: SparkSession, sqlite_url: str, tmp_path: Path
) -> None:
    """A lake with older columns is rebuilt from the beginning of the log."""
    append(sqlite_url, map(made, range(10)))
    folder = tmp_path / "lake"
    update(spark, sqlite_url, folder)
    before = files(folder)
    said = json.loads((folder / ABOUT).read_text())
    (folder / ABOUT).write_text(json.dumps({**said, "version": VERSION - 1}))
    again = update(spark, sqlite_url, folder)
    assert again == Updated(
        10, 10, f"its columns had version {VERSION - 1}; the current version is {VERSION}"
    )
    assert positions(spark, folder) == positions_in_files(folder) == list(range(1, 11))
    assert not any(file.exists() for file in before)


def test_a_lake_of_other_columns_is_not_read(
    spark: SparkSession, sqlite_url: str, tmp_path: Path
) -> None:
    """A lake with other columns is not read: missing columns would be null."""
    append(sqlite_url, map(made, range(10)))
    folder = tmp_path / "lake"
    update(spark, sqlite_url, folder)
    said = json.loads((folder / ABOUT).read_text())
    (folder / ABOUT).write_text(json.dumps({**said, "version": VERSION + 1}))
    with pytest.raises(OldLake, match=f"columns of version {VERSION + 1}; twin history update"):
        read(spark, folder)


@pytest.mark.parametrize("take", [shutil.move, shutil.copytree])
def test_a_lake_that_was_moved_is_read_and_updated_where_it_is(
    spark: SparkSession, sqlite_url: str, tmp_path: Path, take: Callable[[Path, Path], object]
) -> None:
    """A lake names its files relative to itself, so that it can be moved or copied."""
    append(sqlite_url, map(made, range(10)))
    old, new = tmp_path / "old", tmp_path / "new"
    update(spark, sqlite_url, old)
    take(old, new)
    assert positions(spark, new) == list(range(1, 11))
    append(sqlite_url, map(made, range(10, 12)))
    assert update(spark, sqlite_url, new) == Updated(2, 12)
    assert positions(spark, new) == list(range(1, 13))
    assert all(new in file.parents for file in files(new))


@pytest.mark.parametrize("by_url", [False, True])
def test_a_lake_may_be_named_by_a_url_that_spark_knows(
    spark: SparkSession, sqlite_url: str, tmp_path: Path, *, by_url: bool
) -> None:
    """A lake made by URL is read by path, and the other way; files keep their place in it."""
    append(sqlite_url, map(made, range(10)))
    lakes: list[Path | str] = [f"file://{tmp_path}/lake", tmp_path / "lake"]
    first, second = lakes[::-1] if not by_url else lakes
    assert update(spark, sqlite_url, first, batch=4) == Updated(10, 10)
    append(sqlite_url, map(made, range(10, 12)))
    assert update(spark, sqlite_url, second) == Updated(2, 12)
    for lake in lakes:
        found = read(spark, lake).select("position").collect()
        assert sorted(row.position for row in found) == list(range(1, 13))
    done = compact(spark, first)
    assert done.after < done.before
    assert compact(spark, second) == (done.after, done.after)
    assert positions_in_files(tmp_path / "lake") == list(range(1, 13))
    with pytest.raises(NoLake):
        read(spark, f"file://{tmp_path}/nothing")
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter").write_text("words")
    with pytest.raises(NotALake, match="contains something other than a lake"):
        update(spark, sqlite_url, f"file://{tmp_path}/thesis")


def test_a_few_events_are_copied_without_spark_into_the_same_rows(
    spark: SparkSession, sqlite_url: str, tmp_path: Path
) -> None:
    """Both ways of copying make the same rows in the same folders, and continue each other."""
    append(sqlite_url, map(made, range(40)))
    assert update(None, sqlite_url, tmp_path / "here", batch=15) == Updated(40, 40)
    update(spark, sqlite_url, tmp_path / "there")
    found = [
        read(spark, tmp_path / each).orderBy("position").collect() for each in ("here", "there")
    ]
    assert found[0] == found[1]
    folders = [
        {file.parent.relative_to(tmp_path / each) for file in files(tmp_path / each)}
        for each in ("here", "there")
    ]
    assert folders[0] == folders[1]
    append(sqlite_url, map(made, range(40, 50)))
    assert update(spark, sqlite_url, tmp_path / "here") == Updated(10, 50)
    assert update(None, sqlite_url, tmp_path / "there") == Updated(10, 50)
    assert positions(spark, tmp_path / "here") == positions(spark, tmp_path / "there")


@pytest.mark.parametrize("with_spark", [False, True])
def test_a_compacted_lake_has_one_file_for_each_month_and_family(
    spark: SparkSession, sqlite_url: str, tmp_path: Path, *, with_spark: bool
) -> None:
    """Compacting changes no row, joins the files of each folder, and deletes what it joined."""
    append(sqlite_url, map(made, range(MADE)))
    lake = tmp_path / "lake"
    update(None, sqlite_url, lake, batch=10)
    before = read(spark, lake).orderBy("position").collect()
    done = compact(spark if with_spark else None, lake)
    now = files(lake)
    assert (done.before, done.after) == (len(set(done_files(before, 10))), len(now))
    assert len({file.parent for file in now}) == len(now)
    assert set(lake.rglob("*.parquet")) == set(now)
    assert read(spark, lake).orderBy("position").collect() == before
    assert compact(None, lake) == (len(now), len(now))
    append(sqlite_url, [made(MADE)])
    assert update(None, sqlite_url, lake) == Updated(1, MADE + 1)


def done_files(rows: list[Any], batch: int) -> list[tuple[Any, ...]]:
    """Return the folder and the batch of each row: one file was written for each."""
    return [(row.month, row.family, (row.position - 1) // batch) for row in rows]


def test_an_update_that_finds_another_one_stops(
    spark: SparkSession, sqlite_url: str, tmp_path: Path
) -> None:
    """Where no lock holds, the later of two updates goes on, and the lake stays whole."""
    append(sqlite_url, map(made, range(30)))
    lake = f"file://{tmp_path}/lake"

    def begin_another(done: int, of: int) -> None:
        if done == 10:
            assert update(spark, sqlite_url, lake) == Updated(20, 30)

    with pytest.raises(LakeBusy):
        update(spark, sqlite_url, lake, batch=10, progress=begin_another)
    assert positions_in_files(tmp_path / "lake") == list(range(1, 31))


def test_an_interrupted_update_leaves_a_true_account(
    spark: SparkSession, sqlite_url: str, tmp_path: Path
) -> None:
    """After each batch `lake.json` says what is there, and a report says that it is not all."""
    append(sqlite_url, map(made, range(30)))
    lake = tmp_path / "lake"

    def interrupt(done: int, of: int) -> None:
        if done == 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        update(None, sqlite_url, lake, batch=10, progress=interrupt)
    (lake / "events" / "month=2026-01" / "family=channels" / "part-of-nothing.parquet").touch()
    about = About.read(lake)
    assert about is not None
    assert (about.position, about.target, about.is_complete) == (20, 30, False)
    assert about.covers() == (
        "log up to position 20 of 30: the last update was interrupted after what was recorded at "
        "1970-01-01T00:00:00Z"
    )
    assert positions(spark, lake) == positions_in_files(lake) == list(range(1, 21))
    assert update(None, sqlite_url, lake) == Updated(10, 30)
    finished = About.read(lake)
    assert finished is not None
    assert finished.covers() == "log up to position 30"
    assert set(lake.rglob("*.parquet")) == set(files(lake))


def test_months_after_a_window_are_not_read(
    spark: SparkSession, sqlite_url: str, tmp_path: Path
) -> None:
    """A window needs no later month, but all facts about the record itself."""
    append(sqlite_url, [late(0), *map(made, range(200))])
    update(None, sqlite_url, tmp_path / "lake")
    whole, cut = (
        read(spark, tmp_path / "lake", until=until)
        for until in (None, parse_instant("2026-01-15T00:00:00Z", now=0))
    )
    months = {row.month for row in cut.select("month").distinct().collect()}
    assert months == {"2025-12", "2026-01"}
    assert cut.count() == whole.where("month < '2026-02'").count() < whole.count()
    assert set(cut.inputFiles()) < set(whole.inputFiles())


def test_an_empty_log_makes_an_empty_lake_which_its_first_events_fill(
    spark: SparkSession, sqlite_url: str, tmp_path: Path
) -> None:
    """An empty log gives an empty lake with all columns, which later updates fill."""
    append(sqlite_url, [])
    folder = tmp_path / "lake"
    assert update(spark, sqlite_url, folder) == Updated(0, 0)
    assert (read(spark, folder).columns, positions(spark, folder)) == (list(LAKE), [])
    assert files(folder) == []
    append(sqlite_url, [made(0)])
    assert update(spark, sqlite_url, folder) == Updated(1, 1)
    assert positions(spark, folder) == [1]


def _another_first(url: str) -> None:
    append(url, [new(0)])


def _same_first(url: str) -> None:
    append(url, [new(0, event_id="same"), new(1), new(2)])


def _shorter(url: str) -> None:
    append(url, [new(0, event_id="same")])


@pytest.mark.parametrize("other", [_another_first, _same_first, _shorter])
def test_the_lake_of_another_log_is_refused(
    spark: SparkSession, tmp_path: Path, other: Callable[[str], None]
) -> None:
    """The lake of another log is refused and not changed, even if both logs begin alike."""
    append(f"sqlite:///{tmp_path}/one.db", [new(0, event_id="same"), new(1)])
    with closing(Log.open(f"sqlite:///{tmp_path}/one.db", mode="read")) as log:
        first, last = log.events()
        (tmp_path / "lake").mkdir()
        About(VERSION, first.digest, 2, tuple(log.branches()), last.digest).write(tmp_path / "lake")
    other(f"sqlite:///{tmp_path}/other.db")
    before = (tmp_path / "lake" / ABOUT).read_bytes()
    with pytest.raises(NotALake) as caught:
        update(spark, f"sqlite:///{tmp_path}/other.db", tmp_path / "lake")
    assert str(caught.value) == (
        f"{tmp_path / 'lake'} is the lake of another log; name another folder with --lake"
    )
    assert tree(tmp_path / "lake") == {ABOUT: before, LOCK: b""}


def test_a_folder_that_holds_something_else_is_left_alone(
    spark: SparkSession, sqlite_url: str, tmp_path: Path
) -> None:
    """A folder with other content is neither read nor written, not even a lock file."""
    append(sqlite_url, [made(0)])
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter").write_text("words")
    (tmp_path / "file").write_text("words")
    (tmp_path / "json").mkdir()
    (tmp_path / "json" / ABOUT).write_text('["a", "list"]')
    for name, said in (
        ("thesis", "contains something other than a lake"),
        ("file", "is not a folder"),
        ("file/below", "is not a folder"),
        ("json", f"contains a {ABOUT} that is not that of a lake"),
    ):
        before = tree(tmp_path)
        for refused in (
            lambda name=name: update(spark, sqlite_url, tmp_path / name),
            lambda name=name: read(spark, tmp_path / name),
        ):
            with pytest.raises(NotALake) as caught:
                refused()
            assert str(caught.value) == (
                f"{tmp_path / name} {said}; name another folder with --lake"
            )
        assert tree(tmp_path) == before
    with pytest.raises(NoLake, match="twin history update creates one"):
        read(spark, tmp_path / "nothing")


def test_an_update_that_was_killed_before_it_could_say_anything_is_no_obstacle(
    tmp_path: Path,
) -> None:
    """A folder that a killed update left without a description can be updated."""
    (tmp_path / LOCK).write_text("")
    (tmp_path / f"{ABOUT}.new").write_text("")
    assert About.read(tmp_path) is None
