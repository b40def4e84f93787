"""The values of an object with and without defaults, and how they are written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from twin.model.attributes._attribute import Attribute
from twin.model.attributes._forms import Flag, Given, NameList, Value
from twin.model.attributes._registry import TYPES

_PADDED: Final = frozenset({"BATCHLIM"})
"""Keywords whose value dmpmqcfg and DISPLAY write with a blank after it."""


def full(type_name: str, values: Mapping[str, Value], *, level: int) -> dict[str, Value]:
    """Return every attribute of an object, including defaults, in the order of DISPLAY.

    Attributes that only the caller knows (ALTDATE, QMID ...) are included if they are in `values`.
    Attributes of another variant (PORT of an LU62 listener) are left out. Unknown keywords come
    last, in the order of `values`; the profile of a record (CHLAUTH) is not included.
    """
    table = TYPES[type_name]
    shown = {
        each.keyword: values.get(each.keyword, each.default)
        for each in table.at(level)
        if each.keyword in values or each.default is not None
    }
    result = {keyword: value for keyword, value in shown.items() if value is not None}
    for keyword in table.variants.strangers(result) if table.variants else ():
        if keyword not in values:
            del result[keyword]
    for keyword in values:
        if keyword not in table.by_keyword and keyword != table.word:
            result[keyword] = values[keyword]
    if type_name == "NAMELIST" and "NAMCOUNT" not in values:
        names = result["NAMES"]
        result["NAMCOUNT"] = len(names) if isinstance(names, tuple) else 0
    return result


def sparse(type_name: str, values: Mapping[str, Value]) -> dict[str, Value]:
    """Return the values that DEFINE can set and that differ from the defaults."""
    known = TYPES[type_name].by_keyword
    return {
        keyword: value
        for keyword, value in values.items()
        if keyword not in known or (known[keyword].settable and value != known[keyword].default)
    }


def keyword_of(attribute: Attribute, value: Value) -> str:
    """Return the keyword to write; for a flag that is off, the other one (NOTRIGGER)."""
    if isinstance(attribute.form, Flag) and value == "NO":
        return attribute.form.off
    return attribute.keyword


def render(attribute: Attribute, value: Value) -> str | tuple[str, ...] | None:
    """Write a value as DISPLAY shows it in its cell; None for a keyword without value.

    A blank value is shown as one blank, or as nothing if MQ shows nothing (TOPICSTR). A list of
    names is returned as a list, because it is written on several lines.
    """
    if isinstance(attribute.form, Flag):
        return None
    if isinstance(value, tuple):
        if isinstance(attribute.form, NameList) and value:
            return value
        return ",".join(value) or attribute.blank
    return str(value) or attribute.blank


def cell(attribute: Attribute, value: Value) -> tuple[str, str | tuple[str, ...] | None]:
    """Write an attribute as one cell of a display: the keyword and the value."""
    return keyword_of(attribute, value), render(attribute, value)


def as_mqsc(attribute: Attribute, value: Value) -> str:
    """Write an attribute as dmpmqcfg does, so that runmqsc can read it.

    A list of names is written on several lines; each further line is indented by the length of the
    keyword and begins with a comma.
    """
    keyword = keyword_of(attribute, value)
    if isinstance(attribute.form, Flag):
        return keyword
    padding = " " if keyword in _PADDED else ""
    return f"{keyword}({_argument(attribute, value)}){padding}"


def _argument(attribute: Attribute, value: Value) -> str:
    quoted = attribute.form.quoted
    if isinstance(value, tuple):
        words = [_quote(each) if quoted else each for each in value]
        between = "\n" + " " * len(attribute.keyword) + ","
        return (between if isinstance(attribute.form, NameList) else ",").join(words) or "' '"
    if not value and value != 0:
        return f"'{attribute.blank}'"
    return _quote(str(value)) if quoted else str(value)


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def attribute_of(type_name: str, keyword: str) -> Attribute:
    """Return the attribute that a keyword of this type sets; an unknown one is stored unchanged."""
    return TYPES[type_name].by_keyword.get(keyword) or Attribute(keyword, Given(), "")


def template_of(type_name: str, values: Mapping[str, Value]) -> str:
    """Return the object that a DEFINE without LIKE starts from; AUTHINFO has one for each type."""
    return TYPES[type_name].template.format_map({"AUTHTYPE": values.get("AUTHTYPE", "")})
