"""Writes docs/prometheus.md from the tables of metrics: `python -m tests.prometheus_page`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from twin.web.metrics.exporter import LEFT_OUT
from twin.web.metrics.exposition import Family
from twin.web.metrics.scraping import EXPORTER_FAMILIES, OWN_FAMILIES
from twin.web.service import LASTS

PAGE: Final = Path(__file__).parents[1] / "docs" / "prometheus.md"

_HEAD: Final = """\
# Prometheus

`twin serve` answers `GET /metrics` for all queue managers in one scrape, in the text format of
Prometheus. Names, HELP texts, labels and codes are those of IBM's exporter mq_prometheus 6, so that
dashboards and alerts made for it work with a twin. The names of metrics that the exporter does not
have begin with `ibmmq_twin_`. This page is made from the code by `python -m tests.prometheus_page`,
and a test compares the two.

## Point Prometheus at it

[`contrib/prometheus/`](../contrib/prometheus) has files to copy and change:

- `prometheus.yml`: a configuration that scrapes a service on the same machine
- `twin-alerts.yml`: alert rules, for example for records that will soon be removed, full
  repositories that disagree, and waiting messages that could move
- `twin-alerts.test.yml`: tests of these rules, for `promtool test rules`
- `twin-dashboard.json`: a Grafana dashboard of lifetimes, differences, channels, waiting messages
  and findings

Prometheus needs a token, or the name and password of any user, unless the service is started with
`--metrics-open`. It must trust the certificate that the service made at its first start
(`twin-cert.pem`, beside the users file that `--users` or `TWIN_USERS` names), or your own. Run
these commands in the checkout:

```sh
openssl rand -hex 32 > twin-metrics-token; chmod 600 twin-metrics-token
cp contrib/prometheus/*.yml .
twin serve --metrics-token twin-metrics-token &
prometheus --config.file=prometheus.yml
```

Further options of `twin serve`:

- `--metrics-channels PATTERN` chooses channels by generic names, separated by commas. A name after
  `!` leaves channels out. By default all cluster channels have series, and no other channels.
- `--metrics-full` also gives observed queue managers series under the exporter's names.
- `--label NAME=VALUE` adds a label to every series. The MQ integration of Grafana selects by
  `--label mq_cluster=SALES`.

`/metrics?branch=NAME` serves another branch; then every series has the label `branch`. A scrape
always shows now: a request for another time is refused.

## What the values mean

- **Source.** Every series under the exporter's names has the label `source="twin"`: the rules
  computed it, and no exporter measured it. All other labels are those of the exporter, so its
  dashboards select and group as before. If you need exactly the exporter's labels, drop this one:
  `metric_relabel_configs` with `action: labeldrop` and `regex: source`. `twin import` ignores
  series with this label.
- **Observed queue managers** have series under `ibmmq_twin_` only. Their own exporter gives the
  others, and two sources of one series would contradict each other. `--metrics-full` adds the
  series that imported files or polls showed; `ibmmq_twin_observation_age_seconds` gives their age.
  On a branch, observed queue managers are simulated, and have all series.
- **An unknown value has no series**, and is never 0. The table below names the metrics left out.
- **An ended queue manager** has only `ibmmq_qmgr_status` 0, and what others know of it.
- **An inactive cluster channel has series**, with the status 0. The exporter's simplified status
  shows it as stopped, although a message starts it. `ibmmq_twin_channel_usable` is 1 if a message
  would be sent.
- **Counters** count from the beginning of the log. Puts and gets are those of applications,
  channels and `runmqdlq`. After a retraction or a late fact a counter may be lower; Prometheus
  treats this as a restart.
- **Times.** An age, or a time until something happens, is exact at each scrape. Other values are
  computed again when the log has new events. As channels disconnect and records expire without an
  event, they are also computed again after {lasts} seconds, or after ten times as long as the
  computation took if that is more.
- **Assumed dates.** If the publication date of a record is only assumed, the record is counted with
  `state="unknown"`, and no metric gives the time until it expires.
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

Times are in seconds. `observer` is the queue manager that holds the records; `_min` and `_max` give
its worst record of a cluster. A channel without waiting messages has no
`ibmmq_twin_waiting_messages`. A rule of `twin doctor` that found nothing, but could not be checked
everywhere, has no `ibmmq_twin_doctor_findings`.
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
