"""Applies suggested commands to candidate routes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from tests.read_commands import read
from tests.rules.workload import definition
from twin.fold.messaging import Workload
from twin.rules.workload.remedies import Change
from twin.rules.workload.routes import Context, Route

_WORD: Final = re.compile(r"(\w+)\('?([^')]*)'?\)")


def made(
    routes: Iterable[Route], context: Context, changes: Iterable[Change]
) -> tuple[list[Route], Context]:
    """Apply the changes of commands."""
    routes = list(routes)
    for change in changes:
        words = dict(_WORD.findall(change.command.text))
        if "CLWLUSEQ" in words:
            assert change.command.on == context.qmgr
            context = replace(context, queue_useq=words["CLWLUSEQ"])
        elif "CLWLMRUC" in words:
            assert change.command.on == context.qmgr
            context = replace(context, mruc=int(words["CLWLMRUC"]))
        else:
            routes = [_changed(each, change, words, context) for each in routes]
    return routes, context


def _changed(route: Route, change: Change, words: dict[str, str], context: Context) -> Route:
    if change.command.text.startswith("START"):
        assert change.command.on == context.qmgr
        return replace(route, status="RUNNING") if route.channel == words["CHANNEL"] else route
    if route.qmgr != change.command.on:
        return route
    if change.command.text.startswith("RESUME"):
        return replace(route, suspended=False) if route.cluster == words["CLUSTER"] else route
    values: dict[str, Any] = {}
    if "CHANNEL" in words:
        if route.channel != words["CHANNEL"]:
            return route
        names = {"CLWLRANK": "channel_rank", "CLWLPRTY": "channel_priority", "NETPRTY": "netprty"}
        values = {names[key]: int(words[key]) for key in names if key in words}
    elif words.get("PUT"):
        values = {"put_enabled": True}
    else:
        names = {"CLWLRANK": "queue_rank", "CLWLPRTY": "queue_priority"}
        values = {names[key]: int(words[key]) for key in names if key in words}
    assert values, change.command.text
    return replace(route, **values)


def chosen_then(
    routes: Iterable[Route], context: Context, workload: Workload, changes: Iterable[Change]
) -> str:
    """Return the QMID that is chosen after changes; '' if none is."""
    route = route_then(routes, context, workload, changes)
    return route.qmid if route else ""


def route_then(
    routes: Iterable[Route], context: Context, workload: Workload, changes: Iterable[Change]
) -> Route | None:
    """Return the route that a message takes after changes; None if it has none."""
    routes, changes = list(routes), tuple(changes)
    after, context = made(routes, context, changes)
    uses = dict(workload.uses)
    available = {each.channel for each in routes if each.status in ("INACTIVE", "RUNNING")}
    if any(_resets(change, available) for change in changes):
        uses = {key: use._replace(factor=0) for key, use in uses.items()}
    return definition.choose(after, context, Workload(uses, workload.last))[0]


def _resets(change: Change, available: Collection[str]) -> bool:
    """Return whether factors are reset: a channel starts, or an available one is altered."""
    channel = dict(_WORD.findall(change.command.text)).get("CHANNEL", "")
    return change.command.text.startswith("START") or channel in available


def singles(routes: Iterable[Route], context: Context, qmid: str) -> Iterator[Change]:
    """Return every single possible change for one queue manager, with every value."""
    for route in routes:
        if route.qmid != qmid:
            continue
        yield Change(read(route.qmgr, f"RESUME QMGR CLUSTER({route.cluster})"), "SUSPEND")
        yield Change(read(context.qmgr, f"START CHANNEL({route.channel})"), "STATUS")
        yield Change(read(route.qmgr, f"ALTER QLOCAL({route.queue}) PUT(ENABLED)"), "PUT")
        for value in range(10):
            for keyword in ("CLWLRANK", "CLWLPRTY"):
                queue = f"ALTER QLOCAL({route.queue}) {keyword}({value})"
                channel = f"ALTER CHANNEL({route.channel}) CHLTYPE(CLUSRCVR) {keyword}({value})"
                yield Change(read(route.qmgr, queue), keyword)
                yield Change(read(route.qmgr, channel), keyword)
