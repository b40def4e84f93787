"""`/messaging/qmgr/{qmgrName}/queue/{queueName}`: messages as counts, which is what twin has.

Sources: IBM MQ 9.4, the pages of the resource; saved answers of mqweb 9.2; the statuses 404, 405
and 503 from memory. A POST puts one message and discards its body and its headers, apart from the
persistence. A DELETE takes one and answers without a body. Bodies are not served: 501. The message
identifier of a put is made from the name of the queue manager and the position in the log.
"""

from __future__ import annotations

from typing import Any, Final

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from twin.model import reasons
from twin.model.commands import quote
from twin.model.instants import AsOf
from twin.questions.answer import Row
from twin.web.guard import Messenger, Reader
from twin.web.mqweb.attributes import UnknownValue, check_parameters
from twin.web.mqweb.errors import CommandFailed, MqwebJson, NotServed, RestError
from twin.web.mqweb.request import MqwebRoute, answered, origin_of, reading, shown_by, writing

router = APIRouter(prefix="/messaging/qmgr/{qmgr}", route_class=MqwebRoute)

_QUEUE: Final = "/queue/{queue}"
_CONTENT: Final = frozenset(
    {"text/plain", "text/html", "text/xml", "application/json", "application/xml"}
)
_PERSISTENCE: Final = {"persistent": True, "nonPersistent": False}
_HEADER: Final = "ibm-mq-md-persistence"
_SELECTS: Final = frozenset({"messageId", "correlationId"})
_LIMIT: Final = 10
"""Messages in a list, unless the request says how many."""

_MOST: Final = 10_000
_STATUSES: Final = {
    reasons.UNKNOWN_OBJECT: 404,
    reasons.GET_INHIBITED: 405,
    reasons.PUT_INHIBITED: 405,
    reasons.QMGR_NOT_AVAILABLE: 503,
}


class BadMessage(RestError):
    """A message that mqweb does not put."""


class BadContentType(
    BadMessage,
    message="The content type '{0}' is not served.",
    explanation=f"It takes one of: {', '.join(sorted(_CONTENT))}.",
):
    """A body that is no text."""

    status = 415


class BadPersistence(
    BadMessage,
    message=f"The '{_HEADER}' request header cannot be set as '{{0}}' is not a valid request"
    " header value.",
    explanation=f"It takes one of: {', '.join(_PERSISTENCE)}.",
):
    """A persistence that no message has."""

    id = "MQWB0302E"


class MessageContents(
    NotServed,
    message="twin does not serve {what}.",
    explanation="It counts messages and keeps no contents.",
):
    """Something that needs the contents of messages."""


class UnknownMessages(
    NotServed,
    message="twin does not know the messages on the queue '{1}' of '{0}'.",
    explanation="Nothing that was imported or simulated says which messages are on it.",
):
    """A queue whose messages twin does not know."""


@router.post(f"{_QUEUE}/message")
def put_message(request: Request, qmgr: str, queue: str, user: Messenger) -> Response:
    """Put one message."""
    check_parameters(request, ())
    content = request.headers.get("content-type", "text/plain").partition(";")[0].strip().lower()
    if content not in _CONTENT:
        raise BadContentType(content)
    persistence = request.headers.get(_HEADER, "nonPersistent")
    if persistence not in _PERSISTENCE:
        raise BadPersistence(persistence)
    with writing(request) as twin:
        put = twin.put(
            qmgr,
            queue,
            persistent=_PERSISTENCE[persistence],
            origin=origin_of(request, user),
        )
    if put.reason:
        raise _refused(put.reason, queue)
    position = put.pending or max(put.positions, default=0)
    name = f"AMQ {qmgr[:12]:<12}".encode().hex()
    prefix = "ID:" if request.url.path.startswith("/ibmmq/rest/v3/") else ""
    return Response(
        status_code=201,
        headers={
            "content-language": "en-US",
            "content-type": "text/plain; charset=utf-8",
            "ibm-mq-md-messageId": f"{prefix}{name}{position:016x}",
        },
    )


@router.delete(f"{_QUEUE}/message")
def get_message(request: Request, qmgr: str, queue: str, user: Messenger) -> Response:
    """Take one message off a queue."""
    check_parameters(request, {*_SELECTS, "wait"})
    if not _SELECTS.isdisjoint(request.query_params):
        raise MessageContents(what="a message by its identifiers")
    if not (wait := request.query_params.get("wait", "0")).isdecimal():
        raise UnknownValue(name="wait", value=wait, expected="a number of milliseconds")
    with writing(request) as twin:
        got = twin.get(qmgr, queue, origin=origin_of(request, user))
    if got.count:
        return Response(status_code=200, headers={"content-language": "en-US"})
    if got.reason == reasons.NO_MESSAGE:
        return Response(status_code=204, headers={"content-language": "en-US"})
    raise _refused(got.reason, queue)


@router.get(f"{_QUEUE}/message")
def browse_message(request: Request, qmgr: str, queue: str, user: Reader) -> Response:
    """Say that a queue is empty; the contents of a message are not served."""
    check_parameters(request, _SELECTS)
    rows, _ = _rows(request, qmgr, queue)
    if rows:
        raise MessageContents(what="the contents of messages")
    return Response(status_code=204, headers={"content-language": "en-US"})


@router.get(f"{_QUEUE}/messagelist")
def list_messages(request: Request, qmgr: str, queue: str, user: Reader) -> MqwebJson:
    """List the messages on a queue, with what twin knows of each."""
    check_parameters(request, {*_SELECTS, "limit"})
    if not _SELECTS.isdisjoint(request.query_params):
        raise MessageContents(what="messages by their identifiers")
    limit = request.query_params.get("limit", str(_LIMIT))
    if not limit.isdecimal() or len(limit) > len(str(_MOST)) or not 0 < int(limit) <= _MOST:
        raise UnknownValue(name="limit", value=limit, expected=f"a number from 1 to {_MOST}")
    rows, point = _rows(request, qmgr, queue)
    listed: list[dict[str, Any]] = []
    for row in rows:
        room = int(limit) - len(listed)
        listed += [_message(row)] * min(int(str(row["count"])), room)
    return answered({"messages": listed}, point)


def _rows(request: Request, qmgr: str, queue: str) -> tuple[list[Row], AsOf]:
    """Return the messages that a browse shows, and the point; none of a queue with GET(DISABLED).

    Raises:
        NoSuchLocalQueue: if the queue manager has no such local queue.
        UnknownMessages: if CURDEPTH is unknown, or its messages were only counted.
        RestError: if the queue manager does not exist or does not run.
    """
    (definition,), point = shown_by(request, qmgr, f"DISPLAY QLOCAL({quote(queue)}) GET CURDEPTH")
    with reading(request) as (twin, as_of, known_at):
        answer = twin.ask("browse", as_of=as_of, known_at=known_at, on=qmgr, queue=queue)
    row = next(row for row in definition.rows if row["queue"] == queue)
    if row["get"] == "DISABLED":
        return [], point
    if not answer.rows and row["curdepth"] != 0:
        raise UnknownMessages(qmgr, queue)
    return [row for row in answer.rows if not row["under_way"]], answer.as_of


def _message(row: Row) -> dict[str, Any]:
    """Return what twin knows of a message; it has no message identifier and no format."""
    return {
        "twin": {
            "persistence": "persistent" if row["persistence"] == "YES" else "nonPersistent",
            "putDate": row["put_date"],
            "putTime": row["put_time"],
            "notModelled": ["messageId", "format"],
        }
    }


def _refused(reason: int, queue: str) -> RestError:
    """Return the error of a call that failed."""
    error = CommandFailed(f"{reason} ({reasons.reason_name(reason)}) for '{queue}'", reason=reason)
    error.status = _STATUSES.get(reason, error.status)
    return error
