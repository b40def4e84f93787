"""What a change would do, rehearsed beside doing nothing: a script, a suspension, an end."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple, Protocol, Self

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from twin.app.twin import Twin
from twin.errors import SubjectError
from twin.model.instants import Instant, parse_length
from twin.review.plan import plan as planning
from twin.review.plan.affected import PlannedPut
from twin.review.plan.document import document_of
from twin.review.plan.planned import PlannedScript, changing
from twin.review.plan.sentences import sections, summary
from twin.web.guard import FORM_TOKEN, Reader
from twin.web.pages.parameters import LENGTH, PUTS, QMGRS, QUEUE_MANAGER, REFRESHES, TEXT, words_of
from twin.web.pages.place import PagePlace
from twin.web.pages.rendering import HEADERS
from twin.web.pages.scripts import HELD, script_in, without_script
from twin.web.pages.view import PageContent, PageReading, PageRequest, PageTable, PageView
from twin.web.service import Service, service_of

_OWN: Final = {
    "on": QUEUE_MANAGER,
    "script": TEXT,
    HELD: TEXT,
    "suspend": QMGRS,
    "stop": QMGRS,
    "refresh": REFRESHES,
    "put": PUTS,
    "advance": LENGTH,
}
"""The parameters of this view."""


class BadParts(SubjectError, ValueError, message="bad value {}; expected its parts with colons"):
    """A value that needs another number of parts between colons."""


class PlannedQuestion(NamedTuple):
    """What a page asks to plan: texts, so that another process can take them.

    Attributes:
        on: the queue manager of the script.
        script: MQSC; '' for none.
        suspend, stop: names of queue managers.
        refresh: `QM:CLUSTER`, each a REFRESH CLUSTER.
        put: `QM:QUEUE[:BIND]`, puts to compare.
        advance: how long to let time pass, such as 91d; '' for a minute.
    """

    on: str
    script: str
    suspend: tuple[str, ...]
    stop: tuple[str, ...]
    refresh: tuple[str, ...]
    put: tuple[str, ...]
    advance: str

    @classmethod
    def of(cls, service: Service, own: Mapping[str, str]) -> Self:
        """Read what a URL asks.

        Raises:
            ScriptGone: if it names a script that is no longer there.
        """
        script = script_in(service, own, "script")

        def words(name: str) -> tuple[str, ...]:
            return tuple(words_of(own.get(name, "")))

        return cls(
            own.get("on", ""),
            script,
            words("suspend"),
            words("stop"),
            words("refresh"),
            words("put"),
            own.get("advance", "").strip(),
        )

    @property
    def is_complete(self) -> bool:
        """Whether there is a change to plan."""
        has_script = bool(self.script.strip() and self.on)
        return has_script or any((self.suspend, self.stop, self.refresh))

    def request(self) -> planning.Request:
        """Return it as the planner takes it.

        Raises:
            BadParts, BadInstant: if a value is malformed.
        """
        script = [PlannedScript(self.on, self.script)] if self.script.strip() else []
        refreshed = [(qmgr, cluster) for qmgr, cluster in (_parts(r, 2) for r in self.refresh)]

        changes = changing(script, suspend=self.suspend, stop=self.stop, refreshes=refreshed)
        advance = parse_length(self.advance) if self.advance else 0
        puts = tuple(PlannedPut(*_parts(each, 2, 3)) for each in self.put)
        return planning.Request(changes=changes, puts=puts, advance=advance)


def _parts(text: str, *counts: int) -> list[str]:
    parts = text.split(":")
    if len(parts) not in counts or not all(parts):
        raise BadParts(text)
    return parts


class Plannable(Protocol):
    """What a page asks to plan."""

    def request(self) -> planning.Request:
        """Return it as the planner takes it."""


def planned(
    twin: Twin, question: Plannable, as_of: Instant | None, known_at: Instant | None
) -> dict[str, Any]:
    """Return a plan as JSON's types, and in words; it may take seconds."""
    made = planning.plan(twin, question.request(), as_of=as_of, known_at=known_at)
    return {
        "document": document_of(made),
        "sections": [
            (each.title, each.summary, [line.parts for line in each.lines])
            for each in sections(made)
        ],
        "summary": summary(made),
        "notes": list(made.notes),
        "refused": made.refused,
    }


def show(reading: PageReading) -> PageContent:
    """Show the form; the plan is loaded afterwards."""
    own, place = reading.place.own, reading.place
    return PageContent(
        title="Plan",
        values={
            "fields": {name: own.get(name, "") for name in _OWN},
            "is_complete": _asks(own),
            "token": FORM_TOKEN,
            "action": replace(place, own={}).url(),
        },
        commands=(_command(place, own),),
    )


def _asks(own: Mapping[str, str]) -> bool:
    has_script = bool(own.get("on") and (own.get("script") or own.get(HELD)))
    return has_script or any(own.get(name) for name in ("suspend", "stop", "refresh"))


def _command(place: PagePlace, own: Mapping[str, str]) -> str:
    """Return the command line that makes the same plan; a script is its standard input."""
    at = place.point.as_of
    here = replace(place, point=place.point._replace(as_of=None))
    words = [
        word
        for name in ("suspend", "stop", "refresh", "put")
        for value in words_of(own.get(name, ""))
        for word in (f"--{name}", value)
    ]
    advance = own.get("advance") or None
    if not own.get("on"):
        return here.command("plan", *words, at=at, advance=advance)
    on, script = own["on"], own.get("script", "")
    if not script:
        return here.command("plan", f"{on}=script.mqsc", *words, at=at, advance=advance)
    command = here.command("plan", f"{on}=-", *words, at=at, advance=advance)
    return f"printf '%s\\n' {shlex.quote(script)} | {command}"


def compute(page: PageRequest) -> PageContent:
    """Rehearse the change, and return what it does beside doing nothing.

    Raises:
        NothingPlanned: if there is no change.
        NoSuchQueueManager, UnknownPlannedPut: if something is named that does not exist.
        ScriptGone, BadParts, BadInstant: if the URL cannot be used.
        Busy, TookTooLong, WorkerEnded: as `Workers.run`.
    """
    question = PlannedQuestion.of(page.service, page.place.own)
    if not question.is_complete:
        raise planning.NothingPlanned
    return plan_content("Plan", page, question)


def plan_content(title: str, page: PageRequest, question: Plannable) -> PageContent:
    """Make the plan that a page asks for, and return it.

    Raises:
        NothingPlanned, NoSuchQueueManager, UnknownPlannedPut, Busy, TookTooLong, WorkerEnded: as
            `compute`.
    """
    with page.reading() as reading:
        valid, known = page.place.point.instants(reading.twin)
    made = page.service.workers.run_on(page.place.point.branch, planned, question, valid, known)
    document = made["document"]
    return PageContent(
        title=title,
        values={
            "sections": [_Section(*section) for section in made["sections"]],
            "summary": made["summary"],
            "notes": made["notes"],
            "refused": made["refused"],
            "commands": document["commands"],
            "until": document["until"],
        },
        tables=(PageTable.plain("plan", _COLUMNS, document["changes"], document),),
    )


_COLUMNS: Final = (
    *("section", "action", "on", "cluster", "kind", "name", "owner", "field", "before", "after"),
    *("when", "how", "why"),
)


class _Section(NamedTuple):
    """A section of a plan.

    Attributes:
        title: its title.
        summary: what it says in one line.
        lines: its lines, each with its sign apart; '' for a line that belongs to the one before.
    """

    title: str
    summary: str
    lines: Sequence[tuple[str, str]]


router = APIRouter(include_in_schema=False)


@router.post("/plan")
async def take(request: Request, user: Reader) -> Response:
    """Take the form, and lead to its plan. Nothing is recorded.

    A long script, or one with a password, is held by the service instead of standing in the URL.
    """
    form = await request.form()
    place = await run_in_threadpool(PagePlace.of, request, "plan")
    own = {name: str(form[name]) for name in _OWN if name in form and str(form[name]).strip()}
    own = without_script(service_of(request), own, "script")
    return RedirectResponse(replace(place, own=own).url(), 303, headers=HEADERS)


PLAN: Final = PageView(name="plan", title="Plan", show=show, long=compute, actions=router, own=_OWN)
