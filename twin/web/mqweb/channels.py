"""`GET /admin/qmgr/{qmgrName}/channel` and `/subscription`: objects that are only shown.

Sources: IBM MQ 9.0 and 9.3, "GET" and "Response body attributes for channels": only TCP channels of
the six types of message channels are shown; a saved answer of mqweb 9.2; the status from memory.
IBM MQ 9.1, "GET" of subscriptions; Solace's event management agent reads name, id and
resolvedTopicString; their groups are from memory. Without a model of SUBID, they have no id.
"""

from __future__ import annotations

from typing import Any, Final

from fastapi import APIRouter
from starlette.requests import Request

from twin.model.commands import quote
from twin.model.rest_properties import CHANNEL, CHANNEL_OWN, CHANNEL_TYPES, SUBSCRIPTION
from twin.questions.answer import Row
from twin.web.guard import Reader
from twin.web.mqweb.attributes import (
    PropertyFilter,
    SelectedProperties,
    UnknownValue,
    check_parameters,
)
from twin.web.mqweb.errors import MqwebJson, UnknownObject
from twin.web.mqweb.properties import connections, element, properties_of, timestamps
from twin.web.mqweb.request import MqwebRoute, answered, shown_by

router = APIRouter(prefix="/admin/qmgr/{qmgr}", route_class=MqwebRoute)

_TIMES: Final = {"timestamps.altered": ("altdate", "alttime")}
_ATTRIBUTES: Final = frozenset({*(each.path for each in CHANNEL), *_TIMES})
_STATUSES: Final = ("currentStatus", "savedStatus")
_STATUS: Final = frozenset(
    f"{group}.{name}"
    for group in _STATUSES
    for name in ("state", "inDoubt", "connection", "remoteQmgrName", "currentMessages")
)
_STATUS_KNOWN: Final = ("currentStatus.state",)
"""The status that is not known of a channel whose status nobody observed."""

_SHOWN_TYPES: Final = {
    word: name
    for word, name in CHANNEL_TYPES.items()
    if name not in {"serverConnection", "clientConnection"}
}
_ALL: Final = "all"


@router.get("/channel")
@router.get("/channel/{channel}")
def channels(request: Request, qmgr: str, user: Reader, channel: str | None = None) -> MqwebJson:
    """List message channels, or describe one."""
    known = {"attributes", "status", "type"}
    check_parameters(request, known if channel else {*known, "name", "filter"})
    attributes = SelectedProperties.of(request, "attributes", _ATTRIBUTES)
    status = SelectedProperties.of(request, "status", _STATUS)
    passes = PropertyFilter.of(request, _ATTRIBUTES)
    kind = request.query_params.get("type", _ALL)
    if kind not in {_ALL, *_SHOWN_TYPES.values()}:
        expected = f"{_ALL}, {', '.join(_SHOWN_TYPES.values())}"
        raise UnknownValue(name="type", value=kind, expected=expected)
    name = quote(channel or request.query_params.get("name") or "*")
    shown, point = shown_by(
        request,
        qmgr,
        f"DISPLAY CHANNEL({name}) ALL",
        f"DISPLAY CHSTATUS({name}) ALL",
        f"DISPLAY CHSTATUS({name}) SAVED ALL",
    )
    rows = [row for row in shown[0].rows if _is_shown(row) and channel in {None, row["channel"]}]
    if channel and not rows:
        raise UnknownObject(name=channel, kind="message channel")
    described = []
    for row in rows:
        values, unknown = properties_of(row, CHANNEL)
        values |= timestamps(row, _TIMES)
        if row["channel"] in shown[-1].unobserved:
            unknown += [path for path in _STATUS_KNOWN if status.wants(path)]
        own = _SHOWN_TYPES[str(row["chltype"])]
        if kind not in {_ALL, own} or not passes.matches(values):
            continue
        ends = zip(_STATUSES, (each.rows for each in shown[1:]), strict=True)
        described.append(
            {
                "name": row["channel"],
                "type": own,
                own: _own(row),
                **element(
                    values,
                    unknown,
                    wants=lambda path: (status if path in _STATUS else attributes).wants(path),
                ),
                **{
                    group: [_end(group, each, status) for each in states if _same(each, row)]
                    for group, states in ends
                    if any(path.startswith(group) and status.wants(path) for path in _STATUS)
                },
            }
        )
    return answered({"channel": described}, point)


def _is_shown(row: Row) -> bool:
    return row["chltype"] in _SHOWN_TYPES and row.get("trptype") == "TCP"


def _own(row: Row) -> dict[str, Any]:
    """Return the properties in the group of the type."""
    values, _ = properties_of(row, CHANNEL_OWN)
    if "conname" in row:
        values["connection"] = connections(str(row["conname"]))
    return values


def _same(state: Row, row: Row) -> bool:
    return (state["channel"], state["chltype"]) == (row["channel"], row["chltype"])


def _end(group: str, state: Row, status: SelectedProperties) -> dict[str, Any]:
    """Return the status of one end of a channel."""
    values: dict[str, Any] = {
        "state": str(state["status"]).lower() if state.get("status") else None,
        "inDoubt": state["indoubt"] == "YES" if state.get("indoubt") else None,
        "connection": connections(str(state.get("conname", ""))),
        "remoteQmgrName": state.get("rqmname"),
        "currentMessages": state.get("curmsgs"),
    }
    return {
        name: value
        for name, value in values.items()
        if value is not None and status.wants(f"{group}.{name}")
    }


_SUBSCRIPTION_TIMES: Final = {
    "timestamps.created": ("crdate", "crtime"),
    "timestamps.altered": ("altdate", "alttime"),
}
_SUBSCRIPTION_ATTRIBUTES: Final = frozenset(
    {*(each.path for each in SUBSCRIPTION), *_SUBSCRIPTION_TIMES}
)


@router.get("/subscription")
@router.get("/subscription/{subscription}")
def subscriptions(
    request: Request, qmgr: str, user: Reader, subscription: str | None = None
) -> MqwebJson:
    """List subscriptions, or describe one."""
    known = {"attributes"}
    check_parameters(request, known if subscription else {*known, "name", "filter"})
    attributes = SelectedProperties.of(request, "attributes", _SUBSCRIPTION_ATTRIBUTES)
    passes = PropertyFilter.of(request, _SUBSCRIPTION_ATTRIBUTES)
    name = quote(subscription or request.query_params.get("name") or "*")
    (subs, topics), point = shown_by(
        request, qmgr, f"DISPLAY SUB({name}) ALL", "DISPLAY TOPIC(*) TOPICSTR"
    )
    strings = {row["topic"]: str(row["topicstr"]) for row in topics.rows}
    rows = [row for row in subs.rows if subscription in {None, row["sub"]}]
    if subscription and not rows:
        raise UnknownObject(name=subscription, kind="subscription")
    described = []
    for row in rows:
        values, unknown = properties_of(row, SUBSCRIPTION)
        values |= timestamps(row, _SUBSCRIPTION_TIMES)
        if passes.matches(values):
            inner = element(values, unknown, wants=attributes.wants)
            beside = {"notModelled": ["id", *inner.pop("twin", {}).get("notModelled", ())]}
            head = {"name": row["sub"], "resolvedTopicString": _topic(row, strings)}
            described.append({**head, **inner, "twin": beside})
    return answered({"subscription": described}, point)


def _topic(row: Row, strings: dict[Any, str]) -> str:
    """Return the topic string: that of the topic object, then the subscription's own."""
    parts = (strings.get(row.get("topicobj"), ""), str(row.get("topicstr", "")))
    return "/".join(part for part in parts if part)
