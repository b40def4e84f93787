"""JSON Schema of the answers, made from the declarations of the questions."""

from __future__ import annotations

from typing import Any, Final

from twin.model.basis import Basis, Source
from twin.questions.catalogue import QUESTIONS
from twin.questions.declared import (
    CHANGE,
    CHANGES,
    NULL,
    UNKNOWN,
    Column,
    Question,
    before_and_after,
)

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_INSTANT: Final = {"type": "string", "format": "date-time"}

_TYPES: Final[dict[str, dict[str, Any]]] = {
    "text": {"type": "string"},
    "integer": {"type": "integer"},
    "boolean": {"type": "boolean"},
    "instant": _INSTANT,
    "list": {"type": "array", "items": {"type": "string"}},
    "value": {"type": ["string", "integer"]},
    "commands": {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"on": {"type": "string"}, "mqsc": {"type": "string"}},
            "required": ["on", "mqsc"],
            "additionalProperties": False,
        },
    },
}
"""The type of a column -> its schema."""

_POINT: Final = {
    "type": "object",
    "properties": {"valid": _INSTANT, "known": _INSTANT, "branch": {"type": "string"}},
    "required": ["valid", "known", "branch"],
    "additionalProperties": False,
}


_NULLABLE: Final = NULL | UNKNOWN

_SOURCE: Final = {
    "type": "object",
    "properties": {"on": {"type": "string"}, "source": {"type": "string", "enum": list(Source)}},
    "required": ["on", "source"],
    "additionalProperties": False,
}


def schema_of_all() -> dict[str, Any]:
    """Return the JSON Schema of an answer to any question."""
    return {"$schema": _DIALECT, "oneOf": [_answer(name) for name in QUESTIONS]}


def schema_of(question: str) -> dict[str, Any]:
    """Return the JSON Schema of the answer to a question, with all its columns."""
    return {"$schema": _DIALECT, **_answer(question)}


def schema_of_comparison(question: str) -> dict[str, Any]:
    """Return the JSON Schema of the answer to a question that is compared with a reference."""
    schema = _answer(question, _compared_row(QUESTIONS[question]))
    schema["properties"]["against"] = _POINT
    return {"$schema": _DIALECT, **schema, "required": [*schema["required"], "against"]}


def _answer(name: str, row: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "title": name,
        "description": QUESTIONS[name].summary,
        "type": "object",
        "properties": {
            "question": {"const": name},
            "as_of": _POINT,
            "rows": {"type": "array", "items": row or _row(QUESTIONS[name].columns)},
            "notes": {
                "description": "What else a reader should know, one line each.",
                "type": "array",
                "items": {"type": "string"},
            },
        },
        "required": ["question", "as_of", "rows"],
        "additionalProperties": False,
    }


def _row(columns: tuple[Column, ...]) -> dict[str, Any]:
    """Return the schema of a row: the columns, and the evidence that every row has."""
    basis_of = {
        "description": "Column -> what it rests on, if the columns differ in that.",
        "type": "object",
        "additionalProperties": {"enum": list(Basis)},
    }
    settled_by = {
        "description": "Column that nobody knows -> what would settle it; null: nothing does.",
        "type": "object",
        "additionalProperties": {"anyOf": [_SOURCE, {"type": "null"}]},
    }
    properties = {
        **{column.name: _column(column) for column in columns},
        "basis_of": basis_of,
        "settled_by": settled_by,
    }
    return _object(properties, [column.name for column in columns])


def _compared_row(question: Question) -> dict[str, Any]:
    """Return the schema of a row of a comparison: only the fields that differ are there."""
    fields = question.fields()
    identify = {column.name: _column(column) for column in question.columns}
    change = {"description": "How the row differs.", "type": "string", "enum": list(CHANGES)}
    beside = {
        name: _column(column)
        for column in question.columns
        if column.name in fields
        for name in before_and_after([column.name])
    }
    shown = {name: schema for name, schema in identify.items() if name not in fields}
    return _object({CHANGE: change, **shown, **beside}, [CHANGE, *shown])


def _object(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    """Return the schema of a row with these properties, and with those that every row has."""
    evidence = {
        "description": "Positions of the events that the row rests on.",
        "type": "array",
        "items": {"type": "integer"},
    }
    pending = {"description": "Due by then, and not recorded yet.", "const": True}
    return {
        "type": "object",
        "properties": {**properties, "evidence": evidence, "pending": pending},
        "required": [*required, "evidence"],
        "additionalProperties": False,
    }


def _column(column: Column) -> dict[str, Any]:
    schema = {
        "description": column.meaning,
        **_TYPES[column.type],
        **({"enum": list(column.choices)} if column.choices else {}),
        **({"x-unit": column.unit} if column.unit else {}),
        **{f"x-{str(trait.name).lower()}": True for trait in column.traits & ~_NULLABLE},
    }
    is_nullable = bool(column.traits & _NULLABLE)
    return {"anyOf": [schema, {"type": "null"}]} if is_nullable else schema
