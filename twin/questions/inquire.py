"""MQINQ: the attributes of a queue, for the instance that its name resolves to.

Sources: IBM MQ 9.2, "The cluster workload management algorithm", note to rule 5 (an MQOPEN for
inquiring works even if every instance is put-disabled); 7.5, "MQOPEN and clusters" (different
definitions of a queue give different answers). If there is a local instance, it is inquired;
otherwise it is the instance that a put would go to, and no counter changes [inferred].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from twin.fold.estate import Estate, QueueManager
from twin.model.attributes import Value, full
from twin.model.cluster_records import QUEUE_FACTS
from twin.model.instants import Instant
from twin.model.reasons import QMGR_NOT_AVAILABLE, UNKNOWN_OBJECT
from twin.questions.answer import Row
from twin.rules import lifecycle, reactions
from twin.rules.draft import Draft
from twin.rules.messages import destinations
from twin.rules.path.resolved import Resolved
from twin.rules.workload.choosing import Trace


@dataclass(frozen=True, slots=True)
class Inquired:
    """The result of MQINQ: attributes by MQSC keyword in lower case, or a reason code."""

    rows: tuple[Row, ...] = ()
    reason: int = 0


def inquired(
    estate: Estate, qmgr: QueueManager, queue: str, *, at: Instant, asks: bool
) -> Inquired:
    """Inquire the attributes of a queue at a queue manager.

    With `asks` full repositories are asked as an MQOPEN does, and time passes until they answer,
    which changes the estate: it must be the caller's own.
    """
    if not qmgr.running:
        return Inquired(reason=QMGR_NOT_AVAILABLE)
    draft = Draft(estate, at, estate.position + 1, reactions=reactions.REACTIONS)
    resolver = destinations.Resolver(draft, qmgr, asks=asks)
    resolved = resolver.resolve(queue)
    if asks and (names := resolver.needs(resolved)):
        lifecycle.play_until_answered(draft, qmgr, names)
        resolved = destinations.Resolver(draft, qmgr, asks=False).resolve(queue)
    if resolved.reason:
        return Inquired(reason=resolved.reason)
    local = qmgr.definitions.get(("QUEUE", queue))
    if local is None:
        return _instance(qmgr, resolved)
    return Inquired((_row(qmgr, queue, qmgr.name, local.type, local.values),))


def _instance(qmgr: QueueManager, resolved: Resolved) -> Inquired:
    candidates = destinations.candidates(qmgr, resolved)
    trace = Trace.of(candidates.routes, candidates.context, qmgr.messaging.workload)
    chosen = trace.chosen or trace.bound or next(iter(candidates.routes), None)
    if chosen is None:
        return Inquired(reason=UNKNOWN_OBJECT)
    belief = next(each for _, each in resolved.instances if each.owner == chosen.qmid)
    kind = str(belief.values.get("CLUSQT", "QLOCAL"))
    return Inquired((_row(qmgr, resolved.queue, chosen.qmgr, kind, belief.values),))


_TYPES: Final = {"QMGR": "QREMOTE"}


def _row(qmgr: QueueManager, queue: str, at: str, kind: str, values: Mapping[str, Value]) -> Row:
    """Return the attributes of an instance; for a remote one, those in its record."""
    shown = full(_TYPES.get(kind, kind), values, level=qmgr.cmdlevel)
    local = at == qmgr.name
    attributes = {
        keyword.lower(): value
        for keyword, value in shown.items()
        if local or keyword in QUEUE_FACTS
    }
    if local and kind == "QLOCAL":
        if not qmgr.is_only_observed:
            attributes["curdepth"] = qmgr.messaging.depth(queue)
        elif (seen := qmgr.activity.seen.depths.get(queue)) is not None:
            attributes["curdepth"] = seen.depth
    return {"queue": queue, "qmgr": at, "type": kind, **attributes}
