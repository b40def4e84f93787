"""A real Prometheus scrapes a running service: alerts fire, and dashboards have data."""

from __future__ import annotations

import json
import re
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE
from typing import Any, Final

import pytest

from tests.app.scenes import build, make_twin
from tests.patience import wait_until
from tests.web.metrics.prometheus import Prometheus, program, running
from tests.web.metrics.scene import Clock, observe_on
from tests.web.serving import Served, copy_log, served
from twin.app.clocks import system_clock
from twin.model.instants import DAY, HOUR, MINUTE

FILES: Final = Path(__file__).parents[3] / "contrib" / "prometheus"

CONFIG: Final = """
global: {{scrape_interval: 5s, scrape_timeout: 5s, evaluation_interval: 1s}}
rule_files: [alerts.yml]
scrape_configs:
  - job_name: twin
    static_configs: [{{targets: ["{target}"]}}]
"""

DRAWN_BY_IBM: Final = (
    "ibmmq_channel_status_squash+0",
    "ibmmq_channel_status+0",
    "ibmmq_channel_time_since_msg",
    "count by (channel, qmgr)(ibmmq_channel_status)",
    'ibmmq_channel_messages{type!="SVRCONN"}',
    "count(ibmmq_channel_status_squash == 2) by (qmgr)",
    "ibmmq_qmgr_status+0",
    "ibmmq_qmgr_channel_initiator_status+0",
    "ibmmq_qmgr_command_server_status+0",
    "ibmmq_qmgr_uptime",
    "ibmmq_qmgr_active_listeners+0",
    "ibmmq_cluster_suspend",
    "rate(ibmmq_qmgr_interval_mqput_mqput1_total_count[10m])",
    "rate(ibmmq_qmgr_interval_destructive_get_total_count[10m])",
    "ibmmq_queue_depth",
    "(ibmmq_queue_depth*100)/ibmmq_queue_attribute_max_depth",
    "ibmmq_queue_oldest_message_age",
    "ibmmq_queue_time_since_get",
    "ibmmq_queue_time_since_put",
    "sum by (mq_cluster)(ibmmq_queue_mqput_mqput1_count)",
)
"""What IBM's dashboards and the integration of Grafana ask of metrics that a twin has."""


def play(log: Path) -> None:
    """Record 84 days: PR2 ended early, messages wait for it, full repositories lost each other."""
    now = system_clock()
    begun = now - 84 * DAY
    with make_twin(f"sqlite:///{log}", Clock(now)) as twin:
        build(twin, at=begun)
        twin.runmqsc("PR2", "DEFINE QLOCAL(ORD) CLUSTER(CA) DEFBIND(NOTFIXED)", at=begun)
        twin.runmqsc("FR1", "DEFINE LISTENER(TCP) TRPTYPE(TCP)\nSTART LISTENER(TCP)", at=begun)
        twin.put("PR1", "ORD", at=begun + MINUTE)
        twin.endmqm("PR2", at=begun + HOUR)
        twin.put("PR1", "ORD", count=5, at=begun + 2 * HOUR)
        twin.link("cut", "FR1", "FR2", at=now - 3 * HOUR)
        twin.runmqsc("FR1", "DEFINE QLOCAL(NEW) CLUSTER(CA)", at=now - 3 * HOUR)
        twin.runmqsc("FR1", "DEFINE QLOCAL(OWN)", at=now - 3 * HOUR)
        twin.put("FR1", "OWN", count=2, at=now - HOUR)
        twin.get("FR1", "OWN", at=now - HOUR)
        twin.put("PR1", "NEW", at=now - MINUTE)
        observe_on(twin, now - 2 * HOUR)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, users_file: Path) -> Iterator[Served]:
    """Serve the played log, with the metrics open and a label for the integration of Grafana."""
    program("prometheus")
    from twin.web.metrics_options import MetricsOptions

    log = tmp_path_factory.mktemp("played") / "twin.db"
    play(log)
    metrics = MetricsOptions(labels=(("mq_cluster", "SALES"),))
    with served(log, users_file, metrics_open=True, metrics=metrics, read_only=True) as made:
        yield made


@pytest.fixture(scope="module")
def prometheus(service: Served, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    """Let Prometheus scrape it, with our alerts, which wait for no ten minutes.

    A scrape that is late is lost, and another one follows: what a test looks for comes in the end.
    """
    folder = tmp_path_factory.mktemp("prometheus")
    rules = (FILES / "twin-alerts.yml").read_text(encoding="utf-8")
    (folder / "alerts.yml").write_text(rules.replace("for: 10m", "for: 0s"), encoding="utf-8")
    config = folder / "prometheus.yml"
    config.write_text(CONFIG.format(target=service.url.removeprefix("http://")), encoding="utf-8")
    with running(config, folder) as made:
        made.series("count_over_time(ibmmq_twin_build_info[10m]) > 1")
        yield made


def test_alerts_fire_on_what_happened(prometheus: Prometheus) -> None:
    """A record will be removed, full repositories disagree, messages wait that could move."""
    expected = {
        *("MQClusterRecordRemovedSoon", "MQClusterRecordOverdue", "MQFullRepositoriesDisagree"),
        *("MQMessagesWaitThatCouldMove", "MQClusterChannelNotUsable", "TwinObservationsAreOld"),
    }

    def firing() -> list[dict[str, Any]] | None:
        alerts: list[dict[str, Any]] = prometheus.get("alerts")["alerts"]
        names = {each["labels"]["alertname"] for each in alerts if each["state"] == "firing"}
        return alerts if names == expected else None

    alerts = wait_until(firing, "the alerts fire")
    summaries = {each["annotations"]["summary"] for each in alerts}
    assert "5 messages wait at PR1 for CA.PR2, and may go elsewhere" in summaries
    assert any(re.match("PR1 will remove a record of CA in [56]d", each) for each in summaries)


def expressions() -> Iterator[str]:
    """Yield the expressions of our dashboard, for all that its variables can choose."""
    dashboard = json.loads((FILES / "twin-dashboard.json").read_text(encoding="utf-8"))
    for panel in dashboard["panels"]:
        for target in panel.get("targets", ()):
            yield target["expr"].replace("$cluster", ".*").replace("$__rate_interval", "10m")


@pytest.mark.parametrize("expression", [*expressions()])
def test_every_panel_of_our_dashboard_has_data(prometheus: Prometheus, expression: str) -> None:
    """Each expression returns series."""
    assert prometheus.series(expression)


@pytest.mark.parametrize("expression", DRAWN_BY_IBM)
def test_dashboards_of_others_have_data(prometheus: Prometheus, expression: str) -> None:
    """The expressions that stand in existing dashboards return series, all of them by a twin."""
    found = prometheus.series(expression)
    assert all(each["metric"].get("source", "twin") == "twin" for each in found)


def test_no_scrape_is_refused(prometheus: Prometheus) -> None:
    """Prometheus takes every sample: no series is there twice, and none is malformed."""

    def target() -> dict[str, Any] | None:
        found: dict[str, Any]
        (found,) = prometheus.get("targets")["activeTargets"]
        return None if "deadline exceeded" in found["lastError"] else found

    scraped = wait_until(target, "a scrape is not late")
    assert (scraped["health"], scraped["lastError"]) == ("up", "")
    assert not prometheus.query("scrape_samples_scraped != scrape_samples_post_metric_relabeling")


@pytest.mark.parametrize(
    "command",
    [
        ("check", "rules", "twin-alerts.yml"),
        ("test", "rules", "twin-alerts.test.yml"),
        ("check", "config", "--syntax-only", "prometheus.yml"),
    ],
    ids=" ".join,
)
def test_the_files_are_sound(command: tuple[str, ...]) -> None:
    """Promtool accepts the configuration and the alerts, and each alert fires when it should."""
    done = subprocess.run(
        [program("promtool"), *command], cwd=FILES, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_configuration_scrapes_a_service_as_it_is_started(
    demo_log: Path, tmp_path: Path
) -> None:
    """Beside the service's own certificate and token, Prometheus gets the metrics over TLS."""
    log = copy_log(demo_log, tmp_path)
    for file in FILES.glob("*.yml"):
        shutil.copy(file, tmp_path)
    token = tmp_path / "twin-metrics-token"
    token.write_text(secrets.token_hex(32), encoding="utf-8")
    token.chmod(0o600)
    command = [sys.executable, "-m", "twin", "--log", str(log), "serve", "--port", "0"]
    with subprocess.Popen(
        [*command, "--metrics-token", token.name], cwd=tmp_path, stdout=PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            said = next(line for line in process.stdout if line.startswith("listening on "))
            target = said.strip().removeprefix("listening on https://")
            config = tmp_path / "prometheus.yml"
            text = config.read_text(encoding="utf-8").replace("127.0.0.1:9444", target)
            config.write_text(text.replace("15s", "5s"), encoding="utf-8")
            with running(config, tmp_path) as prometheus:
                found = prometheus.series("ibmmq_qmgr_status == 2")
            assert len(found) == 6
        finally:
            process.terminate()


def test_every_alert_is_tested() -> None:
    """Each alert of the file has a case in which it fires."""
    rules = (FILES / "twin-alerts.yml").read_text(encoding="utf-8")
    tests = (FILES / "twin-alerts.test.yml").read_text(encoding="utf-8")
    names = re.findall(r"- alert: (\w+)", rules)
    assert len(names) == 8
    for name in names:
        assert re.search(rf"alertname: {name}\n.*\n\s+exp_alerts:\n", tests), name
