"""The names, HELP texts, types and labels of `/metrics` are those that dashboards expect."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import pytest

from tests.web.metrics.reading import Series
from tests.web.metrics.scene import SCRAPED, Scene, troubled
from twin.web.metrics.exporter import LEFT_OUT
from twin.web.metrics_options import MetricsOptions

QMGR: Final = {"qmgr", "platform", "description"}
CHANNEL: Final = {*QMGR, *("channel", "type", "rqmname", "connname", "jobname", "sslciph")}
QUEUE: Final = {*QMGR, *("queue", "usage", "cluster")}
CLUSTER: Final = {"qmgr", "platform", "cluster", "qmtype"}

EXPORTER: Final = {
    "qmgr_status": ("gauge", "Queue Manager Status"),
    "qmgr_uptime": ("gauge", "Up time"),
    "qmgr_channel_initiator_status": ("gauge", "Channel Initiator Status"),
    "qmgr_command_server_status": ("gauge", "Command Server Status"),
    "qmgr_active_listeners": ("gauge", "Active Listener Count"),
    "qmgr_active_services": ("gauge", "Active Service Count"),
    "qmgr_interval_mqput_mqput1_total_count": ("counter", "Interval total MQPUT/MQPUT1 count"),
    "qmgr_interval_destructive_get_total_count": (
        "counter",
        "Interval total destructive get- count",
    ),
    "cluster_status": ("gauge", "Cluster Status"),
    "cluster_suspend": ("gauge", "Cluster Suspend"),
    "cluster_qmtype": ("gauge", "Queue Manager Type"),
    "channel_status": ("gauge", "Channel Status"),
    "channel_status_squash": ("gauge", "Channel Status - Simplified"),
    "channel_type": ("gauge", "Channel Type"),
    "channel_instance_type": ("gauge", "Channel Instance Type"),
    "channel_messages": ("counter", "Messages (API Calls for SVRCONN)"),
    "channel_time_since_msg": ("gauge", "Time Since Msg"),
    "channel_start_epoch": ("gauge", "Start Time (epoch ms)"),
    "queue_depth": ("gauge", "Queue depth"),
    "queue_attribute_max_depth": ("gauge", "Queue Max Depth"),
    "queue_attribute_usage": ("gauge", "Queue Usage"),
    "queue_oldest_message_age": ("gauge", "Oldest Message"),
    "queue_time_since_put": ("gauge", "Time Since Put"),
    "queue_time_since_get": ("gauge", "Time Since Get"),
    "queue_mqput_mqput1_count": ("counter", "MQPUT/MQPUT1 count"),
    "queue_mqget_count": ("counter", "MQGET count"),
}
OWN: Final = {
    "belief_records": "observer cluster kind state",
    "belief_divergence_records": "observer cluster",
    "record_expiry_seconds_min": "observer cluster",
    "record_removal_seconds_min": "observer cluster",
    "renewal_overdue_seconds_max": "observer cluster",
    "subscriptions": "observer cluster state",
    "full_repositories": "cluster",
    "members": "cluster",
    "duplicate_qmids": "cluster",
    "channel_usable": "qmgr channel",
    "channel_attempts": "qmgr channel",
    "next_retry_seconds": "qmgr channel",
    "switch_pending": "qmgr channel",
    "waiting_messages": "qmgr channel eligible",
    "reallocated_messages_total": "qmgr channel cause",
    "doctor_findings": "severity rule",
    "observation_age_seconds": "qmgr feed",
    "log_position": "",
    "log_head_timestamp_seconds": "",
    "scrape_duration_seconds": "",
    "build_info": "version",
}
"""The metrics of twin's own, and their labels."""

DRAWN: Final = """
channel_status_squash channel_status channel_time_since_msg channel_bytes_sent channel_bytes_rcvd
channel_messages channel_buffers_sent channel_buffers_rcvd channel_batches channel_nettime_short
channel_nettime_long channel_batchsz_short channel_batchsz_long channel_xmitq_time_short
channel_xmitq_time_long channel_attribute_max_inst channel_attribute_max_instc channel_cur_inst
qmgr_status qmgr_channel_initiator_status qmgr_command_server_status qmgr_uptime
qmgr_connection_count qmgr_max_channels qmgr_max_active_channels qmgr_active_listeners
cluster_suspend qmgr_interval_mqput_mqput1_total_count qmgr_interval_destructive_get_total_count
qmgr_exporter_publications qmgr_mq_fdc_file_count nha_backlog_bytes queue_depth
queue_attribute_max_depth queue_qtime_short queue_qtime_long queue_oldest_message_age
queue_time_since_get queue_time_since_put queue_uncommitted_messages queue_qfile_current_size
queue_qfile_max_size queue_input_handles queue_output_handles qmgr_commit_count
queue_mqput_mqput1_count
""".split()
"""What IBM's dashboards and the integration of Grafana draw."""


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """Make the cluster with troubles."""
    with troubled(tmp_path_factory.mktemp("scene")) as made:
        yield made


@pytest.fixture(scope="module")
def metrics(scene: Scene) -> dict[str, Series]:
    """Scrape it, with what observed queue managers have."""
    return scene.read(MetricsOptions(full=True))


def of(metrics: dict[str, Series], family: str, labels: set[str]) -> None:
    """Check the labels of the metrics of a family."""
    for name in EXPORTER:
        if name.startswith(family):
            for own in metrics[f"ibmmq_{name}"].names():
                assert own - {"hostname"} == labels | {"source"}, name


def test_every_metric_is_emitted_with_its_type_and_its_help_text(
    metrics: dict[str, Series],
) -> None:
    """Names and HELP texts are the exporter's own; no counter gets another name."""
    declared = {name: each[:2] for name, each in metrics.items()}
    own = {f"ibmmq_twin_{name}" for name in OWN}
    assert declared.keys() == own | {f"ibmmq_{name}" for name in EXPORTER}
    for name, expected in EXPORTER.items():
        assert declared[f"ibmmq_{name}"] == expected
    for name in own:
        assert declared[name][0] == ("counter" if name.endswith("_total") else "gauge")


def test_series_have_exactly_the_labels_of_the_exporter_and_their_source(
    metrics: dict[str, Series],
) -> None:
    """Only `source` is added; host names exist since 9.3.2."""
    of(metrics, "qmgr_", QMGR)
    of(metrics, "cluster_", CLUSTER)
    of(metrics, "channel_", CHANNEL)
    of(metrics, "queue_", QUEUE)
    status = metrics["ibmmq_qmgr_status"].values
    assert {dict(own)["qmgr"]: "hostname" in dict(own) for own in status} == {
        **dict.fromkeys(("FR1", "FR2", "PR1", "PR2"), True),
        "PR3": False,
    }
    for name, labels in OWN.items():
        assert metrics[f"ibmmq_twin_{name}"].names() == {frozenset(labels.split())}, name


def test_every_metric_of_a_dashboard_is_emitted_or_named_with_the_reason(
    metrics: dict[str, Series],
) -> None:
    """What a dashboard asks for and does not get stands in the list of what is left out."""
    patterns = [
        re.escape(part if part.startswith("ibmmq") else f"{_family(names)}{part}").replace(
            r"\*", ".*"
        )
        for names in LEFT_OUT
        for part in names.split(", ")
    ]
    missing = [name for name in DRAWN if f"ibmmq_{name}" not in metrics]
    assert len(missing) > 20
    for name in missing:
        assert any(re.fullmatch(each, f"ibmmq_{name}") for each in patterns), name
    for name in metrics:
        assert not any(re.fullmatch(each, name) for each in patterns), name


def _family(names: str) -> str:
    return "_".join(names.split("_")[:2])


def test_names_of_the_estate_are_escaped(metrics: dict[str, Series]) -> None:
    """A description with quotation marks is the same after it was read."""
    assert metrics["ibmmq_qmgr_status"].where(qmgr="PR1", description='orders "A"') == [2]


def test_the_same_scrape_is_written_as_of_each_instant(scene: Scene) -> None:
    """Of a scrape that is kept, ages grow with time and all else stays."""
    exposition = scene.scrape().exposition
    early = exposition.text(SCRAPED).splitlines()
    late = exposition.text(SCRAPED + 7_000_000).splitlines()
    assert len(early) == len(late)
    differing = {
        (one.split("{")[0], float(other.split()[-1]) - float(one.split()[-1]))
        for one, other in zip(early, late, strict=True)
        if one != other
    }
    assert differing == {
        *((f"ibmmq_queue_{name}", 7) for name in ("oldest_message_age", "time_since_put")),
        *((f"ibmmq_{name}", 7) for name in ("queue_time_since_get", "qmgr_uptime")),
        ("ibmmq_channel_time_since_msg", 7),
        ("ibmmq_twin_observation_age_seconds", 7),
        ("ibmmq_twin_next_retry_seconds", -7),
        ("ibmmq_twin_record_expiry_seconds_min", -7),
        ("ibmmq_twin_record_removal_seconds_min", -7),
    }
