"""What could call for REFRESH CLUSTER, and whether the estate has it: most of it calls for less.

Sources: "Cluster-administration considerations" (after a point-in-time backup, and seldom else);
IBM MQ 9.2, "REFRESH CLUSTER" and "RESET CLUSTER"; 9.4, "How long do the queue manager repositories
retain information?".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from twin.review.runbooks import refresh_checks, refresh_waits

if TYPE_CHECKING:
    from twin.fold.estate import QueueManager
    from twin.review.runbooks.judgement import Judgement
    from twin.review.runbooks.scene import Scene

ReasonCheck: TypeAlias = "Callable[[Scene, QueueManager], Judgement]"


class RefreshReason(NamedTuple):
    """A reason for which people run REFRESH CLUSTER.

    Attributes:
        id: its name in kebab case.
        text: the reason, in one sentence.
        check: the function that looks for it.
        source: the document that says what mends it.
    """

    id: str
    text: str
    check: ReasonCheck
    source: str


_ADMINISTERING: Final = "Cluster-administration considerations"
_RETAIN: Final = "IBM MQ 9.4, How long do the queue manager repositories retain information?"
_REFRESH: Final = "IBM MQ 9.2, REFRESH CLUSTER"
_RESET: Final = "IBM MQ 9.2, RESET CLUSTER"

REASONS: Final = (
    RefreshReason(
        "restored",
        "It was restored from a point-in-time backup.",
        refresh_checks.is_restored,
        f"{_ADMINISTERING}, Recovering a queue manager",
    ),
    RefreshReason(
        "removed-by-force",
        "It was removed by RESET CLUSTER, and is to stay a member.",
        refresh_checks.is_removed,
        _RESET,
    ),
    RefreshReason(
        "left",
        "It left the cluster, and is to forget it at once (REPOS(YES)).",
        refresh_checks.has_left,
        "IBM MQ, Removing a queue manager from a cluster",
    ),
    RefreshReason(
        "not-heard",
        "Full repositories hold other values of its records, and no update is on its way.",
        refresh_checks.is_misunderstood,
        _REFRESH,
    ),
    RefreshReason(
        "wrong-records",
        "It holds other values than the full repositories, and no update is on its way.",
        refresh_checks.is_wrong,
        f"{_ADMINISTERING}, Refreshing a queue manager",
    ),
    RefreshReason("expired", "It holds expired records.", refresh_checks.holds_expired, _RETAIN),
    RefreshReason(
        "stuck",
        "Repository commands wait.",
        refresh_waits.is_stuck,
        f"{_ADMINISTERING}, What happens when a repository fails?",
    ),
    RefreshReason(
        "two-qmids", "It holds two QMIDs of one queue manager.", refresh_checks.sees_double, _RESET
    ),
    RefreshReason(
        "lapsed",
        "Its request for a queue lapsed, so it no longer knows the queue.",
        refresh_checks.has_lapsed,
        _RETAIN,
    ),
    RefreshReason(
        "repository-fails",
        "Its repository manager fails.",
        refresh_waits.fails,
        f"{_ADMINISTERING}, What happens when a repository fails?",
    ),
)
"""Every reason that is looked for, those that a refresh mends first."""
