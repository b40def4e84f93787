"""MQSC sessions for requests: one command at a time, at the point that a request names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from starlette.requests import Request

from twin.app.session import MqscSession
from twin.events import Origin
from twin.model.instants import AsOf
from twin.model.messages import NOT_RUNNING
from twin.mqsc.frame import AnsweredCommand
from twin.mqsc.reader import COMMAND_LIMIT, CommandRead
from twin.questions.answer import Row
from twin.web.access.roles import User
from twin.web.mqweb.errors import StoppedQueueManager, UnknownQueueManager
from twin.web.mqweb.request import reading, writing


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
