"""The latest finished report on the history, read from its files: nothing is computed on Spark."""

from __future__ import annotations

import csv
import html
import re
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, Final, NamedTuple

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from twin.errors import reason_of
from twin.history.report.units import Incident, details_of, duration, rank_of, title_of
from twin.model.amounts import whole_number
from twin.model.instants import SECOND, Instant, format_instant, parse_instant
from twin.web.errors import Unavailable
from twin.web.guard import Reader
from twin.web.pages import heat
from twin.web.pages.rendering import HEADERS
from twin.web.pages.view import PageContent, PageReading, PageRequest, PageTable, PageView
from twin.web.service import Service, service_of

PAGE: Final = "report.html"
"""The page of a report. It is written last, so a folder with it has a finished report."""

_MOST_BYTES: Final = 64 << 20
"""The largest file of a report that is read."""

_HAPPENED: Final = re.compile(r"<h2>What happened</h2><p>(.*?)</p>", re.DOTALL)
_ABOUT: Final = re.compile(r"<header>.*?</header>", re.DOTALL)
_LINE: Final = re.compile(r'<p class="dim">(.*?)</p>', re.DOTALL)
_FILE: Final = re.compile(r"[a-z0-9_]+\.(csv|parquet)|report\.html", re.ASCII)


class UnusableReport(Unavailable, message="the report {} cannot be read: {}; make it again"):
    """A report whose files cannot be read."""


class HistoryReport(NamedTuple):
    """A finished report.

    Attributes:
        folder: where it is.
        written_at: when it was finished.
        about: what it covers, one line each.
        paragraph: what happened, in a few sentences; '' if it does not say.
        incidents: rows of the metric `incidents`, the worst first; instants are integers.
        outages: rows of the metric `outages`.
        since, until: the window, as far as its files say.
        files: the names of its files.
    """

    folder: Path
    written_at: Instant
    about: tuple[str, ...]
    paragraph: str
    incidents: Sequence[Incident]
    outages: Sequence[Mapping[str, Any]]
    since: Instant | None
    until: Instant | None
    files: tuple[str, ...]


def newest(folder: Path) -> Path | None:
    """Return the folder of the newest finished report: this one, or one in it; None if none is."""
    try:
        candidates = [folder, *(each for each in folder.iterdir() if each.is_dir())]
    except OSError:
        return None
    finished = [each for each in candidates if (each / PAGE).is_file()]
    return max(finished, key=lambda each: (each / PAGE).stat().st_mtime, default=None)


def read_report(folder: Path) -> HistoryReport:
    """Read a finished report.

    Raises:
        UnusableReport: if its files cannot be read, or have other columns or values than a report.
    """
    try:
        return _read(folder)
    except OSError as error:
        raise UnusableReport(folder, reason_of(error)) from None
    except (ValueError, KeyError, TypeError, OverflowError, csv.Error):
        raise UnusableReport(folder, "its files are not those of twin history report") from None


def _read(folder: Path) -> HistoryReport:
    page = folder / PAGE
    text = page.read_text(encoding="utf-8") if page.stat().st_size <= _MOST_BYTES else ""
    written = page.stat().st_mtime
    files = sorted(each.name for each in folder.iterdir() if _FILE.fullmatch(each.name))
    incidents = sorted(rows_in(folder / "incidents.csv"), key=rank_of)
    outages = list(rows_in(folder / "outages.csv"))
    spans = [*rows_in(folder / "coverage.csv"), *incidents, *outages]
    return HistoryReport(
        folder,
        round(written * SECOND),
        tuple(_texts(_LINE, next(iter(_ABOUT.findall(text)), ""))),
        next(_texts(_HAPPENED, text), ""),
        incidents,
        outages,
        min((row["began"] for row in spans if row.get("began")), default=None),
        max((row["ended"] for row in spans if row.get("ended")), default=None),
        tuple(files),
    )


def is_changing(folder: Path) -> bool:
    """Return whether another report is being written into a folder with a finished one."""
    try:
        files = [each for each in folder.iterdir() if _FILE.fullmatch(each.name)]
        written = (folder / PAGE).stat().st_mtime
        return any(each.stat().st_mtime > written for each in files)
    except OSError:  # a file is just being replaced
        return True


def file_in(folder: Path, name: str) -> Path | None:
    """Return the path of a file of a report; None if it has no such file."""
    path = folder / name
    return path if _FILE.fullmatch(name) and path.is_file() else None


def _texts(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    yield from (html.unescape(re.sub("<[^>]*>", "", found)) for found in pattern.findall(text))


def rows_in(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a CSV file of a report, with their types; none if there is no such file."""
    if not path.is_file() or path.stat().st_size > _MOST_BYTES:
        return
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            yield {name: _value(name, text or "") for name, text in row.items() if name}


def _value(name: str, text: str) -> Any:
    if name in ("began", "ended"):
        return parse_instant(text, now=0) if text else None
    if name in ("qmgrs", "channels", "outages", "seconds", "channel_hours", "messages"):
        return _number(text or "0")
    return text == "true" if text in ("true", "false") else text


def _number(text: str) -> int | float:
    whole = whole_number(text, signed=True)
    if whole is not None:
        return whole
    if not isfinite(number := float(text)):
        raise ValueError
    return number


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
    folder = _folder(service_of(request))
    path = file_in(folder, name) if folder is not None else None
    if path is None:
        raise HTTPException(404)
    if name == PAGE:
        headers = HEADERS | {"Content-Security-Policy": _POLICY}
        return FileResponse(path, media_type="text/html; charset=utf-8", headers=headers)
    return FileResponse(path, filename=name, headers=HEADERS)


HISTORY: Final = PageView(name="history", title="History", show=show, long=load, actions=router)
