"""What was seen of a queue manager, when, and how old that is.

Evidence is fresh while the next collection may still come: until twice the median interval between
the last collections, at least 10 minutes, at most 26 hours. It is old after three times that
[decided here]. A collection is an instant at which definitions or records were observed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from statistics import median
from typing import Final

from twin.fold.estate import Estate, QueueManager
from twin.model.amounts import counted
from twin.model.basis import Basis
from twin.model.cluster_records import OBJECT_KINDS
from twin.model.instants import DAY, HOUR, MINUTE, Instant, format_instant, on_clock
from twin.model.readings import freshness
from twin.rules.standing import instants_seen, runs

SHORTEST: Final = 10 * MINUTE
"""The shortest time for which evidence is fresh; sights that are closer are of one collection."""
LONGEST: Final = 26 * HOUR
_ZONES: Final = 28 * HOUR
"""By how much two local times of one instant may differ."""
OLD: Final = 3
"""How many times as long as it is fresh evidence is not old yet."""


def last_seen(qmgr: QueueManager) -> Instant | None:
    """Return the instant of the newest evidence of a queue manager; None of a simulated one."""
    if not qmgr.observed:
        return None
    return max((at for _, instants in instants_seen(qmgr) for at in instants), default=None)


def basis_of_state(qmgr: QueueManager) -> str:
    """Return what it rests on whether a queue manager runs; `unknown` if nobody observed that."""
    if runs(qmgr) is None:
        return "unknown"
    return str(Basis.OBSERVED if qmgr.is_only_observed else Basis.DERIVED)


def fresh(estate: Estate, qmgr: QueueManager) -> Instant:
    """Return how long evidence of a queue manager is fresh, in microseconds.

    The reading `fresh` chooses it, for all or for one.
    """
    if (chosen := freshness(estate.readings, qmgr.name)) is not None:
        return chosen
    intervals = [later - one for one, later in pairwise(qmgr.activity.seen.collected)]
    usual = 2 * int(median(intervals)) if intervals else LONGEST
    return min(max(usual, SHORTEST), LONGEST)


def old_since(estate: Estate, qmgr: QueueManager, at: Instant) -> Instant | None:
    """Return the instant of the newest evidence of a queue manager, if it is old at an instant."""
    seen = last_seen(qmgr)
    return seen if seen is not None and at - seen > OLD * fresh(estate, qmgr) else None


def notes_of_age(estate: Estate, names: Iterable[str], at: Instant) -> Iterator[str]:
    """Yield a line for each of some queue managers whose newest evidence is old, or of a day ago.

    So do those that are gone. Source: design laws 18 and 21, age is part of an answer.
    """
    for name in sorted(set(names)):
        if gone := estate.gone(name):
            yield f"{name}: {gone}"
        if name not in estate.qmgrs:
            continue
        seen = last_seen(estate.qmgrs[name])
        if seen is not None and at - seen > min(DAY, OLD * fresh(estate, estate.qmgrs[name])):
            later = ", ".join(_altered_since(estate, estate.qmgrs[name]))
            also = f"; others hold later versions of {later}" if later else ""
            yield f"{name}: what is known is {age(at - seen)} old, of {format_instant(seen)}{also}"


def _altered_since(estate: Estate, owner: QueueManager) -> list[str]:
    """Return the objects of which records with a later ALTDATE and ALTTIME were seen.

    They are later only if they are so in any two zones, because both are times of the owner.
    """
    return sorted(
        {
            key[2]
            for holder in estate.qmgrs.values()
            for (key, qmid), shown in holder.repository.shown.items()
            if qmid == owner.qmid and holder is not owner and shown.altered is not None
            for defined in [owner.definitions.get((OBJECT_KINDS[key[1]], key[2]))]
            if defined is not None and defined.altered is not None
            if shown.altered - on_clock(defined.altered, owner.zone) > _ZONES
        }
    )


def age(time: Instant) -> str:
    """Write how old something is: in days, or in hours."""
    return counted(time // DAY, "day") if time >= 2 * DAY else counted(time // HOUR, "hour")
