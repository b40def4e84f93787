"""Reviews as JSON: `explain`, `plan`, `doctor` and `runbooks`. Nothing is recorded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from twin.app.twin import Twin
from twin.errors import TwinError, did_you_mean
from twin.model.instants import parse_instant, parse_length
from twin.questions.answer import Answer
from twin.questions.explanation import ExplainRequest
from twin.review.doctor.examination import ExamRequest, examine, skipped_rules
from twin.review.doctor.report import document_of as examination_document
from twin.review.plan.affected import PlannedPut
from twin.review.plan.document import document_of as plan_document
from twin.review.plan.plan import Request as PlanRequest
from twin.review.plan.plan import plan
from twin.review.plan.planned import PlannedScript, changing
from twin.review.runbooks.runbook import RUNBOOKS, work_out
from twin.review.runbooks.subjects import RunbookRequest
from twin.review.runbooks.text import document_of as runbook_document
from twin.web.api.answers import AnswerFormat, OnlyDeclared, Output, respond
from twin.web.errors import BadRequest
from twin.web.guard import Reader
from twin.web.points import Point
from twin.web.service import service_of

router = APIRouter(dependencies=[OnlyDeclared])

_MOST: Final = 1000
"""The most scripts, puts and other parts of one request."""


class NoSuchRunbook(
    TwinError,
    LookupError,
    message=f"unknown runbook {{!r}}; expected one of {', '.join(RUNBOOKS)}{{}}",
):
    """A runbook that twin does not have."""


class EmptyPlanBody(BadRequest, message="nothing to plan; give scripts, suspend, stop or refresh"):
    """A plan without a change."""


class _Body(BaseModel):
    """A body without other fields than the declared ones."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ScriptBody(_Body):
    """MQSC to run at a queue manager."""

    on: str = Field(description="The queue manager.")
    text: str = Field(description="The commands.")
    file: str = Field("script", description="The name by which the plan calls the script.")


class RefreshBody(_Body):
    """A REFRESH CLUSTER."""

    on: str = Field(description="The queue manager.")
    cluster: str


class PutBody(_Body):
    """A put to compare."""

    on: str = Field(description="The queue manager.")
    queue: str
    bind: Literal["asqdef", "open", "notfixed", "group"] = "asqdef"


class PlanBody(_Body):
    """A change to plan, as the options of `twin plan`."""

    scripts: tuple[ScriptBody, ...] = Field((), max_length=_MOST)
    suspend: tuple[str, ...] = Field((), max_length=_MOST)
    stop: tuple[str, ...] = Field((), max_length=_MOST)
    refresh: tuple[RefreshBody, ...] = Field((), max_length=_MOST)
    puts: tuple[PutBody, ...] = Field((), max_length=_MOST)
    advance: str | None = Field(None, description="How long to let time pass: 91d, 12h.")


class RunbookBody(_Body):
    """What a runbook is about, as the options of `twin runbook`."""

    qmgr: str
    qmid: str = ""
    cluster: str = ""
    to: str = Field("", description="move-full-repository: the queue manager that takes over.")
    since: str | None = Field(None, description="maintain: when it began; dr-test: the backup.")
    lasts: str = Field("4h", description="maintain: how long the queue manager is down.")
    script: str | None = Field(
        None, description="rebuild: the definitions of the new queue manager [those of now]."
    )
    lost: bool = False
    done: tuple[str, ...] = Field((), max_length=_MOST, description="Steps that count as done.")


@router.get("/explain")
def explain(  # noqa: PLR0913 - each is a parameter of its own
    request: Request,
    user: Reader,
    *,
    on: str,
    queue: str,
    to: str = "",
    bind: Literal["asqdef", "open", "notfixed", "group"] = "asqdef",
    profile: Literal["", "v7", "v8"] = "",
    put1: bool = False,
    output: Output = AnswerFormat.JSON,
) -> Response:
    """Explain where a message would go, rule by rule; nothing is put."""
    wanted = ExplainRequest(queue=queue, to=to, bind=bind, put1=put1, profile=profile)
    return respond(_computed(request, explained, on, wanted), output)


def explained(twin: Twin, point: Point, on: str, request: ExplainRequest) -> Answer:
    """Explain a put at a point in time."""
    as_of, known_at = point.instants(twin)
    explanation, at = twin.explain(on, request, as_of=as_of, known_at=known_at)
    return explanation.answer(at)


@router.post("/plan")
def make_plan(request: Request, user: Reader, body: PlanBody) -> dict[str, Any]:
    """Rehearse a change beside doing nothing, and say what differs."""
    if not (body.scripts or body.suspend or body.stop or body.refresh):
        raise EmptyPlanBody
    document: dict[str, Any] = _computed(request, planned, body)
    return document


def planned(twin: Twin, point: Point, body: PlanBody) -> dict[str, Any]:
    """Plan a change at a point in time."""
    scripts = [PlannedScript(each.on, each.text, each.file) for each in body.scripts]
    refreshes = [(each.on, each.cluster) for each in body.refresh]
    wanted = PlanRequest(
        changes=changing(scripts, suspend=body.suspend, stop=body.stop, refreshes=refreshes),
        puts=tuple(PlannedPut(each.on, each.queue, each.bind) for each in body.puts),
        advance=0 if body.advance is None else parse_length(body.advance),
    )
    as_of, known_at = point.instants(twin)
    return plan_document(plan(twin, wanted, as_of=as_of, known_at=known_at))


@router.get("/doctor")
def doctor(
    request: Request,
    user: Reader,
    *,
    on: str | None = None,
    cluster: str | None = None,
    rule: Annotated[list[str] | None, Query()] = None,
    skip: Annotated[list[str] | None, Query()] = None,
    prove: bool = True,
) -> dict[str, Any]:
    """Find what is wrong with the clusters; fixes are rehearsed unless `prove` is false."""
    wanted = ExamRequest(
        rules=tuple(rule or ()),
        skipped=skipped_rules(skip or ()),
        on=on,
        cluster=cluster,
        prove=prove,
    )
    document: dict[str, Any] = _computed(request, examined, wanted)
    return document


def examined(twin: Twin, point: Point, wanted: ExamRequest) -> dict[str, Any]:
    """Examine a point in time."""
    as_of, known_at = point.instants(twin)
    return examination_document(examine(twin, replace(wanted, as_of=as_of, known_at=known_at)))


@router.get("/runbooks")
def runbooks(user: Reader) -> dict[str, Any]:
    """List the runbooks with their steps."""
    return {
        "runbooks": [
            {"name": name, "steps": [step.id for step in each.steps]}
            for name, each in RUNBOOKS.items()
        ]
    }


@router.post("/runbooks/{name}")
def work_out_runbook(
    request: Request, user: Reader, name: str, body: RunbookBody
) -> dict[str, Any]:
    """Show a procedure for a queue manager step by step, and how far it is."""
    if name not in RUNBOOKS:
        raise NoSuchRunbook(name, did_you_mean(name, RUNBOOKS))
    document: dict[str, Any] = _computed(request, worked_out, name, body)
    return document


def worked_out(twin: Twin, point: Point, name: str, body: RunbookBody) -> dict[str, Any]:
    """Work out a runbook at a point in time."""
    wanted = RunbookRequest(
        qmgr=body.qmgr,
        qmid=body.qmid,
        cluster=body.cluster,
        to=body.to,
        since=None if body.since is None else parse_instant(body.since, now=twin.now()),
        lasts=parse_length(body.lasts),
        script=body.script,
        lost=body.lost,
        confirmed=frozenset(body.done),
    )
    as_of, known_at = point.instants(twin)
    return runbook_document(work_out(twin, name, wanted, as_of=as_of, known_at=known_at))


def _computed(request: Request, compute: Callable[..., Any], *arguments: Any) -> Any:
    """Compute in another process, at the point of a request."""
    point = Point.of(request)
    return service_of(request).workers.run_on(point.branch, compute, point, *arguments)
