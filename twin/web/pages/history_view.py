"""The latest finished report on the history: its incidents, its channels by week, its files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from twin.history.report.incidents import Incident, details_of, title_of
from twin.history.report.units import duration
from twin.model.instants import format_instant
from twin.web.guard import Reader
from twin.web.pages import heat
from twin.web.pages.rendering import HEADERS
from twin.web.pages.report_files import (
    PAGE,
    HistoryReport,
    file_in,
    is_changing,
    newest,
    read_report,
)
from twin.web.pages.view import PageContent, PageReading, PageRequest, PageTable, PageView
from twin.web.service import Service, service_of

_MOST: Final = 60
"""How many incidents are shown."""

_COLUMNS: Final = (
    *("began", "ended", "ongoing", "planned", "cause", "partner", "qmgr", "channel", "cluster"),
    *("qmgrs", "channels", "outages", "seconds", "channel_hours", "messages", "reason"),
)
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"
"""What the page of a report needs: it is one file with its style in it, and has no scripts."""


def show(reading: PageReading) -> PageContent:
    """Show the frame; the report is loaded afterwards."""
    place = reading.place
    update, report = place.command("history", "update"), place.command("history", "report")
    here = place.point.as_of or place.point.known_at
    commands = (update.split(" --")[0], report.split(" --")[0]) if here else (update, report)
    return PageContent(title="History", commands=commands)


def load(page: PageRequest) -> PageContent:
    """Return the newest finished report, if there is one."""
    report = _report(page.service)
    if report is None:
        folder = page.service.settings.history
        return PageContent(title="History", values={"report": None, "folder": folder})
    cluster = page.place.cluster
    incidents = [
        each
        for each in report.incidents
        if cluster in (None, each["cluster"]) or not each["cluster"]
    ]
    outages = [each for each in report.outages if cluster in (None, each["cluster"])]
    return PageContent(
        title="History",
        values={
            "report": report,
            "is_changing": is_changing(report.folder),
            "incidents": incidents[:_MOST],
            "more": len(incidents) - _MOST,
            "title_of": title_of,
            "details_of": details_of,
            "duration": duration,
            "heat": heat.draw(outages, report.since, report.until),
            "sizes": heat,
        },
        tables=(PageTable.plain("incidents", _COLUMNS, [_plain(each) for each in incidents]),),
    )


def _plain(incident: Incident) -> dict[str, Any]:
    """Return an incident with its instants as text."""
    instants = {
        name: format_instant(incident[name]) if incident[name] is not None else None
        for name in ("began", "ended")
    }
    return {**incident, **instants}


def _report(service: Service) -> HistoryReport | None:
    """Return the newest finished report; it is read again when its page changed."""
    folder = _folder(service)
    if folder is None:
        return None
    key = (folder, (folder / PAGE).stat().st_mtime_ns)
    return service.computed.get("report", key, lambda: read_report(folder), most=1)


def _folder(service: Service) -> Path | None:
    history = service.settings.history
    return newest(history) if history is not None else None


router = APIRouter(include_in_schema=False)


@router.get("/history/files/{name}")
def file(request: Request, user: Reader, name: str) -> Response:
    """Send a file of the report; its page comes with a policy that allows its style, no script."""
    del user
    folder = _folder(service_of(request))
    path = file_in(folder, name) if folder is not None else None
    if path is None:
        raise HTTPException(404)
    if name == PAGE:
        headers = HEADERS | {"Content-Security-Policy": _POLICY}
        return FileResponse(path, media_type="text/html; charset=utf-8", headers=headers)
    return FileResponse(path, filename=name, headers=HEADERS)


HISTORY: Final = PageView(name="history", title="History", show=show, long=load, actions=router)
