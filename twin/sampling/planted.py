"""The faults planted in a sample: where, when, and which metric should show them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from sqlalchemy import make_url

from twin.model.instants import Instant, format_instant

NamesByKind: TypeAlias = dict[str, str]
"""Names by kind: cluster, qmgr, channel, partner, queue."""

_SUFFIX: Final = ".planted.json"


@dataclass(frozen=True, slots=True)
class PlantedFault:
    """One planted fault.

    Attributes:
        kind: 'outage', 'outage-shape', 'flapping-channel', 'maintenance', 'unbalanced-queue',
            'put-disabled', 'lost-queue-manager', 'late-feed' or 'switch'.
        where: the cluster, and the queue manager, channel, partner or queue that is affected.
        since: when it begins.
        until: when it ends; a channel runs again at its next retry after that.
        metrics: the metrics that should show it.
        says: what it looks like, in a sentence.
    """

    kind: str
    where: NamesByKind
    since: Instant
    until: Instant
    metrics: tuple[str, ...]
    says: str

    def document(self) -> dict[str, Any]:
        """Return the fault as the file beside the log has it: instants in ISO 8601."""
        return {
            "kind": self.kind,
            "where": self.where,
            "from": format_instant(self.since),
            "to": format_instant(self.until),
            "metrics": list(self.metrics),
            "says": self.says,
        }


@dataclass(frozen=True, slots=True)
class Planted:
    """A sample that was made, with its planted faults.

    Attributes:
        qmgrs: the number of queue managers.
        years: the number of years of 365 days.
        seed: what the randomness began with.
        clusters: the number of clusters; all faults are in the first.
        events: the number of events in the log.
        since: when the sample begins.
        until: when it ends.
        faults: the planted faults, in the order of time.
    """

    qmgrs: int
    years: float
    seed: int
    clusters: int
    events: int
    since: Instant
    until: Instant
    faults: tuple[PlantedFault, ...]

    def of_kind(self, kind: str) -> list[PlantedFault]:
        """Return the faults of a kind, in the order of time."""
        return [fault for fault in self.faults if fault.kind == kind]

    def json(self) -> str:
        """Write it as the file beside the log holds it: instants in ISO 8601."""
        document = {
            "qmgrs": self.qmgrs,
            "years": self.years,
            "seed": self.seed,
            "clusters": self.clusters,
            "events": self.events,
            "since": format_instant(self.since),
            "until": format_instant(self.until),
            "plants": [fault.document() for fault in self.faults],
        }
        return json.dumps(document, indent=1) + "\n"


def in_order(faults: Iterable[PlantedFault]) -> tuple[PlantedFault, ...]:
    """Sort faults into the order of time."""
    return tuple(sorted(faults, key=lambda fault: (fault.since, fault.kind, fault.until)))


def planted_beside(url: str) -> Path | None:
    """Return the file beside a SQLite log that lists its planted faults; None for other logs."""
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite" or parsed.database in (None, "", ":memory:"):
        return None
    file = Path(str(parsed.database)).absolute()
    return file.with_name(file.name + _SUFFIX)
