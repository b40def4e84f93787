"""A workload choice as stages of a funnel: who is left after each rule, and why others are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from twin.web.pages.funnel import FunnelCandidate, FunnelStage

if TYPE_CHECKING:
    from twin.app.results import Route, Trace

_FEW: Final = 4
"""Up to this number of candidates that one rule excludes stand by themselves."""

TURNS: Final = ("mruc", "weight")
"""The rules that only say whose turn it is."""

_RULES: Final = {
    "cluster": "in the queue's cluster",
    "channel-rank": "highest CLWLRANK",
    "queue-rank": "highest CLWLRANK",
    "put": "PUT(ENABLED)",
    "local": "the local instance",
    "suspended": "not suspended",
    "status": "best channel status",
    "netprty": "highest NETPRTY",
    "channel-priority": "highest CLWLPRTY",
    "queue-priority": "highest CLWLPRTY",
    "mruc": "most recently used",
    "weight": "next in turn",
    "exit": "the choice of the exit",
}
"""Rule -> what a route needs to pass it, in words. Rules have names everywhere, and no numbers."""


def key_of(route: Route) -> str:
    """Return what identifies a route in a URL."""
    return f"{route.qmgr}:{route.channel}"


def words_of(rule: str) -> str:
    """Return what a rule keeps, in words."""
    return _RULES.get(rule, rule)


def stages_of(trace: Trace) -> Iterator[FunnelStage]:
    """Yield all candidates, and then each rule that excluded one."""
    per_qmgr = Counter(route.qmgr for route in trace.routes)

    def candidate(route: Route, why: str = "") -> FunnelCandidate:
        several = per_qmgr[route.qmgr] > 1
        name = f"{route.qmgr} {route.channel}" if several else route.qmgr
        return FunnelCandidate(key_of(route), name, why)

    left = list(trace.routes)
    yield FunnelStage("", [candidate(route) for route in left])
    for step in trace.steps:
        if not step.falls:
            continue
        gone = {id(fall.route) for fall in step.falls}
        left = [route for route in left if id(route) not in gone]
        yield FunnelStage(
            step.rule.name,
            [candidate(route) for route in left],
            _together(
                [candidate(fall.route, trace.fell_by(step.rule, fall)) for fall in step.falls]
            ),
            keeps=words_of(step.rule.name),
            takes_turns=step.rule.name in TURNS,
        )


def _together(fallen: Sequence[FunnelCandidate]) -> Sequence[FunnelCandidate]:
    """Return candidates as they are if they are few; else those that fell for one reason as one."""
    if len(fallen) <= _FEW:
        return fallen
    groups: dict[str, list[FunnelCandidate]] = {}
    for each in fallen:
        groups.setdefault(each.why, []).append(each)
    return [_one(group) for group in groups.values()]


def _one(group: Sequence[FunnelCandidate]) -> FunnelCandidate:
    first, *others = group
    named = [first.name, *(each.name for each in others[:1])]
    rest = len(group) - len(named)
    return first._replace(name=", ".join(named) + (f" and {rest} more" if rest else ""))
