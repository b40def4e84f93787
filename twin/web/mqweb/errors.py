"""Errors with the fields of mqweb: the message id, the reason code, an explanation, an action.

Sources: saved answers of mqweb (MQWB0009E); MKurator, tests against 9.4.5 (MQWB0120E). Where no
source shows an id, the answer has one of twin's own, which begins with TWNW.
"""

from __future__ import annotations

from typing import Any, Final

from starlette.responses import JSONResponse

from twin.model.reasons import QMGR_NOT_AVAILABLE, UNKNOWN_OBJECT, UNKNOWN_QMGR
from twin.web.errors import WebError

FAILED: Final = 2
"""The completion code of what failed (MQCC_FAILED)."""


class MqwebJson(JSONResponse):
    """A JSON answer with the content type of mqweb."""

    media_type = "application/json; charset=utf-8"

    def __init__(self, content: Any, status_code: int = 200, **options: Any) -> None:
        super().__init__(content, status_code, **options)
        self.headers.setdefault("content-language", "en-US")


class RestError(WebError, message="{0}"):
    """An error that only mqweb's resources have.

    Attributes:
        id: the message id of mqweb; '' for twin's own.
        explanation: why it happens. A class states it as it states its message.
        action: what to do.
        reason: the reason code of MQ; 0 for none.
        refused: whether clients must not take a command for done. Some of them look for a
            completion code alone, which error documents of mqweb do not have.
    """

    id: str = ""
    explanation: str = "{1}"
    action: str = "Correct the request and send it again."
    reason: int = 0
    refused: bool = False

    def __init_subclass__(cls, *, message: str = "", explanation: str = "") -> None:
        super().__init_subclass__(message=message)
        cls.explanation = explanation or cls.explanation

    def __init__(self, *words: object, **named: object) -> None:
        super().__init__(*words, **named)
        self.explanation = self.explanation.format(*words, **named)


class BadDocument(RestError):
    """A body that is not what the resource takes."""


class BadQuery(RestError):
    """A query parameter that the resource does not take."""


class BadKeyword(
    RestError,
    message="The command has an error at or near the end of: {0}",
    explanation="A keyword or a value is not valid for this command of this queue manager.",
):
    """A command with a keyword or a value that it cannot have."""

    id = "MQWB0120E"


class BeforeTheLog(
    RestError,
    message="{0}",
    explanation="The log has no event at or before the instant of the request.",
):
    """A request about an instant before the log begins: an empty answer would look healthy."""

    status = 404
    action = "Ask about a later instant."


class UnknownQueueManager(
    RestError,
    message="Could not query the queue manager '{0}'.",
    explanation="The REST API was invoked specifying a queue manager name which cannot be located.",
):
    """A queue manager that does not exist at the point of the request."""

    status = 404
    id = "MQWB0009E"
    reason = UNKNOWN_QMGR
    action = "Resubmit the request with a valid queue manager name."


class StoppedQueueManager(
    RestError,
    message="The queue manager '{0}' is not running.",
    explanation="Commands need a running queue manager.",
):
    """A queue manager that does not run at the point of the request."""

    status = 503
    reason = QMGR_NOT_AVAILABLE
    action = "Start the queue manager, or ask about an instant at which it runs."


class UnknownObject(
    RestError,
    message="There is no {kind} '{name}'.",
    explanation="The queue manager has no object of this name and kind at the point of the "
    "request.",
):
    """An object that does not exist at the point of the request."""

    status = 404
    reason = UNKNOWN_OBJECT
    action = "Send the request again with the name of an object that exists."


class FixedPast(
    RestError,
    message="A request with twin-as-of or twin-known-at only reads.",
    explanation="The past is fixed: commands are recorded now.",
):
    """A command for another time than now."""

    status = 403
    action = (
        "Leave out the time; to change the past, fork a branch there and name it in twin-branch."
    )
    refused = True


class CommandFailed(RestError):
    """A request that a queue manager refuses."""

    def __init__(self, text: str, *, reason: int) -> None:
        super().__init__(text, "The queue manager did not carry out the request.")
        self.status = UnknownObject.status if reason == UNKNOWN_OBJECT else self.status
        self.reason = reason


class NotServed(RestError):
    """A resource of mqweb that twin does not serve."""

    status = 501
    action = "Ask a real queue manager."
