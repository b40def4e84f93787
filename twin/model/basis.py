"""The basis of what is said about an estate, and what would settle what is not known of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Basis(StrEnum):
    """What a statement rests on, from the strongest to the weakest."""

    OBSERVED = "observed"
    """A feed said so."""
    DERIVED = "derived"
    """The rules of MQ say so, from commands or from what was observed."""
    ASSUMED = "assumed"
    """It is what would usually be; nothing says so."""
    MADE = "made"
    """The twin had to invent the value; it yields to any sight."""
    UNKNOWN = "unknown"
    """Nobody knows it: there is no value."""

    @property
    def rank(self) -> int:
        """How weak it is: 0 is the strongest."""
        return _RANKS[self]


SUPPORTED = (Basis.OBSERVED, Basis.DERIVED, Basis.ASSUMED)
"""The bases of what is said because something speaks for it, from the strongest to the weakest."""

_RANKS = {basis: rank for rank, basis in enumerate(Basis)}


def strongest(bases: Iterable[Basis]) -> Basis:
    """Return the strongest of several; without any, the rules say so."""
    return min(bases, key=_RANKS.__getitem__, default=Basis.DERIVED)


def weakest(bases: Iterable[Basis]) -> Basis:
    """Return the weakest of several; without any, the rules say so."""
    return max(bases, key=_RANKS.__getitem__, default=Basis.DERIVED)


class Source(StrEnum):
    """What can be collected of a queue manager: a command, or a file, as it is called there."""

    QMGR = "DISPLAY QMGR ALL"
    QMSTATUS = "DISPLAY QMSTATUS ALL"
    LISTENERS = "DISPLAY LSSTATUS(*) ALL"
    MEMBERS = "DISPLAY CLUSQMGR(*) ALL"
    QUEUES = "DISPLAY QCLUSTER(*) ALL"
    TOPICS = "DISPLAY TCLUSTER(*) ALL"
    CHANNELS = "DISPLAY CHSTATUS(*) ALL"
    BATCHES = "DISPLAY CHSTATUS(*) SAVED ALL"
    DEPTHS = "DISPLAY QSTATUS(*) ALL"
    DUMP = "dmpmqcfg -a"
    LOG = "AMQERR01.LOG"
    CONFIGURATION = "qm.ini"

    @property
    def is_mqsc(self) -> bool:
        """Whether it is a command of MQSC."""
        return self.value.startswith("DISPLAY ")


@dataclass(frozen=True, slots=True)
class Unknown:
    """Stands in a row for a value that nobody knows; None is a value that there is not.

    Attributes:
        on: the queue manager that knows it.
        source: the one command or file of it that would settle the value; None if nothing that
            twin reads shows it.
    """

    on: str
    source: Source | None

    def __bool__(self) -> bool:
        """Return False, as null is: there is no value."""
        return False
