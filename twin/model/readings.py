"""Readings: how the model behaves where IBM's documents are silent or disagree.

A reading is chosen for the whole estate, as a recorded fact. An estate in which none was chosen has
the default, which is the first value, or the only one that is listed.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from twin.model.amounts import whole_number
from twin.model.instants import Instant, length_of, parse_length
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

EQUALS: Final = "equals"
TURN: Final = "turn"

_PORTION: Final = "-portion"
_WAIT: Final = "-wait"

READINGS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        RESTART: ("due", REPUBLISH),
        REFRESH: ("forget", REBUILD),
        FAILED: ("ended", RESTARTED),
        OPMODE: ("newfunc", COMPAT),
        EQUALS: ("stay", TURN),
        "switch-portion": ("50",),
        "switch-wait": ("0s",),
        "pass-portion": ("50",),
        "pass-wait": ("0s",),
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
- `equals`: a reallocation pass leaves messages with their channel while it is among the best
  (`stay`; IBM's article on re-allocation: the "still most favourable destination"), or the best
  channels take turns, as at a put (`turn`). No page lists a step that chooses among equals.
- `switch-portion`, `switch-wait`: how many messages a switch of the transmission queue moves in one
  unit of work, and how long it waits before the next one. IBM MQ 9.4, "Working with cluster
  transmission queues and cluster-sender channels", says that it moves them in several, and neither
  number.
- `pass-portion`, `pass-wait`: the same of a reallocation pass. IBM MQ 9.4, "Example of a cluster
  with more than one instance of a queue", says that a channel may stop before its pass is complete.
"""


class Pace(NamedTuple):
    """How messages are moved: so many in one unit of work, and a wait before the next one.

    The wait is in microseconds.
    """

    portion: int
    wait: Instant


def pace_of(chosen: Mapping[str, str], work: Literal["switch", "pass"]) -> Pace:
    """Return the pace of a switch, or of a reallocation pass."""
    wait = length_of(reading_of(chosen, work + _WAIT))
    return Pace(int(reading_of(chosen, work + _PORTION)), wait or 0)


def expected_of(name: str) -> str:
    """Return what values a reading can have, in words."""
    if name.endswith(_PORTION):
        return "1, 2, 3 and so on"
    return "0s, 500ms, 5s and so on" if name.endswith(_WAIT) else ", ".join(READINGS[name])


def is_legal(name: str, value: str) -> bool:
    """Return whether a reading can have a value."""
    if name.endswith(_PORTION):
        return bool(whole_number(value))
    return length_of(value) is not None if name.endswith(_WAIT) else value in READINGS[name]


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
