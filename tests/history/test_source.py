"""The log as a Spark data source: batch reader and stream reader."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import EqualTo, Filter, GreaterThan, LessThanOrEqual
from pyspark.sql.types import LongType, StringType, StructType

from tests.history.logs import append, made
from tests.patience import PATIENCE
from twin.history.arrow import batches, last_position
from twin.history.columns import LOG
from twin.history.errors import BadOption, SparkFailed, translate_spark_errors
from twin.history.source import LogReader, TwinDataSource, parse_options
from twin.history.timeouts import retry_when_late
from twin.log import Log
from twin.log.records import StoredEvent

MADE: Final = 50
NOBODY: Final = 65534
ALL: Final = StructType().add("position", LongType())


def read(spark: SparkSession, url: str, schema: str = "", **options: Any) -> DataFrame:
    """Read a log as a table, with seven positions per task."""
    reader = spark.read.format("twin").options(**{"partition": 7, **options})
    return (reader.schema(schema) if schema else reader).load(url)


def stored(url: str) -> list[StoredEvent]:
    """Return the events of a log as the log itself returns them."""
    with closing(Log.open(url, mode="read")) as log:
        return list(log.events())


def test_a_table_of_the_log_has_its_events_with_all_columns(
    spark: SparkSession, log_url: str
) -> None:
    """A table of the log has all events of all branches, from either database."""
    append(log_url, map(made, range(MADE - 1)))
    with closing(Log.open(log_url)) as log:
        log.create_branch("lab")
    append(log_url, [made(MADE)], branch="lab")
    frame = read(spark, log_url)
    assert frame.columns == list(LOG)
    found = sorted(tuple(row) for row in frame.collect())
    numbers = {"main": 1, "lab": 2}
    assert found == [
        (event[0], numbers[event.branch], *event[2:-1], bytearray.fromhex(event.digest))
        for event in stored(log_url)
    ]
    assert frame.rdd.getNumPartitions() == 8


def test_only_the_families_asked_for_are_read(spark: SparkSession, log_url: str) -> None:
    """Only types of the requested families are read, in all of their schemas."""
    append(log_url, map(made, range(MADE)))
    families = "channels, clusters"
    found = read(spark, log_url, "position long, type string", families=families).collect()
    wanted = ("ChannelStatusChanged", "QueueManagerSuspended", "QueueManagerResumed")
    assert sorted(found) == [
        (event.position, event.type) for event in stored(log_url) if event.type.startswith(wanted)
    ]
    assert {"ChannelStatusChanged", "ChannelStatusChanged@2"} < {row[1] for row in found}


def test_only_the_columns_asked_for_are_read(sqlite_url: str) -> None:
    """A column that `.schema(...)` does not name is not read from the database."""
    append(sqlite_url, map(made, range(3)))
    wanted = parse_options({"path": sqlite_url}, StructType().add("qmgr", StringType()))
    (stretch,) = wanted.stretches(0, 3)
    (batch,) = wanted.read(stretch)
    assert batch.to_pydict() == {"qmgr": ["QM0", "QM1", "QM2"]}


@pytest.mark.parametrize(
    ("conditions", "stretches"),
    [
        ([], [(1, 7), (8, 14), (15, 20)]),
        ([GreaterThan(("position",), 9), LessThanOrEqual(("position",), 12)], [(10, 12)]),
        ([EqualTo(("position",), 20)], [(20, 20)]),
        ([GreaterThan(("position",), 20)], []),
        (
            [LessThanOrEqual(("branch",), 1), GreaterThan(("occurred_at",), 4)],
            [(1, 7), (8, 14), (15, 20)],
        ),
    ],
)
def test_conditions_on_positions_bound_what_is_read(
    sqlite_url: str, conditions: list[Filter], stretches: list[tuple[int, int]]
) -> None:
    """A condition on positions limits the tasks, and Spark checks it again."""
    append(sqlite_url, map(made, range(20)))
    reader = LogReader(parse_options({"path": sqlite_url, "partition": "7"}, ALL))
    assert list(reader.pushFilters(conditions)) == conditions
    assert [each.value for each in reader.partitions()] == stretches


def test_spark_hands_conditions_on_positions_down(spark: SparkSession, sqlite_url: str) -> None:
    """A query for a few positions runs few tasks in a session of `twin history`."""
    append(sqlite_url, map(made, range(MADE)))
    frame = read(spark, sqlite_url, "position long, qmgr string")
    few = frame.where("position > 10 and position <= 13 and qmgr != 'QM0'")
    assert sorted(few.collect()) == [(12, "QM1"), (13, "QM2")]
    assert few.rdd.getNumPartitions() == 1


def test_a_log_is_read_in_pieces(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch of rows has a limited number of positions, however long the stretch is."""
    append(sqlite_url, map(made, range(10)))
    monkeypatch.setattr("twin.history.arrow.BATCH", 4)
    found = list(batches(sqlite_url, ["position"], first=2, last=10))
    assert [each.to_pydict()["position"] for each in found] == [
        [2, 3, 4, 5],
        [6, 7, 8, 9],
        [10],
    ]


@pytest.mark.parametrize(
    ("options", "schema", "said"),
    [
        ({"path": ""}, ALL, "invalid option path ''; expected the URL of the log, as in "),
        ({"partition": "0"}, ALL, "invalid option partition '0'; expected a number of positions, "),
        ({"batch": "many"}, ALL, "invalid option batch 'many'; expected a number of positions, "),
        ({"families": "channels,all"}, ALL, "invalid option families 'all'; expected one of chan"),
        ({}, StructType().add("colour", StringType()), "invalid option schema 'colour'; expected "),
        (
            {},
            StructType().add("position", StringType()),
            "invalid option schema 'position string'; expected position long",
        ),
    ],
)
def test_an_option_that_means_nothing_is_refused_in_one_line(
    options: dict[str, str], schema: StructType, said: str
) -> None:
    """The error of a bad option has its name, its value and the allowed ones."""
    with pytest.raises(BadOption) as caught:
        TwinDataSource({"path": "sqlite:///x.db", **options}).reader(schema)
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)


def test_what_goes_wrong_in_a_worker_is_one_line_too(
    spark: SparkSession, sqlite_url: str, tmp_path: Path
) -> None:
    """An error in a worker is one line without Spark's text."""
    with pytest.raises(SparkFailed) as caught, translate_spark_errors(tmp_path):
        read(spark, sqlite_url, "position long").count()
    assert str(caught.value) == (
        f"Spark failed: there is no log at {sqlite_url}; twin crtmqm or twin import creates one"
    )


def test_reading_changes_no_byte_of_the_log(spark: SparkSession, tmp_path: Path) -> None:
    """Reading leaves the file of the log unchanged."""
    file = tmp_path / "twin.db"
    append(f"sqlite:///{file}", map(made, range(MADE)))
    before = file.read_bytes()
    assert read(spark, f"sqlite:///{file}", "position long").count() == MADE
    assert file.read_bytes() == before


@pytest.fixture
def shut_folder() -> Iterator[Path]:
    """Make a folder that others can enter, and nobody can write to."""
    folder = Path(tempfile.mkdtemp(prefix="twin-history-"))
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def test_a_log_in_a_read_only_folder_can_be_read(shut_folder: Path) -> None:
    """A log can be read without the right to write beside it."""
    url = f"sqlite:///{shut_folder}/twin.db"
    append(url, map(made, range(3)))
    shut_folder.chmod(stat.S_IRUSR | stat.S_IXUSR | stat.S_IROTH | stat.S_IXOTH)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        said = "nothing was read"
        try:
            if os.geteuid() == 0:
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            rows = [
                batch.to_pydict()["position"]
                for batch in batches(url, ["position"], first=1, last=last_position(url))
            ]
            said = f"{rows} {os.access(shut_folder, os.W_OK)}"
        finally:
            os.write(write, said.encode())
            os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    with os.fdopen(read) as pipe:
        assert pipe.read() == "[[1, 2, 3]] False"


@pytest.mark.parametrize(
    "log_url", ["sqlite", pytest.param("postgresql", marks=pytest.mark.more)], indirect=True
)
def test_a_stream_takes_all_there_is_and_then_only_what_is_new(
    spark: SparkSession, log_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stream reads everything once, with `batch` positions per micro-batch."""
    append(log_url, map(made, range(25)))
    seen: list[list[int]] = []

    def keep(rows: DataFrame, number: int) -> None:
        del number
        seen.append(sorted(row.position for row in rows.collect()))

    def take() -> None:
        stream = spark.readStream.format("twin").schema("position long").option("batch", 10)
        query = (
            stream.option("partition", 4)
            .load(log_url)
            .writeStream.foreachBatch(keep)
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
        )
        # Spark waits ten seconds for its reader to connect, which a busy machine may exceed.
        retry_when_late(
            lambda: query.start().awaitTermination(), on_retry=lambda _: None, pause=0.0
        )

    monkeypatch.setattr("twin.history.timeouts.ATTEMPTS", PATIENCE // 10)
    take()
    assert seen == [list(range(1, 11)), list(range(11, 21)), list(range(21, 26))]
    seen.clear()
    append(log_url, map(made, range(25, 27)))
    take()
    assert seen == [[26, 27]]
    seen.clear()
    take()
    assert seen == []


@pytest.mark.parametrize(
    ("url", "named"),
    [
        ("sqlite:///mq.db", "sqlite:///{here}/mq.db"),
        ("sqlite:///below/mq 100%.db", "sqlite:///{here}/below/mq 100%.db"),
        ("sqlite:////there/mq.db", "sqlite:////there/mq.db"),
        ("sqlite://", "sqlite://"),
        ("postgresql+psycopg://me:secret@host/db", "postgresql+psycopg://me:secret@host/db"),
    ],
)
def test_a_log_is_the_same_one_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, named: str
) -> None:
    """A task in another folder opens the log that the driver named."""
    monkeypatch.chdir(tmp_path)
    assert parse_options({"path": url}, ALL).url == named.format(here=tmp_path)
