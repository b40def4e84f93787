"""Where a queue name leads: local objects, aliases, remote definitions, clusters, in their order.

Sources: IBM MQ 7.5, "MQOPEN and clusters"; 9.4, "Queue manager aliases and clusters"; "API reason
codes" (2001, 2082, 2085, 2087, 2091, 2092, 2184, 2189, 2196 to 2199).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from twin.fold.estate import QueueManager
from twin.model import reasons
from twin.model.objects import Definition, text_of
from twin.rules import membership
from twin.rules.draft import Draft
from twin.rules.messages.resolved import NAMED, Resolved, inhibits, is_alias
from twin.rules.queues.transmission_queue_selection import DEFAULT_QUEUE
from twin.rules.repository import name_lookup


class _Xmitq(NamedTuple):
    """Reason codes for a transmission queue that is not there, no local queue, or not for that."""

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


class Resolver:
    """Resolves names at one queue manager.

    `asks` lets it ask full repositories, as an MQOPEN does; one that only looks emits nothing, and
    notes in `unasked` that it would have had to ask.
    """

    def __init__(self, draft: Draft, qmgr: QueueManager, *, asks: bool = True) -> None:
        """Resolve at this queue manager."""
        self._qmgr = qmgr
        self._knowledge = name_lookup.NameLookup(draft, qmgr, asks=asks)

    @property
    def unasked(self) -> bool:
        """Whether full repositories would have had to be asked, and were not."""
        return self._knowledge.unasked

    def resolve(self, queue: str, to: str = "") -> Resolved:
        """Resolve ObjectName and ObjectQMgrName.

        Only a blank ObjectQMgrName lets the cluster choose; one's own name means the local object.
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
        return self.local(local)

    def local(self, local: Definition) -> Resolved:
        """Resolve a local object, whatever its cluster has of that name."""
        return _LOCAL[local.type](self, local)

    def instances(self, queue: str) -> Resolved:
        """Resolve a name to what the clusters have of it, whatever is defined here."""
        return self._in_clusters(queue, None)

    def _queue(self, local: Definition) -> Resolved:
        return Resolved(
            name=local.name,
            via="local",
            queue=local.name,
            local=local.name,
            inhibited=inhibits(local),
        )

    def _model(self, local: Definition) -> Resolved:
        return Resolved(name=local.name, via="model", queue=local.name)

    def _alias(self, local: Definition) -> Resolved:
        """Resolve an alias: its own DEFBIND and PUT hold, whatever those of its base are.

        Source: IBM MQ 9.2, "MQOPEN option for cluster queue". What is put-disabled on the way
        inhibits the put.
        """
        target = text_of(local, "TARGET")
        base = self._qmgr.definitions.get(("QUEUE", target))
        if base is not None and base.type == "QALIAS":
            return Resolved(name=local.name, base=target, reason=reasons.ALIAS_BASE_TYPE)
        found = self.resolve(target)
        if found.reason in (reasons.UNKNOWN_OBJECT, reasons.NO_ANSWER):
            return Resolved(name=local.name, base=target, reason=reasons.UNKNOWN_ALIAS_BASE)
        return found._replace(
            name=local.name,
            via="alias",
            base=target,
            defbind=text_of(local, "DEFBIND"),
            inhibited=inhibits(local) or found.inhibited,
        )

    def _remote(self, local: Definition) -> Resolved:
        """Resolve a local definition of a remote queue, by its own XMITQ or where RQMNAME leads."""
        queue, there = text_of(local, "RNAME"), text_of(local, "RQMNAME")
        if not queue:
            return Resolved(name=local.name, via="remote", reason=reasons.REMOTE_QUEUE_NAME_ERROR)
        if there in ("", self._qmgr.name):
            return Resolved(name=local.name, via="remote", reason=reasons.UNKNOWN_REMOTE_QMGR)
        return self._by_definition(local, queue, there)

    def _by_definition(self, local: Definition, queue: str, there: str) -> Resolved:
        own = text_of(local, "XMITQ")
        if own and own != DEFAULT_QUEUE:
            found = self._on(queue, own, there, _OWN_XMITQ)
        else:
            found = self._at(queue, there, aliased=True)
            found = found._replace(base=there)
        return found._replace(
            name=local.name,
            via="remote",
            defbind=text_of(local, "DEFBIND"),
            inhibited=inhibits(local),
        )

    def _on(self, queue: str, xmitq: str, there: str, codes: _Xmitq) -> Resolved:
        """Put messages on a transmission queue that is named, for a queue manager behind it."""
        found = self._qmgr.definitions.get(("QUEUE", xmitq))
        reason = 0
        if found is None:
            reason = codes.unknown
        elif found.type != "QLOCAL":
            reason = codes.type
        elif text_of(found, "USAGE") != "XMITQ" or (
            xmitq == DEFAULT_QUEUE and codes is _DEFAULT_XMITQ
        ):
            reason = codes.usage
        return Resolved(
            name=queue,
            via="" if reason and codes is _DEFAULT_XMITQ else "remote",
            base=xmitq,
            queue=queue,
            xmitq="" if reason else xmitq,
            named=there,
            reason=reason,
        )

    def _at(self, queue: str, to: str, *, aliased: bool = False) -> Resolved:
        """Resolve a queue manager's name: local alias, transmission queue, cluster, DEFXMITQ.

        A name that an alias gave is no local alias again. An alias of RQMNAME blank, or of one's
        own name, leads home: there a blank name lets the cluster choose. The order of transmission
        queue and cluster queue manager is [memory, unverified].
        """
        local = self._qmgr.definitions.get(("QUEUE", to))
        alias = local is not None and local.type == "QREMOTE" and not text_of(local, "RNAME")
        if local is not None and alias and not aliased:
            there = text_of(local, "RQMNAME")
            if there in ("", self._qmgr.name) and not text_of(local, "XMITQ"):
                return self.resolve(queue, there)
            return self._by_definition(local, queue, there)._replace(name=queue)
        if local is not None and local.type == "QLOCAL" and text_of(local, "USAGE") == "XMITQ":
            return self._on(queue, to, to, _OWN_XMITQ)
        known = [each for each in self._knowledge.queues(to) if is_alias(each[1])]
        # The record of a channel says nothing of a queue: neither rank, nor PUT.
        members = self._knowledge.members(to)
        known += [(cluster, each._replace(values={})) for cluster, each in members]
        if known:
            aliases = any(is_alias(each) for _, each in known)
            return Resolved(
                name=queue,
                via="cluster",
                base=to,
                queue=queue,
                instances=tuple(known),
                named=to if aliases else "",
                fixed="" if aliases else NAMED,
            )
        if default := str(self._qmgr.values.get("DEFXMITQ", "")):
            return self._on(queue, default, to, _DEFAULT_XMITQ)
        return Resolved(name=queue, reason=reasons.UNKNOWN_REMOTE_QMGR)

    def _in_clusters(self, queue: str, local: Definition | None) -> Resolved:
        """Resolve a name that the cluster may choose an instance of, a local one among them."""
        known = self._knowledge.queues(queue)
        found = tuple([each for each in known if not is_alias(each[1])])
        if found:
            defbind = text_of(local, "DEFBIND") if local is not None else ""
            return Resolved(
                name=queue, via="cluster", queue=queue, instances=found, defbind=defbind
            )
        if local is not None:
            return self.local(local)
        answered = self._knowledge.is_answered(queue)
        reason = reasons.UNKNOWN_OBJECT if answered else reasons.NO_ANSWER
        return Resolved(name=queue, reason=reason)


_CLUSTERABLE: Final = frozenset({"QLOCAL", "QALIAS"})
"""Local objects that join the choice among the instances of their clusters.

A local definition of a remote queue goes before what its cluster has of that name [memory,
unverified].
"""

_LOCAL: Final = {
    "QLOCAL": Resolver._queue,  # noqa: SLF001 - its own table
    "QALIAS": Resolver._alias,  # noqa: SLF001
    "QREMOTE": Resolver._remote,  # noqa: SLF001
    "QMODEL": Resolver._model,  # noqa: SLF001
}
