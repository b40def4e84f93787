"""The WHERE filter of a DISPLAY.

LT GT EQ NE LE GE compare explicit values; enumerated attributes accept only EQ and NE. LK and NL
take generic strings. CT and EX test the items of lists, CTG and EXG take generic items. Unquoted
values were folded by the parser, so comparisons are case-sensitive, as in DISPLAY for names.
Numbers are compared as numbers.

Source: IBM MQ, descriptions of WHERE in the DISPLAY commands.
"""

from collections.abc import Callable
from operator import eq, ge, gt, le, lt, ne
from typing import Any, Final, Literal

from twin.model.amounts import whole_number
from twin.model.names import generic
from twin.mqsc.statement import Where

Value = str | int | tuple[str, ...]
Form = Literal["number", "text", "word", "list"]
"""The kind of an attribute's values: numbers, free text or names, fixed words, or lists."""

_Comparison = Callable[[Any, Any], bool]

_EXPLICIT: Final[dict[str, _Comparison]] = {
    "LT": lt,
    "GT": gt,
    "EQ": eq,
    "NE": ne,
    "LE": le,
    "GE": ge,
}

_SUITABLE: Final[dict[Form, frozenset[str]]] = {
    "number": frozenset(_EXPLICIT),
    "text": frozenset(_EXPLICIT) | {"LK", "NL"},
    "word": frozenset({"EQ", "NE"}),
    "list": frozenset({"CT", "EX", "CTG", "EXG", "EQ", "NE"}),
}

OPERATORS: Final = frozenset().union(*_SUITABLE.values())
"""Every operator of a WHERE."""


def is_generic(pattern: str) -> bool:
    """Return whether a pattern may match several names."""
    return pattern.endswith("*")


def problem(where: Where, form: Form) -> str | None:
    """Return why a filter cannot be used with an attribute of this form; None if it can.

    The reply to such a filter is AMQ8569.
    """
    if where.operator not in OPERATORS:
        return f"unknown operator {where.operator!r}"
    if where.operator not in _SUITABLE[form]:
        return f"{where.operator} is not for {where.keyword}"
    if form == "number" and whole_number(where.value.strip(), signed=True) is None:
        return f"{where.value!r} is not a number"
    return None


def matches(where: Where, value: Value | None) -> bool:
    """Return whether a value matches a filter; None never does.

    A filter with a ``problem`` matches nothing. All blank values are equal.
    """
    if value is None or where.operator not in OPERATORS:
        return False
    wanted = where.value.rstrip()
    if isinstance(value, int):
        return _number_matches(where.operator, value, wanted)
    if where.operator in _EXPLICIT:
        return _explicit(where.operator, value, wanted)
    items = value if isinstance(value, tuple) else (value,)
    return _among(where.operator, [item.rstrip() for item in items], wanted)


def _explicit(operator: str, value: str | tuple[str, ...], wanted: str) -> bool:
    text = value.rstrip() if isinstance(value, str) else ",".join(value)
    return _EXPLICIT[operator](text, wanted)


def _among(operator: str, items: list[str], wanted: str) -> bool:
    """Return whether the wanted value is among the items; for NL, EX, EXG whether it is not."""
    exact = operator in {"CT", "EX"}
    contained = any(item == wanted if exact else generic(wanted, item) for item in items)
    return contained if operator in {"LK", "CT", "CTG"} else not contained


def _number_matches(operator: str, value: int, wanted: str) -> bool:
    number = whole_number(wanted.strip(), signed=True)
    if number is None or operator not in _EXPLICIT:
        return False
    return _EXPLICIT[operator](value, number)
