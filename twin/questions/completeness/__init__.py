"""Completeness: what an estate names and does not hold.

Only observed queue managers count. What one that was made by `crtmqm` refers to is as the user made
it. A partial estate is normal: each gap says what names the missing thing, so that its file can be
found.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from twin.fold.estate import Estate
from twin.model.commands import quote_if_needed
from twin.model.instants import Instant, format_instant
from twin.questions.completeness.gap import NOT_IN_TWIN, REPLACED, UNDEFINED, Gap
from twin.questions.completeness.missing_queue_managers import (
    deleted_partners,
    lacking_ends,
    missing_names,
    missing_queue_managers,
)
from twin.questions.completeness.undefined_references import undefined_references
from twin.rules import membership
from twin.rules.repository.lifetimes import removal

__all__ = [
    "NOT_IN_TWIN",
    "REPLACED",
    "UNDEFINED",
    "Gap",
    "deleted_partners",
    "gaps",
    "missing_names",
]


def gaps(estate: Estate) -> Iterator[Gap]:
    """Yield all gaps of an estate: missing queue managers, those that are gone, then references."""
    yield from missing_queue_managers(estate)
    yield from replaced(estate)
    yield from lacking_ends(estate)
    yield from undefined_references(estate)


def replaced(estate: Estate) -> Iterator[Gap]:
    """Yield a gap for each observed queue manager that is gone and that others hold records of.

    It says until when they hold them. Its dates are those that the rules derive. If it was stated
    to be gone, it says the command that clears them now: a later QMID of its name does not say that
    it no longer runs.
    """
    gone = {
        qmid: each for qmid, each in estate.departed.items() if each.observed and each.confirmed
    }
    held: dict[tuple[str, str], list[tuple[str, Instant]]] = defaultdict(list)
    for observer in estate.qmgrs.values():
        for name, belief in observer.repository.of_kind("qmgr"):
            if belief.owner in gone:
                held[belief.owner, name[0]].append((observer.name, removal(belief.published)))
    for (qmid, cluster), holders in sorted(held.items()):
        qmgr = gone[qmid]
        now = estate.qmgrs.get(qmgr.name)
        full = [name for name, _ in holders if membership.is_full(estate.qmgrs[name], cluster)]
        what = "is gone" if now is None else f"{now.qmid} has its name now"
        upto = format_instant(max(date for _, date in holders))
        why = f"{what}; {', '.join(sorted(name for name, _ in holders))} hold it until {upto};"
        if qmgr.deleted and not qmgr.made_qmid:
            why += (
                f" RESET CLUSTER({quote_if_needed(cluster)}) ACTION(FORCEREMOVE) QMID('{qmid}')"
                " QUEUES(YES)"
                f" at {min(full) if full else 'a full repository'} clears it"
            )
        else:
            why += " nothing says whether it still runs: DISPLAY QMGR QMID there does"
        yield Gap(REPLACED, qmgr.name, None, qmid, why, qmgr.position)
