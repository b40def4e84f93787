"""`/admin/qmgr/{qmgrName}/queue`: queues as objects, to list, define, alter and delete.

Sources: a saved answer of mqweb 9.2; IBM MQ 9.1, the pages of the resource, from memory. A request
runs DISPLAY, DEFINE, ALTER or DELETE, as `runCommandJSON` does. Only local queues have a status.
"""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import quote as url_quote

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from twin.model.commands import quote
from twin.model.instants import AsOf
from twin.model.rest_properties import QUEUE, QUEUE_STATUS, QUEUE_TYPES
from twin.questions.answer import Row
from twin.web.access.users import User
from twin.web.guard import Reader, Writer
from twin.web.mqweb.attributes import (
    PropertyFilter,
    SelectedProperties,
    UnknownValue,
    check_parameters,
)
from twin.web.mqweb.commands import run_json
from twin.web.mqweb.errors import BadDocument, CommandFailed, MqwebJson, UnknownObject
from twin.web.mqweb.properties import element, parameters_of, properties_of, timestamps
from twin.web.mqweb.request import JsonBody, MqwebRoute, answered, shown_by
from twin.web.paths import own_url

router = APIRouter(prefix="/admin/qmgr/{qmgr}/queue", route_class=MqwebRoute)

_TIMES: Final = {
    "timestamps.created": ("crdate", "crtime"),
    "timestamps.altered": ("altdate", "alttime"),
    "timestamps.clustered": ("clusdate", "clustime"),
}
_STATUS_TIMES: Final = {
    "status.lastGet": ("lgetdate", "lgettime"),
    "status.lastPut": ("lputdate", "lputtime"),
}
_ATTRIBUTES: Final = frozenset({*(each.path for each in QUEUE), *_TIMES})
_STATUS: Final = frozenset({*(each.path for each in QUEUE_STATUS), *_STATUS_TIMES})
_ALWAYS: Final = frozenset({"alias", "remote", "model"})
_WORDS: Final = {name: word for word, name in QUEUE_TYPES.items()}
_ALL: Final = "all"
_READ_ONLY: Final = frozenset({"cluster.qmgrName", "cluster.qmgrId", "cluster.queueType"})
_USUAL: Final = tuple(each for each in QUEUE if each.group != "model")
_SETTABLE: Final = tuple(each for each in QUEUE if each.path not in _READ_ONLY)


class BadType(
    BadDocument,
    message="A queue cannot be defined or altered with the type {0!r}.",
    explanation=f"The type is one of: {', '.join(sorted(set(_WORDS) - {'cluster'}))}.",
):
    """A type that a queue of the body cannot have."""


@router.get("")
@router.get("/{queue}")
def queues(request: Request, qmgr: str, user: Reader, queue: str | None = None) -> MqwebJson:
    """List queues, or describe one."""
    known = {"attributes", "status", "type"}
    check_parameters(request, known if queue else {*known, "name", "filter"})
    attributes = SelectedProperties.of(request, "attributes", _ATTRIBUTES)
    status = SelectedProperties.of(request, "status", _STATUS)
    passes = PropertyFilter.of(request, _ATTRIBUTES | _STATUS)
    rows, states, point = _rows(
        request, qmgr, queue, status=bool(status.names) or passes.path in _STATUS
    )
    described = []
    for row in rows:
        values, unknown = _values(row, states.get(row["queue"] if row["type"] == "QLOCAL" else ""))
        if passes.matches(values):
            kind = QUEUE_TYPES[str(row["type"])]
            inner = element(
                values,
                unknown,
                wants=lambda path: (status if path in _STATUS else attributes).wants(path),
                always={*_ALWAYS, *({"cluster"} if kind == "cluster" else ())},
            )
            described.append({"name": row["queue"], "type": kind, **inner})
    return answered({"queue": described}, point)


def _rows(
    request: Request, qmgr: str, queue: str | None, *, status: bool
) -> tuple[list[Row], dict[Any, Row], AsOf]:
    """Return the queues that a request asks for, the status of local ones by name, and the point.

    Raises:
        UnknownObject: if the queue that it names does not exist.
        UnknownValue: if it names an unknown type.
    """
    kind = request.query_params.get("type", _ALL)
    if kind not in {_ALL, *_WORDS}:
        raise UnknownValue(name="type", value=kind, expected=f"{_ALL}, {', '.join(_WORDS)}")
    name = quote(queue or request.query_params.get("name") or "*")
    words = ("QUEUE", "QCLUSTER") if kind == _ALL else (_WORDS[kind],)
    commands = [f"DISPLAY {word}({name}) ALL" for word in words]
    statuses = [f"DISPLAY QSTATUS({name}) ALL"] if status else []
    shown, point = shown_by(request, qmgr, *commands, *statuses)
    found = [row for each in shown[: len(words)] for row in each.rows]
    rows = [row for row in found if queue in {None, row["queue"]}]
    if queue and not rows:
        raise UnknownObject(name=queue, kind="queue")
    states = {row["queue"]: row for each in shown[len(words) :] for row in each.rows}
    return rows, states, point


def _values(row: Row, state: Row | None) -> tuple[dict[str, Any], list[str]]:
    """Return the properties of a queue by path, and the paths of those that twin does not know."""
    values, unknown = properties_of(row, QUEUE if row["type"] == "QMODEL" else _USUAL)
    values |= timestamps(row, _TIMES)
    if state is not None:
        known, missing = properties_of(state, QUEUE_STATUS)
        values |= timestamps(state, _STATUS_TIMES)
        values |= {path: value for path, value in known.items() if value != ""}
        unknown += [*missing, *(path for path, value in known.items() if value == "")]
    return values, unknown


@router.post("")
def define_queue(request: Request, qmgr: str, body: JsonBody, user: Writer) -> Response:
    """Define a queue; it replaces one of the same name unless the request has `noReplace`."""
    check_parameters(request, {"like", "noReplace"})
    query = request.query_params
    parameters = parameters_of(body, _SETTABLE, besides=("name", "type"))
    parameters["REPLACE"] = "NO" if "noReplace" in query else "YES"
    if like := query.get("like"):
        parameters["LIKE"] = like
    word = _type_word(body) or "QLOCAL"
    _change(request, user, qmgr, "define", word, body.get("name"), parameters)
    name = str(body["name"])
    place = f"{own_url(request).rstrip('/')}/{url_quote(name, safe='')}"
    return Response(status_code=201, headers={"location": place, "content-language": "en-US"})


@router.patch("/{queue}")
def alter_queue(request: Request, qmgr: str, queue: str, body: JsonBody, user: Writer) -> Response:
    """Alter a queue."""
    check_parameters(request, {"force"})
    parameters = parameters_of(body, _SETTABLE, besides=("type",))
    if "force" in request.query_params:
        parameters["FORCE"] = "YES"
    word = _type_word(body) or _word_of(request, qmgr, queue)
    _change(request, user, qmgr, "alter", word, queue, parameters)
    return Response(status_code=204, headers={"content-language": "en-US"})


@router.delete("/{queue}")
def delete_queue(request: Request, qmgr: str, queue: str, user: Writer) -> Response:
    """Delete a queue."""
    check_parameters(request, {"purge", "keepAuthorityRecords"})
    query = request.query_params
    parameters = {
        **({"PURGE": "YES"} if "purge" in query else {}),
        **({"AUTHREC": "NO"} if "keepAuthorityRecords" in query else {}),
    }
    _change(request, user, qmgr, "delete", _word_of(request, qmgr, queue), queue, parameters)
    return Response(status_code=204, headers={"content-language": "en-US"})


def _type_word(body: dict[str, Any]) -> str:
    """Return the type that a body names, as MQSC has it; '' if it names none.

    Raises:
        BadType: if queues that can be defined do not have it.
    """
    kind = body.get("type", "")
    if kind and (not isinstance(kind, str) or kind == "cluster" or kind not in _WORDS):
        raise BadType(kind)
    return _WORDS[kind] if kind else ""


def _word_of(request: Request, qmgr: str, queue: str) -> str:
    """Return the type of a queue, as MQSC has it.

    Raises:
        UnknownObject: if it does not exist.
    """
    (shown,), _ = shown_by(request, qmgr, f"DISPLAY QUEUE({quote(queue)})")
    for row in shown.rows:
        if row["queue"] == queue:
            return str(row["type"])
    raise UnknownObject(name=queue, kind="queue")


def _change(
    request: Request,
    user: User,
    qmgr: str,
    verb: str,
    word: str,
    name: Any,
    parameters: dict[str, Any],
) -> None:
    """Run a command about a queue.

    Raises:
        CommandFailed: if the queue manager refuses it.
    """
    command = {
        "type": "runCommandJSON",
        "command": verb,
        "qualifier": word,
        "name": name,
        "parameters": parameters,
    }
    session = run_json(request, user, qmgr, command)
    (reply,) = session.replies
    if reply.failed:
        reasons = [message.reason for message in reply.messages if message.reason]
        raise CommandFailed(session.problem, reason=reasons[0] if reasons else 0)
