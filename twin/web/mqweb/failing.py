"""What the REST interface answers to a request that fails: the error document of mqweb."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from twin.app.protection import ObservedOnMain
from twin.app.refusals import NoSuchQueueManager
from twin.model.reasons import COMMAND_FAILED, UNKNOWN_QMGR
from twin.web.errors import (
    UNEXPECTED,
    NoCsrfHeader,
    NotAllowed,
    NotSignedIn,
    SignedOut,
    WritesRefused,
)
from twin.web.failures import Failure, with_challenge
from twin.web.mqweb.errors import FAILED, MqwebJson, RestError, UnknownQueueManager

_IDS: Final[Mapping[type[Exception], str]] = MappingProxyType(
    {
        SignedOut: "MQWB0112E",
        NotSignedIn: "MQWB0104E",
        NoCsrfHeader: "MQWB0106E",
        NotAllowed: "MQWB0108E",
        NoSuchQueueManager: UnknownQueueManager.id,
    }
)
"""The message ids of mqweb that clients look at."""

_OURS: Final = "TWNW0{}E"
"""The message id of what mqweb does not know, or has under an id that no source names."""

_ACTION: Final = "Correct the request and send it again."
_ACTIONS: Final[Mapping[type[Exception], str]] = MappingProxyType(
    {
        NotSignedIn: "Send the name and the password of a user, or sign in at the resource login.",
        NoCsrfHeader: "Add the header ibm-mq-rest-csrf-token to the request.",
        NotAllowed: "Ask an administrator of the service for the role, or sign in as another user.",
        SignedOut: "Login to the REST API to obtain a valid authentication cookie.",
        ObservedOnMain: "Create a branch, and name it in the header or query parameter"
        " twin-branch.",
        WritesRefused: "Send only GET requests and DISPLAY commands.",
        NoSuchQueueManager: UnknownQueueManager.action,
    }
)

_EXPLANATIONS: Final[Mapping[type[Exception], str]] = MappingProxyType(
    {
        SignedOut: "Tokens end two hours after they were given, and when the service ends.",
        NoCsrfHeader: "A page of another site cannot send this header, so it protects from them.",
        ObservedOnMain: "On main, a queue manager that was imported has only what was observed.",
        WritesRefused: "Such a service records nothing, whatever the role of the user.",
        NoSuchQueueManager: UnknownQueueManager.explanation,
    }
)
_STATUSES: Final[Mapping[int, str]] = MappingProxyType(
    {
        401: "Every request needs a user with a password, or a token from the resource login.",
        403: "Users may do what their roles allow.",
        404: "The resource, or something that the request names, does not exist.",
        405: "Each resource takes only some of the methods of HTTP.",
        408: "The service waits a limited time for a body.",
        409: "MQ refuses this in the present state of the queue manager.",
        413: "The service reads bodies of a limited length.",
        421: "A request for a name that the service does not have may be that of a foreign page.",
        429: "The number of attempts in five minutes is limited.",
        503: "The service is busy at present, or its log cannot be used.",
    }
)
"""What explains the other errors, by their HTTP status."""

_STATUS_ACTIONS: Final[Mapping[int, str]] = MappingProxyType(
    {
        404: "Correct the path or the name.",
        405: "Use a method that the resource takes.",
        408: "Send the request again, and its body without a pause.",
        413: "Send a shorter body.",
        421: "Use a name of the service in the URL, or start it with this --host-name.",
        429: "Wait as long as the message says, then sign in with the correct password.",
        500: "Look for the number in the log of the service.",
        503: "Send the request again later.",
    }
)
"""What to do about the other errors, by their HTTP status."""

_UNFIT: Final = "A value in the request cannot be used."
_UNFORESEEN: Final = "The service failed in a way that nobody foresaw."

_REFUSED: Final = (ObservedOnMain, WritesRefused, NotAllowed)
"""Errors after which a client must not take its command for done."""


def answer(request: Request, failure: Failure) -> Response:
    """Return the error document of a failure."""
    error = failure.error
    kind = type(error) if error else Exception
    own = error if isinstance(error, RestError) else None
    message_id = (own.id if own else _first(_IDS, kind)) or _OURS.format(failure.status)
    reason = own.reason if own else 0
    if isinstance(error, NoSuchQueueManager):
        reason = UNKNOWN_QMGR
    document = {
        "msgId": message_id,
        "action": own.action if own else _action(failure.status, kind),
        "completionCode": FAILED if reason else 0,
        "reasonCode": reason,
        "type": "rest",
        "message": f"{message_id}: {failure.message}",
        "explanation": own.explanation if own else _explanation(failure.status, kind),
    }
    body: dict[str, Any] = {"error": [document]}
    if isinstance(error, _REFUSED) or (own and own.refused):
        body |= {"overallCompletionCode": FAILED, "overallReasonCode": COMMAND_FAILED}
    return MqwebJson(body, failure.status, headers=with_challenge(failure))


def _explanation(status: int, kind: type[Exception]) -> str:
    """Return why something fails that other faces have, too; never the message again."""
    otherwise = _UNFORESEEN if status == UNEXPECTED else _UNFIT
    return _first(_EXPLANATIONS, kind) or _STATUSES.get(status, otherwise)


def _action(status: int, kind: type[Exception]) -> str:
    """Return what to do about an error that other faces have, too."""
    return _first(_ACTIONS, kind) or _STATUS_ACTIONS.get(status, _ACTION)


def _first(table: Mapping[type[Exception], str], kind: type[Exception]) -> str:
    """Return the entry of the nearest class; '' if there is none."""
    return next((table[each] for each in kind.__mro__ if each in table), "")
