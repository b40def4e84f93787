"""Why a message goes where it goes: the put that is asked about, its choice, and all hops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple, Self

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from twin.app.results import Alternative, Route, Trace
from twin.model.amounts import whole_number
from twin.model.instants import AsOf
from twin.model.reasons import reason_name
from twin.mqsc.masking import masked_text
from twin.questions.answer import Answer
from twin.questions.explanation import ExplainRequest, Explanation
from twin.review.plan.shares import turns_of
from twin.review.settings import Setting, explained_beside, table_of
from twin.web.errors import BadRequest
from twin.web.guard import Reader
from twin.web.pages import funnel
from twin.web.pages.funnel import TURNS, key_of, stages_of, words_of
from twin.web.pages.parameters import POSITION, QUEUE_MANAGER, ROUTE, TEXT, one_of
from twin.web.pages.place import PagePlace, demand_known
from twin.web.pages.rendering import HEADERS
from twin.web.pages.route_edits import FIELDS, RouteField, commands_for, fields_of
from twin.web.pages.view import (
    PageContent,
    PageReading,
    PageRequest,
    PageTable,
    PageView,
    demand_values,
)
from twin.web.service import service_of

BINDS: Final = ("asqdef", "open", "notfixed", "group")

PROFILES: Final = ("", "v8", "v7")

PARAMETERS: Final = {
    "on": QUEUE_MANAGER,
    "queue": TEXT,
    "to": TEXT,
    "bind": one_of(BINDS),
    "profile": one_of(PROFILES[1:]),
    "put1": one_of(("yes",)),
    "with": TEXT,
    "position": POSITION,
}
"""The query parameters with a put."""


class PasswordInAddress(
    BadRequest,
    message="the settings have a password, which would stand in the address of this page; leave "
    "it out: no choice depends on it",
):
    """Settings with a password: the address of a page stands in logs and histories."""


def demand_no_password(settings: str) -> str:
    """Return settings that may stand in the address of a page.

    Raises:
        PasswordInAddress: if they have a password.
    """
    if masked_text(settings) != settings:
        raise PasswordInAddress
    return settings


class AskedPut(NamedTuple):
    """The put that a URL asks about.

    Attributes:
        on: the queue manager that the application is connected to; '' if none is named yet.
        queue: the queue; '' if none is named yet.
        settings: commands that are rehearsed first, as `explain --with` takes them.
        position: the position of a recorded choice, instead of all others.
    """

    on: str
    queue: str
    to: str
    bind: str
    profile: str
    put1: bool
    settings: str
    position: str

    @classmethod
    def of(cls, place: PagePlace) -> Self:
        """Read the put from the parameters of a URL.

        Raises:
            PasswordInAddress: if its settings have a password.
        """
        own = place.own
        return cls(
            own.get("on", place.eyes or ""),
            own.get("queue", ""),
            own.get("to", ""),
            own.get("bind", BINDS[0]),
            own.get("profile", ""),
            own.get("put1", "") == "yes",
            demand_no_password(own.get("with", "")),
            own.get("position", ""),
        )

    @property
    def is_complete(self) -> bool:
        """Whether there is something to explain."""
        return bool(self.position or (self.on and self.queue))

    @property
    def request(self) -> ExplainRequest:
        """The put as the twin takes it."""
        return ExplainRequest(
            queue=self.queue, to=self.to, bind=self.bind, put1=self.put1, profile=self.profile
        )


def picked_route(trace: Trace, key: str) -> Route | None:
    """Return the route of a key; without one, the last that a rule excluded, or the chosen one."""
    for route in trace.routes:
        if key_of(route) == key:
            return route
    fallen = [
        fall.route for step in trace.steps if step.rule.name not in TURNS for fall in step.falls
    ]
    return fallen[-1] if fallen else trace.chosen


class PickedRoute(NamedTuple):
    """The route that is looked at.

    Attributes:
        route: the route.
        key: what identifies it.
        rule: the rule that excluded it; '' if none did.
        keeps: what a route needs to pass the rule, in words.
        source: the source of the rule.
        why: why it fell.
        is_chosen: whether it is chosen.
        takes_turns: whether it only is not the next.
        ways: how its queue manager would be chosen.
        fields: what can be edited.
        evidence: the positions of the events that it rests on.
    """

    route: Route
    key: str
    rule: str
    keeps: str
    source: str
    why: str
    is_chosen: bool
    takes_turns: bool
    ways: Sequence[Alternative]
    fields: Sequence[RouteField]
    evidence: tuple[int, ...]

    @classmethod
    def of(
        cls, explanation: Explanation, trace: Trace, route: Route, evidence: tuple[int, ...]
    ) -> Self:
        """Look at one route of an explanation."""
        rule, fall = next(
            ((rule, fall) for each, rule, fall in trace.removals() if each is route), (None, None)
        )
        return cls(
            route,
            key_of(route),
            rule.name if rule else "",
            words_of(rule.name) if rule else "",
            rule.source if rule else "",
            trace.fell_by(rule, fall) if rule and fall else "",
            route is trace.chosen,
            rule is not None and rule.name in TURNS,
            [way for way in explanation.alternatives if way.qmid == route.qmid],
            list(fields_of(route, explanation.qmgr)),
            evidence,
        )


_NOT_BOUND: Final = "No destination is bound: the name is not in a cluster."


class ExplainedPut(NamedTuple):
    """A choice that was explained.

    Attributes:
        explanation: where the message goes; with settings, after them.
        point: the point in time.
        settings: things as they are, and the setting; () without settings.
        beside: the headings and the rows of a table with both.
        missing: what is missing in the log.
    """

    explanation: Explanation
    point: AsOf
    settings: tuple[Setting, ...] = ()
    beside: tuple[tuple[str, ...], list[list[str]]] = ((), [])
    missing: tuple[str, ...] = ()


def show(reading: PageReading) -> PageContent:
    """Explain the put that the URL names; without one, ask for it."""
    put = AskedPut.of(reading.place)
    values: dict[str, Any] = {
        "put": put,
        "binds": BINDS,
        "profiles": PROFILES,
        "queues": _queues(reading, put.on),
        "explained": None,
    }
    if not put.is_complete:
        command = reading.place.command("explain", put.on or "QM", put.queue or "QUEUE")
        return PageContent(title="Why", values=values, commands=(command,))
    explained = _explained(reading, put)
    answer = explained.explanation.answer(explained.point)
    hops = _hops(reading, put)
    values |= {
        "explained": explained,
        "explanation": explained.explanation,
        "reason": reason_name(explained.explanation.reason),
        "answer": answer,
        "hops": hops,
        "bind_text": explained.explanation.bound or _NOT_BOUND,
        "rehearse": lambda way: _rehearsed_url(reading.place, put, way),
        **_funnel_values(explained.explanation, reading.place, answer),
    }
    tables = (PageTable.of(answer), *((PageTable.of(hops),) if hops else ()))
    return PageContent(
        title=_title(explained.explanation),
        values=values,
        tables=tables,
        commands=_commands(reading.place, put),
    )


def _title(explanation: Explanation) -> str:
    name, at = explanation.resolved.name or explanation.queue, explanation.qmgr
    if explanation.reason:
        return f"Why does {name} put at {at} fail?"
    trace = explanation.trace
    to = trace.chosen.qmgr if trace and trace.chosen else explanation.alone[0]
    return f"Why does {name} put at {at} go to {to}?" if to else f"Where does {name} at {at} go?"


def _explained(reading: PageReading, put: AskedPut) -> ExplainedPut:
    twin = reading.twin
    if put.position:
        explanation, point = twin.explain_past(_position(put.position))
        return ExplainedPut(explanation, point)
    valid, known = reading.place.point.instants(twin)
    if not put.settings:
        explanation, point = twin.explain(put.on, put.request, as_of=valid, known_at=known)
        return ExplainedPut(explanation, point, missing=twin.incompleteness(point))

    def rehearsed() -> ExplainedPut:
        base = twin.rehearse(as_of=valid, known_at=known)
        settings = explained_beside(base, put.on, put.request, [put.settings])
        beside = table_of(settings, base)
        return ExplainedPut(settings[-1].explanation, base.point, tuple(settings), beside)

    return twin.soundly(rehearsed)


def _rehearsed_url(place: PagePlace, put: AskedPut, way: Alternative) -> str:
    """Return the URL of the choice after the changes that choose another queue manager."""
    commands = (str(change.command) for change in way.changes)
    settings = "; ".join(filter(None, (put.settings, *commands)))
    return place.url(picked=None, **{"with": settings})


def _position(text: str) -> int:
    from twin.questions.past_choice import NoChoice  # noqa: PLC0415 - few pages explain the past

    number = whole_number(text)
    if number is None:
        raise NoChoice(text)
    return number


def _hops(reading: PageReading, put: AskedPut) -> Answer | None:
    """Follow the message to its ends; a rehearsed or a recorded choice is not followed."""
    if put.position or put.settings:
        return None
    return reading.ask(
        "route",
        on=put.on,
        queue=put.queue,
        to=put.to or None,
        bind="notfixed" if put.put1 else put.bind,
        profile=put.profile or None,
    )


def _queues(reading: PageReading, on: str) -> list[str]:
    """Return the cluster queues that a queue manager knows."""
    if not on:
        return []
    beliefs = reading.ask("beliefs", on=on, kind="queue", cluster=reading.place.cluster)
    return sorted({str(row["name"]) for row in beliefs.rows})


def _commands(place: PagePlace, put: AskedPut) -> tuple[str, ...]:
    if put.position:
        alone = replace(place, point=place.point._replace(as_of=None, known_at=None))
        return (alone.command("explain", position=put.position),)
    options = {
        "to": put.to or None,
        "bind": None if put.bind == BINDS[0] else put.bind,
        "put1": put.put1,
        "profile": put.profile or None,
    }
    explain = place.command("explain", put.on, put.queue, **options, **{"with": put.settings})
    if put.settings:
        return (explain,)
    return explain, place.command("explain", put.on, put.queue, route=True, **options)


def _funnel_values(explanation: Explanation, place: PagePlace, answer: Answer) -> Mapping[str, Any]:
    """Return the picture, the route that is looked at, and what would change the choice."""
    trace = explanation.trace
    if trace is None:
        return {"picture": None, "picture_width": 0, "picked": None, "turns": [], "chosen": None}
    picked = picked_route(trace, place.own.get("picked", ""))
    evidence: tuple[int, ...] = ()
    for (route, _, _), positions in zip(trace.removals(), answer.positions(), strict=True):
        if route is picked:
            evidence = positions
    return {
        "picture_width": funnel.WIDTH,
        "picture": funnel.draw(tuple(stages_of(trace))),
        "chosen": trace.chosen,
        "chosen_key": key_of(trace.chosen) if trace.chosen else "",
        "turns": turns_of(trace),
        "picked": PickedRoute.of(explanation, trace, picked, evidence) if picked else None,
    }


_OWN: Final = {**PARAMETERS, "picked": ROUTE}

router = APIRouter(include_in_schema=False)

_FIELD: Final = "edit."
"""What the names of the fields of an edit begin with."""


@router.get("/why/edit")
def edit(request: Request, user: Reader) -> Response:
    """Lead from the fields of a route to the choice after them. Nothing is recorded."""
    place = PagePlace.of(request, "why")
    fields = {
        name.removeprefix(_FIELD): value
        for name, value in place.own.items()
        if name.startswith(_FIELD)
    }
    demand_known(request, {*_OWN, *(_FIELD + name for name in FIELDS)})
    own = {name: value for name, value in place.own.items() if not name.startswith(_FIELD)}
    asked = replace(place, own=own)
    page = PageRequest(service_of(request), asked, user)
    demand_values(page, _OWN)
    put = AskedPut.of(asked)
    with page.reading() as reading:
        trace = _explained(reading, put).explanation.trace
    route = picked_route(trace, own.get("picked", "")) if trace else None
    commands = commands_for(route, put.on, fields) if route else ()
    settings = demand_no_password("; ".join(filter(None, (put.settings, *commands))))
    return RedirectResponse(asked.url(**{"with": settings}), 303, headers=HEADERS)


WHY: Final = PageView(
    name="why",
    title="Why",
    show=show,
    actions=router,
    own=_OWN,
    typed=("on", "queue"),
)
