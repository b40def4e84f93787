"""`/twin/v1/ask`: every question of `twin ask`, with all its filters."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Final

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from twin.app.asking import question_of
from twin.app.twin import Twin
from twin.errors import BadInstant, SubjectError
from twin.model.instants import Instant, is_fixed, parse_instant
from twin.questions.answer import Answer
from twin.questions.catalogue import QUESTIONS
from twin.questions.declared import Question
from twin.questions.schema import schema_of
from twin.web.api.answers import AnswerColumns, AnswerFormat, Limit, OnlyDeclared, Output, respond
from twin.web.guard import Reader
from twin.web.points import PARAMETERS, Point
from twin.web.service import Service, service_of

router = APIRouter()

_OTHERS: Final = frozenset({"since", "against", "ignore", "format", "columns", "limit"})
_SLOW: Final = frozenset({"doctor", "capacity"})
"""Questions that compute for long, besides those that rehearse or read a span of time."""

_KEPT_ROWS: Final = 5000
"""The most rows of an answer that is kept."""


class MissingFilter(SubjectError, ValueError, message="the question needs {}"):
    """A filter without which a question cannot be asked."""


class NotASpan(SubjectError, ValueError, message="{} is about one instant; leave out since"):
    """A question about one instant, with the beginning of a span."""


class BadComparison(SubjectError, ValueError, message="against={} is neither a branch nor a time"):
    """A reference that cannot be compared with."""


class EmptySpan(SubjectError, ValueError, message="since={} is later than the instant asked about"):
    """A span that ends before it begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskRequest:
    """A question with its options, as the request has them.

    Attributes:
        question: its name.
        point: the point in time.
        since: where the span begins.
        against: an instant or a branch to compare with.
        ignore: fields that are not compared.
        filters: the filters that have a value.
    """

    question: str
    point: Point
    since: str | None = None
    against: str | None = None
    ignore: tuple[str, ...] = ()
    filters: dict[str, str] = field(default_factory=dict)

    @property
    def is_fixed(self) -> bool:
        """Whether all its instants are the same at any time, so that its answer can be kept."""
        point = (self.point.as_of, self.point.known_at)
        times = [text for text in (*point, self.since, self.against) if text is not None]
        return self.point.as_of is not None and all(map(is_fixed, times))

    @property
    def is_quick(self) -> bool:
        """Whether the answer follows from the estate of now alone."""
        declared = QUESTIONS[self.question]
        long = declared.rehearses or declared.beside_beliefs or declared.has_span
        plain = self.point.is_now and self.against is None
        return plain and not long and self.question not in _SLOW


def ask(twin: Twin, request: AskRequest) -> Answer:
    """Ask a question.

    Raises:
        TwinError: if a time is malformed, or the question cannot be asked so.
    """
    as_of, known_at = request.point.instants(twin)
    since = None if request.since is None else parse_instant(request.since, now=twin.now())
    if since is not None and since > twin.as_of(valid=as_of, known=known_at).valid:
        raise EmptySpan(str(request.since))
    return twin.ask(
        request.question,
        request.filters,
        as_of=as_of,
        known_at=known_at,
        since=since,
        against=_reference(twin, request.against, as_of),
        ignore=request.ignore,
    )


def _reference(twin: Twin, text: str | None, as_of: Instant | None) -> Instant | str | None:
    """Return the branch of a name, or else an instant, which may be relative to `as_of`.

    Raises:
        BadComparison: if it is neither.
    """
    if text is None or any(branch.name == text for branch in twin.log.branches()):
        return text
    try:
        return parse_instant(text, now=twin.now() if as_of is None else as_of)
    except BadInstant:
        raise BadComparison(text) from None


@router.get("/ask", dependencies=[OnlyDeclared])
def questions(user: Reader) -> dict[str, Any]:
    """List the questions, with their filters."""
    return {
        "questions": [
            {
                "name": name,
                "summary": question.summary,
                "filters": [each.name for each in question.narrowed_by],
                "spans_time": question.has_span,
            }
            for name, question in QUESTIONS.items()
        ]
    }


@router.get("/ask/{question}")
def ask_question(
    request: Request,
    question: str,
    user: Reader,
    output: Output = AnswerFormat.JSON,
    columns: AnswerColumns = None,
    limit: Limit = None,
) -> Response:
    """Answer a question; its filters are query parameters."""
    wanted = _read(request, question)
    service = service_of(request)
    if wanted.is_quick:
        with service.readers.borrow(wanted.point.branch) as twin:
            answer = ask(twin, wanted)
    else:
        answer = _computed(service, wanted)
    return respond(answer, output, columns, limit)


def _computed(service: Service, request: AskRequest) -> Answer:
    """Let a process answer; keep the answer while nothing is recorded if its instants are fixed."""

    def compute() -> Answer:
        return service.workers.run_on(request.point.branch, ask, request)

    if not request.is_fixed:
        return compute()
    with service.readers.borrow() as twin:
        branches = tuple(branch.id for branch in twin.log.branches())
        state = (twin.log.last(), branches)
    values = {each.name: getattr(request, each.name) for each in fields(request)}
    filters = tuple(sorted(values.pop("filters").items()))
    key = (state, filters, *values.values())
    return service.computed.get(
        "ask", key, compute, keeps=lambda made: len(made.rows) <= _KEPT_ROWS
    )


@router.get("/schema/{question}", dependencies=[OnlyDeclared])
def schema(question: str, user: Reader) -> dict[str, Any]:
    """Return the JSON Schema of the answer to a question."""
    question_of(question, {})
    return schema_of(question)


def _read(request: Request, name: str) -> AskRequest:
    """Read the parameters of a question.

    Raises:
        NoSuchQuestion, BadFilter: if the question or a filter is unknown.
        BadFilterValue, MissingFilter, NotASpan: if a value cannot be, or is missing.
    """
    query = request.query_params
    given = {
        key: value
        for key, value in query.items()
        if value and key.removeprefix("twin-") not in PARAMETERS and key not in _OTHERS
    }
    declared, filters = question_of(name, given)
    _check(name, declared, given, query.get("since"))
    return AskRequest(
        question=name,
        point=Point.of(request),
        since=query.get("since"),
        against=query.get("against"),
        ignore=tuple(query.getlist("ignore")),
        filters=filters,
    )


def _check(name: str, declared: Question, given: dict[str, str], since: str | None) -> None:
    for filter_ in declared.narrowed_by:
        if filter_.required and not given.get(filter_.name) and not given.get("position"):
            raise MissingFilter(filter_.name)
    if since is not None and not declared.has_span:
        raise NotASpan(name)
