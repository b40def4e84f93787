"""One object that a queue manager is created with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from twin.model.attributes import Value


class SystemObject(NamedTuple):
    """A type, a name, the values that differ from the type's defaults, and the first level."""

    type: str
    name: str
    values: Mapping[str, Value] = {}
    since: int = 0
