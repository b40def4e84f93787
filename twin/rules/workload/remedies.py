"""Single changes that let a route pass a rule: their effect on a choice, and their commands.

Published attributes are changed at the destination. START CHANNEL, CLWLUSEQ and CLWLMRUC are
entered at the queue manager that chooses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from twin.model.commands import Command, ParameterValue
from twin.rules.workload.choosing import AppliedRule, Funnel
from twin.rules.workload.filters import Fall, group_of
from twin.rules.workload.routes import Context, Route

_HIGHEST: Final = 9
"""The highest value of CLWLRANK, CLWLPRTY and NETPRTY."""


class Edit(NamedTuple):
    """One change: the rule that the route then passes, the route, and the new value."""

    rule: str
    route: Route
    value: int | str


@dataclass(frozen=True, slots=True)
class Change:
    """One change: its command, and the attribute that it is about.

    `once` is a queue manager that must be reachable before the command helps; '' if there is none.
    """

    command: Command
    attribute: str
    once: str = ""

    def __str__(self) -> str:
        """Write the command, where to enter it, and what must be reachable first."""
        first = f" once {self.once} can be reached" if self.once else ""
        return f"{self.command.text} at {self.command.on}{first}"


class _Number(NamedTuple):
    """An attribute of the channel or the queue; routes with its highest value are kept."""

    keyword: str
    field: str
    of_queue: bool


_NUMBERS: Final[Mapping[str, _Number]] = MappingProxyType(
    {
        "queue-priority": _Number("CLWLPRTY", "queue_priority", of_queue=True),
        "channel-priority": _Number("CLWLPRTY", "channel_priority", of_queue=False),
        "netprty": _Number("NETPRTY", "netprty", of_queue=False),
        "queue-rank": _Number("CLWLRANK", "queue_rank", of_queue=True),
        "channel-rank": _Number("CLWLRANK", "channel_rank", of_queue=False),
    }
)
"""Rule -> the attribute that it compares; the last rule is first."""


def resets(edits: Iterable[Edit]) -> bool:
    """Return whether changes reset all factors to zero.

    They do if a channel becomes available, or if a workload attribute of an available channel
    changes: IBM MQ 9.2, "The cluster workload management algorithm" [memory, unverified].
    Attributes of queues do not [inferred].
    """
    return any(edit.rule == "status" or _is_of_available(edit) for edit in edits)


def _is_of_available(edit: Edit) -> bool:
    number = _NUMBERS.get(edit.rule)
    return number is not None and not number.of_queue and not group_of(edit.route.status)


def edited(
    routes: Iterable[Route], context: Context, edits: Iterable[Edit]
) -> tuple[list[Route], Context]:
    """Return the candidates and the context with some changes made."""
    routes = list(routes)
    for edit in edits:
        if edit.rule == "local":
            context = replace(context, queue_useq=str(edit.value))
        elif edit.rule == "mruc":
            context = replace(context, mruc=int(edit.value))
        else:
            routes = [_changed(route, edit) for route in routes]
    return routes, context


def _changed(route: Route, edit: Edit) -> Route:
    target = edit.route
    if route.qmid != target.qmid:
        return route
    if number := _NUMBERS.get(edit.rule):
        same = route.queue == target.queue if number.of_queue else route.channel == target.channel
        value: dict[str, Any] = {number.field: int(edit.value)}
        return replace(route, **value) if same else route
    if edit.rule == "put":
        return replace(route, put_enabled=True) if route.queue == target.queue else route
    if edit.rule == "suspended":
        return replace(route, suspended=False) if route.cluster == target.cluster else route
    return replace(route, status="RUNNING") if route.channel == target.channel else route


def remedies(route: Route, result: Funnel, context: Context) -> Iterator[Edit]:
    """Yield the changes that may help a route that lost, the least drastic first.

    The changes that let it pass the rule that removed it come first. Then come changes with which a
    rule that it passed would have preferred it to all others, for the last such rule first.
    """
    removed: tuple[AppliedRule, Fall] | None = None
    passed: list[str] = []
    for step in result.steps:
        fall = next((fall for fall in step.falls if fall.route is route), None)
        if fall is not None:
            removed = (step, fall)
            break
        passed.append(step.rule.name)
    if removed is not None:
        yield from _over(route, *removed, context)
        if removed[0].rule.name == "cluster":
            return
    if "local" in passed and route.local and route.queue_type == "QLOCAL":
        yield Edit("local", route, "LOCAL")
    worst = group_of(result.left[0].status if result.left else "")
    for rule, number in _NUMBERS.items():
        if number.keyword == "CLWLRANK" and group_of(route.status) > worst:
            continue  # rank is applied before status: all messages would wait for its channel
        if rule in passed and rule != "netprty" and (not number.of_queue or route.is_queue):
            yield from _above(route, rule, _rivals(route, result, passed.index(rule)))


def _over(route: Route, step: AppliedRule, fall: Fall, context: Context) -> Iterator[Edit]:
    """Yield the changes that let a route pass the rule that removed it."""
    rule = step.rule.name
    if rule in _NUMBERS:
        best = int(fall.best or 0)
        yield Edit(rule, route, best)
        if best < _HIGHEST:
            yield Edit(rule, route, best + 1)
    elif rule == "mruc":
        yield Edit(rule, route, step.given)
    elif rule == "local":
        if context.queue_useq and not context.arrived:
            yield Edit(rule, route, "ANY")
    elif rule in _WORDS and fall.best is not None:
        yield Edit(rule, route, fall.best)


def _rivals(route: Route, result: Funnel, step: int) -> list[Route]:
    """Return the routes to other queue managers that the rule at index `step` got."""
    falls = (fall.route for applied in result.steps[step:] for fall in applied.falls)
    return [rival for rival in (*falls, *result.left) if rival.qmid != route.qmid]


def _above(route: Route, rule: str, rivals: list[Route]) -> Iterator[Edit]:
    field = _NUMBERS[rule].field
    best = max((getattr(rival, field) for rival in rivals), default=0)
    if best < _HIGHEST:
        yield Edit(rule, route, best + 1)


_WORDS: Final[Mapping[str, tuple[str, Callable[[Edit, Context], Command]]]] = MappingProxyType(
    {
        "put": (
            "PUT",
            lambda edit, _: Command.of(
                *(edit.route.qmgr, "ALTER", edit.route.queue_type, edit.route.queue), PUT="ENABLED"
            ),
        ),
        "suspended": (
            "SUSPEND",
            lambda edit, _: Command.of(
                edit.route.qmgr, "RESUME", "QMGR", CLUSTER=edit.route.cluster
            ),
        ),
        "status": (
            "STATUS",
            lambda edit, here: Command.of(here.qmgr, "START", "CHANNEL", edit.route.channel),
        ),
        "local": (
            "CLWLUSEQ",
            lambda edit, here: Command.of(
                here.qmgr, "ALTER", "QLOCAL", here.queue, CLWLUSEQ=edit.value
            ),
        ),
        "mruc": (
            "CLWLMRUC",
            lambda edit, here: Command.of(here.qmgr, "ALTER", "QMGR", CLWLMRUC=edit.value),
        ),
    }
)
"""Rule -> the attribute that lets a route pass it, and what makes the command."""


def _numbered(route: Route, number: _Number, value: int | str) -> Command:
    """Return the command that gives the queue or the channel of a route another number."""
    given: dict[str, ParameterValue] = {number.keyword: value}
    if number.of_queue:
        return Command.of(route.qmgr, "ALTER", route.queue_type, route.queue, **given)
    given = {"CHLTYPE": "CLUSRCVR", **given}
    return Command.of(route.qmgr, "ALTER", "CHANNEL", route.channel, **given)


def above_all(route: Route, routes: Iterable[Route]) -> Edit | None:
    """Return the change that gives a queue, or a channel, a higher rank than all others.

    Return None if another one has the highest rank that there is.
    """
    rule = "queue-rank" if route.is_queue else "channel-rank"
    rivals = [rival for rival in routes if rival.qmid != route.qmid]
    return next(_above(route, rule, rivals), None)


def change_of(edit: Edit, context: Context, *, obstacle: Callable[[Route], str]) -> Change:
    """Return the command that makes a change.

    `obstacle` returns why the channel of a route cannot reach its partner, '' if it can. If it
    cannot, starting the channel does not help yet.
    """
    if number := _NUMBERS.get(edit.rule):
        return Change(_numbered(edit.route, number, edit.value), number.keyword)
    attribute, make = _WORDS[edit.rule]
    waits = edit.rule == "status" and bool(obstacle(edit.route))
    return Change(make(edit, context), attribute, once=edit.route.qmgr if waits else "")


KEPT_OUT: Final = frozenset(_WORDS)
"""Rules that make a route only equal to the others: they remove routes, but prefer none."""
