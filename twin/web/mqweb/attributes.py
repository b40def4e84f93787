"""The query parameters of GET: which properties to return, and the check that all are known.

Source: IBM MQ 9.4, the GET pages: `attributes` and `status` take `*`, groups, and properties with
the name of their group in front, separated by commas.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final, NamedTuple, Self

from starlette.requests import Request

from twin.model.amounts import whole_number
from twin.model.names import generic
from twin.web.mqweb.errors import BadQuery

EVERYTHING: Final = "*"
_OPERATORS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "lessThan": operator.lt,
    "greaterThan": operator.gt,
    "equalTo": operator.eq,
    "notEqualTo": operator.ne,
    "lessThanOrEqualTo": operator.le,
    "greaterThanOrEqualTo": operator.ge,
}
_POINT: Final = frozenset(
    {"twin-as-of", "twin-known-at", "twin-branch", "as-of", "known-at", "branch"}
)


class UnknownValue(
    BadQuery,
    message="The query parameter '{name}' has the unknown value '{value}'.",
    explanation="It takes {expected}.",
):
    """A value that a query parameter does not take."""


class UnknownParameter(
    BadQuery,
    message="The query parameter '{0}' is unknown.",
    explanation="This resource takes: {1}.",
):
    """A query parameter that a resource does not have."""


class RepeatedParameter(
    BadQuery,
    message="The query parameter '{0}' is given twice.",
    explanation="Each parameter has one value.",
):
    """A query parameter that is given more than once."""


class SelectedProperties(NamedTuple):
    """The selected properties.

    Attributes:
        names: groups and properties; `*` for all.
    """

    names: frozenset[str] = frozenset()

    @classmethod
    def of(cls, request: Request, parameter: str, known: Iterable[str]) -> Self:
        """Read a query parameter.

        Args:
            request: the request.
            parameter: the name of the query parameter.
            known: all properties, each with the name of its group in front.

        Raises:
            UnknownValue: if it names an unknown group or property.
        """
        text = request.query_params.get(parameter)
        names = frozenset() if text is None else frozenset(text.split(","))
        known = frozenset(known)
        allowed = {EVERYTHING, *known, *(path.partition(".")[0] for path in known)}
        if unknown := sorted(names - allowed):
            expected = f"{EVERYTHING}, or some of: {', '.join(sorted(known))}"
            raise UnknownValue(name=parameter, value=unknown[0], expected=expected)
        return cls(names)

    def wants(self, path: str) -> bool:
        """Return whether a property is selected."""
        return not self.names.isdisjoint({EVERYTHING, path, path.partition(".")[0]})


class PropertyFilter(NamedTuple):
    """The filter of a GET: a property, an operator and a value; an empty path selects everything.

    Source: IBM MQ 9.1, "REST API and PCF equivalents for queues": the operators.
    """

    path: str = ""
    operator: str = ""
    value: str = ""

    @classmethod
    def of(cls, request: Request, known: Collection[str]) -> Self:
        """Read the query parameter `filter`, as `property:operator:value`.

        Raises:
            UnknownValue: if it has an unknown property or operator.
        """
        text = request.query_params.get("filter")
        if text is None:
            return cls()
        path, _, rest = text.partition(":")
        word, colon, value = rest.partition(":")
        if path not in known or word not in _OPERATORS or not colon:
            expected = f"PROPERTY:OPERATOR:VALUE, with one of: {', '.join(_OPERATORS)}"
            raise UnknownValue(name="filter", value=text, expected=expected)
        return cls(path, word, value)

    def matches(self, values: Mapping[str, Any]) -> bool:
        """Return whether an object passes; one without the property does not."""
        if not self.path:
            return True
        value = values.get(self.path)
        if value is None:
            return False
        if isinstance(value, bool):
            return self._compared(str(value).lower(), self.value)
        if isinstance(value, int):
            number = whole_number(self.value, signed=True)
            return number is not None and self._compared(value, number)
        if self.value.endswith("*") and self.operator in {"equalTo", "notEqualTo"}:
            return generic(self.value, str(value)) == (self.operator == "equalTo")
        return self._compared(str(value), self.value)

    def _compared(self, value: Any, wanted: Any) -> bool:
        return bool(_OPERATORS[self.operator](value, wanted))


def check_parameters(request: Request, known: Collection[str]) -> None:
    """Check that all query parameters of a request are known.

    Raises:
        UnknownParameter: if one is not.
        RepeatedParameter: if one is given twice.
    """
    names = [name for name, _ in request.query_params.multi_items()]
    for name in names:
        if name not in known and name not in _POINT:
            raise UnknownParameter(name, ", ".join(sorted(known)) or "none")
        if names.count(name) > 1:
            raise RepeatedParameter(name)


def nested(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return properties as objects: the dots in their names separate the groups."""
    result: dict[str, Any] = {}
    for path, value in properties.items():
        *groups, name = path.split(".")
        inner = result
        for group in groups:
            inner = inner.setdefault(group, {})
        inner[name] = value
    return result
