"""The rows of a stretch of the log as Arrow batches, read straight from its database.

The columns of the lake are made from them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from sqlalchemy import Select, bindparam, func, or_, select

from twin.history.columns import BODY, ENVELOPE, LAKE, LOG, PARTITIONS, TYPED
from twin.history.families import FAMILIES, OTHER
from twin.log.database import Database
from twin.log.opening import open_database
from twin.log.references import SEEN_AGAIN, resolved
from twin.log.schema import event

READ: Final = (*(name for name in ENVELOPE if name != "derived"), "cause", BODY)
"""The columns of the log that the lake is made from."""

_ARROW: Final = {
    "long": pa.int64(),
    "int": pa.int32(),
    "string": pa.string(),
    "boolean": pa.bool_(),
}
SCHEMA: Final = pa.schema([(name, _ARROW[type_]) for name, type_ in LAKE.items()])
_FAMILY_OF: Final = {type_: name for name, types in FAMILIES.items() for type_ in types}
_LONG: Final = 2**63


def lake_batches(
    url: str, columns: Sequence[str] = (), *, first: int, last: int
) -> Iterator[pa.RecordBatch]:
    """Read the events between two positions, both included, with the columns of the lake."""
    for batch in batches(url, READ, first=first, last=last):
        rows = typed(batch)
        yield rows.select(list(columns)) if columns else rows


def typed(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Convert events of the log to the columns of the lake."""
    types = [_plain(each) for each in batch.column("type").to_pylist()]
    bodies = [_fields(each) for each in batch.column(BODY).to_pylist()]
    texts = batch.column(BODY)
    if SEEN_AGAIN in types:
        rows = zip(types, bodies, texts.to_pylist(), strict=True)
        texts = pa.array(
            [_rows(fields) if type_ == SEEN_AGAIN else text for type_, fields, text in rows]
        )
    moments = pc.cast(batch.column("occurred_at"), pa.timestamp("us"))
    made: dict[str, Any] = {
        "type": types,
        "derived": pc.is_valid(batch.column("cause")),
        "month": pc.strftime(moments, format="%Y-%m"),
        "family": [_FAMILY_OF.get(each, OTHER) for each in types],
        BODY: texts,
    }
    for name, (field, type_) in TYPED.items():
        value = _VALUES[type_]
        made[name] = [value(body.get(field)) for body in bodies]
    arrays = [
        pa.array(made[field.name], type=field.type)
        if isinstance(made.get(field.name), list)
        else made.get(field.name, batch.column(field.name) if field.name in READ else None)
        for field in SCHEMA
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def _rows(fields: dict[str, Any]) -> str:
    """Return the rows that an event stands for as JSON, each with the columns that are its own."""
    rows = []
    for said, line in zip(fields.get("said", ()), fields.get("lines", ()), strict=False):
        type_ = _plain(said["type"])
        origin = {"origin": {**fields["origin"], "line": line}} if "origin" in fields else {}
        body = {"qmgr": fields.get("qmgr"), **origin, **said}
        del body["type"], body["name"]
        own = {name: _VALUES[kind](body.get(field)) for name, (field, kind) in TYPED.items()}
        own |= {"type": type_, "family": _FAMILY_OF.get(type_, OTHER), BODY: _text(body)}
        rows.append({name: value for name, value in own.items() if value is not None})
    return json.dumps(rows, separators=(",", ":"), ensure_ascii=False)


@lru_cache(maxsize=1024)
def _plain(type_: str) -> str:
    """Return a type without its schema number."""
    return type_.partition("@")[0]


def _fields(body: str) -> dict[str, Any]:
    try:
        fields = json.loads(body)
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) else {}


def _text(value: Any) -> str | None:
    """Return a text as it is, and any other value as JSON."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _number(value: Any) -> int | None:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and -_LONG <= value < _LONG else None


_VALUES: Final[dict[str, Callable[[Any], Any]]] = {"string": _text, "long": _number}

assert set(PARTITIONS) < set(SCHEMA.names)  # noqa: S101


BATCH: Final = 20_000
"""How many positions are read at a time. Positions have no gaps."""

_TYPES: Final = {
    "long": pa.int64(),
    "int": pa.int32(),
    "string": pa.string(),
    "binary": pa.binary(),
}


def last_position(url: str) -> int:
    """Return the last position of a log; 0 if the log is empty.

    Raises:
        BadLogUrl, NoSuchLog, NotALog, NewerLog, OlderLog, LogUnreachable, LogBusy: if the log
            cannot be read.
    """
    with closing(_open(url)) as database:
        row = database.one(select(func.max(event.c.position)))
    return (row and row[0]) or 0


def batches(
    url: str, columns: Sequence[str], *, first: int, last: int, types: Sequence[str] = ()
) -> Iterator[pa.RecordBatch]:
    """Read the events between two positions, both included, in the order of the log.

    Args:
        url: the log, opened for reading only.
        columns: the columns to read.
        first: the first position.
        last: the last position.
        types: the event types to read, in every schema; empty for all.
    """
    schema = pa.schema([(name, _TYPES[LOG[name]]) for name in columns])
    statement = _statement(columns, len(types))
    values = {f"type_{number}": name for number, name in enumerate(types)}
    values |= {f"later_{number}": f"{name}@%" for number, name in enumerate(types)}
    with closing(_open(url)) as database:
        for begin in range(first, last + 1, BATCH):
            end = min(begin + BATCH - 1, last)
            rows = database.fetch(statement, first=begin, last=end, **values)
            if rows and "body" in columns:
                rows = _with_references(database, rows, columns.index("body"))
            if rows:
                yield _batch(rows, schema)


def _with_references(
    database: Database, rows: list[tuple[Any, ...]], body: int
) -> list[tuple[Any, ...]]:
    """Return rows whose bodies say what they refer to; `body` is the column of the bodies."""
    bodies = resolved(database, [row[body] for row in rows])
    return [(*row[:body], said, *row[body + 1 :]) for row, said in zip(rows, bodies, strict=True)]


def absolute(url: str) -> str:
    """Return the URL of a log with an absolute path: a cluster's tasks run in other folders."""
    kind, slashes, rest = url.partition(":///")
    file, mark, query = rest.partition("?")
    if not (kind.startswith("sqlite") and slashes and file) or file == ":memory:":
        return url
    return f"{kind}{slashes}{Path(file).absolute()}{mark}{query}"


def _open(url: str) -> Database:
    return open_database(url, mode="read", synchronous="FULL")


def _statement(columns: Sequence[str], types: int) -> Select[Any]:
    wanted = select(*(event.c[name] for name in columns)).where(
        event.c.position.between(bindparam("first"), bindparam("last"))
    )
    if types:
        alike = [event.c.type == bindparam(f"type_{number}") for number in range(types)]
        later = [event.c.type.like(bindparam(f"later_{number}")) for number in range(types)]
        wanted = wanted.where(or_(*alike, *later))
    return wanted.order_by(event.c.position)


def _batch(rows: list[tuple[Any, ...]], schema: pa.Schema) -> pa.RecordBatch:
    arrays = [
        pa.array(values, type=field.type)
        for values, field in zip(zip(*rows, strict=True), schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
