"""The log as a Spark data source, named `twin`: `spark.read.format("twin").load(URL)`.

Options: `path` (the argument of `load`) is the log's URL; `families` are the event families to
read, separated by commas, by default all; `partition` is the number of positions that one task
reads; `batch` is the largest number of positions in one micro-batch of a stream; with `lake`, the
columns are those of the lake and not those of the log. `.schema(...)` may name the columns to read;
no others are read. Spark may push down conditions on `position` (if
`spark.sql.python.filterPushdown.enabled` is on, as in sessions of `twin history`). They limit what
is read; Spark checks them again itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    InputPartition,
    LessThan,
    LessThanOrEqual,
)
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)
from pyspark.sql.types import StructType

from twin.history.arrow import absolute, batches, lake_batches, last_position
from twin.history.columns import LAKE, LOG, ddl
from twin.history.errors import BadOption
from twin.history.families import FAMILIES

NAME: Final = "twin"
PARTITION: Final = 250_000
BATCH: Final = 2_000_000

_OFFSET: Final = "position"
_SPARK_NAMES: Final = {"long": "bigint"}
"""Types that Spark itself names differently."""


class Stretch(InputPartition):
    """The positions that one task reads: from `first` to `last`, both included."""

    def __init__(self, first: int, last: int) -> None:
        """Set the first and the last position."""
        super().__init__((first, last))
        self.first = first
        self.last = last


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """The options of reading: the log, and the part of it that is to be read.

    Attributes:
        url: the log.
        columns: the columns.
        types: the event types, in every schema; empty for all.
        partition: the number of positions that one task reads.
        batch: the largest number of positions in a micro-batch.
        lake: whether the columns are those of the lake.
    """

    url: str
    columns: tuple[str, ...] = tuple(LOG)
    types: tuple[str, ...] = ()
    partition: int = PARTITION
    batch: int = BATCH
    lake: bool = False

    def stretches(self, after: int, upto: int) -> list[Stretch]:
        """Divide the positions after one position, up to another, among tasks."""
        step = self.partition
        return [
            Stretch(first, min(first + step - 1, upto))
            for first in range(after + 1, upto + 1, step)
        ]

    def read(self, stretch: InputPartition) -> Iterator[pa.RecordBatch]:
        """Read one stretch."""
        first, last = stretch.value
        if self.lake:
            return lake_batches(self.url, self.columns, first=first, last=last)
        return batches(self.url, self.columns, first=first, last=last, types=self.types)


class TwinDataSource(DataSource):
    """Reads a log of twin, at once or as a stream of the events that are appended."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return NAME

    def schema(self) -> str:
        """Return the columns of the log's events."""
        return ddl(_columns(self.options))

    def reader(self, schema: StructType) -> LogReader:
        """Return a reader of the events that are in the log now."""
        return LogReader(parse_options(self.options, schema))

    def streamReader(self, schema: StructType) -> LogStream:  # noqa: N802 - Spark's name
        """Return a reader of the events that are in the log now, and of later ones."""
        return LogStream(parse_options(self.options, schema))


class LogReader(DataSourceReader):
    """Reads the events that are in the log when the plan is made."""

    def __init__(self, options: ReadOptions) -> None:
        """Read with these options."""
        self._options = options
        self._bounds = _Bounds()

    def pushFilters(self, filters: list[Filter]) -> Iterator[Filter]:  # noqa: N802
        """Note conditions that limit what must be read; Spark checks all of them again."""
        for condition in filters:
            self._bounds.narrow(condition)
            yield condition

    def partitions(self) -> Sequence[InputPartition]:
        """Divide the log among tasks."""
        bounds = self._bounds
        upto = min(last_position(self._options.url), bounds.last)
        return self._options.stretches(bounds.first - 1, upto)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Read one stretch of the log."""
        return self._options.read(partition)


@dataclass(slots=True)
class _Bounds:
    """The positions between which Spark needs events."""

    first: int = 1
    last: int = 2**63 - 1

    def narrow(self, condition: Filter) -> None:
        """Apply a condition, if it limits positions."""
        if getattr(condition, "attribute", None) != (_OFFSET,):
            return
        match condition:
            case EqualTo(value=int(value)):
                self.first, self.last = max(self.first, value), min(self.last, value)
            case GreaterThan(value=int(value)):
                self.first = max(self.first, value + 1)
            case GreaterThanOrEqual(value=int(value)):
                self.first = max(self.first, value)
            case LessThan(value=int(value)):
                self.last = min(self.last, value - 1)
            case LessThanOrEqual(value=int(value)):
                self.last = min(self.last, value)
            case _:
                return


class LogStream(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads a log as it grows; an offset is the last position that was read."""

    def __init__(self, options: ReadOptions) -> None:
        """Read with these options."""
        self._options = options
        self._target: int | None = None

    def initialOffset(self) -> dict[str, int]:  # noqa: N802
        """Begin before the first event."""
        return {_OFFSET: 0}

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """Return the largest number of positions in a micro-batch."""
        return ReadMaxRows(self._options.batch)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Note where the log ends now: later events are left to the next run."""
        self._target = last_position(self._options.url)

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:  # noqa: N802
        """Return the position at which the next micro-batch ends."""
        target = self._target
        if target is None:
            target = last_position(self._options.url)
        if isinstance(limit, ReadMaxRows) and not isinstance(limit, ReadAllAvailable):
            target = min(target, start[_OFFSET] + limit.max_rows)
        return {_OFFSET: max(target, start[_OFFSET])}

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        """Divide a micro-batch among tasks."""
        return self._options.stretches(start[_OFFSET], end[_OFFSET])

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Read one stretch of the log."""
        return self._options.read(partition)


def parse_options(options: Mapping[str, str], schema: StructType) -> ReadOptions:
    """Return what options and columns ask for.

    Raises:
        BadOption: if an option or a column is unknown.
    """
    if not options.get("path"):
        nothing = ""
        raise BadOption(nothing, of="path", cure="expected the URL of the log, as in load(URL)")
    known = _columns(options)
    for field in schema.fields:
        name, written = field.name, f"{field.name} {field.dataType.simpleString()}"
        if name not in known:
            raise BadOption(name, of="schema", cure=f"expected one of {', '.join(known)}")
        if written != f"{name} {_SPARK_NAMES.get(known[name], known[name])}":
            raise BadOption(written, of="schema", cure=f"expected {name} {known[name]}")
    return ReadOptions(
        url=absolute(options["path"]),
        columns=tuple(schema.names),
        types=_types(options.get("families", "")),
        partition=_count(options, "partition", PARTITION),
        batch=_count(options, "batch", BATCH),
        lake=bool(options.get("lake")),
    )


def _columns(options: Mapping[str, str]) -> Mapping[str, str]:
    return LAKE if options.get("lake") else LOG


def _types(families: str) -> tuple[str, ...]:
    named = [name.strip() for name in families.split(",") if name.strip()]
    for name in named:
        if name not in FAMILIES:
            raise BadOption(name, of="families", cure=f"expected one of {', '.join(FAMILIES)}")
    return tuple(type_ for name in named for type_ in FAMILIES[name])


def _count(options: Mapping[str, str], name: str, default: int) -> int:
    given: Any = options.get(name, default)
    try:
        count = int(given)
    except ValueError:
        count = 0
    if count < 1:
        raise BadOption(str(given), of=name, cure="expected a number of positions, 1 or more")
    return count
