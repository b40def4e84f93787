"""What was planted in a sample, and how the metrics should show it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from twin.history.report.rows import MetricRow
from twin.model.instants import HOUR, MINUTE, SECOND, Instant, parse_instant
from twin.sampling import Planted, PlantedFault

DAYS_LOST: Final = 100


class Sample(NamedTuple):
    """What was planted in a sample, and the rows of all metrics."""

    planted: Planted
    rows: Mapping[str, list[MetricRow]]

    def of(self, metric: str, **wanted: object) -> list[MetricRow]:
        """Return the rows of a metric that have the given values."""
        return [
            row
            for row in self.rows[metric]
            if all(row[name] == value for name, value in wanted.items())
        ]


def read_planted(file: Path) -> Planted:
    """Read the list of planted faults that is beside a sample."""
    told = json.loads(file.read_text(encoding="utf-8"))
    faults = tuple(
        PlantedFault(
            each["kind"],
            each["where"],
            parse_instant(each["from"], now=0),
            parse_instant(each["to"], now=0),
            tuple(each["metrics"]),
            each["says"],
        )
        for each in told.pop("plants")
    )
    span = {name: parse_instant(told.pop(name), now=0) for name in ("since", "until")}
    return Planted(**told, **span, faults=faults)


def micros(when: datetime) -> Instant:
    """Return a metric's timestamp as an instant."""
    return round((when - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()) * SECOND


def day(instant: Instant) -> date:
    """Return the day of an instant."""
    return datetime.fromtimestamp(instant / SECOND, tz=UTC).date()


def outages_in(sample: Sample, plant: PlantedFault) -> Iterator[MetricRow]:
    """Yield the outages of a fault's channel that began while the fault lasted."""
    where = {"qmgr": plant.where["qmgr"], "channel": plant.where["channel"]}
    for row in sample.of("outages", **where):
        if plant.since <= micros(row["began"]) <= plant.until:
            yield row


def outage(sample: Sample, plant: PlantedFault) -> None:
    """Check that it failed when its link broke, and ran within twenty minutes of the healing.

    A channel that was not running then shows no outage.
    """
    where = {"qmgr": plant.where["qmgr"], "channel": plant.where["channel"]}
    ordered = sorted(sample.of("outages", **where), key=lambda row: row["began"])
    before = [row for row in ordered if micros(row["began"]) <= plant.since]
    if not before or micros(before[-1]["began"]) < plant.since:
        (gone,) = sample.planted.of_kind("lost-queue-manager")
        assert plant.where["partner"] == gone.where["qmgr"]
    elif before[-1]["ended"] is not None:
        assert plant.until - HOUR < micros(before[-1]["ended"]) <= plant.until + 21 * MINUTE


def shape(sample: Sample, plant: PlantedFault) -> None:
    """Check that links break more on working days than at weekends, and more by day."""
    plants = sample.planted.of_kind("outage")
    begun = {datetime.fromtimestamp(each.since / SECOND, tz=UTC) for each in plants}
    found = {row["began"] for row in sample.rows["outages"]} & begun
    at_work = sum(each.weekday() < 5 for each in found)
    assert at_work / 5 > 2 * (len(found) - at_work) / 2
    by_day = sum(8 <= each.hour < 16 for each in found)
    assert by_day > len(found) / 2


def flapping(sample: Sample, plant: PlantedFault) -> None:
    """Check that its channel has the most flaps."""
    worst = max(sample.rows["channel_status_days"], key=lambda row: row["flaps"])
    assert (worst["qmgr"], worst["channel"]) == (plant.where["qmgr"], plant.where["channel"])
    assert day(plant.since) <= worst["day"] <= day(plant.until)
    assert worst["flaps"] > 100
    where = {"qmgr": plant.where["qmgr"], "channel": plant.where["channel"]}
    assert max(row["outages"] for row in sample.of("incidents", **where)) > worst["flaps"]


def maintenance(sample: Sample, plant: PlantedFault) -> None:
    """Check that it was suspended for exactly that time."""
    found = sample.of("suspensions", qmgr=plant.where["qmgr"], day=day(plant.since))
    assert [row["suspended_s"] for row in found] == [(plant.until - plant.since) / SECOND]
    for row in sample.of("outages", partner=plant.where["qmgr"], cause="ended"):
        assert row["planned"]


def lost(sample: Sample, plant: PlantedFault) -> None:
    """Check that there were warnings, a removal after 90 days, and a return."""
    longest = max(row["seconds"] for row in sample.rows["outages"])
    assert DAYS_LOST - 1 < longest / 86_400 < DAYS_LOST + 1
    (incident,) = sample.of("incidents", cause="lost")
    assert (incident["partner"], incident["channels"] > 1) == (plant.where["qmgr"], True)
    assert not incident["planned"]
    full = [row for row in sample.rows["losses"] if row["qmgr"].startswith("FR")]
    assert sum(row["owners_lost"] for row in full) == sum(row["returns"] for row in full) == 2
    ids = {row["message_id"] for row in sample.rows["renewal_warnings"]}
    assert {"AMQ9456", "AMQ9469"} <= ids


def unbalanced(sample: Sample, plant: PlantedFault) -> None:
    """Check that all its messages go to the instance with the higher priority."""
    inside = [row for row in _shares(sample, plant) if row["destination"] == plant.where["qmgr"]]
    assert inside
    assert all(row["expected_share"] == 1.0 for row in inside)
    assert sum(row["share"] == 1.0 for row in inside) > len(inside) * 0.7
    assert sample.of("changes", qmgr=plant.where["qmgr"], attribute="CLWLPRTY")


def put_disabled(sample: Sample, plant: PlantedFault) -> None:
    """Check that no message goes to a put-disabled instance."""
    shares = list(_shares(sample, plant))
    assert shares
    assert not [row for row in shares if row["destination"] == plant.where["qmgr"]]
    assert sample.of("changes", qmgr=plant.where["qmgr"], attribute="PUT")


def _shares(sample: Sample, plant: PlantedFault) -> Iterator[MetricRow]:
    """Yield the shares of a fault's queue on days that are completely inside it."""
    for row in sample.of("distribution", queue=plant.where["queue"]):
        if day(plant.since) < row["day"] < day(plant.until):
            yield row


def late(sample: Sample, plant: PlantedFault) -> None:
    """Check that it failed on nearly every night, although this was recorded later."""
    nights = {row["began"].date() for row in outages_in(sample, plant)}
    assert len(nights) >= 20


def switch(sample: Sample, plant: PlantedFault) -> None:
    """Check that the channel switched to its own transmission queue."""
    where = {"qmgr": plant.where["qmgr"], "channel": plant.where["channel"]}
    (row,) = sample.of("switches", **where)
    assert row["to_queue"] == f"SYSTEM.CLUSTER.TRANSMIT.{plant.where['channel']}"
    assert plant.since <= micros(row["ended"]) <= plant.until


Check: TypeAlias = Callable[[Sample, PlantedFault], None]

CHECKS: Final[dict[str, Check]] = {
    "outage": outage,
    "outage-shape": shape,
    "flapping-channel": flapping,
    "maintenance": maintenance,
    "lost-queue-manager": lost,
    "unbalanced-queue": unbalanced,
    "put-disabled": put_disabled,
    "late-feed": late,
    "switch": switch,
}
