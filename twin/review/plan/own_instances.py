"""Whether a queue manager always puts to its own object of a name, whatever it knows of others.

If it does not, the instances elsewhere count too; where it holds no record of them, it asks first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from twin.model.objects import text_of
from twin.rules.membership import clusters

if TYPE_CHECKING:
    from twin.fold.estate import QueueManager
    from twin.fold.repository import Repository

_SHARED: Final = frozenset({"QLOCAL", "QALIAS"})
"""The types of objects that are instances, so that the cluster may choose another one."""


def prefers_own(qmgr: QueueManager, queue: str, *, ranked: bool) -> bool:
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
    if ranked or own.type != "QLOCAL" or text_of(own, "PUT") == "DISABLED":
        return False
    useq = own.values.get("CLWLUSEQ", "QMGR")
    return (qmgr.values.get("CLWLUSEQ", "LOCAL") if useq == "QMGR" else useq) == "LOCAL"


def is_ranked(repository: Repository, queue: str) -> bool:
    """Return whether an instance of a queue, or a channel to one, has a CLWLRANK."""
    return any(
        belief.values.get("CLWLRANK")
        or any(
            repository.instances(cluster, "qmgr", channel)[belief.owner].values.get("CLWLRANK")
            for channel in repository.routes.get((cluster, belief.owner), ())
        )
        for (cluster, _, _), belief in repository.queues_called(queue)
    )
