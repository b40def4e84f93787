"""Defaults that some estates change: said once for the estate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from twin.model.objects import Subject, text_of
from twin.questions.doctor.finding import Finding
from twin.questions.doctor.index import Index, OwnedObject
from twin.rules.channels import reaching

_LEAST_OF_ESTATE: Final = 2


def defaults(index: Index) -> Iterator[Finding]:
    """Say once for the estate how often defaults are in use that some estates change."""
    counts: dict[str, int] = defaultdict(int)
    for site, definition in index.receivers():
        for keyword, default in _DEFAULTS.items():
            counts[f"{keyword}({default})"] += text_of(definition, keyword) == default
        counts["AdoptNewMCA=NO"] += not reaching.adopts(site.qmgr, definition.name)
    instances = [place for cluster in index.clusters for place in _with_instances(cluster.queues)]
    counts["DEFBIND(OPEN) on queues with several instances"] = sum(
        text_of(definition, "DEFBIND") == "OPEN" for _, definition in instances
    )
    counts["CLWLUSEQ(QMGR) on queues with several instances"] = sum(
        text_of(definition, "CLWLUSEQ") == "QMGR" for _, definition in instances
    )
    shown = ", ".join(f"{count} x {what}" for what, count in counts.items() if count)
    if shown:
        yield Finding(
            subject=Subject(kind="DEFAULTS"),
            text=f"Defaults in use: {shown}.",
            on=tuple(site.name for site in index if site.receivers),
            named=(),
        )


_DEFAULTS: Final = {"BATCHHB": "0", "HBINT": "300", "LONGTMR": "1200", "NPMSPEED": "FAST"}
"""Attributes of CLUSRCVRs that keep their default in most estates, for good reasons."""


def _with_instances(queues: dict[str, list[OwnedObject]]) -> Iterator[OwnedObject]:
    for places in queues.values():
        if len(places) >= _LEAST_OF_ESTATE:
            yield from places
