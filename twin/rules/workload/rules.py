"""The rules of the choice as a table, and their two orders.

Each rule filters the routes that the rule before it left. A route that is removed never returns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

from twin.rules.workload import filters
from twin.rules.workload.context import Context, Profile
from twin.rules.workload.filters import Filtered, Uses
from twin.rules.workload.routes import Route

VERSION: Final = 1
"""The version of the rules; it is recorded with each choice."""

Apply: TypeAlias = Callable[[Sequence[Route], Context, Uses], Filtered]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its name, the MQSC keyword it depends on, its source, and its filter function."""

    name: str
    attribute: str
    source: str
    apply: Apply


_PAGE: Final = "IBM MQ {}, The cluster workload management algorithm, {}"
_STEP: Final = "IBM, Need to understand precedence of cluster workload attributes, step {}"

RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    {
        rule.name: rule
        for rule in (
            Rule("cluster", "CLUSTER", _PAGE.format("9.2", "rules 1 and 2"), filters.cluster),
            Rule("channel-rank", "CLWLRANK", _PAGE.format("9.0", "rule 3"), filters.channel_rank),
            Rule("queue-rank", "CLWLRANK", _PAGE.format("9.0", "rule 4"), filters.queue_rank),
            Rule("put", "PUT", _PAGE.format("9.0", "rule 5"), filters.put),
            Rule("local", "CLWLUSEQ", _PAGE.format("9.0", "rule 6"), filters.local),
            Rule("suspended", "SUSPEND", _STEP.format(4), filters.suspended),
            Rule("status", "STATUS", _STEP.format(5), filters.status),
            Rule("netprty", "NETPRTY", _STEP.format(6), filters.netprty),
            Rule("channel-priority", "CLWLPRTY", _STEP.format(7), filters.channel_priority),
            Rule("queue-priority", "CLWLPRTY", _STEP.format(8), filters.queue_priority),
            Rule("mruc", "CLWLMRUC", "IBM MQ 8.0, CLWLMRUC queue manager attribute", filters.mruc),
            Rule("weight", "CLWLWGHT", "IBM MQ 8.0, CLWLWGHT channel attribute", filters.weight),
        )
    }
)
"""Name -> rule."""

_TAIL: Final = (
    *("suspended", "status", "netprty", "channel-priority", "queue-priority", "mruc", "weight"),
)

ORDERS: Final[Mapping[Profile, tuple[str, ...]]] = MappingProxyType(
    {
        "v8": ("cluster", "channel-rank", "queue-rank", "put", "local", *_TAIL),
        "v7": ("put", "cluster", "local", "channel-rank", "queue-rank", *_TAIL),
    }
)
"""Profile -> the names of the rules, in the order in which they are applied.

Sources: for v8 IBM MQ 8.0 to 9.2, "The cluster workload management algorithm"; for v7 the same page
of 6.0 and 7.5, and "Cluster Workload management attributes and algorithm": in v7, `put` and `local`
are applied before rank.
"""
