"""Writes docs/prometheus.md from the tables of metrics: `python -m tests.prometheus_page`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from twin.web.metrics.cache import LASTS
from twin.web.metrics.exporter import LEFT_OUT
from twin.web.metrics.families import Family
from twin.web.metrics.scraping import EXPORTER_FAMILIES, OWN_FAMILIES

PAGE: Final = Path(__file__).parents[1] / "docs" / "prometheus.md"

_HEAD: Final = """\
# Prometheus

`twin serve` answers `GET /metrics` for all queue managers in one scrape, in the text format of
Prometheus. Names, HELP texts, labels and codes are those of IBM's exporter mq_prometheus 6, so that
dashboards and alerts made for it draw from a twin. What only a twin knows has names that begin with
`ibmmq_twin_`. This page is made from the code by `python -m tests.prometheus_page`, and a test
compares the two.

## Point Prometheus at it

[`contrib/prometheus/`](../contrib/prometheus) has files to copy and change:

- `prometheus.yml`: a configuration that scrapes a service on the same machine
- `twin-alerts.yml`: alert rules: a record will soon be removed, full repositories disagree,
  messages wait that could move, and others
- `twin-alerts.test.yml`: when each of these alerts fires, for `promtool test rules`
- `twin-dashboard.json`: a dashboard for Grafana: lifetimes, differences, channels, waiting
  messages, findings

Prometheus needs a token, or the name and password of any user, unless the service is started with
`--metrics-open`. The certificate is the one that the service made at its first start, or your own:

```sh
openssl rand -hex 32 > twin-metrics-token; chmod 600 twin-metrics-token
cp contrib/prometheus/*.yml .
twin serve --metrics-token twin-metrics-token &
prometheus --config.file=prometheus.yml
```

Further options of `twin serve`:

- `--metrics-channels PATTERN` chooses channels by generic names with commas between them; those
  after a `!` are left out. By default all cluster channels have series, and no others.
- `--metrics-full` gives observed queue managers series under the exporter's names, too.
- `--label NAME=VALUE` adds a label to every series; `--label mq_cluster=SALES` is what the MQ
  integration of Grafana selects by.

`/metrics?branch=NAME` serves another branch; then every series has the label `branch`. A scrape is
always as of now: other times are refused.

## What the values mean

- **Who says so.** Every series under the exporter's names has the label `source="twin"`: rules
  derived it, and no exporter measured it. Without that label the labels are exactly those of the
  exporter, which adds labels from its own configuration in the same way, so its dashboards select
  and group as before. Where an exact set of labels is needed, `metric_relabel_configs` with
  `action: labeldrop` and `regex: source` takes it off. `twin import` never takes such a series as
  an observation.
- **Observed queue managers** have series under `ibmmq_twin_` alone, because their own exporter
  gives the others: two sources of one series would contradict each other. `--metrics-full` adds
  what a feed said of them, and nothing else; `ibmmq_twin_observation_age_seconds` says how old that
  is. On a branch they are simulated like all others.
- **What is not known has no series**, and is never 0. The table below names what is left out.
- **A queue manager that ended** has only `ibmmq_qmgr_status` 0, and what others know of it.
- **Inactive cluster channels are listed**, with the status 0. The exporter's simplified status
  shows them as stopped, although a message starts them; `ibmmq_twin_channel_usable` says whether it
  would.
- **Counters** count from the beginning of the log. Puts and gets are those of applications,
  channels and `runmqdlq`. After a retraction or a late fact they may be lower, which Prometheus
  treats as a restart.
- **Times.** Ages and times until something happens are as of the scrape. States are computed once
  for each position of the log, and again after {lasts} seconds, or after ten times as long as it
  took, because channels disconnect and records expire without an event.
- **Assumed dates.** A record of an imported queue manager whose date of publication is only assumed
  is counted with `state="unknown"`, and no time until its end is given.
- **Number of series.** Records are summed up by observer and cluster. Channels have most series:
  seven for each end of a channel that runs.

## Under the exporter's names
"""

_LEFT_OUT: Final = """
### Left out

| metrics | why |
|---|---|"""

_OWN: Final = """
## Under names of twin's own

Times are in seconds. `observer` is the queue manager that holds records; `_min` and `_max` are the
worst of its records of a cluster. A channel for which no message waits has no
`ibmmq_twin_waiting_messages`. A rule of the doctor that could not be checked everywhere and found
nothing has no `ibmmq_twin_doctor_findings`.
"""

_TABLE: Final = "| metric | type | HELP |\n|---|---|---|"


def page() -> str:
    """Return the page as it should be."""
    return "\n".join(
        [
            _HEAD.format(lasts=LASTS),
            "\n".join(line for family in EXPORTER_FAMILIES for line in _family(family)).strip(),
            _LEFT_OUT,
            *(f"| `{names}` | {why} |" for names, why in LEFT_OUT.items()),
            _OWN,
            "\n".join(line for family in OWN_FAMILIES for line in _family(family)).strip(),
            "",
        ]
    )


def _family(family: Family[Any]) -> Iterator[str]:
    labels = ", ".join(f"`{label}`" for label in family.labels)
    yield f"Labels: {labels}\n" if labels else "No labels\n"
    yield _TABLE
    for metric, name in zip(family.metrics, family.names(), strict=True):
        yield f"| `{name}` | {metric.type} | {metric.help} |"
    yield ""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
