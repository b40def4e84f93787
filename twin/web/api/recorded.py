"""What is recorded: the events of the log, and its branches."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from twin.app.branch_list import list_branches
from twin.app.event_page import EventsRequest, events_page
from twin.app.twin import Twin
from twin.model.instants import MAIN, format_instant, parse_instant
from twin.questions.answer import Answer
from twin.questions.narrowing import Narrowing
from twin.web.api.answers import AnswerFormat, OnlyDeclared, Output, respond
from twin.web.errors import BadRequest
from twin.web.guard import Reader, Writer
from twin.web.points import Point
from twin.web.service import service_of

router = APIRouter(dependencies=[OnlyDeclared])


class PointNotTaken(
    BadRequest,
    message="a branch is made from `parent` at the instant `at` of the body, and deleted by the "
    "name in the path; leave out as-of, known-at and branch",
):
    """A request about branches that names a point in time or a branch."""


class BranchBody(BaseModel):
    """A branch to create, as the options of `twin branch create`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    parent: str = MAIN
    at: str | None = Field(None, description="The instant of the fork; the latest by default.")
    assume_healed: bool = Field(
        default=False, description="Whether the links of broken channels work again."
    )


@router.get("/branches")
def branches(request: Request, user: Reader, output: Output = AnswerFormat.JSON) -> Response:
    """List the branches and where they fork."""
    with service_of(request).readers.borrow() as twin:
        answer = list_branches(twin)
    return respond(answer, output)


@router.post("/branches", status_code=201)
def create_branch(request: Request, user: Writer, body: BranchBody) -> dict[str, Any]:
    """Fork a branch; its events never change the branch it forks from."""
    _demand_no_point(request)
    with service_of(request).writing(body.parent) as twin:
        at = None if body.at is None else parse_instant(body.at, now=twin.now())
        made = twin.create_branch(body.name, at=at, assume_healed=body.assume_healed)
    return {
        "branch": made.name,
        "parent": made.parent,
        "forked_at": format_instant(made.fork_occurred_at),
    }


@router.delete("/branches/{name:path}", status_code=204)
def delete_branch(request: Request, user: Writer, name: str) -> None:
    """Delete a branch: it is hidden and refused, its events stay, and its name is free."""
    _demand_no_point(request)
    with service_of(request).writing(name) as twin:
        twin.delete_branch()


def _demand_no_point(request: Request) -> None:
    """Check that a request names no point; it would be ignored.

    Raises:
        PointNotTaken: if it does.
    """
    if Point.of(request) != Point():
        raise PointNotTaken


@router.get("/log/events")
def events(  # noqa: PLR0913 - each is a parameter of its own
    request: Request,
    user: Reader,
    *,
    qmgr: str | None = None,
    type_: Annotated[list[str] | None, Query(alias="type")] = None,
    kind: str | None = None,
    name: str | None = None,
    everything: Annotated[bool, Query(alias="all")] = False,
    since: str | None = None,
    after: Annotated[int, Query(ge=0, lt=1 << 62)] = 0,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 100,
    output: Output = AnswerFormat.JSON,
) -> Response:
    """Return a page of the recorded events; `after` is the last position of the page before."""
    wanted = EventsRequest(
        types=tuple(type_ or ()),
        qmgr=qmgr,
        narrowing=Narrowing(kind, name, everything=everything),
        after=after,
        limit=limit,
    )
    point = Point.of(request)
    answer = service_of(request).workers.run_on(point.branch, page_of, point, wanted, since)
    return respond(answer, output)


def page_of(twin: Twin, point: Point, wanted: EventsRequest, since: str | None) -> Answer:
    """Return a page of events as rows."""
    until, known_at = point.instants(twin)
    begin = None if since is None else parse_instant(since, now=twin.now())
    return events_page(twin, replace(wanted, since=begin, until=until, known_at=known_at)).answer
