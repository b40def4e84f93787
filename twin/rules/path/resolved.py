"""The result of resolving a queue name."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from twin.fold.beliefs import Belief, Instance
from twin.model import reasons
from twin.model.objects import Definition

Via: TypeAlias = Literal["local", "alias", "remote", "cluster", "model", ""]

NAMED: Final = "named-qmgr"
"""The reason why messages are not rerouted: an application, or RQMNAME, named the destination."""


NameKind: TypeAlias = Literal[
    "local",
    "model",
    "alias",
    "remote",
    "qmgr-alias",
    "xmitq",
    "cluster",
    "cluster-qmgr",
    "cluster-alias",
]
"""What a name was found to be: a local object, or something that a cluster knows."""


class NameStep(NamedTuple):
    """A name that a queue name went through until it was resolved.

    Attributes:
        kind: what the name was found to be.
        name: the name.
        queue: the queue name that it stands for; '' if it stands for none.
        qmgr: the queue manager name that it stands for; '' if it stands for none.
        xmitq: the transmission queue that its definition names; '' if it names none.
    """

    kind: NameKind
    name: str
    queue: str = ""
    qmgr: str = ""
    xmitq: str = ""

    @property
    def is_defined(self) -> bool:
        """Whether a definition at the queue manager says so, and no cluster does."""
        return self.kind in ("local", "alias", "remote", "qmgr-alias")


class Resolved(NamedTuple):
    """What a queue name resolved to, or the reason code with which it failed.

    Attributes:
        name: the name that was resolved.
        via: the kind of object through which it was resolved; '' if nothing was found.
        base: the name that it resolved to, if that name differs.
        queue: the name of the queue at the destination.
        local: the local queue that messages are put on; '' if they go elsewhere.
        xmitq: the transmission queue that messages are put on if they leave the clusters.
        instances: the instances that the cluster can choose from.
        named: the queue manager in the transmission header, if it differs from the name of the
            destination: a queue manager alias, or a queue manager that is reached through a
            transmission queue.
        fixed: 'named-qmgr' if a cluster queue manager was named, else ''.
        defbind: DEFBIND of the local definition through which it was resolved; '' if none.
        inhibited: the local definition that is put-disabled; '' if none is.
        reason: the reason code; 0 if the name was resolved.
        path: the names that it went through, the first one first.
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
    path: tuple[NameStep, ...] = ()

    def through(self, step: NameStep) -> Resolved:
        """Return this result as that of a name that stands for the resolved one."""
        return self._replace(path=(step, *self.path))

    @property
    def clustered(self) -> bool:
        """Whether the name has instances in a cluster."""
        return bool(self.instances)

    @property
    def refusal(self) -> int:
        """The reason code of a put: that of the resolution, or 2051 if a definition inhibits it."""
        return self.reason or (reasons.PUT_INHIBITED if self.inhibited else 0)


def inhibits(definition: Definition) -> str:
    """Return the name of a definition if it is PUT(DISABLED), else ''."""
    return definition.name if definition.is_put_inhibited else ""


def is_alias(belief: Belief) -> bool:
    """Return whether a queue's record is that of a queue manager alias."""
    return belief.values.get("CLUSQT") == "QMGR"
