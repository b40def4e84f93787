"""An answer as a table for other tools: HTML, Arrow, pandas."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape
from importlib import import_module
from typing import Any, Final, TypeAlias

from twin.errors import SubjectError
from twin.questions.catalogue import QUESTIONS
from twin.questions.declared import before_and_after

Rows: TypeAlias = Sequence[Mapping[str, Any]]

_ARROW: Final[Mapping[str, str]] = {
    "text": "string",
    "integer": "int64",
    "boolean": "bool_",
    "value": "string",
}
"""Type of a column -> the function of pyarrow that makes its type."""

_PANDAS: Final[Mapping[str, str]] = {
    "text": "string",
    "integer": "Int64",
    "boolean": "boolean",
    "instant": "Int64",
    "list": "object",
    "commands": "object",
    "value": "string",
}
"""Type of a column -> the dtype of pandas; an instant is converted afterwards."""


_GUESSES: Final = {"bool": "boolean", "int": "integer", "tuple": "list"}
"""Class of all values of an undeclared column -> its type."""


class NoPackage(
    SubjectError,
    ImportError,
    message="{0} is not installed: install it with pip install {0}",
):
    """A package that an answer is converted for is not installed."""


def html_of(caption: str, columns: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return an HTML table with a caption; every text is escaped."""
    columns = list(columns)
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    cells = ("".join(_cell(row.get(column)) for column in columns) for row in rows)
    body = "".join(f"<tr>{each}</tr>" for each in cells)
    return (
        f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def types_of(
    question: str, columns: Iterable[str], instants: Collection[str], rows: Rows
) -> dict[str, str]:
    """Return the type of each column: as declared, or else as its name and values say."""
    declared = QUESTIONS.get(question)
    types = {column.name: column.type for column in declared.columns} if declared else {}
    types |= {each: type_ for name, type_ in types.items() for each in before_and_after([name])}
    return {
        name: "instant" if name in instants else types.get(name) or _guessed(name, rows)
        for name in columns
    }


def arrow_of(types: Mapping[str, str], rows: Rows) -> Any:
    """Return a `pyarrow.Table` with typed columns.

    Raises:
        NoPackage: when pyarrow is not installed.
    """
    arrow = _package("pyarrow")
    made = {
        **{name: getattr(arrow, function)() for name, function in _ARROW.items()},
        "instant": arrow.timestamp("us", tz="UTC"),
        **dict.fromkeys(("list", "commands"), arrow.list_(arrow.string())),
    }
    return arrow.table(
        {
            name: arrow.array(_values(name, type_, rows), type=made[type_])
            for name, type_ in types.items()
        }
    )


def pandas_of(types: Mapping[str, str], rows: Rows) -> Any:
    """Return a `pandas.DataFrame` with typed columns.

    Raises:
        NoPackage: when pandas is not installed.
    """
    pandas = _package("pandas")
    return pandas.DataFrame(
        {name: _series(pandas, _values(name, type_, rows), type_) for name, type_ in types.items()}
    )


def _series(pandas: Any, values: list[Any], type_: str) -> Any:
    series = pandas.Series(values, dtype=_PANDAS[type_])
    return pandas.to_datetime(series, unit="us", utc=True) if type_ == "instant" else series


def _guessed(column: str, rows: Rows) -> str:
    names = {type(row.get(column)).__name__ for row in rows} - {"NoneType"}
    return _GUESSES.get(names.pop(), "text") if len(names) == 1 else "value"


def _values(column: str, type_: str, rows: Rows) -> list[Any]:
    values = [row.get(column) for row in rows]
    if type_ == "commands":
        return [None if value is None else tuple(map(str, value)) for value in values]
    if type_ != "value":
        return values
    return [None if value is None else str(value) for value in values]


def _item(item: object) -> str:
    """Return an item of a list as text; a command with the queue manager to run it on."""
    return f"{item['on']}: {item['mqsc']}" if isinstance(item, dict) else str(item)


def _cell(value: object) -> str:
    if isinstance(value, list):
        value = " ".join(map(_item, value))
    return f"<td>{'' if value is None else escape(str(value))}</td>"


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise NoPackage(name) from None
