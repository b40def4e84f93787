"""Plants the faults in the first cell of a sample, which metrics should find.

The faults planted in a sample: where, when, and which metric should show them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from sqlalchemy import make_url

from twin.model.instants import (
    DAY,
    HOUR,
    MINUTE,
    SECOND,
    Instant,
    datetime_of,
    format_instant,
)
from twin.sampling.cell import Cell
from twin.sampling.shape import chance, weekday
from twin.sampling.steps import PlannedStep, control, mqsc, status_seen

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


LOST_FOR: Final = 100 * DAY
LOST_NEEDS: Final = 140 * DAY
"""How long a queue manager is lost, and how long a sample must be to contain this."""

LATE_BY: Final = 4 * HOUR
"""The longest delay of a late feed; it is recorded at a whole hour."""

_FLAPS_FOR: Final = 2 * DAY
_UNBALANCED_FOR: Final = 21 * DAY
_DISABLED_FOR: Final = 9 * DAY
_NIGHTS: Final = 28
_SUNDAY: Final = 6


@dataclass(slots=True)
class Scenario:
    """What is planned in a cell.

    Attributes:
        steps: what happens, in no order.
        faults: the planted faults.
        reserved: (queue manager, from, to), where no outage may be planned; '' for all of them.
        quiet_periods: (from, to), when no application puts.
    """

    steps: list[PlannedStep] = field(default_factory=list)
    faults: list[PlantedFault] = field(default_factory=list)
    reserved: list[tuple[str, Instant, Instant]] = field(default_factory=list)
    quiet_periods: list[tuple[Instant, Instant]] = field(default_factory=list)

    def free(self, qmgr: str, begin: Instant, end: Instant) -> bool:
        """Tell whether a queue manager is not reserved between two instants."""
        return not any(
            name in ("", qmgr) and since < end and begin < until
            for name, since, until in self.reserved
        )


def plant(scenario: Scenario, cell: Cell, since: Instant, until: Instant, *, seed: int) -> None:
    """Plant all faults except maintenance in a cell, between two midnights."""
    span = until - since
    after = since
    if span >= LOST_NEEDS:
        begin = since + span // 12 // DAY * DAY + 9 * HOUR + 4 * MINUTE + 11 * SECOND
        _lose(scenario, cell, begin)
        after = begin + LOST_FOR + 10 * DAY
    rest = until - after
    draw = chance(seed, "planting")
    _flap(scenario, cell, draw, _day(since, span, 0.05), min(_FLAPS_FOR, span // 20))
    _unbalance(scenario, cell, _day(since, span, 0.3), min(_UNBALANCED_FOR, span // 8))
    _disable(scenario, cell, _day(since, span, 0.55), min(_DISABLED_FOR, span // 12))
    _feed_late(scenario, cell, draw, _day(after, rest, 0.7), min(_NIGHTS, rest // DAY // 5))
    _switch(scenario, cell, _day(after, rest, 0.93))


def _day(since: Instant, span: int, part: float) -> Instant:
    return (since + int(span * part)) // DAY * DAY


def _lose(scenario: Scenario, cell: Cell, begin: Instant) -> None:
    lost, end = cell.servers[-1], begin + LOST_FOR
    scenario.steps += [control(begin, lost, "endmqm"), control(end, lost, "strmqm")]
    scenario.reserved.append((lost, begin - HOUR, end + HOUR))
    scenario.faults.append(
        PlantedFault(
            "lost-queue-manager",
            {"cluster": cell.cluster, "qmgr": lost, "queue": "ORDERS"},
            begin,
            end,
            ("losses", "renewal_warnings", "resends", "queue_instances", "channel_status_days"),
            "It is down for 100 days. Warnings are logged, its records expire and are removed, and "
            "they return when it starts again.",
        )
    )


def _flap(scenario: Scenario, cell: Cell, draw: random.Random, day: Instant, length: int) -> None:
    """Make the channel from the first gateway to the second server fail every few minutes."""
    one, other = cell.gateways[0], cell.servers[1]
    begin = at = day + 8 * HOUR + 17 * SECOND
    while at < begin + length:
        back = at + draw.randrange(30, 110) * SECOND
        scenario.steps += [
            status_seen(at, one, cell.channel(other), "RETRYING", of=at),
            status_seen(back, one, cell.channel(other), "RUNNING", of=back),
        ]
        at += draw.randrange(180, 420) * SECOND
    for name in (one, other):
        scenario.reserved.append((name, begin - HOUR, at + HOUR))
    scenario.faults.append(
        PlantedFault(
            "flapping-channel",
            _channel(cell, one, other),
            begin,
            at,
            ("channel_status_days", "outages"),
            "It fails every three to seven minutes, and runs again within two minutes.",
        )
    )


def _unbalance(scenario: Scenario, cell: Cell, day: Instant, length: int) -> None:
    begin, end = day + 10 * HOUR + 22 * SECOND, day + length + 16 * HOUR + 5 * SECOND
    favourite = cell.servers[0]
    scenario.steps += [
        mqsc(begin, favourite, "ALTER QLOCAL(BILLING) CLWLPRTY(5)"),
        mqsc(end, favourite, "ALTER QLOCAL(BILLING) CLWLPRTY(0)"),
    ]
    scenario.faults.append(
        PlantedFault(
            "unbalanced-queue",
            {"cluster": cell.cluster, "qmgr": favourite, "queue": "BILLING"},
            begin,
            end,
            ("distribution", "changes"),
            "Its instance has a higher CLWLPRTY: all messages go there while its channel runs.",
        )
    )


def _disable(scenario: Scenario, cell: Cell, day: Instant, length: int) -> None:
    begin, end = day + 11 * HOUR + 41 * SECOND, day + length + 9 * HOUR + 23 * SECOND
    closed = cell.servers[0]
    scenario.steps += [
        mqsc(begin, closed, "ALTER QLOCAL(PAYMENTS) PUT(DISABLED)"),
        mqsc(end, closed, "ALTER QLOCAL(PAYMENTS) PUT(ENABLED)"),
    ]
    scenario.faults.append(
        PlantedFault(
            "put-disabled",
            {"cluster": cell.cluster, "qmgr": closed, "queue": "PAYMENTS"},
            begin,
            end,
            ("distribution", "changes"),
            "Its instance is put-disabled: no message goes there.",
        )
    )


def _feed_late(
    scenario: Scenario, cell: Cell, draw: random.Random, day: Instant, nights: int
) -> None:
    """Record what a channel did at night hours later: it failed, or it runs again.

    Nothing else is planned for those hours, and no application puts, so that the events that are
    derived again contain no messages.
    """
    one, other = cell.gateways[1], cell.servers[0]
    first = last = day
    for night in range(nights):
        recorded = day + night * DAY + 6 * HOUR
        failed = recorded - LATE_BY + draw.randrange(120) * 10 * SECOND + 3 * SECOND
        back = failed + draw.randrange(10, 50) * SECOND  # before its first retry
        observations = [
            status_seen(recorded if late else at, one, cell.channel(other), status, of=at)
            for at, status, late in (
                (failed, "RETRYING", not night % 2),
                (back, "RUNNING", bool(night % 2)),
            )
        ]
        also = back + 15 * MINUTE  # so that an event is later than the late fact
        observations.append(
            status_seen(also, one, cell.channel(cell.servers[1]), "RUNNING", of=also)
        )
        scenario.steps += observations
        scenario.reserved.append(("", failed - HOUR, recorded + HOUR))
        scenario.quiet_periods.append((failed - 2 * MINUTE, recorded + MINUTE))
        first, last = (first if night else failed), recorded
    scenario.faults.append(
        PlantedFault(
            "late-feed",
            _channel(cell, one, other),
            first,
            last,
            ("channel_status_days", "outages"),
            f"It fails for seconds on {nights} nights. One fact of each night is recorded four "
            "hours late: the failure on the first, third, ... night, the recovery on the others.",
        )
    )


def _switch(scenario: Scenario, cell: Cell, day: Instant) -> None:
    """Make the last gateway use one transmission queue for each channel, from its next start on."""
    qmgr, server = cell.gateways[-1], cell.servers[0]
    begin = day + 13 * HOUR + 31 * SECOND
    channel = cell.channel(server)
    scenario.steps += [
        mqsc(begin, qmgr, "ALTER QMGR DEFCLXQ(CHANNEL)"),
        mqsc(begin + 5 * MINUTE, qmgr, f"STOP CHANNEL({channel})"),
        mqsc(begin + 7 * MINUTE, qmgr, f"START CHANNEL({channel})"),
    ]
    for name in (qmgr, server):
        scenario.reserved.append((name, begin - HOUR, begin + HOUR))
    scenario.faults.append(
        PlantedFault(
            "switch",
            _channel(cell, qmgr, server),
            begin,
            begin + 7 * MINUTE,
            ("switches", "changes"),
            "DEFCLXQ(CHANNEL): the channel gets a transmission queue of its own when it starts.",
        )
    )


def maintain(
    scenario: Scenario, cell: Cell, draw: random.Random, since: Instant, until: Instant
) -> None:
    """Plan maintenance on a Sunday of each month: a server is suspended, ended and restarted."""
    for month, day in enumerate(_sundays(since, until)):
        qmgr = cell.servers[month % len(cell.servers)]
        begin = day + 21 * HOUR + draw.randrange(1, 600) * SECOND
        down = begin + 20 * MINUTE
        up = down + draw.randrange(15, 45) * MINUTE
        end = up + 15 * MINUTE
        if not scenario.free(qmgr, begin - HOUR, end + HOUR):
            continue
        scenario.steps += [
            mqsc(begin, qmgr, f"SUSPEND QMGR CLUSTER({cell.cluster})"),
            control(down, qmgr, "endmqm"),
            control(up, qmgr, "strmqm"),
            mqsc(end, qmgr, f"RESUME QMGR CLUSTER({cell.cluster})"),
        ]
        scenario.reserved.append((qmgr, begin - HOUR, end + HOUR))
        scenario.faults.append(
            PlantedFault(
                "maintenance",
                {"cluster": cell.cluster, "qmgr": qmgr},
                begin,
                end,
                ("suspensions", "channel_status_days", "changes"),
                f"It is suspended, and down for {(up - down) // MINUTE} minutes of that time.",
            )
        )


def _sundays(since: Instant, until: Instant) -> Iterator[Instant]:
    """Yield one Sunday of each month, without the first week of the sample."""
    first = since + (_SUNDAY - weekday(since)) % 7 * DAY + 7 * DAY
    month = 0
    for day in range(first, until, 7 * DAY):
        current = datetime_of(day).month
        if current != month:
            yield day
        month = current


def _channel(cell: Cell, one: str, other: str) -> dict[str, str]:
    return {
        "cluster": cell.cluster,
        "qmgr": one,
        "channel": cell.channel(other),
        "partner": other,
    }
