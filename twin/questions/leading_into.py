"""Which definitions of a queue manager lead into some clusters, and nowhere else."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from twin.fold.estate import Estate, QueueManager
from twin.model.instants import Instant
from twin.model.objects import Definition
from twin.rules.draft import Draft
from twin.rules.messages.resolution import Resolver
from twin.rules.path.leads import LEADING

_SYSTEM: Final = "SYSTEM."


def leading_into(
    estate: Estate, at: Instant, qmgr: QueueManager, clusters: Collection[str]
) -> Iterator[Definition]:
    """Yield the aliases and remote definitions that resolve in these clusters only, by name.

    Only what the queue manager knows counts: nothing is asked of full repositories. For a queue
    manager alias, whom it stands for is resolved.
    """
    resolver = Resolver(Draft(estate, at, estate.position + 1), qmgr, asks=False)
    for (kind, name), definition in sorted(qmgr.definitions.items()):
        if kind == "QUEUE" and definition.type in LEADING and not name.startswith(_SYSTEM):
            instances = resolver.beyond(definition, name).instances
            if instances and all(cluster in clusters for cluster, _ in instances):
                yield definition
