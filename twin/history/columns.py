"""The columns of the log as Spark sees it, and those of the lake.

Instants are whole microseconds since 1970 UTC. A column of the lake is null if the body of the
event has no such field.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

VERSION: Final = 2
"""The version of the lake's columns. A lake with another version is rebuilt."""

LOG: Final[Mapping[str, str]] = {
    "position": "long",
    "branch": "int",
    "occurred_at": "long",
    "recorded_at": "long",
    "type": "string",
    "qmgr": "string",
    "cause": "string",
    "source": "string",
    "event_id": "string",
    "body": "string",
    "digest": "binary",
}
"""The columns of the log's events, with their Spark types; `branch` is a number."""

ENVELOPE: Final[Mapping[str, str]] = {
    "position": "long",
    "branch": "int",
    "occurred_at": "long",
    "recorded_at": "long",
    "type": "string",
    "qmgr": "string",
    "derived": "boolean",
    "source": "string",
}
"""The columns that every event of the lake has. `type` has no schema number. `derived` is false for
primary facts.
"""

TYPED: Final[Mapping[str, tuple[str, str]]] = {
    "cluster": ("cluster", "string"),
    "channel": ("channel", "string"),
    "partner": ("partner", "string"),
    "status": ("status", "string"),
    "reason": ("reason", "string"),
    "queue": ("queue", "string"),
    "kind": ("kind", "string"),
    "name": ("name", "string"),
    "object_type": ("type", "string"),
    "qmid": ("qmid", "string"),
    "owner": ("owner", "string"),
    "sender": ("sender", "string"),
    "message_id": ("id", "string"),
    "to": ("to", "string"),
    "pass_cause": ("cause", "string"),
    "count": ("count", "long"),
    "stayed": ("stayed", "long"),
    "sequence": ("sequence", "long"),
    "was": ("was", "long"),
    "days": ("days", "long"),
    "days_left": ("left", "long"),
}
"""Columns of the lake that are taken from the body: the field, and the Spark type of the column."""

BODY: Final = "body"
"""The event's own fields, as JSON text."""

PARTITIONS: Final = ("month", "family")
"""The folders of the lake: the month in which an event occurred (YYYY-MM), and its family."""


def ddl(columns: Mapping[str, str]) -> str:
    """Write columns as Spark's DDL."""
    return ", ".join(f"`{name}` {type_}" for name, type_ in columns.items())


ROWS: Final[Mapping[str, str]] = {
    "type": "string",
    "family": "string",
    **{name: type_ for name, (_, type_) in TYPED.items()},
    BODY: "string",
}
"""The columns of the rows in the body of an event that stands for many: a JSON array of them.

All other columns are those of the event.
"""

LAKE: Final[Mapping[str, str]] = {
    **ENVELOPE,
    **{name: type_ for name, (_, type_) in TYPED.items()},
    BODY: "string",
    **dict.fromkeys(PARTITIONS, "string"),
}
"""The columns of the lake, with their Spark types."""
