"""What if: the plan of steps, which can be recorded on a branch; a branch beside its parent."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from twin.app.branch_difference import branch_difference
from twin.app.twin import Twin
from twin.errors import SubjectError, TwinError
from twin.log import MainStays
from twin.model.instants import MAIN, MINUTE, Instant, format_instant
from twin.mqsc.masking import masked
from twin.questions.answer import Answer
from twin.questions.rehearsing import SETTLES_WITHIN
from twin.review.plan.plan import Request as PlanRequest
from twin.web.guard import FORM_TOKEN, Reader, Writer
from twin.web.pages.parameters import TEXT
from twin.web.pages.place import PagePlace
from twin.web.pages.plan import plan_content
from twin.web.pages.rendering import HEADERS
from twin.web.pages.scripts import HELD, script_in, without_script
from twin.web.pages.view import PageContent, PageReading, PageRequest, PageTable, PageView
from twin.web.pages.whatif_steps import (
    FORMS,
    OutOfTime,
    WhatIfOutcome,
    added_step,
    carry_out,
    command_line,
    read_steps,
)
from twin.web.service import service_of

_MOST: Final = 200
"""How many differences are shown."""

_NAMED: Final = 5
"""How many steps that were refused are named."""


class NothingAsked(
    TwinError,
    ValueError,
    message="nothing to compare: give steps, or choose a branch other than main",
):
    """A comparison of branch main with itself."""


class OnlyKnownNow(
    TwinError, ValueError, message="steps are recorded on all that is known now: leave out known-at"
):
    """Steps to record from a page that leaves out what was recorded later."""


class BranchGoesOn(
    SubjectError,
    ValueError,
    message="steps are recorded where branch {} ends: leave out as-of, or name a new branch",
):
    """Steps to record on a branch, from a page of another instant than its latest."""


def show(reading: PageReading) -> PageContent:
    """Show the steps and the branches; the comparison is loaded afterwards."""
    own, place = reading.place.own, reading.place
    steps = own.get("steps", "")
    branches = reading.twin.log.branches()
    asks = bool(steps.strip() or HELD in own or place.point.branch != MAIN)
    return PageContent(
        title="What if",
        values={
            "steps": steps,
            "refused": own.get("refused", ""),
            "held": own.get(HELD, ""),
            "is_complete": asks,
            "branches": [each for each in branches if each.name != MAIN],
            "token": FORM_TOKEN,
            "here": replace(place, own={}),
            "keys": (HELD, FORM_TOKEN),
            "forms": FORMS,
        },
        commands=tuple(_commands(place, steps, reading.at.valid)),
    )


def _commands(place: PagePlace, steps: str, at: Instant) -> Iterator[str]:
    """Yield the commands that do the same on a branch; there are none for what was known once."""
    branch = place.point.branch
    if not steps.strip():
        if branch != MAIN:
            on_main = replace(place, point=place.point._replace(branch=MAIN))
            yield on_main.command("branch", "diff", branch)
        return
    if place.point.known_at is not None:
        return
    here = replace(place, point=place.point._replace(as_of=None, known_at=None))
    yield here.command("branch", "create", "NAME", at=format_instant(at))
    try:
        read = read_steps(steps)
    except TwinError:
        return
    for step in read:
        command, is_mqsc = f"twin --branch NAME {command_line(step)}", step.kind == "mqsc"
        typed = shlex.quote(masked(step.typed))
        yield f"printf '%s\\n' {typed} | {command}" if is_mqsc else command
    yield f"twin --branch NAME advance --to +{SETTLES_WITHIN // MINUTE}m"
    yield "twin branch diff NAME"


class WhatIfQuestion(NamedTuple):
    """Steps to plan, one on a line."""

    steps: str

    def request(self) -> PlanRequest:
        """Return them as the planner takes them.

        Raises:
            BadStep, TooManySteps, TooManyDays: if they cannot be used.
        """
        steps = read_steps(self.steps)
        return PlanRequest(changes=lambda _: steps)


def compare(page: PageRequest) -> PageContent:
    """Return the plan of the steps; without steps, the branch beside its parent.

    Raises:
        NothingAsked: if there is neither.
        BadStep, TooManySteps, TooManyDays, ScriptGone: if the steps cannot be used.
        NoSuchQueueManager: if a step names one that does not exist.
        Busy, TookTooLong, WorkerEnded: as `Workers.run`.
    """
    place = page.place
    question = WhatIfQuestion(script_in(page.service, place.own, "steps"))
    if question.steps.strip():
        question.request()
        return plan_content("What if", page, question)
    if place.point.branch == MAIN:
        raise NothingAsked
    with page.reading() as reading:
        valid, known = place.point.instants(reading.twin)
    answer: Answer = page.service.workers.run_on(place.point.branch, branched, valid, known)
    rows = [answer.shown(row) for row in answer.rows]
    return PageContent(
        title="What if",
        values={"answer": answer, "rows": rows[:_MOST], "more": len(rows) - _MOST},
        tables=(PageTable.of(answer),),
    )


def branched(twin: Twin, as_of: Instant | None, known_at: Instant | None) -> Answer:
    """Compare a branch with the one that it was forked from, at the same instant."""
    parent = twin.log.branch(twin.branch).parent or MAIN
    return branch_difference(twin, parent, as_of=as_of, known_at=known_at)


router = APIRouter(include_in_schema=False)


async def _form(request: Request) -> tuple[PagePlace, dict[str, str]]:
    """Return the place of a form, and its fields that are not empty."""
    form = await request.form()
    place = await run_in_threadpool(PagePlace.of, request, WHAT_IF.name)
    fields = {name: str(form[name]) for name in form if str(form[name]).strip()}
    return place, fields


def _to(place: PagePlace) -> Response:
    return RedirectResponse(place.url(), 303, headers=HEADERS)


@router.post("/what-if")
async def take(request: Request, user: Reader) -> Response:
    """Take the steps of the form, and lead to their rehearsal. Nothing is recorded."""
    del user
    place, fields = await _form(request)
    own = {name: value for name, value in fields.items() if name in ("steps", HELD)}
    added = added_step(fields)
    if added:
        own["steps"] = "\n".join(filter(None, (own.get("steps", "").rstrip(), added)))
    return _to(replace(place, own=without_script(service_of(request), own, "steps")))


@router.post("/what-if/record")
async def record(request: Request, user: Writer) -> Response:
    """Record the steps on a new branch, or on the branch of the page; never on main."""
    del user
    place, fields = await _form(request)
    return _to(await run_in_threadpool(_recorded, request, place, fields))


def _recorded(request: Request, place: PagePlace, fields: Mapping[str, str]) -> PagePlace:
    """Record the steps where the page rehearsed them; return the place of the result.

    Raises:
        MainStays: if they would be recorded on main.
        OnlyKnownNow, BranchGoesOn: if the page rehearsed them at another point.
        BadStep, TooManySteps, TooManyDays, ScriptGone: if the steps cannot be used.
        BadInstant, TooFarAhead: if the instant of the fork cannot be.
    """
    service = service_of(request)
    steps = read_steps(script_in(service, fields, "steps"))
    name, branch = fields.get("name", "").strip(), place.point.branch
    if not name and branch == MAIN:
        raise MainStays(MAIN)
    if place.point.known_at is not None:
        raise OnlyKnownNow
    if not name and place.point.as_of is not None:
        raise BranchGoesOn(branch)
    with service.writing(branch) as twin:
        if name:
            valid, _ = place.point.instants(twin)
            twin.create_branch(name, at=twin.now() if valid is None else valid)
        on_branch = twin.on_branch(name or branch)
        outcomes = carry_out(on_branch, steps, within=service.settings.recording)
        refused = [each for each in outcomes if not each.done]
    own = {"refused": _in_short(refused)} if refused else {}
    point = place.point._replace(branch=name or branch, as_of=None, known_at=None)
    return replace(place, own=own, point=point)


def _in_short(refused: Sequence[WhatIfOutcome]) -> str:
    """Return the steps that were refused for the URL, and whether it was for lack of time."""
    named = "; ".join(each.step for each in refused[:_NAMED])
    more = f"; and {len(refused) - _NAMED} more" if len(refused) > _NAMED else ""
    too_long = str(OutOfTime())
    reason = f" ({too_long})" if refused[-1].messages == (too_long,) else ""
    return f"{named}{more}{reason}"


@router.post("/what-if/delete")
async def delete(request: Request, user: Writer) -> Response:
    """Delete a branch; main stays."""
    del user
    place, fields = await _form(request)
    name = fields.get("name", "")

    def deleted() -> None:
        with service_of(request).writing(name) as twin:
            twin.delete_branch()

    await run_in_threadpool(deleted)
    branch = MAIN if place.point.branch == name else place.point.branch
    return _to(replace(place, own={}, point=place.point._replace(branch=branch)))


WHAT_IF: Final = PageView(
    name="what-if",
    title="What if",
    show=show,
    long=compare,
    actions=router,
    own={"steps": TEXT, HELD: TEXT, "refused": TEXT},
)
