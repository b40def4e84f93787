"""Whether a queue manager always puts to its own object of a name, whatever it knows of others.

If it does not, the instances elsewhere count too; where it holds no record of them, it asks first.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from twin.rules.membership import clusters, full_repository_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from twin.fold.estate import QueueManager
    from twin.fold.repository import Repository
    from twin.review.plan.pair import RehearsedPair

_SHARED: Final = frozenset({"QLOCAL", "QALIAS"})
"""The types of objects that are instances, so that the cluster may choose another one."""


def preference(pair: RehearsedPair) -> Callable[[QueueManager, str], bool]:
    """Return whether a queue manager puts to its own object of a name in any case, as a function.

    It knows from the full repositories of both sides whether a CLWLRANK matters.
    """
    repositories = [
        qmgr.repository
        for each in (pair.base, pair.changed)
        for qmgr in each.estate.qmgrs.values()
        if full_repository_of(qmgr)
    ]

    @cache
    def is_ranked(queue: str) -> bool:
        return any(_is_ranked(repository, queue) for repository in repositories)

    def prefers(qmgr: QueueManager, queue: str) -> bool:
        has_own = ("QUEUE", queue) in qmgr.definitions
        return has_own and _prefers_own(qmgr, queue, ranked=is_ranked(queue))

    return prefers


def _prefers_own(qmgr: QueueManager, queue: str, *, ranked: bool) -> bool:
    """Return whether a queue manager puts to its own object of a name in any case.

    A local queue that is shared is preferred by CLWLUSEQ, unless it is PUT(DISABLED). CLWLRANK is
    compared before that, so nothing is certain if an instance or a channel is `ranked`. An alias
    has no CLWLUSEQ: it takes turns with the other instances.
    """
    own = qmgr.definitions.get(("QUEUE", queue))
    if own is None:
        return False
    if own.type not in _SHARED or not clusters(qmgr, own):
        return True
    if ranked or own.type != "QLOCAL" or own.is_put_inhibited:
        return False
    useq = own.values.get("CLWLUSEQ", "QMGR")
    return (qmgr.text("CLWLUSEQ") if useq == "QMGR" else useq) == "LOCAL"


def _is_ranked(repository: Repository, queue: str) -> bool:
    """Return whether an instance of a queue, or a channel to one, has a CLWLRANK."""
    return any(
        belief.values.get("CLWLRANK")
        or any(
            repository.instances(cluster, "qmgr", channel)[belief.owner].values.get("CLWLRANK")
            for channel in repository.routes.get((cluster, belief.owner), ())
        )
        for (cluster, _, _), belief in repository.queues_called(queue)
    )
