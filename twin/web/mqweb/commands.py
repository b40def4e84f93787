"""`POST /admin/action/qmgr/{qmgrName}/mqsc`: one MQSC command, as text or as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from fastapi import APIRouter
from starlette.requests import Request

from twin.app.session import MqscSession
from twin.model.basis import Basis
from twin.model.commands import quote
from twin.model.messages import SYNTAX_ERROR, Message
from twin.model.reasons import COMMAND_FAILED
from twin.mqsc.json_form import BadJsonCommand, command_text
from twin.mqsc.layout import one_line
from twin.mqsc.reader import CommandRead, read
from twin.mqsc.statement import Parameter, Statement, Token, parse, write
from twin.questions.display import DisplayRecord, Unobserved
from twin.web.access.users import User
from twin.web.errors import NotAllowed
from twin.web.guard import Reader
from twin.web.mqweb.attributes import check_parameters
from twin.web.mqweb.errors import FAILED, BadDocument, BadKeyword, MqwebJson
from twin.web.mqweb.request import (
    JsonBody,
    MqwebRoute,
    answered,
    read_command,
    rehearse_command,
    write_command,
)

router = APIRouter(route_class=MqwebRoute)

_NO_COMMAND: Final = "The body is not a command."

_READS: Final = frozenset({"DISPLAY", "PING"})
"""Verbs for users who may only read."""

_DONE: Final = {"completionCode": 0, "reasonCode": 0}


@router.post("/admin/action/qmgr/{qmgr}/mqsc")
def run_command(request: Request, qmgr: str, body: JsonBody, user: Reader) -> MqwebJson:
    """Run one command."""
    check_parameters(request, ())
    kind = body.get("type")
    if kind == "runCommand":
        session = run(request, user, qmgr, _given_text(body))
        answer = text_answer(session)
    elif kind == "runCommandJSON":
        session = run_json(request, user, qmgr, body)
        answer = json_answer(session)
    else:
        raise BadDocument(_NO_COMMAND, "Its type must be runCommand or runCommandJSON.")
    return answered(answer, session.point)


def run(request: Request, user: User, qmgr: str, text: str) -> MqscSession:
    """Run one command at the point of a request; DISPLAY and PING only read.

    Raises:
        NotAllowed: if the user may not run it.
        ObservedOnMain: if it would change an observed queue manager on main.
        RestError: if the queue manager does not exist or does not run.
    """
    statement = parse(text)
    verb = statement.verb if isinstance(statement, Statement) else "DISPLAY"
    if verb not in _READS and not user.writes:
        raise NotAllowed(user.name, "MQWebAdmin")
    if verb == "DISPLAY":
        return read_command(request, qmgr, text)
    if verb == "PING":
        return rehearse_command(request, qmgr, text)
    return write_command(request, user, qmgr, text)


def run_json(request: Request, user: User, qmgr: str, command: Mapping[str, Any]) -> MqscSession:
    """Run one command in the JSON form, as `run` does.

    Raises:
        RestError: if it is not the JSON form of a command, or has a syntax error.
    """
    try:
        text = command_text(command)
    except BadJsonCommand as error:
        raise BadDocument(_NO_COMMAND, f"{error}.") from None
    statement = parse(text)
    if isinstance(statement, Statement) and _lacks_type(statement):
        display = f"DISPLAY CHANNEL({quote(statement.name.text if statement.name else '')})"
        session = run(request, user, qmgr, display)
        if not session.records:
            return session
        kind = str(session.records[0].values["chltype"])
        chltype = Parameter("CHLTYPE", (Token(kind, quoted=False),))
        text = write(replace(statement, parameters=(chltype, *statement.parameters)))
    session = run(request, user, qmgr, text)
    (reply,) = session.replies
    if any(message.id == SYNTAX_ERROR for message in reply.messages):
        raise BadKeyword(reply.segment)
    return session


def _lacks_type(statement: Statement) -> bool:
    """Return whether a command alters a channel without its type, which clients leave out."""
    alters = (statement.verb, statement.object) == ("ALTER", "CHANNEL")
    return alters and not any(each.keyword == "CHLTYPE" for each in statement.parameters)


def _given_text(body: Mapping[str, Any]) -> str:
    """Return the command of `runCommand`.

    Raises:
        RestError: if there is none, or more than one.
    """
    parameters = body.get("parameters")
    text = parameters.get("command") if isinstance(parameters, dict) else None
    extra = [*body.keys() - {"type", "parameters"}]
    if not isinstance(text, str) or extra or len(parameters or ()) != 1:
        raise BadDocument(_NO_COMMAND, "It must have 'type' and 'parameters', with one 'command'.")
    commands = [item.text for item in read(text) if isinstance(item, CommandRead)]
    if len(commands) != 1:
        raise BadDocument(_NO_COMMAND, f"It has {len(commands)} commands; a request has one.")
    return commands[0].strip()


def json_answer(session: MqscSession) -> dict[str, Any]:
    """Return the answer to `runCommandJSON`, for a session of one command."""
    records = [
        {**_DONE, "parameters": _parameters(each), **_beside(each)} for each in session.records
    ]
    return {**_answer(records or [_reply(session, "message")]), **_missing(session)}


def text_answer(session: MqscSession) -> dict[str, Any]:
    """Return the answer to `runCommand`, for a session of one command."""
    level = session.level
    records = [
        {**_DONE, "text": [Message(each.message).render(level) + one_line(each.cells)]}
        for each in session.records
    ]
    return {**_answer(records or [_reply(session, "text")]), **_missing(session)}


def _answer(elements: list[dict[str, Any]]) -> dict[str, Any]:
    failed = any(each["completionCode"] for each in elements)
    return {
        "commandResponse": elements,
        "overallReasonCode": COMMAND_FAILED if failed else 0,
        "overallCompletionCode": FAILED if failed else 0,
    }


def _missing(session: MqscSession) -> dict[str, Any]:
    """Return what twin says about an answer: what nobody observed, and what is left out."""
    unobserved = [_state(each) for each in session.unobserved]
    own: dict[str, Any] = {"notObserved": unobserved} if unobserved else {}
    if session.left_out:
        own["leftOut"] = {keyword.lower(): rows for keyword, rows in session.left_out.items()}
    return {"twin": own} if own else {}


def _state(unobserved: Unobserved) -> dict[str, Any]:
    """Return a state that nobody observed, with the objects it is about."""
    names = sorted(unobserved.names)
    return {"state": unobserved.state, **({"names": names} if names else {})}


def _reply(session: MqscSession, key: str) -> dict[str, Any]:
    """Return the element of a command that displayed nothing."""
    (reply,) = session.replies
    texts = [message.render(session.level) for message in reply.messages]
    if reply.segment:
        texts.append(reply.segment)
    if not reply.failed:
        return {**_DONE, key: texts}
    reasons = [message.reason for message in reply.messages if message.reason]
    reason = reasons[0] if reasons else COMMAND_FAILED
    return {"completionCode": FAILED, "reasonCode": reason, key: texts}


def _parameters(record: DisplayRecord) -> dict[str, Any]:
    """Return the values of a record by the keywords that DISPLAY prints."""
    values = record.values.values()
    return {
        keyword.lower(): "YES" if cell is None else _typed(value)
        for (keyword, cell), value in zip(record.cells, values, strict=True)
    }


def _typed(value: Any) -> Any:
    if value is None:
        return ""
    return list(value) if isinstance(value, tuple) else value


def _beside(record: DisplayRecord) -> dict[str, Any]:
    """Return what twin says about a record: what it does not know, and what a belief rests on."""
    unknown = [keyword for keyword, value in record.values.items() if value is None]
    own: dict[str, Any] = {"notModelled": unknown} if unknown else {}
    if record.basis not in {None, Basis.DERIVED}:
        own["basis"] = record.basis
    return {"twin": own} if own else {}
