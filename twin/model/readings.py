"""Readings: how the model behaves where IBM's documents are silent or disagree.

A reading is chosen for the whole estate, as a recorded fact. An estate in which none was chosen has
the default, which is the first value.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from twin.model.instants import Instant, parse_length
from twin.model.names import legal_name

RESTART: Final = "restart"
REPUBLISH: Final = "republish"
REFRESH: Final = "refresh"
REBUILD: Final = "rebuild"
FAILED: Final = "failed"
RESTARTED: Final = "restarted"
OPMODE: Final = "opmode"
COMPAT: Final = "compat"
FRESH: Final = "fresh"
"""How long evidence is fresh; `fresh:QM` is the reading of one queue manager."""

READINGS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        RESTART: ("due", REPUBLISH),
        REFRESH: ("forget", REBUILD),
        FAILED: ("ended", RESTARTED),
        OPMODE: ("newfunc", COMPAT),
    }
)
"""The name of each reading, with its values.

- `restart`: a queue manager that starts sends only the records that fell due while it was down
  (`due`), or sends all its records again (`republish`). No IBM page says that a restart sends
  anything; the due instants are absolute ("How long do the queue manager repositories retain
  information?").
- `refresh`: REFRESH CLUSTER on a partial repository forgets its requests until the names are used
  again (`forget`; IBM MQ 8.0, "Out of date information in a restored cluster"), or makes the
  requests that were used again at once (`rebuild`).
- `failed`: a queue manager that failed stays ended (`ended`), or is started again at once by what
  watches it, such as ARM or HACMP (`restarted`). How that is set up is not modelled.
- `opmode`: on z/OS at 8.0, the functions of that version are enabled (`newfunc`), or not
  (`compat`): then no CLCHNAME and no DEFCLXQ can be set (IBM MQ 8.0, "OPMODE"). MQ's message is not
  known.
"""


def is_freshness(name: str) -> bool:
    """Return whether a reading says how long evidence is fresh: `fresh`, or `fresh:QM`."""
    word, colon, qmgr = name.partition(":")
    return word == FRESH and (not colon or legal_name(qmgr))


def freshness(chosen: Mapping[str, str], qmgr: str) -> Instant | None:
    """Return how long evidence of a queue manager was chosen to be fresh; None if it was not."""
    text = chosen.get(f"{FRESH}:{qmgr}") or chosen.get(FRESH)
    return parse_length(text) if text else None


def reading_of(chosen: Mapping[str, str], name: str) -> str:
    """Return the value of a reading: the chosen one, or the default."""
    return chosen.get(name, READINGS[name][0])
