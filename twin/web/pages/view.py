"""What a view is: a function that reads at a point, and what it returns for the page.

Before it runs, the request is checked: it has only parameters that the view has, with good values.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Self, TypeVar

from fastapi import APIRouter
from starlette.requests import Request

from twin.app.notes import beginning_of, not_before
from twin.app.twin import Twin
from twin.model.instants import MAIN, MINUTE, AsOf, Instant, is_fixed, parse_instant
from twin.questions.answer import Answer
from twin.web.access.users import User
from twin.web.pages.parameters import (
    POINT,
    SHARED,
    BadParameter,
    NamedAt,
    ParameterKind,
    demand_ahead,
    one_of,
)
from twin.web.pages.place import PagePlace, demand_known
from twin.web.pages.scripts import HELD
from twin.web.points import demand_near
from twin.web.service import Service, service_of

Result = TypeVar("Result")

RESULT: Final = "result"
"""The name of the part that a view computes for long."""


class PageTable(NamedTuple):
    """Rows of a page as programs read them: in `.json` and `.csv`.

    Attributes:
        name: the name of the table in `.json`, and of `?table=` in `.csv`.
        columns: the keys of the rows.
        read: returns the rows in JSON's types; instants are text.
        write: returns the table as JSON.
    """

    name: str
    columns: tuple[str, ...]
    read: Callable[[], Sequence[Mapping[str, Any]]]
    write: Callable[[], Mapping[str, Any]]

    @classmethod
    def of(cls, answer: Answer) -> Self:
        """Return the rows of an answer, with their evidence in JSON."""
        return cls(
            answer.question,
            answer.columns,
            lambda: [answer.shown(row) for row in answer.rows],
            answer.as_json,
        )

    @classmethod
    def plain(
        cls,
        name: str,
        columns: tuple[str, ...],
        rows: Sequence[Mapping[str, Any]],
        document: Mapping[str, Any] | None = None,
    ) -> Self:
        """Return rows that are no answer to a question; `document` is the table as JSON."""
        whole = {"rows": list(rows)} if document is None else document
        return cls(name, columns, lambda: rows, lambda: whole)


class PageReading(NamedTuple):
    """A request that reads at one point in time.

    Attributes:
        twin: a borrowed twin of the branch.
        at: the point; all questions of a page are asked at it.
        place: what the URL says.
        user: who asks.
    """

    twin: Twin
    at: AsOf
    place: PagePlace
    user: User

    def ask(self, question: str, /, **filters: str | None) -> Answer:
        """Ask a question at the point of the page."""
        return self.twin.ask(question, filters, as_of=self.at.valid, known_at=self.at.known)

    def look(self, function: Callable[[Any], Result]) -> Result:
        """Return what a function reads from the estate at the point of the page."""
        return self.twin.look(function, as_of=self.at.valid, known_at=self.at.known)

    def beginning(self) -> tuple[str, ...]:
        """Return lines that say of an instant of the page that it lies before the log begins."""
        reference = self.reference()
        points = [self.at]
        if isinstance(reference, int):
            points.append(replace(self.at, valid=reference))
        return tuple(line for each in points for line in beginning_of(self.twin.log, each))

    def compared(self, question: str, /, **filters: str | None) -> Answer:
        """Ask how the answer differs from that at the place's reference.

        Raises:
            BadInstant: if the reference is neither a branch nor an instant.
        """
        valid, known, reference = self.at.valid, self.at.known, self.reference()
        return self.twin.ask(question, filters, as_of=valid, known_at=known, against=reference)

    def reference(self) -> Instant | str | None:
        """Return the instant, or the name of the branch, that the page compares with."""
        text = self.place.against
        if text is None or text in {branch.name for branch in self.twin.log.branches()}:
            return text
        at = parse_instant(text, now=self.at.valid)
        demand_near(at, self.twin)
        return at


def page_key(reading: PageReading) -> tuple[Hashable, ...]:
    """Return what a value that is computed for a page depends on: the branch, and the point.

    Of an instant that moves with the clock, such as none or `-1h`, the key lasts for a minute.
    """
    at, as_of = reading.at, reading.place.point.as_of
    moves = as_of is None or not is_fixed(as_of)
    moment = at.valid // MINUTE if moves else at.valid
    return reading.twin.log.branch(at.branch).id, at.position, moves, moment


class PageRequest(NamedTuple):
    """A request for a part of a page, which decides itself when it reads."""

    service: Service
    place: PagePlace
    user: User

    @contextmanager
    def reading(self) -> Iterator[PageReading]:
        """Lend a twin at the point of the page.

        Raises:
            NoSuchBranch, BadInstant: if the URL names a branch or an instant that is none.
            TooFarAhead: if the instant is too late.
            BeforeLog: if a queue manager is not found because the log begins later.
        """
        with self.service.readers.borrow(self.place.point.branch) as twin:
            valid, known = self.place.point.instants(twin)
            with twin.sharing():
                at = twin.as_of(valid=valid, known=known)
                with not_before(twin.log, at):
                    yield PageReading(twin, at, self.place, self.user)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageContent:
    """What a view shows.

    Attributes:
        title: the heading of the page.
        values: what its template uses.
        tables: the same for programs.
        commands: command lines that give the same; `PagePlace.command` writes them.
        template: the name of the template without its ending; '' for that of the view.
    """

    title: str
    values: Mapping[str, Any] = field(default_factory=dict)
    tables: tuple[PageTable, ...] = ()
    commands: tuple[str, ...] = ()
    template: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageView:
    """A row in the table of views.

    Attributes:
        name: its path, and the name of its template.
        title: its name in the navigation; '' if it has no entry there.
        show: reads at a point, and returns what is shown.
        parts: parts that are loaded after the page, at `/NAME/part/PART`.
        long: computes for long, with `service.workers`; its result is loaded after the page, as the
            part `result`, and its tables are those of the view. None if nothing does.
        actions: further routes, such as forms that record something; None if there are none.
        own: its query parameters besides those that every view has, and what each takes; any other
            is refused.
        typed: the parameters that a path after the name gives, as somebody would type it: with
            `("on",)` the path `/qmgr/QM1` leads to `/qmgr?on=QM1`.
    """

    name: str
    title: str
    show: Callable[[PageReading], PageContent]
    parts: Mapping[str, Callable[[PageRequest], PageContent]] = field(default_factory=dict)
    long: Callable[[PageRequest], PageContent] | None = None
    actions: APIRouter | None = None
    own: Mapping[str, ParameterKind] = field(default_factory=dict)
    typed: tuple[str, ...] = ()

    def part(self, name: str) -> Callable[[PageRequest], PageContent] | None:
        """Return the function of a part; None if there is no such part."""
        return self.long if name == RESULT else self.parts.get(name)


_NOTHING: Final[Mapping[str, ParameterKind]] = MappingProxyType({})


def page_of(
    request: Request,
    user: User,
    view: PageView,
    besides: Mapping[str, ParameterKind] = _NOTHING,
) -> PageRequest:
    """Return the request for a page of a view, whose parameters are good.

    Raises:
        UnknownQueryParameter: if it has a parameter that is neither of the view nor of `besides`.
        BadParameter: if a parameter has a value that it does not take.
    """
    own = {**view.own, **besides}
    demand_known(request, own)
    page = PageRequest(service_of(request), PagePlace.of(request, view.name), user)
    demand_values(page, own)
    return page


def demand_values(page: PageRequest, own: Mapping[str, ParameterKind]) -> None:
    """Check the values of all parameters of a page; `own` says what those of its view take.

    Raises:
        BadParameter: if one has a value that it does not take.
    """
    kinds = {**POINT, **SHARED, **own}
    given = {name: text for name, text in page.place.parameters().items() if name in kinds}
    for name, text in given.items():
        kinds[name].demand_form(name, text)
    _demand_branch(page.service, page.place.point.branch)
    _demand_held(page.service, given.get(HELD))
    _demand_near(page, given)
    named = {name: text for name, text in given.items() if kinds[name].names is not None}
    if named:
        with page.reading() as reading:
            for name, text in named.items():
                kinds[name].demand_known(name, text, NamedAt(reading.twin, reading.at))


def _demand_branch(service: Service, name: str) -> None:
    if name == MAIN:
        return
    with service.readers.borrow() as twin:
        names = [branch.name for branch in twin.log.branches()]
    one_of(names).demand_form("branch", name)


def _demand_held(service: Service, key: str | None) -> None:
    if key is not None and service.scripts.get(key) is None:
        raise BadParameter(HELD, key, "a script that the service still holds: paste it again")


def _demand_near(page: PageRequest, given: Mapping[str, str]) -> None:
    """Check that no instant is too late to be computed."""
    names = [name for name in ("as-of", "against") if name in given]
    if not names:
        return
    with page.service.readers.borrow(page.place.point.branch) as twin:
        for name in names:
            demand_ahead(name, given[name], twin)
