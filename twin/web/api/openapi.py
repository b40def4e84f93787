"""`/twin/v1/openapi.json`: the description of the interface, with all questions one by one."""

from __future__ import annotations

from typing import Any, Final

from fastapi import APIRouter
from fastapi.openapi.utils import get_openapi
from starlette.requests import Request

from twin.model.versions import VERSION
from twin.questions.catalogue import QUESTIONS
from twin.questions.declared import Filter, Question
from twin.questions.schema import schema_of, schema_of_comparison
from twin.web.api.answers import OnlyDeclared
from twin.web.guard import CSRF_HEADER, Reader

router = APIRouter(dependencies=[OnlyDeclared])

_PREFIX: Final = "/twin/v1"
_ASK: Final = f"{_PREFIX}/ask/{{question}}"
_POINT: Final = {
    "as-of": "The instant to ask about: ISO 8601, or relative such as -2h; now by default.",
    "known-at": "Use only what the log knew at this instant; now by default.",
    "branch": "The branch; main by default.",
}
_PROBLEM: Final = {
    "type": "object",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "error": {"description": "The name of the error.", "type": "string"},
        "number": {"description": "The number in the server's log.", "type": "string"},
    },
    "required": ["type", "title", "status", "detail"],
}


@router.get("/openapi.json")
def openapi(request: Request, user: Reader) -> dict[str, Any]:
    """Return the description of this interface, as OpenAPI 3.1."""
    document = get_openapi(
        title="twin",
        version=VERSION,
        summary="A digital twin of IBM MQ clusters: questions, plans and findings as JSON.",
        routes=request.app.routes,
    )
    described = _completed(document)
    described["servers"] = [{"url": request.scope.get("root_path") or "/"}]
    return described


def _completed(document: dict[str, Any]) -> dict[str, Any]:
    """Leave out other interfaces, and describe each question by itself."""
    document["paths"] = {
        path: methods for path, methods in document["paths"].items() if path.startswith(_PREFIX)
    }
    for name in ("HTTPValidationError", "ValidationError"):
        document["components"]["schemas"].pop(name, None)
    paths = document["paths"]
    general = paths.pop(_ASK)["get"]
    for name, question in QUESTIONS.items():
        paths[f"{_PREFIX}/ask/{name}"] = {"get": _asked(name, question, general)}
    for methods in paths.values():
        for method, operation in methods.items():
            _complete(method, operation)
    document["components"]["schemas"]["Problem"] = _PROBLEM
    document["components"]["securitySchemes"] = {
        "basic": {"type": "http", "scheme": "basic"},
        "token": {"type": "apiKey", "in": "cookie", "name": "LtpaToken2"},
    }
    document["security"] = [{"basic": []}, {"token": []}]
    return document


def _asked(name: str, question: Question, general: dict[str, Any]) -> dict[str, Any]:
    """Describe one question: its filters, and the schema of its answer."""
    usual = [each for each in general["parameters"] if each["in"] == "query"]
    filters = [_parameter(each) for each in question.narrowed_by]
    span = [_text("since", "Where the span of time begins.")] if question.has_span else []
    compared = []
    answers = [_without_dialect(schema_of(name))]
    if not question.no_reference:
        compared = [
            _text(
                "against",
                "Show how the rows differ from those of a branch or an instant; a relative one is "
                "relative to `as-of`.",
            ),
            {
                "name": "ignore",
                "in": "query",
                "required": False,
                "description": "A field that is not compared.",
                "schema": {"type": "array", "items": {"type": "string"}},
            },
        ]
        answers.append(_without_dialect(schema_of_comparison(name)))
    return {
        "tags": ["ask"],
        "summary": question.summary,
        "description": question.limits or question.summary,
        "operationId": f"ask_{name}",
        "parameters": [*filters, *span, *compared, *usual],
        "responses": {
            "200": {
                "description": "The answer.",
                "content": {
                    "application/json": {"schema": {"anyOf": answers}},
                    "text/csv": {"schema": {"type": "string"}},
                },
            }
        },
    }


def _without_dialect(schema: dict[str, Any]) -> dict[str, Any]:
    return {word: value for word, value in schema.items() if word != "$schema"}


def _parameter(filter_: Filter) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    if filter_.choices:
        schema["enum"] = list(filter_.choices)
    elif filter_.metavar == "N":
        schema = {"type": "integer", "minimum": 1}
    elif not filter_.metavar:
        schema["enum"] = ["yes"]
    described = _text(filter_.name, filter_.meaning)
    return {**described, "required": filter_.required, "schema": schema}


def _text(name: str, meaning: str) -> dict[str, Any]:
    return {
        "name": name,
        "in": "query",
        "required": False,
        "description": meaning,
        "schema": {"type": "string"},
    }


def _complete(method: str, operation: dict[str, Any]) -> None:
    """Add what all operations have: the point in time, the header, and the problems."""
    parameters = operation.setdefault("parameters", [])
    parameters += [_text(name, meaning) for name, meaning in _POINT.items()]
    if method in {"post", "delete", "patch", "put"}:
        header = _text(CSRF_HEADER, "Must be there; any value will do.")
        parameters.append({**header, "in": "header", "required": True})
    operation["responses"].pop("422", None)
    problem = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for status in ("400", "401", "403", "404", "503"):
        operation["responses"][status] = {"description": "A problem.", "content": problem}
