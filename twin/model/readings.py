"""Readings: how the model behaves where IBM's documents are silent or disagree.

A reading is chosen for the whole estate, as a recorded fact. An estate in which none was chosen has
the default, which is the first value.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

RESTART: Final = "restart"
REPUBLISH: Final = "republish"
REFRESH: Final = "refresh"
REBUILD: Final = "rebuild"

READINGS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {RESTART: ("due", REPUBLISH), REFRESH: ("forget", REBUILD)}
)
"""The name of each reading, with its values.

- `restart`: a queue manager that starts sends only the records that fell due while it was down
  (`due`), or sends all its records again (`republish`). No IBM page says that a restart sends
  anything; the due instants are absolute ("How long do the queue manager repositories retain
  information?").
- `refresh`: REFRESH CLUSTER on a partial repository forgets its requests until the names are used
  again (`forget`; IBM MQ 8.0, "Out of date information in a restored cluster"), or makes the
  requests that were used again at once (`rebuild`).
"""


def reading_of(chosen: Mapping[str, str], name: str) -> str:
    """Return the value of a reading: the chosen one, or the default."""
    return chosen.get(name, READINGS[name][0])
