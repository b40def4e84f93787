"""The put that the view Why asks about, as its URL says it, and the route that it looks at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from twin.mqsc.masking import masked_text
from twin.questions.explanation import ExplainRequest, Explanation
from twin.web.errors import BadRequest
from twin.web.pages.choice_picture import TURNS, key_of, words_of
from twin.web.pages.parameters import POSITION, QUEUE_MANAGER, TEXT, one_of
from twin.web.pages.place import PagePlace
from twin.web.pages.route_edits import RouteField, fields_of

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


class PasswordInAddress(BadRequest):
    """Settings with a password: the address of a page stands in logs and histories."""

    def __init__(self) -> None:
        super().__init__(
            "the settings have a password, which would stand in the address of this page; leave "
            "it out: no choice depends on it"
        )


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


if TYPE_CHECKING:
    from twin.app.results import Alternative, Route, Trace


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
