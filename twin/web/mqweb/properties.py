"""Rows of DISPLAY as objects of mqweb, and objects of mqweb as parameters of commands."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from twin.model.rest_properties import RestProperty
from twin.questions.answer import Row
from twin.web.mqweb.attributes import nested
from twin.web.mqweb.errors import BadDocument

_HOST: Final = re.compile(r"([^()]+?)\s*(?:\((\d{1,5})\))?")


def properties_of(row: Row, table: Iterable[RestProperty]) -> tuple[dict[str, Any], list[str]]:
    """Return the properties of a row by path, and the paths of those that twin does not know."""
    values: dict[str, Any] = {}
    unknown: list[str] = []
    for each in table:
        keyword = each.keyword.lower()
        if keyword not in row:
            continue
        value = row[keyword]
        if value is None:
            unknown.append(each.path)
        else:
            values[each.path] = each.words.get(str(value), _plain(value))
    return values, unknown


def _plain(value: Any) -> Any:
    return ",".join(value) if isinstance(value, tuple) else value


def timestamp_of(row: Row, day: str, time: str) -> str | None:
    """Return the time in two columns of a row as a time stamp of mqweb; None if it has none."""
    date, clock = row.get(day), row.get(time)
    if not date or not clock:
        return None
    return f"{date}T{str(clock).replace('.', ':')}.000Z"


def timestamps(row: Row, columns: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """Return the time stamps of a row by path."""
    values = {path: timestamp_of(row, *names) for path, names in columns.items()}
    return {path: value for path, value in values.items() if value is not None}


def connections(conname: str) -> list[dict[str, Any]]:
    """Return a CONNAME as mqweb does: hosts and ports, or the whole as a host if it has others."""
    if not conname.strip():
        return []
    hosts = [_HOST.fullmatch(part.strip()) for part in conname.split(",")]
    if not all(hosts):
        return [{"host": conname}]
    found = [each for each in hosts if each]
    return [{"host": each[1], **({"port": int(each[2])} if each[2] else {})} for each in found]


def element(
    values: Mapping[str, Any],
    unknown: Sequence[str],
    *,
    wants: Callable[[str], bool],
    always: Collection[str] = (),
) -> dict[str, Any]:
    """Return the selected properties of one object, and beside them those that twin does not know.

    `wants` says whether a property is selected; the groups `always` are shown unasked.
    """
    shown = {
        path: value
        for path, value in values.items()
        if path.partition(".")[0] in always or wants(path)
    }
    missing = [path for path in unknown if wants(path)]
    return {**nested(shown), **({"twin": {"notModelled": missing}} if missing else {})}


def parameters_of(
    body: Mapping[str, Any], table: Iterable[RestProperty], *, besides: Iterable[str]
) -> dict[str, Any]:
    """Return the parameters of a command that sets the properties in a body.

    Args:
        body: the document.
        table: the properties that it may have.
        besides: other properties that it may have.

    Raises:
        BadDocument: if it has other properties, or values that they cannot have.
    """
    by_path = {each.path: each for each in table}
    parameters: dict[str, Any] = {}
    for path, value in _flat(body, ""):
        if path in besides:
            continue
        if path not in by_path or not isinstance(value, str | int):
            raise BadDocument(
                _BAD_OBJECT,
                f"It has the property {path}, which is unknown, or no text, number or boolean.",
            )
        each = by_path[path]
        word, earlier = _word(each, value), parameters.get(each.keyword, _NEITHER)
        if word != _NEITHER and earlier not in {word, _NEITHER}:
            raise BadDocument(_BAD_OBJECT, f"{path} excludes another property.")
        parameters[each.keyword] = word if earlier == _NEITHER else earlier
    return parameters


_BAD_OBJECT: Final = "The body does not describe an object."
_NEITHER: Final = "NONE"
"""The word for which two properties of one keyword are both false."""


def _flat(value: Mapping[str, Any], before: str) -> Iterable[tuple[str, Any]]:
    for key, inner in value.items():
        path = f"{before}{key}"
        if isinstance(inner, dict):
            yield from _flat(inner, f"{path}.")
        else:
            yield path, inner


def _word(each: RestProperty, value: Any) -> Any:
    """Return the value of a parameter.

    Raises:
        BadDocument: if the property cannot have this value.
    """
    if not each.words:
        return value
    words = [
        word
        for word, known in each.words.items()
        if (type(known) is type(value) and known == value)
    ]
    if not words:
        expected = ", ".join(dict.fromkeys(json.dumps(known) for known in each.words.values()))
        raise BadDocument(_BAD_OBJECT, f"{each.path} must be one of: {expected}.")
    return words[-1]
