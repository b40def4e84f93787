"""Defaults that some estates change: said once for the estate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from twin.fold.estate import NEVER_CONFIRMED, QueueManager
from twin.model.objects import Subject, text_of
from twin.questions.doctor.finding import Finding
from twin.questions.doctor.index import Index, OwnedObject
from twin.rules.channels import reaching

_LEAST_OF_ESTATE: Final = 2


def defaults(index: Index) -> Iterator[Finding]:
    """Say once for the estate how often defaults are in use that some estates change.

    A default that no complete answer or dump showed is assumed, and counted apart.
    """
    counts: dict[str, int] = defaultdict(int)
    assumed: dict[str, int] = defaultdict(int)
    for site, definition in index.receivers():
        shown = counts if _shows_channels(site.qmgr) else assumed
        for keyword, default in _DEFAULTS.items():
            shown[f"{keyword}({default})"] += text_of(definition, keyword) == default
        shown = counts if reaching.knows_configuration(site.qmgr) else assumed
        shown["AdoptNewMCA=NO"] += not reaching.adopts(site.qmgr, definition.name)
    instances = [place for cluster in index.clusters for place in _with_instances(cluster.queues)]
    counts["DEFBIND(OPEN) on queues with several instances"] = sum(
        text_of(definition, "DEFBIND") == "OPEN" for _, definition in instances
    )
    counts["CLWLUSEQ(QMGR) on queues with several instances"] = sum(
        text_of(definition, "CLWLUSEQ") == "QMGR" for _, definition in instances
    )
    parts = [
        f"{said}{', '.join(f'{count} x {what}' for what, count in each.items() if count)}."
        for said, each in (
            ("Defaults in use: ", counts),
            ("Assumed, because nothing showed them: ", assumed),
        )
        if any(each.values())
    ]
    if parts:
        yield Finding(
            subject=Subject(kind="DEFAULTS"),
            text=" ".join(parts),
            on=tuple(site.name for site in index if site.receivers),
            named=(),
        )


_DEFAULTS: Final = {"BATCHHB": "0", "HBINT": "300", "LONGTMR": "1200", "NPMSPEED": "FAST"}
"""Attributes of CLUSRCVRs that keep their default in most estates, for good reasons."""


def _shows_channels(qmgr: QueueManager) -> bool:
    """Return whether all attributes of its channels are known: it is simulated, or showed all."""
    return not qmgr.observed or bool(qmgr.confirmed.get("CHANNEL", NEVER_CONFIRMED).complete)


def _with_instances(queues: dict[str, list[OwnedObject]]) -> Iterator[OwnedObject]:
    for places in queues.values():
        if len(places) >= _LEAST_OF_ESTATE:
            yield from places
