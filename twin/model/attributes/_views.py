"""The two shapes of an object's values, sparse and full, and how a value is written out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from twin.model.attributes._attribute import Attribute
from twin.model.attributes._forms import Flag, Given, NameList, Value
from twin.model.attributes._registry import TYPES

_PADDED: Final = frozenset({"BATCHLIM"})
"""Keywords whose value dmpmqcfg (and DISPLAY) write with a blank after it."""


def full(type_name: str, values: Mapping[str, Value], *, level: int) -> dict[str, Value]:
    """Give every attribute of an object in the order of DISPLAY, defaults filled in.

    What only the caller knows (ALTDATE, QMID ...) is there when `values` has it. Unknown keywords
    of a type that is kept as given come last, in the order of `values`; the profile of a record,
    kept under the word that names it (CHLAUTH), is not among them.
    """
    table = TYPES[type_name]
    shown = {
        each.keyword: values.get(each.keyword, each.default)
        for each in table.at(level)
        if each.keyword in values or each.default is not None
    }
    result = {keyword: value for keyword, value in shown.items() if value is not None}
    if table.kept:
        known = {table.word, *table.by_keyword}
        result.update({key: value for key, value in values.items() if key not in known})
    if type_name == "NAMELIST" and "NAMCOUNT" not in values:
        names = result["NAMES"]
        result["NAMCOUNT"] = len(names) if isinstance(names, tuple) else 0
    return result


def sparse(type_name: str, values: Mapping[str, Value]) -> dict[str, Value]:
    """Keep of an object's values what DEFINE can set and what differs from the defaults."""
    known = TYPES[type_name].by_keyword
    return {
        keyword: value
        for keyword, value in values.items()
        if keyword not in known or (known[keyword].settable and value != known[keyword].default)
    }


def keyword_of(attribute: Attribute, value: Value) -> str:
    """Give the keyword to write: of a flag that is off it is the other one (NOTRIGGER)."""
    if isinstance(attribute.form, Flag) and value == "NO":
        return attribute.form.off
    return attribute.keyword


def render(attribute: Attribute, value: Value) -> str | tuple[str, ...] | None:
    """Write a value as DISPLAY shows it in its cell; None is a bare keyword.

    A blank value is shown as one blank, or as nothing where MQ shows nothing (TOPICSTR). A list
    of names stays a list, because it is laid out over several lines.
    """
    if isinstance(attribute.form, Flag):
        return None
    if isinstance(value, tuple):
        if isinstance(attribute.form, NameList) and value:
            return value
        return ",".join(value) or attribute.blank
    return str(value) or attribute.blank


def cell(attribute: Attribute, value: Value) -> tuple[str, str | tuple[str, ...] | None]:
    """Write an attribute as one cell of a display: the keyword and what stands in parentheses."""
    return keyword_of(attribute, value), render(attribute, value)


def as_mqsc(attribute: Attribute, value: Value) -> str:
    """Write an attribute as dmpmqcfg does, so that runmqsc reads it again.

    A list of names goes over several lines, each further one indented as far as the keyword is
    long and opened by a comma.
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
    """Give the attribute that a keyword of this type sets; an unknown one is kept as given."""
    return TYPES[type_name].by_keyword.get(keyword) or Attribute(keyword, Given(), "")


def template_of(type_name: str, values: Mapping[str, Value]) -> str:
    """Name the object whose values a DEFINE without LIKE starts from; AUTHINFO has one per type."""
    return TYPES[type_name].template.format_map({"AUTHTYPE": values.get("AUTHTYPE", "")})
