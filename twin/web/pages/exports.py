"""A page for programs: its tables as JSON, and one of them as CSV."""

from __future__ import annotations

import json
from collections.abc import Sequence

from starlette.responses import Response

from twin.csv_text import csv_text
from twin.errors import TwinError
from twin.model.asof import AsOf
from twin.model.instants import format_instant
from twin.web.pages.parameters import one_of
from twin.web.pages.rendering import HEADERS
from twin.web.pages.view import PageContent, PageTable


class NoTable(TwinError, LookupError):
    """A view that shows nothing yet that could be a table."""

    def __init__(self) -> None:
        super().__init__("this view has no table: nothing was asked, or there is no report yet")


def as_json(view: str, at: AsOf, shown: PageContent) -> Response:
    """Return all tables of a view as JSON, with the commands that give the same."""
    document = {
        "view": view,
        "twin": "this is a digital twin, not IBM MQ",
        "as_of": {
            "valid": format_instant(at.valid),
            "known": format_instant(at.known),
            "branch": at.branch,
        },
        "commands": list(shown.commands),
        "tables": {table.name: table.document for table in shown.tables},
    }
    text = json.dumps(document, indent=1)
    return Response(text, media_type="application/json", headers=HEADERS)


def as_csv(shown: PageContent, name: str | None) -> Response:
    """Return one table of a view as CSV: the one of this name, or the first.

    Raises:
        BadParameter: if the view has none of this name.
        NoTable: if it has none at all.
    """
    table = _chosen(shown.tables, name)
    rows = (map(row.get, table.columns) for row in table.rows)
    text = csv_text(table.columns, rows)
    return Response(text, media_type="text/csv; charset=utf-8", headers=HEADERS)


def _chosen(tables: Sequence[PageTable], name: str | None) -> PageTable:
    if not tables:
        raise NoTable
    named = {table.name: table for table in tables}
    if name is None:
        return tables[0]
    one_of(named).demand_form("table", name)
    return named[name]
