"""Answers to MQSC commands in the two shapes of mqweb.

Sources: IBM MQ 9.4, "POST /admin/action/qmgr/{qmgrName}/mqsc"; saved answers of KEDA and of IBM's
.NET sample. `runCommandJSON` has one element for each object, with `parameters`: the keywords as
DISPLAY prints them, in lower case, with numbers as numbers and YES for a keyword without a value.
`runCommand` has the same elements with `text`.

Own decisions, since no source shows them: every list is an array, and a value that twin does not
know is blank, as in runmqsc. What twin says about a record stands beside `parameters`, in `twin`;
what it says about the whole answer stands beside `commandResponse`: the states that nobody
observed, and the rows that a filter left out because their value is not known.
"""

from __future__ import annotations

from typing import Any, Final

from twin.app.session import MqscSession
from twin.model.basis import Basis
from twin.model.messages import Message
from twin.model.reasons import COMMAND_FAILED
from twin.mqsc.layout import one_line
from twin.questions.display import DisplayRecord, Unobserved
from twin.web.mqweb.errors import FAILED

_DONE: Final = {"completionCode": 0, "reasonCode": 0}


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
