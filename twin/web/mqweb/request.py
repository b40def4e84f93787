"""What the requests of mqweb have in common: body, gateway, point in time, and MQSC sessions.

A session runs one command at a time, at the point that the request names.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, Final, NamedTuple
from urllib.parse import quote, unquote

from fastapi import Depends
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.routing import Match
from starlette.types import Scope

from twin.app.notes import beginning_of
from twin.app.session import MqscSession
from twin.app.twin import Twin
from twin.events import Origin
from twin.model.instants import AsOf, Instant, format_instant
from twin.model.messages import NOT_RUNNING
from twin.mqsc.frame import AnsweredCommand
from twin.mqsc.reader import COMMAND_LIMIT, CommandRead
from twin.questions.answer import Row
from twin.web.access.users import User
from twin.web.mqweb.errors import (
    BadDocument,
    BeforeTheLog,
    FixedPast,
    MqwebJson,
    StoppedQueueManager,
    UnknownQueueManager,
)
from twin.web.points import Point
from twin.web.service import service_of

GATEWAY: Final = "ibm-mq-rest-gateway-qmgr"

_NO_JSON: Final = "The body is not a JSON object."


async def _json_object(request: Request) -> dict[str, Any]:
    """Return the body of a request.

    Raises:
        BadDocument: if it is not a JSON object.
    """
    raw = await request.body()
    try:
        value = json.loads(raw, parse_constant=_no_number)
        json.dumps(value, ensure_ascii=False).encode()  # half of a pair of surrogates is no text
    except (ValueError, RecursionError) as error:
        raise BadDocument(_NO_JSON, _why_unreadable(error)) from None
    if not isinstance(value, dict):
        raise BadDocument(_NO_JSON, "It must be one JSON object.")
    return value


class _NoNumber(ValueError):
    """A word that Python takes for a number, and JSON does not: NaN, Infinity."""


def _no_number(text: str) -> None:
    raise _NoNumber(text)


def _why_unreadable(error: Exception) -> str:
    """Return in one sentence why a body cannot be read as JSON."""
    match error:
        case json.JSONDecodeError():
            return f"It is not JSON at line {error.lineno}, column {error.colno}."
        case UnicodeDecodeError():
            return f"It is not UTF-8 at byte {error.start + 1}."
        case UnicodeEncodeError():
            return "It has half of a pair of surrogates, which is no character."
        case RecursionError():
            return "It is nested too deeply."
        case _NoNumber():
            return f"{error} is not JSON."
        case _:
            return "It has a number with too many digits."


JsonBody = Annotated[dict[str, Any], Depends(_json_object)]
"""The body of a request: a JSON object."""


@contextmanager
def reading(request: Request) -> Iterator[tuple[Twin, Instant | None, Instant | None]]:
    """Lend a read-only twin on the branch of a request, with its valid and known instants.

    Raises:
        UnknownQueueManager: if the request names a gateway that does not exist.
        BeforeTheLog: if the log begins after the point.
    """
    point = Point.of(request)
    with service_of(request).readers.borrow(point.branch) as twin:
        as_of, known_at = point.instants(twin)
        if not point.is_now and (
            lines := beginning_of(twin.log, twin.as_of(valid=as_of, known=known_at))
        ):
            raise BeforeTheLog(lines[0])
        _demand_gateway(request, lambda: twin.view(as_of=as_of, known_at=known_at)[0].qmgrs, twin)
        yield twin, as_of, known_at


@contextmanager
def writing(request: Request) -> Iterator[Twin]:
    """Lend the twin that writes, on the branch of a request.

    Raises:
        FixedPast: if the request asks about another time than now.
        UnknownQueueManager: if it names a gateway that does not exist.
    """
    point = Point.of(request)
    if not point.is_now:
        raise FixedPast
    with service_of(request).writing(point.branch) as twin:
        _demand_gateway(request, lambda: twin.view()[0].qmgrs, twin)
        yield twin


def _demand_gateway(request: Request, names: Callable[[], Container[str]], twin: Twin) -> None:
    """Check that the gateway of a request exists; the command goes to the name in the URL."""
    gateway = request.headers.get(GATEWAY)
    if gateway and not twin.soundly(lambda: gateway in names()):
        raise UnknownQueueManager(gateway)


def answered(content: Mapping[str, Any], point: AsOf) -> MqwebJson:
    """Return an answer that says in its headers which point it is computed for."""
    headers = {
        "twin-as-of": format_instant(point.valid),
        "twin-known-at": format_instant(point.known),
        "twin-branch": quote(point.branch),
    }
    return MqwebJson(content, headers=headers)


class MqwebRoute(APIRoute):
    """A route whose path parameters may contain an encoded slash, dot or percent sign.

    Source: IBM MQ 9.1, GET /admin/qmgr (they must be sent as %2F, %2E and %25).
    """

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match the path as it was sent, and decode its parameters."""
        if scope["type"] != "http":
            return Match.NONE, {}
        raw: bytes = scope.get("raw_path") or scope["path"].encode()
        path = raw.split(b"?")[0].decode("latin-1").rstrip("/")
        match, child = super().matches({**scope, "path": path})
        if "path_params" in child:
            child["path_params"] = {
                name: unquote(value) if isinstance(value, str) else value
                for name, value in child["path_params"].items()
            }
        return match, child


class ShownRows(NamedTuple):
    """What a DISPLAY command showed.

    Attributes:
        rows: the values of each record, by MQSC keyword in lower case.
        reply: the reply to the command.
        unobserved: the names of objects whose state nobody observed, in this or an earlier answer.
    """

    rows: Sequence[Row]
    reply: AnsweredCommand
    unobserved: frozenset[str]


def run_in(session: MqscSession, text: str) -> None:
    """Run one command in a session.

    Raises:
        RestError: if the queue manager does not exist or does not run.
    """
    command = CommandRead(1, text, 1, too_long=len(text) > COMMAND_LIMIT)
    for _ in session.stream([command]):
        pass
    if not session.replies:
        stopped = any(message.id == NOT_RUNNING for message in session.messages)
        raise (StoppedQueueManager if stopped else UnknownQueueManager)(session.qmgr)


def read_command(request: Request, qmgr: str, text: str) -> MqscSession:
    """Run a command that only reads, at the point of a request.

    Raises:
        RestError: if the queue manager does not exist or does not run.
    """
    with reading(request) as (twin, as_of, known_at):
        session = twin.mqsc(qmgr, as_of=as_of, known_at=known_at)
        run_in(session, text)
        return session


def rehearse_command(request: Request, qmgr: str, text: str) -> MqscSession:
    """Run a command that changes nothing in memory: users who may not write may run it, too.

    Raises:
        RestError: if the queue manager does not exist or does not run.
    """
    with reading(request) as (twin, as_of, known_at):

        def once() -> MqscSession:
            session = twin.rehearse(as_of=as_of, known_at=known_at).mqsc(qmgr)
            run_in(session, text)
            return session

        return twin.soundly(once)


def write_command(request: Request, user: User, qmgr: str, text: str) -> MqscSession:
    """Run a command and record it, with the user as its origin.

    Raises:
        ObservedOnMain: if it would change an observed queue manager on main.
        RestError: if the queue manager does not exist or does not run, or the request names a time.
    """
    with writing(request) as twin:
        session = twin.mqsc(qmgr, origin=origin_of(request, user))
        run_in(session, text)
        return session


def origin_of(request: Request, user: User) -> Origin:
    """Return who sent a request, and from where."""
    return Origin(user=user.name, address=request.client.host if request.client else None)


def shown_by(request: Request, qmgr: str, *commands: str) -> tuple[list[ShownRows], AsOf]:
    """Run DISPLAY commands at the point of a request; return what each showed, and the point.

    Raises:
        RestError: if the queue manager does not exist or does not run.
    """
    with reading(request) as (twin, as_of, known_at):
        session = twin.mqsc(qmgr, as_of=as_of, known_at=known_at)
        shown = []
        for command in commands:
            first = len(session.records)
            run_in(session, command)
            rows = [record.values for record in session.records[first:]]
            unobserved = frozenset(name for each in session.unobserved for name in each.names)
            shown.append(ShownRows(rows, session.replies[-1], unobserved))
        return shown, session.point
