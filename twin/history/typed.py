"""The columns of the lake, made from events of the log."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from twin.history.arrow import batches
from twin.history.columns import BODY, ENVELOPE, LAKE, PARTITIONS, TYPED
from twin.history.families import FAMILIES, OTHER

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
    moments = pc.cast(batch.column("occurred_at"), pa.timestamp("us"))
    made: dict[str, Any] = {
        "type": types,
        "derived": pc.is_valid(batch.column("cause")),
        "month": pc.strftime(moments, format="%Y-%m"),
        "family": [_FAMILY_OF.get(each, OTHER) for each in types],
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
