"""Resolve a queue name by the records that a queue manager holds or requests, as MQOPEN does."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from twin.fold.answer_waits import Names
from twin.fold.estate import Estate, QueueManager
from twin.model import reasons
from twin.model.instants import Instant
from twin.model.objects import Definition
from twin.rules.draft import Draft
from twin.rules.path.leads import LEADING
from twin.rules.path.resolution import Resolution
from twin.rules.path.resolved import Resolved
from twin.rules.repository.name_lookup import NameLookup

UNRESOLVED: Final = frozenset(
    {
        reasons.UNKNOWN_OBJECT,
        reasons.NO_ANSWER,
        reasons.UNKNOWN_ALIAS_BASE,
        reasons.UNKNOWN_REMOTE_QMGR,
    }
)
"""The reason codes of a name that may still become known while an MQOPEN waits."""


class Resolver(NameLookup, Resolution):
    """Resolve queue names at one queue manager.

    With `asks`, unknown names are requested from full repositories, as MQOPEN does. Without it,
    nothing is emitted, and `unasked` says whether a request would have been necessary.
    """

    def needs(self, resolved: Resolved) -> Names:
        """Return the names for which an MQOPEN waits that resolved so; () if it does not wait.

        It does not wait for a name that is defined here [inferred].
        """
        names = self.awaited(failed=resolved.reason in UNRESOLVED)
        definitions = self._qmgr.definitions
        return () if all(("QUEUE", name) in definitions for _, name in names) else names


def leading_into(
    estate: Estate, at: Instant, qmgr: QueueManager, clusters: Collection[str]
) -> Iterator[Definition]:
    """Yield the aliases and remote definitions that resolve in these clusters only, by name.

    Only what the queue manager knows counts: nothing is asked of full repositories. For a queue
    manager alias, whom it stands for is resolved.
    """
    resolver = Resolver(Draft(estate, at, estate.position + 1), qmgr, asks=False)
    for (kind, name), definition in sorted(qmgr.definitions.items()):
        if kind == "QUEUE" and definition.type in LEADING and not name.startswith("SYSTEM."):
            known = {cluster for cluster, _ in resolver.beyond(definition, name).instances}
            if known and known.issubset(clusters):
                yield definition
