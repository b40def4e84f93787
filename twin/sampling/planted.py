"""What was planted in a sample: where, when, and which metric should show it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from sqlalchemy import make_url

from twin.model.instants import Instant, format_instant

Where: TypeAlias = dict[str, str]
"""Names by what they are of: cluster, qmgr, channel, partner, queue."""

_SUFFIX: Final = ".planted.json"


@dataclass(frozen=True, slots=True)
class Plant:
    """One thing that was planted.

    Attributes:
        kind: 'outage', 'outage-shape', 'flapping-channel', 'maintenance', 'unbalanced-queue',
            'put-disabled', 'lost-queue-manager', 'late-feed' or 'switch'.
        where: the cluster, and what is concerned of queue manager, channel, partner and queue.
        since: when it begins.
        until: when it ends; a channel comes back at its next retry after that.
        metrics: the metrics that should show it.
        says: what it looks like, in a sentence.
    """

    kind: str
    where: Where
    since: Instant
    until: Instant
    metrics: tuple[str, ...]
    says: str

    def told(self) -> dict[str, Any]:
        """Return it as it stands in the file beside the log: instants in ISO 8601."""
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
    """A sample that was made, and what was planted in it.

    Attributes:
        qmgrs: how many queue managers there are.
        years: how many years of 365 days it covers.
        seed: what its randomness began with.
        clusters: how many clusters there are; all that is planted is in the first.
        events: how many events the log holds.
        since: when the sample begins.
        until: when it ends.
        plants: what was planted, in the order of time.
    """

    qmgrs: int
    years: float
    seed: int
    clusters: int
    events: int
    since: Instant
    until: Instant
    plants: tuple[Plant, ...]

    def of_kind(self, kind: str) -> list[Plant]:
        """Return what was planted of a kind, in the order of time."""
        return [plant for plant in self.plants if plant.kind == kind]

    def json(self) -> str:
        """Write it as the file beside the log holds it."""
        told = asdict(self) | {
            "since": format_instant(self.since),
            "until": format_instant(self.until),
            "plants": [plant.told() for plant in self.plants],
        }
        return json.dumps(told, indent=1) + "\n"


def in_order(plants: Iterable[Plant]) -> tuple[Plant, ...]:
    """Bring what was planted into the order of time."""
    return tuple(sorted(plants, key=lambda plant: (plant.since, plant.kind, plant.until)))


def planted_beside(url: str) -> Path | None:
    """Return the file beside a log in a file that says what was planted; None for others."""
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite" or parsed.database in (None, "", ":memory:"):
        return None
    file = Path(str(parsed.database)).absolute()
    return file.with_name(file.name + _SUFFIX)
