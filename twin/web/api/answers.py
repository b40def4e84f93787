"""Answers as JSON or as CSV, what processes compute for them, and problem details of failures."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from http import HTTPStatus
from typing import Annotated, Any, TypeAlias

from fastapi import Depends, Query
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from twin.csv_text import csv_text
from twin.errors import SubjectError
from twin.questions.answer import Answer
from twin.web.errors import UnknownQueryParameter
from twin.web.failures import Failure, with_challenge
from twin.web.guard import Credentials
from twin.web.points import PARAMETERS


def demand_declared(request: Request, found: Credentials) -> None:
    """Check that all query parameters are declared by the route, or name the point in time.

    Raises:
        UnknownQueryParameter: if one is not.
    """
    route = request.scope["route"]
    assert isinstance(route, APIRoute)  # noqa: S101 - for the type checker
    declared = {each.alias for each in route.dependant.query_params}
    for name in request.query_params:
        if name not in declared and name.removeprefix("twin-") not in PARAMETERS:
            raise UnknownQueryParameter(name, declared | PARAMETERS)


OnlyDeclared = Depends(demand_declared)
"""A dependency of routes whose parameters are all declared."""


class AnswerFormat(StrEnum):
    """How an answer is sent."""

    JSON = "json"
    CSV = "csv"


Output: TypeAlias = Annotated[AnswerFormat, Query(alias="format")]

AnswerColumns: TypeAlias = Annotated[str | None, Query()]

Limit: TypeAlias = Annotated[int | None, Query(ge=1)]


class NoSuchColumn(SubjectError, ValueError, message="unknown column {}"):
    """A column that an answer does not have."""


def respond(
    answer: Answer, output: AnswerFormat, columns: str | None = None, limit: int | None = None
) -> Response:
    """Send an answer: all of it as JSON, or the rows as CSV.

    Raises:
        NoSuchColumn: if columns are named that the answer does not have.
    """
    document = answer.as_json()
    names = tuple(answer.columns)
    if columns is not None:
        names = tuple(dict.fromkeys(map(str.strip, columns.split(","))))
        for name in names:
            if name not in answer.columns:
                raise NoSuchColumn(name)
    document["rows"] = [_cut(row, answer.columns, names) for row in document["rows"][:limit]]
    if output is AnswerFormat.JSON:
        return JSONResponse(document)
    rows: Iterable[Iterable[Any]] = (map(row.get, names) for row in document["rows"])
    return Response(csv_text(names, rows), media_type="text/csv; charset=utf-8")


def _cut(row: dict[str, Any], known: Iterable[str], names: tuple[str, ...]) -> dict[str, Any]:
    """Leave out the columns of a row that are not wanted; evidence and the like stay."""
    left_out = set(known).difference(names)
    return {name: value for name, value in row.items() if name not in left_out}


MEDIA_TYPE = "application/problem+json"


def problem_details(request: Request, failure: Failure) -> Response:
    """Return the problem details of a failure."""
    document = {
        "type": "about:blank",
        "title": HTTPStatus(failure.status).phrase,
        "status": failure.status,
        "detail": failure.message,
        **({"error": type(failure.error).__name__} if failure.error else {}),
        **({"number": failure.number} if failure.number else {}),
    }
    return JSONResponse(document, failure.status, with_challenge(failure), MEDIA_TYPE)
