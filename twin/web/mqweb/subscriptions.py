"""`GET /admin/qmgr/{qmgrName}/subscription`: subscriptions as objects.

Sources: IBM MQ 9.1, "GET" of the resource; Solace's event management agent reads name, id and
resolvedTopicString; the groups are from memory. Without a model of SUBID, subscriptions have no id.
"""

from __future__ import annotations

from typing import Any, Final

from fastapi import APIRouter
from starlette.requests import Request

from twin.model.commands import quote
from twin.model.rest_properties import SUBSCRIPTION
from twin.questions.answer import Row
from twin.web.guard import Reader
from twin.web.mqweb.attributes import PropertyFilter, SelectedProperties, check_parameters
from twin.web.mqweb.errors import MqwebJson, UnknownObject
from twin.web.mqweb.properties import element, properties_of, timestamps
from twin.web.mqweb.request import MqwebRoute, answered, shown_by

router = APIRouter(prefix="/admin/qmgr/{qmgr}/subscription", route_class=MqwebRoute)

_TIMES: Final = {
    "timestamps.created": ("crdate", "crtime"),
    "timestamps.altered": ("altdate", "alttime"),
}
_ATTRIBUTES: Final = frozenset({*(each.path for each in SUBSCRIPTION), *_TIMES})


@router.get("")
@router.get("/{subscription}")
def subscriptions(
    request: Request, qmgr: str, user: Reader, subscription: str | None = None
) -> MqwebJson:
    """List subscriptions, or describe one."""
    known = {"attributes"}
    check_parameters(request, known if subscription else {*known, "name", "filter"})
    attributes = SelectedProperties.of(request, "attributes", _ATTRIBUTES)
    passes = PropertyFilter.of(request, _ATTRIBUTES)
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
        values |= timestamps(row, _TIMES)
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
