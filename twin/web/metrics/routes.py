"""`/metrics`: the series of all queue managers in one scrape."""

from __future__ import annotations

from fastapi import APIRouter
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import CollectorRegistry
from starlette.requests import Request
from starlette.responses import Response

from twin.web.service import service_of

router = APIRouter()


@router.get("/metrics")
def metrics(request: Request) -> Response:
    """Return the series of now."""
    status = GaugeMetricFamily("ibmmq_qmgr_status", "Queue Manager Status", labels=["qmgr"])
    with service_of(request).readers.borrow() as twin:
        estate, _ = twin.view()
        for name, qmgr in estate.qmgrs.items():
            status.add_metric([name], 2 if qmgr.running else 0)
    registry = CollectorRegistry()
    registry.register(_Once(status))
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_PLAIN_0_0_4)


class _Once:
    """A collector of families that exist already."""

    def __init__(self, *families: GaugeMetricFamily) -> None:
        self._families = families

    def collect(self) -> tuple[GaugeMetricFamily, ...]:
        """Return the families."""
        return self._families
