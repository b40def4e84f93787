"""Writes values as stories do: rows on one line, instants in ISO 8601."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from twin.model.commands import Command
from twin.model.instants import Instant, format_instant
from twin.stories.document import scalar
from twin.stories.moments import shown_moment


def shown_row(
    row: Mapping[str, Any], instants: Collection[str] = (), start: Instant | None = None
) -> str:
    """Return a row on one line; with a `start`, instants are also shown relative to it."""
    if not row:
        return "none"
    pairs = (f"{key}: {_shown(value, key in instants, start)}" for key, value in row.items())
    return "{" + ", ".join(pairs) + "}"


def _shown(value: Any, instant: bool, start: Instant | None) -> str:  # noqa: FBT001 - a map's item
    if isinstance(value, Command):
        value = (value.on, value.text)
    if isinstance(value, tuple | list):
        return f"[{', '.join(_shown(item, False, None) for item in value)}]"  # noqa: FBT003
    if instant and isinstance(value, int):
        relative = "" if start is None else f" ({shown_moment(value, start)})"
        return format_instant(value) + relative
    return _scalar(value)


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        plain = isinstance(scalar(value), str) and value == value.strip()
        return value if plain else f"'{value}'"
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    return str(value)


def as_json(value: Any) -> Any:
    """Return a value with lists instead of tuples and commands, at any depth."""
    if isinstance(value, Command):
        value = (value.on, value.text)
    if isinstance(value, Mapping):
        return {key: as_json(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [as_json(item) for item in value]
    return value


def json_rows(rows: Iterable[Mapping[str, Any]], instants: Collection[str]) -> list[dict[str, Any]]:
    """Return rows with JSON's types, and instants in ISO 8601."""
    return [
        {
            key: format_instant(value)
            if key in instants and isinstance(value, int)
            else as_json(value)
            for key, value in row.items()
        }
        for row in rows
    ]
