"""Answer a DISPLAY: find the rows of its view, filter them, and choose their columns.

Read a DISPLAY command: into a request, or into the message that says what is wrong with it.

Source: IBM MQ, the DISPLAY commands: attributes in any order, ALL, one filter. A keyword that no
row of the command can have is a syntax error; so is a value for a keyword that takes none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from twin.fold.estate import Estate, QueueManager
from twin.model.attributes import (
    ZOS_ONLY,
    Attribute,
    Choice,
    Choices,
    Flag,
    NameList,
    Number,
    TextList,
    Value,
    cell,
    zos_attributes,
)
from twin.model.basis import Basis
from twin.model.instants import AsOf
from twin.model.messages import NOT_RUNNING, SYNTAX_ERROR, Message
from twin.model.names import generic
from twin.model.platforms import ZOS
from twin.mqsc.filters import Form, is_generic, matches, problem
from twin.mqsc.layout import Cell
from twin.mqsc.statement import Parameter, Statement, Where
from twin.mqsc.words import ZOS_OBJECTS, resolve_keyword
from twin.questions.answer import Row
from twin.questions.display._channels import CHANNEL_VIEWS
from twin.questions.display._clusqmgr import CLUSQMGR
from twin.questions.display._definitions import (
    Columns,
    DisplayRequest,
    DisplaySource,
    DisplayView,
    FoundRow,
    columns_by_keyword,
    texts,
)
from twin.questions.display._objects_in_clusters import QUEUE_VIEWS, TOPIC_VIEWS
from twin.questions.display._queue_manager import OTHER_OBJECTS, QUEUE_MANAGER_VIEWS
from twin.questions.display._statuses import QUEUE_HANDLES, STATUS_VIEWS
from twin.questions.display._unobserved import (
    FINDERS,
    HANDLES,
    Unobserved,
    defaults,
    left_to_defaults,
)
from twin.questions.unsure import Doubt, blank

FILTER: Final = "AMQ8569"
NOT_MODELLED: Final = "TWN0001"

_SCOPES: Final = ("CMDSCOPE", "CHLDISP", "QSGDISP")
"""Keywords that on z/OS select queue managers of a group, or objects of the group."""

_OWN_SCOPE: Final = ("", "ALL", "LIVE")
"""Values of these keywords that select all that a queue manager without a group has."""

_EVERY: Final = ("ALL", "USER")
"""Values that select every row; SUBTYPE(USER) selects all but proxies, which twin does not have."""

_SELECTS: Final = {"QTYPE": "TYPE"}
"""The column that a selector names by another keyword."""

_FORMS: Final[tuple[tuple[tuple[type, ...], Form], ...]] = (
    ((Number,), "number"),
    ((Choice, Flag), "word"),
    ((Choices, NameList, TextList), "list"),
)


def ask(
    view: DisplayView, statement: Statement, *, level: int, platform: str
) -> DisplayRequest | Message:
    """Read a command against a view, at the command level and platform of its queue manager."""
    columns = columns_by_keyword(view, level)
    if platform == ZOS:
        columns = {**{each.keyword: each for each in texts(" ".join(ZOS_ONLY))}, **columns}
    reader = _Reader(view, columns)
    for parameter in statement.parameters:
        scope = _scope(parameter) if platform == ZOS else None
        if scope in _OWN_SCOPE:
            continue
        given = as_given(parameter)
        if scope or not view.unmodelled.isdisjoint((given, parameter.keyword)):
            return Message(NOT_MODELLED, f"DISPLAY {statement.object} {given}")
        if not reader.take(parameter):
            return Message(SYNTAX_ERROR, statement.segment(parameter))
    where = statement.where
    if where is not None:
        if where.keyword in view.unmodelled:
            return Message(NOT_MODELLED, f"DISPLAY {statement.object} WHERE({where.keyword})")
        filter_and_form = _filter(where, view, columns)
        if filter_and_form is None:
            return Message(SYNTAX_ERROR, statement.text)
        if problem(*filter_and_form) is not None:
            return Message(FILTER)
        where = filter_and_form[0]
    pattern = "*" if statement.name is None else statement.name.text
    return DisplayRequest(
        pattern=pattern,
        named=view.nameless or not is_generic(pattern),
        columns=frozenset(reader.wanted),
        everything=reader.everything,
        selected=reader.selected,
        words=frozenset(reader.words),
        where=where,
    )


def _scope(parameter: Parameter) -> str | None:
    """Return the scope that a parameter selects on z/OS, also SHORT; None if it selects none."""
    if parameter.values is None:
        return parameter.keyword if parameter.keyword == "SHORT" else None
    return parameter.values[0].text.strip() if parameter.keyword in _SCOPES else None


def as_given(parameter: Parameter) -> str:
    """Return a parameter as `KEYWORD` or `KEYWORD(VALUE)`."""
    if parameter.values is None:
        return parameter.keyword
    return f"{parameter.keyword}({','.join(value.text for value in parameter.values)})"


class _Reader:
    """The parameters of a command that were read so far."""

    def __init__(self, view: DisplayView, columns: Mapping[str, Attribute]) -> None:
        self.wanted: set[str] = set()
        self.selected: dict[str, str] = {}
        self.words: set[str] = set()
        self.everything = False
        self._view = view
        self._columns = columns
        self._known = {*columns, *view.first, *view.words, *view.groups, *view.selectors, "ALL"}

    def take(self, parameter: Parameter) -> bool:
        """Read one parameter; return whether the command may have it."""
        keyword = resolve_keyword(parameter.keyword, self._known)
        if keyword is None:
            return False
        if parameter.values is not None:
            return self._select(keyword, parameter)
        if keyword == "ALL":
            self.everything = True
        elif keyword in self._view.words:
            self.words.add(keyword)
        self.wanted.update(self._view.groups.get(keyword, ()))
        if column := self._columns.get(keyword):
            self.wanted.add(column.keyword)
        elif keyword in self._view.first:
            self.wanted.add(keyword)
        return True

    def _select(self, keyword: str, parameter: Parameter) -> bool:
        choices = self._view.selectors.get(keyword)
        values = parameter.values or ()
        if choices is None or len(values) != 1:
            return False
        value = values[0].text
        if choices and value not in choices:
            return False
        every = choices and value in _EVERY
        self.selected[_SELECTS.get(keyword, keyword)] = "*" if every else value
        return True


def _filter(
    where: Where, view: DisplayView, columns: Mapping[str, Attribute]
) -> tuple[Where, Form] | None:
    """Resolve the keyword of a filter; return None if no row has such a column."""
    keyword = resolve_keyword(where.keyword, {*columns, *view.first})
    if keyword is None:
        return None
    column = columns.get(keyword)
    if column is None:
        return replace(where, keyword=keyword), "text"
    return replace(where, keyword=column.keyword), _form(column, where.value)


def _form(column: Attribute, value: str) -> Form:
    """Return the form of a column's values; if a word replaces a number, it is compared as text."""
    if isinstance(column.form, Number) and value in column.form.words:
        return "word"
    for classes, form in _FORMS:
        if isinstance(column.form, classes):
            return form
    return "text"


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
        problem: why it has no rows; None also if it is not known whether it has some.
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
        request.selected.keys() - view.found_by
    )
    source = DisplaySource(estate, qmgr, request, as_of.valid)
    (columns, *_) = view.columns(qmgr.cmdlevel)
    rows = [row for row in view.find(source) if _is_selected(request, row, selecting)]
    if qmgr.platform == ZOS:
        rows = [_on_zos(row, columns, statement.object, qmgr) for row in rows]
    rows, doubts = _without_unsure(source, view.first[0], rows)
    keywords = {each.keyword for each in _chosen(view, request, columns)}
    unobserved = tuple(_unobserved(source, statement, rows, keywords))
    unobserved += tuple(
        Unobserved(str(each)) for each in doubts if not keywords.isdisjoint(each.values)
    )
    matching_rows = [
        row
        for row in rows
        if request.where is None or matches(request.where, row.values.get(request.where.keyword))
    ]
    left_out = _left_out(request, rows, columns if qmgr.is_only_observed else ())
    if not matching_rows:
        unseen = bool(left_out) and qmgr.is_only_observed
        problem = None if unseen else _missing(view, request)
        return Displayed(as_of, problem=problem, unobserved=unobserved, left_out=left_out)
    records = tuple(_records(view, request, matching_rows, columns))
    return Displayed(as_of, records, unobserved=unobserved, left_out=left_out)


def _on_zos(row: FoundRow, columns: Columns, word: str, qmgr: QueueManager) -> FoundRow:
    """Return a row of a definition with the attributes that it has on z/OS only.

    What an imported queue manager did not show of them is not known, and has no cell.
    """
    type_name = str(row.values["TYPE"]) if word == "QUEUE" else word
    own = () if qmgr.is_only_observed else zos_attributes(type_name)
    values = {**{each.keyword: str(each.default) for each in own}, **row.values}
    known = row.columns or columns
    more = sorted(values.keys() & ZOS_ONLY.keys() - {each.keyword for each in known})
    return replace(row, values=values, columns=(*known, *texts(" ".join(more))))


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
    yield from left_to_defaults(source, statement.object, keywords)
    find = FINDERS.get(HANDLES if _is_about_handles(statement) else statement.object)
    if find is not None and source.qmgr.is_only_observed:
        yield from find(source, rows, keywords)


def _left_out(request: DisplayRequest, rows: list[FoundRow], unseen: Columns) -> dict[str, int]:
    """Return how many rows have no known value of the attribute that a filter compares.

    `unseen` are the columns of rows that lack the values which nobody observed.
    """
    if request.where is None:
        return {}
    keyword, may_lack = request.where.keyword, {each.keyword for each in unseen}
    unknown = sum(
        row.values.get(keyword) is None and (keyword in row.values or keyword in may_lack)
        for row in rows
    )
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
        cells=tuple(
            cell(column, "" if value is None else value)
            for column, value in shown
            if value is not None or not isinstance(column.form, Flag)
        ),
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
