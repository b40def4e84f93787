"""Resolve a queue name: local objects, aliases, remote definitions and clusters, in this order.

Sources: IBM MQ 7.5, "MQOPEN and clusters"; 9.4, "Queue manager aliases and clusters"; "API reason
codes" (2001, 2082, 2085, 2087, 2091, 2092, 2184, 2189, 2196 to 2199).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final, NamedTuple

from twin.fold.beliefs import Instance
from twin.fold.estate import QueueManager
from twin.model import reasons
from twin.model.objects import Definition, text_of
from twin.rules import membership
from twin.rules.path.resolved import NAMED, NameKind, NameStep, Resolved, inhibits, is_alias
from twin.rules.queues.transmission_queues import DEFAULT_QUEUE


class _Xmitq(NamedTuple):
    """Reason codes for a transmission queue: unknown, of a wrong type, with a wrong usage."""

    unknown: int
    type: int
    usage: int


_OWN_XMITQ: Final = _Xmitq(
    reasons.UNKNOWN_XMITQ, reasons.XMITQ_TYPE_ERROR, reasons.XMITQ_USAGE_ERROR
)
_DEFAULT_XMITQ: Final = _Xmitq(
    reasons.UNKNOWN_DEFAULT_XMITQ,
    reasons.DEFAULT_XMITQ_TYPE_ERROR,
    reasons.DEFAULT_XMITQ_USAGE_ERROR,
)


NO_BASES: Final = frozenset({"QALIAS", "QMODEL"})
"""The types of local objects that an alias cannot lead to: 2001."""


class Resolution(ABC):
    """Resolve queue names at one queue manager.

    A heir says what is known of the clusters: `queues`, `members` and `is_answered`.
    """

    _qmgr: QueueManager

    @abstractmethod
    def queues(self, name: str) -> tuple[Instance, ...]:
        """Return the instances of a queue, or of a queue manager alias, by cluster and owner."""

    @abstractmethod
    def members(self, name: str) -> tuple[Instance, ...]:
        """Return the cluster queue managers with a name, each with the record of one channel."""

    @abstractmethod
    def is_answered(self, queue: str) -> bool:
        """Return whether it is known that the clusters do not have a queue that is not found."""

    def resolve(self, queue: str, to: str = "") -> Resolved:
        """Resolve ObjectName and ObjectQMgrName.

        The cluster chooses only if ObjectQMgrName is blank. The name of this queue manager means
        its local object.
        """
        if to and to != self._qmgr.name:
            return self._at(queue, to)
        local = self._qmgr.definitions.get(("QUEUE", queue))
        if local is None:
            if to:
                return Resolved(name=queue, reason=reasons.UNKNOWN_OBJECT)
            return self._in_clusters(queue, None)
        if local.type in _CLUSTERABLE and not to and membership.clusters(self._qmgr, local):
            return self._in_clusters(queue, local)
        return self.named(local) if to else self.local(local)

    def named(self, local: Definition) -> Resolved:
        """Resolve a local object for which this queue manager was named, or to which it was bound.

        The target of an alias must be here, or else it is unknown.
        """
        if local.type != "QALIAS":
            return self.local(local)
        base = self._base(local)
        if base is None:
            return _without_base(local)
        return (
            self._by_alias(local, self.local(base)) if base.type == "QLOCAL" else self.local(local)
        )

    def local(self, local: Definition) -> Resolved:
        """Resolve a local object, without looking for other instances in its cluster."""
        return _LOCAL[local.type](self, local)

    def instances(self, queue: str) -> Resolved:
        """Resolve a name to its instances in the clusters, ignoring local definitions."""
        return self._in_clusters(queue, None)

    def beyond(self, definition: Definition, queue: str = "") -> Resolved:
        """Resolve what a definition here leads to; for `queue`, if it is a queue manager alias."""
        if definition.is_qmgr_alias:
            return self.resolve(queue, definition.name)
        return self.local(definition)

    def arrived(self, queue: str, named: str = "", *, bound: bool) -> Resolved:
        """Resolve the names in the header of messages that arrive here.

        Those for this queue manager are for its local object; an alias is followed to its local
        queue. The header of bound messages names the queue manager with the alias: the alias leads
        to no other. That of the others is blank, and the alias is resolved as here (IBM MQ,
        "Example of a cluster with more than one instance of a queue").
        """
        if named not in ("", self._qmgr.name):
            return self.resolve(queue, named)
        local = self._qmgr.definitions.get(("QUEUE", queue))
        if local is None or local.type == "QMODEL":
            return Resolved(name=queue, reason=reasons.UNKNOWN_OBJECT)
        resolved = self.named(local)
        leads_on = resolved.reason == reasons.UNKNOWN_ALIAS_BASE and not bound
        return self.local(local) if leads_on else resolved

    def _queue(self, local: Definition) -> Resolved:
        return Resolved(
            name=local.name,
            via="local",
            queue=local.name,
            local=local.name,
            inhibited=inhibits(local),
            path=(NameStep("local", local.name),),
        )

    def _model(self, local: Definition) -> Resolved:
        path = (NameStep("model", local.name),)
        return Resolved(name=local.name, via="model", queue=local.name, path=path)

    def _alias(self, local: Definition) -> Resolved:
        """Resolve an alias; its own DEFBIND counts, not that of its base.

        Source: IBM MQ 9.2, "MQOPEN option for cluster queue". The put is inhibited if the alias
        or its base is put-disabled.
        """
        target, base = text_of(local, "TARGET"), self._base(local)
        if target == local.name:
            return _without_base(local)
        if base is not None and base.type in NO_BASES:
            path = (NameStep("alias", local.name, target),)
            return Resolved(name=local.name, base=target, reason=reasons.ALIAS_BASE_TYPE, path=path)
        resolved = self.resolve(target)
        if resolved.reason in (reasons.UNKNOWN_OBJECT, reasons.NO_ANSWER):
            return _without_base(local)
        return self._by_alias(local, resolved)

    def _base(self, alias: Definition) -> Definition | None:
        """Return the target of an alias if it is defined here; an alias is not its own target."""
        target = text_of(alias, "TARGET")
        return None if target == alias.name else self._qmgr.definitions.get(("QUEUE", target))

    def _by_alias(self, local: Definition, resolved: Resolved) -> Resolved:
        """Return the result for the target of an alias as that of the alias."""
        return resolved._replace(
            name=local.name,
            via="alias",
            base=text_of(local, "TARGET"),
            defbind=text_of(local, "DEFBIND"),
            inhibited=inhibits(local) or resolved.inhibited,
        ).through(NameStep("alias", local.name, text_of(local, "TARGET")))

    def _remote(self, local: Definition) -> Resolved:
        """Resolve a local definition of a remote queue by its XMITQ, or else by its RQMNAME."""
        queue, to = text_of(local, "RNAME"), text_of(local, "RQMNAME")
        if not queue or to in ("", self._qmgr.name):
            return Resolved(
                name=local.name,
                via="remote",
                reason=reasons.UNKNOWN_REMOTE_QMGR if queue else reasons.REMOTE_QUEUE_NAME_ERROR,
                path=(NameStep("remote", local.name, queue, to),),
            )
        return self._by_definition(local, queue, to)

    def _by_definition(self, local: Definition, queue: str, to: str) -> Resolved:
        xmitq = text_of(local, "XMITQ")
        if xmitq and xmitq != DEFAULT_QUEUE:
            resolved = self._on(queue, xmitq, to, _OWN_XMITQ)
        else:
            resolved = self._at(queue, to, aliased=True)._replace(base=to)
        return resolved._replace(
            name=local.name,
            via="remote",
            defbind=text_of(local, "DEFBIND"),
            inhibited=inhibits(local),
        ).through(_step_of(local, to))

    def _on(self, queue: str, xmitq: str, to: str, codes: _Xmitq) -> Resolved:
        """Resolve to a named transmission queue that leads to the queue manager `to`."""
        definition = self._qmgr.definitions.get(("QUEUE", xmitq))
        reason = 0
        if definition is None:
            reason = codes.unknown
        elif definition.type != "QLOCAL":
            reason = codes.type
        elif not definition.is_transmission_queue or (
            xmitq == DEFAULT_QUEUE and codes is _DEFAULT_XMITQ
        ):
            reason = codes.usage
        return Resolved(
            name=queue,
            via="" if reason and codes is _DEFAULT_XMITQ else "remote",
            base=xmitq,
            queue=queue,
            xmitq="" if reason else xmitq,
            named=to,
            reason=reason,
            path=(NameStep("xmitq", xmitq, qmgr=to),),
        )

    def _at(self, queue: str, to: str, *, aliased: bool = False) -> Resolved:
        """Resolve a queue manager name: local alias, local queue, cluster, DEFXMITQ.

        A name that comes from a definition here (`aliased`) is not looked up as an alias again,
        neither here nor as this queue manager's own instance of a clustered alias. If it is a
        cluster queue manager, the aliases of other queue managers do not count either: two
        gateways with the same alias would pass messages to each other [inferred]. An alias
        with a blank RQMNAME, or with the name of this queue manager, leads back here; if it is
        blank, the cluster chooses.

        A local queue with that name hides a cluster queue manager, and must be a transmission queue
        (2092). RQMNAME cannot name an alias or a model queue (2091); what is said there of all
        queues that are not local is not taken to mean queue manager aliases, since a gateway often
        has one with the name of the queue manager behind it [decided here].
        """
        local = self._qmgr.definitions.get(("QUEUE", to))
        alias = local is not None and local.is_qmgr_alias
        if local is not None and alias and not aliased:
            target = text_of(local, "RQMNAME")
            if target in ("", self._qmgr.name) and not text_of(local, "XMITQ"):
                return self.resolve(queue, target).through(_step_of(local, target))
            return self._by_definition(local, queue, target)._replace(name=queue)
        if local is not None and (local.type == "QLOCAL" or (aliased and local.type in NO_BASES)):
            return self._on(queue, to, to, _OWN_XMITQ)
        # The record of a channel has no attributes of a queue, such as CLWLRANK or PUT.
        members = self.members(to)
        instances = [(cluster, belief._replace(values={})) for cluster, belief in members]
        if not (aliased and instances):
            instances = [*self._shared_aliases(to), *instances]
        if instances:
            aliases = any(is_alias(belief) for _, belief in instances)
            return Resolved(
                name=queue,
                via="cluster",
                base=to,
                queue=queue,
                instances=tuple(instances),
                named=to if aliases else "",
                fixed="" if aliases else NAMED,
                path=(NameStep("cluster-alias" if aliases else "cluster-qmgr", to),),
            )
        if default := self._qmgr.text("DEFXMITQ"):
            return self._on(queue, default, to, _DEFAULT_XMITQ)
        return Resolved(name=queue, reason=reasons.UNKNOWN_REMOTE_QMGR)

    def _shared_aliases(self, to: str) -> list[Instance]:
        """Return the queue manager aliases of a name that others share."""
        return [
            (cluster, belief)
            for cluster, belief in self.queues(to)
            if is_alias(belief) and belief.owner != self._qmgr.qmid
        ]

    def _in_clusters(self, queue: str, local: Definition | None) -> Resolved:
        """Resolve a name to its instances in the clusters, including a local one."""
        instances = tuple(
            [instance for instance in self.queues(queue) if not is_alias(instance[1])]
        )
        if (
            local is not None
            and local.type == "QALIAS"
            and all(belief.owner == self._qmgr.qmid for _, belief in instances)
        ):
            alias = self.local(local)
            if alias.reason:
                return alias
        if instances:
            defbind = text_of(local, "DEFBIND") if local is not None else ""
            return Resolved(
                name=queue,
                via="cluster",
                queue=queue,
                instances=instances,
                defbind=defbind,
                path=(NameStep("cluster", queue),),
            )
        if local is not None:
            return self.local(local)
        reason = reasons.UNKNOWN_OBJECT if self.is_answered(queue) else reasons.NO_ANSWER
        return Resolved(name=queue, reason=reason)


def _without_base(alias: Definition) -> Resolved:
    """Return the result for an alias whose target is unknown."""
    base = text_of(alias, "TARGET")
    path = (NameStep("alias", alias.name, base),)
    return Resolved(name=alias.name, base=base, reason=reasons.UNKNOWN_ALIAS_BASE, path=path)


def _step_of(remote: Definition, to: str) -> NameStep:
    """Return a remote definition as a step: without RNAME, it is a queue manager alias."""
    queue = text_of(remote, "RNAME")
    kind: NameKind = "remote" if queue else "qmgr-alias"
    return NameStep(kind, remote.name, queue, to, text_of(remote, "XMITQ"))


_CLUSTERABLE: Final = frozenset({"QLOCAL", "QALIAS"})
"""Types of local objects that are instances the cluster can choose.

A local definition of a remote queue is used instead of the instances in its cluster [memory,
unverified].
"""

_LOCAL: Final = {
    "QLOCAL": Resolution._queue,  # noqa: SLF001 - its own table
    "QALIAS": Resolution._alias,  # noqa: SLF001
    "QREMOTE": Resolution._remote,  # noqa: SLF001
    "QMODEL": Resolution._model,  # noqa: SLF001
}
