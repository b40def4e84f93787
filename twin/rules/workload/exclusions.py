"""Why a rule excluded a route, in words: what the route has, and what another one has."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from twin.rules.workload.filters import Fall
from twin.rules.workload.rules import Rule

_HIGHEST: Final = ", the highest is {best}"
_TAKEN: Final = "the local instance is taken"

_BESIDE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "cluster": ", not {best}",
        "channel-rank": _HIGHEST,
        "queue-rank": _HIGHEST,
        "local": f": {_TAKEN}",
        "suspended": ", another is not",
        "status": ", the best is {best}",
        "netprty": _HIGHEST,
        "channel-priority": _HIGHEST,
        "queue-priority": _HIGHEST,
    }
)
"""Rule -> what is said after the attribute of the route; for PUT(DISABLED) nothing more."""


def attribute_of(rule: Rule, fall: Fall) -> str:
    """Return the attribute for which a rule excluded a route, such as `PUT(DISABLED)`."""
    if fall.value is None:
        return "the message came over a cluster channel"
    return f"{rule.attribute}({fall.value})"


def reason_of(rule: Rule, fall: Fall) -> str:
    """Return why a rule excluded a route: its attribute or its counters, and what it had to match.

    Counters decide who is next: the lowest factor, then the lowest number of the last use, which is
    0 for a route that was never used. For CLWLMRUC the highest numbers stay.
    """
    if fall.turns is None:
        return attribute_of(rule, fall) + _BESIDE.get(rule.name, "").format(best=fall.best)
    (factor, number), (least, first) = fall.turns
    if factor != least:
        return f"{attribute_of(rule, fall)}: factor {factor}, the lowest is {least}"
    limit = f"{attribute_of(rule, fall)}: " if rule.name == "mruc" else ""
    return limit + _use(number, first)


def _use(number: int, other: int) -> str:
    """Compare the number of the last use of a route with that of another one."""
    if number and other:
        return f"last use {number}, another's is {other}"
    if number:
        return f"last use {number}, another was never used"
    return "never used, another was" if other else "never used, another comes first"
