"""Which definitions of a queue manager lead into some clusters, and nowhere else."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from twin.fold.estate import Estate, QueueManager
from twin.model.instants import Instant
from twin.model.objects import Definition, text_of
from twin.rules.draft import Draft
from twin.rules.messages.resolution import Resolver
from twin.rules.path.resolved import Resolved

_LEADING: Final = ("QALIAS", "QREMOTE")
_SYSTEM: Final = "SYSTEM."


def leading_into(
    estate: Estate, at: Instant, qmgr: QueueManager, clusters: Collection[str]
) -> Iterator[Definition]:
    """Yield the aliases and remote definitions that resolve in these clusters only, by name.

    Only what the queue manager knows counts: nothing is asked of full repositories.
    """
    resolver = Resolver(Draft(estate, at, estate.position + 1), qmgr, asks=False)
    for (kind, name), definition in sorted(qmgr.definitions.items()):
        if kind == "QUEUE" and definition.type in _LEADING and not name.startswith(_SYSTEM):
            instances = _resolved(resolver, definition).instances
            if instances and all(cluster in clusters for cluster, _ in instances):
                yield definition


def _resolved(resolver: Resolver, definition: Definition) -> Resolved:
    """Resolve the target of a definition; for a queue manager alias, whom it stands for."""
    if definition.type == "QREMOTE" and not text_of(definition, "RNAME"):
        return resolver.resolve(definition.name, definition.name)
    return resolver.local(definition)
