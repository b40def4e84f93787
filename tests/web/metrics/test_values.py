"""The values of `/metrics`: what is known has its value, and what is not has no series."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.scenes import START
from tests.web.metrics.reading import Series
from tests.web.metrics.scene import SCRAPED, Scene, cluster, troubled
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR, MINUTE
from twin.web.metrics_options import MetricsOptions

FULL = MetricsOptions(full=True)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """Make the cluster with troubles."""
    with troubled(tmp_path_factory.mktemp("scene")) as made:
        yield made


@pytest.fixture(scope="module")
def metrics(scene: Scene) -> dict[str, Series]:
    """Scrape it as by default."""
    return scene.read()


def value(metrics: dict[str, Series], name: str, **labels: str) -> float:
    """Return the value of the only series with some labels."""
    (found,) = metrics[f"ibmmq_{name}"].where(**labels)
    return found


def test_a_queue_manager_that_ended_gives_only_its_status(metrics: dict[str, Series]) -> None:
    """Of PR2 there is the status 0, and what others know of it."""
    assert value(metrics, "qmgr_status", qmgr="PR2") == 0
    named = {
        name
        for name, series in metrics.items()
        if not name.startswith("ibmmq_twin_") and series.where(qmgr="PR2")
    }
    assert named == {"ibmmq_qmgr_status"}


def test_a_running_queue_manager_is_measured(metrics: dict[str, Series]) -> None:
    """Its servers run since it was started, and its puts and gets are counted."""
    assert value(metrics, "qmgr_status", qmgr="PR1") == 2
    assert value(metrics, "qmgr_uptime", qmgr="PR1") == (SCRAPED - START) // 1_000_000
    assert value(metrics, "qmgr_command_server_status", qmgr="PR1") == 2
    assert value(metrics, "qmgr_interval_mqput_mqput1_total_count", qmgr="PR1") == 12
    assert value(metrics, "qmgr_interval_destructive_get_total_count", qmgr="FR2") == 1


def test_both_ends_of_a_channel_are_measured(metrics: dict[str, Series]) -> None:
    """The sending end counts what it sent, and the receiving end what came from each partner."""
    sender = {"qmgr": "PR1", "channel": "CA.FR2", "type": "CLUSSDR", "rqmname": "FR2"}
    receiver = {"qmgr": "FR2", "channel": "CA.FR2", "type": "CLUSRCVR", "rqmname": "PR1"}
    for end in (sender, receiver):
        assert value(metrics, "channel_status", **end) == 3
        assert value(metrics, "channel_status_squash", **end) == 2
        assert value(metrics, "channel_messages", **end) == 8
        assert value(metrics, "channel_time_since_msg", **end) == 150
    assert value(metrics, "channel_status", connname="fr2(1414)", **sender) == 3
    assert value(metrics, "channel_status", connname="pr1", **receiver) == 3


def test_an_inactive_channel_has_only_its_status_and_its_type(metrics: dict[str, Series]) -> None:
    """It is no failure: `channel_usable` says that it would carry a message."""
    channel = {"qmgr": "PR1", "channel": "CA.FR1"}
    assert value(metrics, "channel_status", rqmname="-", connname="-", **channel) == 0
    assert value(metrics, "channel_status_squash", **channel) == 0
    assert value(metrics, "channel_type", **channel) == 9
    assert value(metrics, "twin_channel_usable", **channel) == 1
    assert not metrics["ibmmq_channel_messages"].where(**channel)
    assert not metrics["ibmmq_channel_instance_type"].where(**channel)


def test_a_channel_that_retries_is_not_usable(metrics: dict[str, Series]) -> None:
    """It is in transition, has failed retries, and has a next retry."""
    channel = {"qmgr": "PR1", "channel": "CA.PR2"}
    assert value(metrics, "channel_status", **channel) == 5
    assert value(metrics, "channel_status_squash", **channel) == 1
    assert value(metrics, "twin_channel_usable", **channel) == 0
    assert value(metrics, "twin_channel_attempts", **channel) == 2
    assert value(metrics, "twin_next_retry_seconds", **channel) == 30


def test_messages_that_wait_are_counted_by_whether_they_may_move(scene: Scene) -> None:
    """The answers of `transmission` and `passes` have the same numbers."""
    metrics = scene.read()
    channel = {"qmgr": "PR1", "channel": "CA.PR2"}
    assert value(metrics, "twin_waiting_messages", eligible="false", **channel) == 2
    assert value(metrics, "twin_waiting_messages", eligible="true", **channel) == 0
    assert value(metrics, "twin_reallocated_messages_total", cause="stop", **channel) == 3
    assert value(metrics, "queue_depth", qmgr="PR1", usage="XMITQ") == 2
    waiting = scene.twin.ask("transmission").rows
    assert [(row["count"], row["eligible"]) for row in waiting] == [(2, False)]


def test_a_queue_has_depth_and_ages(metrics: dict[str, Series]) -> None:
    """5 messages came to ORD directly and 3 by a pass; one was got."""
    queue = {"qmgr": "FR2", "queue": "ORD", "cluster": "CA", "usage": "NORMAL"}
    assert value(metrics, "queue_depth", **queue) == 7
    assert value(metrics, "queue_attribute_max_depth", **queue) == 5000
    assert value(metrics, "queue_oldest_message_age", **queue) == 270
    assert value(metrics, "queue_time_since_put", **queue) == 150
    assert value(metrics, "queue_time_since_get", **queue) == 210
    assert value(metrics, "queue_mqput_mqput1_count", **queue) == 8
    assert value(metrics, "queue_mqget_count", **queue) == 1
    empty = {"qmgr": "FR1", "queue": "SYSTEM.CLUSTER.TRANSMIT.QUEUE", "usage": "XMITQ"}
    assert value(metrics, "queue_oldest_message_age", **empty) == 0
    assert value(metrics, "queue_attribute_usage", **empty) == 1
    assert not metrics["ibmmq_queue_time_since_put"].where(**empty)


def test_an_observed_queue_manager_has_no_series_under_the_exporters_names(
    metrics: dict[str, Series],
) -> None:
    """Its exporter gives them; a twin says how old its observations are."""
    for name, series in metrics.items():
        if not name.startswith("ibmmq_twin_"):
            assert not series.where(qmgr="PR3"), name
    for feed, age in (("status", 90), ("channels", 90), ("depths", 90), ("definitions", 330)):
        assert value(metrics, "twin_observation_age_seconds", qmgr="PR3", feed=feed) == age
    assert value(metrics, "twin_channel_usable", qmgr="PR3", channel="CA.FR1") == 0
    assert not metrics["ibmmq_twin_channel_attempts"].where(qmgr="PR3")


def test_on_request_an_observed_queue_manager_has_what_was_seen(scene: Scene) -> None:
    """Nothing else has a series: no uptime, no age, no counter, no channel that nobody saw."""
    metrics = scene.read(FULL)
    seen = {
        (name, frozenset(labels))
        for name, series in metrics.items()
        for own in series.values
        if (labels := dict(own)).get("qmgr") == "PR3" and not name.startswith("ibmmq_twin_")
    }
    assert {name for name, _ in seen} == {
        *("ibmmq_qmgr_status", "ibmmq_cluster_qmtype", "ibmmq_queue_depth"),
        *("ibmmq_queue_attribute_max_depth", "ibmmq_queue_attribute_usage"),
        *("ibmmq_channel_status", "ibmmq_channel_status_squash", "ibmmq_channel_type"),
        "ibmmq_channel_instance_type",
    }
    assert value(metrics, "channel_status", qmgr="PR3") == 5
    every = scene.read(MetricsOptions(channels=("*",), full=True))["ibmmq_channel_status"]
    assert not every.where(channel="CLIENTS")
    assert value(metrics, "queue_depth", qmgr="PR3") == 7
    assert value(metrics, "queue_attribute_max_depth", qmgr="PR3") == 100
    assert not metrics["ibmmq_channel_status"].where(qmgr="FR2", rqmname="PR3")


def test_on_a_branch_an_observed_queue_manager_is_simulated(scene: Scene) -> None:
    """There all its series are derived, and every series names the branch."""
    scene.twin.create_branch("lab")
    branch = Scene(scene.twin.on_branch("lab"), scene.clock)
    metrics = branch.read()
    assert value(metrics, "qmgr_status", qmgr="PR3", branch="lab") == value(
        metrics, "qmgr_status", qmgr="FR1", branch="lab"
    )
    assert metrics["ibmmq_qmgr_uptime"].where(qmgr="PR3") == []  # its start was never seen
    for name, series in metrics.items():
        assert all("branch" in labels for labels in series.names()), name


def test_a_pattern_chooses_channels(scene: Scene) -> None:
    """Also channels outside clusters are chosen by name; a ! leaves some out."""
    scene.twin.runmqsc("FR1", "DEFINE CHANNEL(OUT.A) CHLTYPE(SVR) XMITQ(X)", at=SCRAPED)

    def channels(*pattern: str) -> set[str]:
        series = scene.read(MetricsOptions(channels=pattern))["ibmmq_channel_status"]
        return {dict(labels)["channel"] for labels in series.values}

    assert channels() == {"CA.FR1", "CA.FR2", "CA.PR1", "CA.PR2", "CA.PR3"}
    assert channels("OUT.*") == {"OUT.A"}
    assert channels("*", "!CA.PR*") == {"CA.FR1", "CA.FR2", "OUT.A"}
    assert channels("!CA.*") == {"OUT.A"}


def test_records_are_summed_up_as_the_questions_list_them(tmp_path: Path) -> None:
    """Counts, the first expiry and the first removal are those of `lifetimes`, all day long."""
    with cluster(tmp_path) as scene:
        scene.twin.runmqsc("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)", at=START)
        scene.twin.put("PR1", "ORD", at=START)
        scene.twin.endmqm("PR2", at=START + DAY)
        for days in (10, 28, 40, 84):
            scene.clock.now = START + days * DAY + HOUR
            metrics, rows = scene.read(), scene.twin.ask("lifetimes").rows
            assert sum(metrics["ibmmq_twin_belief_records"].values.values()) == len(rows)
            for state, shown in (("active", "fresh"), ("overdue", "overdue")):
                found = metrics["ibmmq_twin_belief_records"].where(state=shown)
                assert sum(found) == sum(row["state"] == state for row in rows)
            held = [int(str(row["removal"])) for row in rows if row["observer"] == "PR1"]
            first = (min(held) - scene.clock.now) / 1_000_000
            assert value(metrics, "twin_record_removal_seconds_min", observer="PR1") == first
            expiry = value(metrics, "twin_record_expiry_seconds_min", observer="PR1")
            assert expiry == first - 60 * 86_400
            overdue = value(metrics, "twin_renewal_overdue_seconds_max", observer="PR1")
            assert overdue == max(0, 63 * 86_400 - first)
        assert value(metrics, "twin_record_removal_seconds_min", observer="PR1") < 7 * 86_400


def test_counters_are_counted_again_after_a_retraction_or_a_late_fact(tmp_path: Path) -> None:
    """What is counted follows the log: a second reader that counts everything at once agrees."""
    with cluster(tmp_path) as scene:
        twin = scene.twin
        twin.runmqsc("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA)", at=START)
        counted = []
        for step in range(3):
            put = twin.put("PR1", "ORD", count=5, at=START + (step + 1) * MINUTE)
            counted.append(value(scene.read(), "queue_mqput_mqput1_count", queue="ORD"))
        twin.retract([put.positions[0] - 1])
        counted.append(value(scene.read(), "queue_mqput_mqput1_count", queue="ORD"))
        with Twin.open(f"sqlite:///{tmp_path / 'twin.db'}", clock=scene.clock) as other:
            again = Scene(other, scene.clock).read()
        assert counted == [5, 10, 15, 10]
        assert value(again, "queue_mqput_mqput1_count", queue="ORD") == 10


def test_a_rule_without_findings_has_zero_unless_it_could_not_be_checked(
    metrics: dict[str, Series], tmp_path: Path
) -> None:
    """The numbers are those of the doctor; with PR3 observed, some rules are not checked."""
    found = metrics["ibmmq_twin_doctor_findings"]
    assert found.where(rule="channel-retrying") == [1]
    assert found.where(rule="full-repositories-none") == [0]
    assert not found.where(rule="full-repositories-disagree")
    with cluster(tmp_path) as scene:
        simulated = scene.read()["ibmmq_twin_doctor_findings"]
        answer = scene.twin.ask("doctor")
    assert simulated.where(rule="full-repositories-disagree") == [0]
    assert sum(simulated.values.values()) == len(answer.rows)
