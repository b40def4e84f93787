"""The planted faults are in the log, where and when they were planted."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from twin import Twin
from twin.events import ChannelObserved
from twin.events.catalogue import columns_of_all
from twin.fold.store.pages import pages_of
from twin.log import Log
from twin.model.instants import DAY, HOUR, MINUTE, SECOND, datetime_of
from twin.sampling import Planted, PlantedFault

PUT = re.compile(rb'"put":[0-9]+')
KINDS = (
    "outage outage-shape flapping-channel maintenance unbalanced-queue put-disabled "
    "lost-queue-manager late-feed switch"
).split()


def _only(planted: Planted, kind: str) -> PlantedFault:
    (found,) = planted.of_kind(kind)
    return found


def _bodies(log: Log, plant: PlantedFault, *types: str, more: int = 0) -> list[dict[str, Any]]:
    """Return the events at a fault's queue manager while it lasted, and for some time after."""
    return [
        {**json.loads(each.body), "at": each.occurred_at, "type": each.type}
        for each in log.events(
            types=types, qmgr=plant.where["qmgr"], since=plant.since, until=plant.until + more
        )
    ]


def _statuses(log: Log, plant: PlantedFault, *, more: int = 0) -> list[tuple[int, str]]:
    return [
        (body["at"], body["status"])
        for body in _bodies(log, plant, "ChannelStatusChanged@2", more=more)
        if body["channel"] == plant.where["channel"]
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_planted(planted: Planted, kind: str) -> None:
    """Every kind of fault is in a sample that is long enough."""
    faults = planted.of_kind(kind)
    assert faults
    for plant in faults:
        assert planted.since < plant.since < plant.until <= planted.until
        assert plant.where["cluster"] == "CL000"
        assert plant.metrics


def test_outages_are_there_and_end_at_a_retry(log: Log, planted: Planted) -> None:
    """A channel retries from the cut of its link, and runs at a retry after the link heals."""
    found = 0
    for plant in planted.of_kind("outage"):
        statuses = _statuses(log, plant, more=20 * MINUTE)
        if not statuses:
            continue  # nothing was ever sent there
        found += 1
        assert statuses[0] == (plant.since, "RETRYING")
        at, status = statuses[-1]
        assert status == "RUNNING"
        assert plant.until <= at <= plant.until + 20 * MINUTE
    assert found > 0.8 * len(planted.of_kind("outage"))


def test_outages_have_the_shape_of_days_and_weeks(planted: Planted) -> None:
    """Outages are more frequent in working hours and on working days."""
    begun = {plant.since: datetime_of(plant.since) for plant in planted.of_kind("outage")}
    busy = [each for each in begun.values() if each.weekday() < 5]
    worked = [each for each in begun.values() if 8 <= each.hour < 16]
    assert len(busy) > 0.8 * len(begun)
    assert len(worked) > 0.4 * len(begun)


def test_one_channel_flaps(log: Log, planted: Planted) -> None:
    """A channel fails again and again, and runs again within two minutes each time."""
    statuses = _statuses(log, _only(planted, "flapping-channel"))
    failures = [at for at, status in statuses if status == "RETRYING"]
    assert len(failures) > 200
    for (failed, bad), (back, good) in zip(statuses[::2], statuses[1::2], strict=False):
        assert (bad, good) == ("RETRYING", "RUNNING")
        assert 30 * SECOND <= back - failed < 2 * MINUTE


def test_there_is_a_maintenance_window_each_month(log: Log, planted: Planted) -> None:
    """A queue manager is suspended, ended, started and resumed on one Sunday of each month."""
    windows = planted.of_kind("maintenance")
    assert len({datetime_of(plant.since).month for plant in windows}) == len(windows) >= 4
    for plant in windows:
        assert datetime_of(plant.since).weekday() == 6
        happened = _bodies(
            log,
            plant,
            "QueueManagerSuspended",
            "QueueManagerEnded",
            "QueueManagerStarted",
            "QueueManagerResumed",
        )
        assert [body["type"][12:] for body in happened] == [
            "Suspended",
            "Ended",
            "Started",
            "Resumed",
        ]


def test_a_queue_is_unbalanced(log: Log, planted: Planted) -> None:
    """Nearly all messages go to an instance while it has a higher priority."""
    plant = _only(planted, "unbalanced-queue")
    assert _part(log, plant) > 0.9
    before = plant.since - 20 * DAY
    assert _part(log, PlantedFault(plant.kind, plant.where, before, plant.since, (), "")) < 0.6


def test_a_queue_is_put_disabled(log: Log, planted: Planted) -> None:
    """No message goes to an instance while it is put-disabled."""
    assert _part(log, _only(planted, "put-disabled")) == 0


def _part(log: Log, plant: PlantedFault) -> float:
    """Return the fraction of the messages for a queue that go to one queue manager."""
    there = everywhere = 0
    for each in log.events(types=["MessagesPut"], since=plant.since, until=plant.until):
        body = json.loads(each.body)
        if body["queue"] != plant.where["queue"] or each.qmgr[2:5] != "000":
            continue
        for share in body["shares"]:
            everywhere += share["count"]
            there += share["count"] * share["to"].startswith(plant.where["qmgr"] + "_")
    assert everywhere > 50
    return there / everywhere


def test_a_queue_manager_is_lost_and_returns(log: Log, planted: Planted) -> None:
    """The records of a lost queue manager expire, are removed, and come back when it returns."""
    plant = _only(planted, "lost-queue-manager")
    assert plant.until - plant.since == 100 * DAY
    lost = plant.where["qmgr"] + "_"

    def told(type_: str, since: int) -> list[str]:
        found = log.events(types=[type_], since=since, until=plant.until + HOUR)
        return [each.qmgr for each in found if lost in each.body]

    full = {"FR00001", "FR00002"}
    assert full <= set(told("InformationExpired", plant.since))
    assert full <= set(told("InformationRemoved", plant.since))
    assert len(told("RenewalOverdue", plant.since)) > 60
    assert full <= set(told("InformationReceived", plant.until))


def test_a_feed_is_late(log: Log, planted: Planted, url: str) -> None:
    """A late feed is recorded hours later, withdraws derived events, and changes the past."""
    plant = _only(planted, "late-feed")
    channel = plant.where["channel"]
    since, until = plant.since, plant.until
    withdrawn = list(log.events(types=["DerivedFactsWithdrawn"], since=since, until=until))
    assert len(withdrawn) >= 4
    late = [
        each
        for each in log.events(types=columns_of_all((ChannelObserved,)), since=since, until=until)
        if each.recorded_at - each.occurred_at > 3 * HOUR
    ]
    assert [each.occurred_at for each in late] == [each.occurred_at for each in withdrawn]
    with Twin.open(url, read_only=True) as twin:
        for each in late:
            status = json.loads(each.body)["status"]
            known = [
                {
                    row["status"]
                    for row in twin.ask("channels", as_of=each.occurred_at, known_at=known_at).rows
                    if (row["on"], row["channel"]) == (each.qmgr, channel)
                }
                for known_at in (each.recorded_at - 1, each.recorded_at)
            ]
            assert known[1] == {status}
            assert known[0] != known[1]


def test_a_late_feed_leaves_the_rest_of_the_estate_unchanged(
    log: Log, url: str, planted: Planted
) -> None:
    """Events derived again after a late feed leave the rest of the estate unchanged."""
    qmgr = _only(planted, "late-feed").where["qmgr"]
    withdrawals = list(log.events(types=["DerivedFactsWithdrawn"]))
    with Twin.open(url, read_only=True) as twin:
        for each in withdrawals[::4]:
            learnt = each.recorded_at
            before, after = (
                pages_of(twin.view(as_of=learnt, known_at=known)[0], {})
                for known in (learnt - 1, learnt)
            )
            assert before.keys() == after.keys()
            differ = {name for name in before if before[name] != after[name]}
            renamed = {name for name in differ if name.startswith("messaging:")}
            for name in renamed:
                assert PUT.sub(b"", before[name]) == PUT.sub(b"", after[name])
            assert {name.partition("_")[0] for name in differ - renamed} <= {
                "estate",
                f"activity:{qmgr}",
            }


def test_a_channel_is_switched(log: Log, planted: Planted) -> None:
    """A channel uses its own transmission queue from its next start."""
    plant = _only(planted, "switch")
    found = _bodies(log, plant, "TransmissionQueueSwitched")
    assert [body["channel"] for body in found] == [plant.where["channel"]]
    assert found[0]["queue"].endswith(plant.where["channel"])
