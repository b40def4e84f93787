"""What a finding or an answer is about, as a value with one text form."""

from __future__ import annotations

from typing import NamedTuple


class Subject(NamedTuple):
    """An object, a queue manager, a cluster, or one side of these.

    As text it is the queue manager, the cluster, the kind and name, and the aspect, as far as they
    are given: `QM1 QUEUE(ORDERS)`, `CLUSTER(SALES) QUEUE(ORDERS) MAXMSGL`, `QM1 CLUSTER(SALES)`.
    This text is the lasting identity of a finding: suppressions and baselines name it.

    Attributes:
        qmgr: the queue manager that has it; '' for what belongs to no single one.
        kind: its kind, such as QUEUE; '' for a queue manager or a cluster as a whole.
        name: its name; '' for all of its kind.
        cluster: the cluster that it is seen in; '' for none.
        aspect: which side of it is meant, if several are told apart.
    """

    qmgr: str = ""
    kind: str = ""
    name: str = ""
    cluster: str = ""
    aspect: str = ""

    def __str__(self) -> str:
        """Write it as people read it, and as suppressions and baselines name it."""
        cluster = f"CLUSTER({self.cluster})" if self.cluster else ""
        named = f"{self.kind}({self.name})" if self.name else self.kind
        if self.qmgr and cluster and named:
            return f"{self.qmgr} {named} in {cluster}"
        return " ".join(filter(None, (self.qmgr, cluster, named, self.aspect)))

    @property
    def path(self) -> tuple[str, ...]:
        """Its queue manager, kind and name, or those of its cluster; () if it has no name."""
        if self.cluster:
            place = () if self.kind and self.qmgr else ("CLUSTER", self.cluster)
        else:
            place = (self.kind, self.name) if self.name else ()
        return (*((self.qmgr,) if self.qmgr else ()), *place) if place else ()
