"""`GET /admin/qmgr` and `GET /admin/installation`.

Sources: IBM MQ 9.1 and 9.4, "GET /admin/qmgr", "Response body attributes for queue managers"; a
saved answer of mqweb 9.2; GET /admin/installation [mem]. twin has one installation, with MQ's
default name; its version is the highest command level. What twin does not know is left out, and
named beside the properties.
"""

from __future__ import annotations

from typing import Any, Final

from fastapi import APIRouter
from starlette.requests import Request

from twin.model.instants import AsOf, Instant, datetime_of
from twin.questions.qmgr_states import QmgrState, qmgr_states
from twin.web.guard import Reader
from twin.web.mqweb.attributes import SelectedProperties, UnknownValue, check_parameters, nested
from twin.web.mqweb.errors import MqwebJson, RestError, UnknownQueueManager
from twin.web.mqweb.request import GATEWAY, MqwebRoute, answered, reading

router = APIRouter(route_class=MqwebRoute)

_STATES: Final = frozenset(
    "running ended endedImmediately endedPreemptively endedUnexpectedly starting quiescing"
    " endingImmediately endingPreemptively beingDeleted stateNotAvailable runningAsStandby"
    " runningElsewhere".split()
)
_STARTED: Final = "status.started"
_NOT_MODELLED: Final = ("status.ldapConnectionState", "status.connectionCount")
_STATUS: Final = (
    _STARTED,
    "status.channelInitiatorState",
    "status.publishSubscribeState",
    *_NOT_MODELLED,
)
_PUBLISHING: Final = {"ENABLED": "running", "COMPAT": "compatibility", "DISABLED": "stopped"}

INSTALLATION: Final = "Installation1"
_EXTENDED: Final = {
    "extended.installationName": INSTALLATION,
    "extended.isDefaultQmgr": False,
    "extended.permitStandby": "notPermitted",
}
_INSTALLATION_UNKNOWN: Final = frozenset(
    f"extended.{name}"
    for name in (
        *("level", "operatingSystem", "installationPath", "dataPath", "hostName"),
        *("description", "primary"),
    )
)
_LEVEL: Final = "extended.maximumCommandLevel"
_PLATFORMS: Final = {"WINDOWSNT": "windows", "MVS": "z/os", "APPLIANCE": "appliance"}


@router.get("/admin/qmgr")
@router.get("/admin/qmgr/{qmgr}")
def queue_managers(request: Request, user: Reader, qmgr: str | None = None) -> MqwebJson:
    """List queue managers, or describe one."""
    check_parameters(request, {"state", "status", "attributes"})
    status = SelectedProperties.of(request, "status", _STATUS)
    attributes = SelectedProperties.of(request, "attributes", _EXTENDED)
    state = request.query_params.get("state")
    if state is not None and state not in _STATES:
        raise UnknownValue(
            name="state", value=state, expected=f"one of: {', '.join(sorted(_STATES))}"
        )
    gateway = request.headers.get(GATEWAY)
    states, point = _states(request)
    if qmgr is not None and qmgr not in states:
        raise UnknownQueueManager(qmgr)
    elements = [
        _described(each, status, attributes, gateway=bool(gateway))
        for each in states.values()
        if qmgr in {None, each.name} and state in {None, _word(each)}
    ]
    return answered({"qmgr": elements}, point)


def _states(request: Request) -> tuple[dict[str, QmgrState], AsOf]:
    """Return the queue managers at the point of a request, and the point."""
    with reading(request) as (twin, as_of, known_at):

        def states() -> tuple[dict[str, QmgrState], AsOf]:
            estate, point = twin.view(as_of=as_of, known_at=known_at)
            return qmgr_states(estate), point

        return twin.soundly(states)


def _described(
    qmgr: QmgrState, status: SelectedProperties, attributes: SelectedProperties, *, gateway: bool
) -> dict[str, Any]:
    """Describe a queue manager; through a gateway, mqweb does not say its state."""
    described: dict[str, Any] = {"name": qmgr.name}
    if not gateway:
        described["state"] = _word(qmgr)
        wanted = {path: value for path, value in _EXTENDED.items() if attributes.wants(path)}
        described |= nested(wanted)
    if status.names and qmgr.running:
        values = _status(qmgr)
        described |= nested({path: value for path, value in values.items() if status.wants(path)})
        unknown = [path for path in _STATUS if status.wants(path) and path not in values]
        described |= {"twin": {"notModelled": unknown}} if unknown else {}
    return described


def _word(qmgr: QmgrState) -> str:
    """Return the state of a queue manager, as dspmq says it."""
    if qmgr.running is None:
        return "stateNotAvailable"
    if qmgr.running:
        return "running"
    return "endedImmediately" if qmgr.interrupted else "ended"


def _status(qmgr: QmgrState) -> dict[str, Any]:
    values = {"status.publishSubscribeState": _PUBLISHING[qmgr.publishing]}
    if qmgr.chinit is not None:
        values["status.channelInitiatorState"] = "running" if qmgr.chinit else "stopped"
    return {_STARTED: timestamp(qmgr.started), **values} if qmgr.started else values


def timestamp(instant: Instant) -> str:
    """Write an instant as mqweb does: with milliseconds and Z."""
    return datetime_of(instant).strftime("%Y-%m-%dT%H:%M:%S.") + f"{instant // 1000 % 1000:03}Z"


class UnknownInstallation(
    RestError,
    message="There is no installation '{0}'.",
    explanation=f"The only installation is '{INSTALLATION}'.",
):
    """An installation with another name than the one that twin has."""

    status = 404


@router.get("/admin/installation")
@router.get("/admin/installation/{name}")
def installations(request: Request, user: Reader, name: str | None = None) -> MqwebJson:
    """Describe the installation."""
    check_parameters(request, {"attributes"})
    attributes = SelectedProperties.of(request, "attributes", {_LEVEL, *_INSTALLATION_UNKNOWN})
    if name is not None and name != INSTALLATION:
        raise UnknownInstallation(name)
    states, point = _states(request)
    levels = [(each.level, each.platform) for each in states.values()]
    level, platform = max(levels, default=(0, "UNIX"))
    described: dict[str, Any] = {
        "name": INSTALLATION,
        "platform": _PLATFORMS.get(platform, "unix"),
        "version": f"{level // 100}.{level // 10 % 10}.{level % 10}.0",
    }
    described |= nested({_LEVEL: level} if attributes.wants(_LEVEL) else {})
    unknown = sorted(path for path in _INSTALLATION_UNKNOWN if attributes.wants(path))
    described |= {"twin": {"notModelled": unknown}} if unknown else {}
    return answered({"installation": [described]}, point)
