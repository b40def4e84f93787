"""What may be edited on a route of a workload choice, and the MQSC that does so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from twin.app.results import Route
from twin.model.commands import Command


class RouteField(NamedTuple):
    """An attribute of a route in a form.

    Attributes:
        name: the name of the field.
        of: the object that has the attribute, in words.
        label: the attribute.
        value: its value now.
        choices: the values that it takes; () for a whole number.
        least, most: the range of a number.
    """

    name: str
    of: str
    label: str
    value: str
    choices: Sequence[str] = ()
    least: int = 0
    most: int = 9


def fields_of(route: Route, on: str) -> Iterator[RouteField]:
    """Yield what can be edited on a route that a queue manager may choose."""
    if route.is_queue:
        queue, put = f"queue {route.queue}", "ENABLED" if route.put_enabled else "DISABLED"
        yield RouteField("put", queue, "PUT", put, ("ENABLED", "DISABLED"))
        yield RouteField("queue-rank", queue, "CLWLRANK", str(route.queue_rank))
        yield RouteField("queue-priority", queue, "CLWLPRTY", str(route.queue_priority))
    of = f"queue manager {route.qmgr}"
    yield RouteField("suspended", of, f"suspended in {route.cluster}", *_yes_no(route.suspended))
    channel = f"channel {route.channel}"
    yield RouteField("channel-rank", channel, "CLWLRANK", str(route.channel_rank))
    yield RouteField("channel-priority", channel, "CLWLPRTY", str(route.channel_priority))
    yield RouteField("netprty", channel, "NETPRTY", str(route.netprty))
    yield RouteField("weight", channel, "CLWLWGHT", str(route.weight), least=1, most=99)
    if not route.local:
        stopped = _yes_no(route.status == "STOPPED")
        yield RouteField("stopped", channel, f"stopped at {on}", *stopped)


def _yes_no(value: object) -> tuple[str, tuple[str, ...]]:
    """Return a value as YES or NO, and both."""
    return ("YES" if value else "NO"), ("NO", "YES")


_OF_CHANNEL: Final = {
    "channel-rank": "CLWLRANK",
    "channel-priority": "CLWLPRTY",
    "netprty": "NETPRTY",
    "weight": "CLWLWGHT",
}
_OF_QUEUE: Final = {"put": "PUT", "queue-rank": "CLWLRANK", "queue-priority": "CLWLPRTY"}


FIELDS: Final = frozenset({*_OF_CHANNEL, *_OF_QUEUE, "suspended", "stopped"})
"""The names of all fields."""


def commands_for(route: Route, on: str, values: Mapping[str, str]) -> Iterator[str]:
    """Yield the commands, as `explain --with` takes them, that give a route other values.

    `values` are fields by name. Fields that have the value of the route, and fields that it does
    not have, give no command.
    """
    for field in fields_of(route, on):
        value = values.get(field.name, field.value).strip()
        if value and value != field.value:
            yield str(_command(field.name, route, on, value))


def _command(name: str, route: Route, on: str, value: str) -> Command:
    if name == "suspended":
        verb = "SUSPEND" if value == "YES" else "RESUME"
        return Command.of(route.qmgr, verb, "QMGR", CLUSTER=route.cluster)
    if name == "stopped":
        return Command.of(on, "STOP" if value == "YES" else "START", "CHANNEL", route.channel)
    if name in _OF_CHANNEL:
        values = {"CHLTYPE": "CLUSRCVR", _OF_CHANNEL[name]: value}
        return Command.of(route.qmgr, "ALTER", "CHANNEL", route.channel, **values)
    values = {_OF_QUEUE[name]: value}
    return Command.of(route.qmgr, "ALTER", route.queue_type, route.queue, **values)
