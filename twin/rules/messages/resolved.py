"""What a queue name leads to, as resolution has found it."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from twin.fold.beliefs import Belief, Instance
from twin.model.objects import Definition
from twin.rules.queues.local_queues import is_put_inhibited

Via: TypeAlias = Literal["local", "alias", "remote", "cluster", "model", ""]

NAMED: Final = "named-qmgr"
"""Why messages stay with their destination that an application, or RQMNAME, named."""


class Resolved(NamedTuple):
    """Where a name leads, or the reason code for which it leads nowhere.

    Attributes:
        name: the name that was asked for.
        via: how it was found.
        base: the name it resolved to where that is another.
        queue: the name of the queue at the destination.
        local: the local queue that messages lie on, '' where they go elsewhere.
        xmitq: the transmission queue they lie on where they leave the clusters.
        instances: what the cluster has to choose from.
        named: the queue manager in the transmission header, where that is not the destination's
            own name: its alias, or one that lies behind a transmission queue.
        fixed: 'named-qmgr' where a cluster queue manager was named.
        defbind: the DEFBIND of the local definition it was found by, '' where there is none.
        inhibited: the local definition on the way that is put-disabled, '' for none.
        reason: the reason code, 0 where it leads somewhere.
    """

    name: str
    via: Via = ""
    base: str = ""
    queue: str = ""
    local: str = ""
    xmitq: str = ""
    instances: tuple[Instance, ...] = ()
    named: str = ""
    fixed: str = ""
    defbind: str = ""
    inhibited: str = ""
    reason: int = 0

    @property
    def clustered(self) -> bool:
        """Whether the cluster chooses, or at least knows, the destination."""
        return bool(self.instances)


def inhibits(definition: Definition) -> str:
    """Name a definition that is PUT(DISABLED), '' where it lets messages be put."""
    return definition.name if is_put_inhibited(definition) else ""


def is_alias(belief: Belief) -> bool:
    """Say whether a queue's record is that of a queue manager alias."""
    return belief.values.get("CLUSQT") == "QMGR"
