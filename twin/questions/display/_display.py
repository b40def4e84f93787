"""Answer a DISPLAY: find the rows of its view, filter them, and choose their columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from twin.fold.estate import Estate
from twin.model.attributes import Attribute, Value, cell
from twin.model.basis import Basis
from twin.model.instants import AsOf
from twin.model.messages import NOT_RUNNING, SYNTAX_ERROR, Message
from twin.model.names import generic
from twin.model.platforms import ZOS
from twin.mqsc.filters import matches
from twin.mqsc.layout import Cell
from twin.mqsc.statement import Statement
from twin.mqsc.words import ZOS_OBJECTS
from twin.questions.answer import Row
from twin.questions.display._asking import NOT_MODELLED, as_given, ask
from twin.questions.display._channels import CHANNEL_VIEWS
from twin.questions.display._clusqmgr import CLUSQMGR
from twin.questions.display._objects_in_clusters import QUEUE_VIEWS, TOPIC_VIEWS
from twin.questions.display._queue_manager import OTHER_OBJECTS, QUEUE_MANAGER_VIEWS
from twin.questions.display._statuses import QUEUE_HANDLES, STATUS_VIEWS
from twin.questions.display._unobserved import FINDERS, HANDLES, Unobserved, defaults
from twin.questions.display._view import (
    Columns,
    DisplayRequest,
    DisplaySource,
    DisplayView,
    FoundRow,
    columns_by_keyword,
    texts,
)
from twin.questions.unsure import Doubt, blank

VIEWS: Final[Mapping[str, DisplayView]] = MappingProxyType(
    {
        **QUEUE_VIEWS,
        **TOPIC_VIEWS,
        **QUEUE_MANAGER_VIEWS,
        **OTHER_OBJECTS,
        **STATUS_VIEWS,
        **CHANNEL_VIEWS,
        "CLUSQMGR": CLUSQMGR,
    }
)
"""The object words that can be displayed, each with its view."""


@dataclass(frozen=True, slots=True)
class DisplayRecord:
    """One row of an answer.

    Attributes:
        message: the id of the message above it, without severity letter.
        cells: keyword and text of each cell, for `twin.mqsc.layout`.
        values: the same by keyword in lower case, numbers as numbers, flags as YES or NO.
        evidence: the log positions of the events it rests on.
        basis: what a record of a cluster rests on; None for any other row.
    """

    message: str
    cells: tuple[Cell, ...]
    values: Row
    evidence: tuple[int, ...]
    basis: Basis | None = None


@dataclass(frozen=True, slots=True)
class Displayed:
    """The answer to one DISPLAY: records, or the message that says why there are none.

    Attributes:
        as_of: the point it was computed at.
        records: its rows.
        problem: why it has no rows.
        unobserved: what it would show, or shows as the rules derive it, and nobody observed.
        left_out: keyword -> how many rows a filter left out because their value is not known.
    """

    as_of: AsOf
    records: tuple[DisplayRecord, ...] = ()
    problem: Message | None = None
    unobserved: tuple[Unobserved, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)


def display(estate: Estate, as_of: AsOf, qmgr_name: str, statement: Statement) -> Displayed:
    """Answer a DISPLAY command as a queue manager would.

    Raises:
        NoSuchQueueManager: when the estate has no such queue manager.
    """
    qmgr = estate.qmgr(qmgr_name)
    if not qmgr.running:
        return Displayed(as_of, problem=Message(NOT_RUNNING, qmgr.name))
    view = view_of(statement)
    if view is None:
        if statement.object in ZOS_OBJECTS and qmgr.platform != ZOS:
            return Displayed(as_of, problem=Message(SYNTAX_ERROR, statement.head))
        word = f"{statement.verb} {statement.object}"
        return Displayed(as_of, problem=Message(NOT_MODELLED, word))
    request = ask(view, statement, level=qmgr.cmdlevel, platform=qmgr.platform)
    if isinstance(request, Message):
        return Displayed(as_of, problem=request)
    selecting = {*view.first, *columns_by_keyword(view, qmgr.cmdlevel)}.intersection(
        request.selected
    )
    source = DisplaySource(estate, qmgr, request, as_of.valid)
    rows = [row for row in view.find(source) if _is_selected(request, row, selecting)]
    rows, doubts = _without_unsure(source, view.first[0], rows)
    (columns, *_) = view.columns(qmgr.cmdlevel)
    keywords = {each.keyword for each in _chosen(view, request, columns)}
    unobserved = tuple(_unobserved(source, statement, rows, keywords))
    unobserved += tuple(
        Unobserved(str(each)) for each in doubts if not keywords.isdisjoint(each.values)
    )
    matching_rows = [row for row in rows if _passes(request, row)]
    left_out = _left_out(request, rows)
    if not matching_rows:
        problem = _missing(view, request)
        return Displayed(as_of, problem=problem, unobserved=unobserved, left_out=left_out)
    records = tuple(_records(view, request, matching_rows, columns))
    return Displayed(as_of, records, unobserved=unobserved, left_out=left_out)


def view_of(statement: Statement) -> DisplayView | None:
    """Return the view of a DISPLAY; the handles of a queue are shown in a view of their own."""
    return QUEUE_HANDLES if _is_about_handles(statement) else VIEWS.get(statement.object)


def _is_about_handles(statement: Statement) -> bool:
    is_queue_status = statement.object == "QSTATUS"
    return is_queue_status and "TYPE(HANDLE)" in map(as_given, statement.parameters)


def _without_unsure(
    source: DisplaySource, first: str, rows: list[FoundRow]
) -> tuple[list[FoundRow], list[Doubt]]:
    """Return rows without values that are not known between two sights, and what is not known."""
    if not source.estate.has_unsure_objects:
        return rows, []
    doubts = [blank(source.estate, source.qmgr, first, row.values) for row in rows]
    known = [
        row if doubt is None else replace(row, values=_blanked(row.values, doubt))
        for row, doubt in zip(rows, doubts, strict=True)
    ]
    return known, [doubt for doubt in doubts if doubt is not None]


def _blanked(values: Mapping[str, Value | None], doubt: Doubt) -> dict[str, Value | None]:
    return {each: None if each in doubt.values else value for each, value in values.items()}


def _unobserved(
    source: DisplaySource, statement: Statement, rows: list[FoundRow], keywords: set[str]
) -> Iterator[Unobserved]:
    """Yield what an answer would show of an imported queue manager, and nobody observed."""
    yield from defaults(source, rows, statement.object)
    find = FINDERS.get(HANDLES if _is_about_handles(statement) else statement.object)
    if find is not None and source.qmgr.is_only_observed:
        yield from find(source, rows, keywords)


def _left_out(request: DisplayRequest, rows: list[FoundRow]) -> dict[str, int]:
    """Return how many rows have no known value of the attribute that a filter compares."""
    if request.where is None:
        return {}
    keyword = request.where.keyword
    unknown = sum(keyword in row.values and row.values[keyword] is None for row in rows)
    return {keyword: unknown} if unknown else {}


def _missing(view: DisplayView, request: DisplayRequest) -> Message:
    special = [
        view.missing_of[each] for each in request.selected.items() if each in view.missing_of
    ]
    return Message(special[0] if special else view.missing, request.pattern)


def _is_selected(request: DisplayRequest, row: FoundRow, selecting: set[str]) -> bool:
    """Return whether a row has the values that the command selects."""
    return all(
        generic(request.selected[keyword], str(row.values.get(keyword, "")))
        for keyword in selecting
    )


def _passes(request: DisplayRequest, row: FoundRow) -> bool:
    """Return whether a row passes the filter of the command."""
    return request.where is None or matches(request.where, row.values.get(request.where.keyword))


def _records(
    view: DisplayView, request: DisplayRequest, rows: list[FoundRow], only: Columns
) -> Iterator[DisplayRecord]:
    """Go through the records of rows; rows of one kind share columns, which are chosen once."""
    chosen: dict[int, list[Attribute]] = {}
    for row in rows:
        columns = only if row.columns is None else row.columns
        if id(columns) not in chosen:
            chosen[id(columns)] = _chosen(view, request, columns)
        yield _record(view, chosen[id(columns)], row)


def _record(view: DisplayView, columns: list[Attribute], row: FoundRow) -> DisplayRecord:
    values = row.values
    shown = [(column, values[column.keyword]) for column in columns if column.keyword in values]
    return DisplayRecord(
        message=view.message,
        cells=tuple(cell(column, "" if value is None else value) for column, value in shown),
        values={column.keyword.lower(): value for column, value in shown},
        evidence=tuple(sorted({position for position in row.evidence if position})),
        basis=row.basis,
    )


def _chosen(view: DisplayView, request: DisplayRequest, columns: Columns) -> list[Attribute]:
    """Choose columns: the first cells, then those requested, in the order of the table."""
    first = texts(" ".join(view.first))
    others = [column for column in columns if column.keyword not in view.first]
    if request.everything or (view.whole and request.named and not request.columns):
        return [*first, *others]
    wanted = {*request.columns, *request.selected, *view.always}
    if request.where is not None:
        wanted.add(request.where.keyword)
    lead = [column for column in others if column.keyword in view.lead]
    rest = [column for column in others if column.keyword in wanted - {*view.lead}]
    return [*first, *lead, *rest]
