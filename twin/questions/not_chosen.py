"""The queue managers that got no message of a put, by the rule that excluded them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from twin.rules.messages.putting import Put
from twin.rules.workload.choosing import Trace, attribute_of


def not_chosen(put: Put) -> Mapping[str, Sequence[str]]:
    """Return queue managers by the reason why they were not chosen, in the order of the trace.

    If the put failed, the next route in turn is unknown, so only rules are reasons.
    """
    candidates: Any = put.opened.candidates if put.opened is not None else None
    if candidates is None:
        return {}
    reached = {share.to for share in put.shares}
    excluded: dict[str, dict[str, None]] = defaultdict(dict)
    trace = Trace.of(candidates.routes, candidates.context, put.counted)
    for route, rule, fall in trace.removals():
        if route.qmid in reached or rule is None or fall is None:
            continue
        if rule.name != "weight":
            by = attribute_of(rule, fall)
            excluded[f"excluded by rule {rule.name}: {by}"][route.qmgr] = None
        elif not put.reason:
            excluded["not chosen: not its turn"][route.qmgr] = None
    return {reason: list(qmgrs) for reason, qmgrs in excluded.items()}
