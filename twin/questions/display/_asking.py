"""Read a DISPLAY command: into a request, or into the message that says what is wrong with it.

Source: IBM MQ, the DISPLAY commands: attributes in any order, ALL, one filter. A keyword that no
row of the command can have is a syntax error; so is a value for a keyword that takes none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from twin.model.attributes import (
    ZOS_ONLY,
    Attribute,
    Choice,
    Choices,
    Flag,
    NameList,
    Number,
    TextList,
)
from twin.model.messages import SYNTAX_ERROR, Message
from twin.model.platforms import ZOS
from twin.mqsc.filters import Form, is_generic, problem
from twin.mqsc.statement import Parameter, Statement, Where
from twin.mqsc.words import resolve_keyword
from twin.questions.display._view import DisplayRequest, DisplayView, columns_by_keyword, texts

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
