"""Checks a document against the part of JSON Schema that the answers use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from twin.errors import TwinError
from twin.model.instants import parse_instant

_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}
_WORDS: Final = {
    *("$schema", "title", "description", "type", "properties", "required", "items", "const"),
    *("additionalProperties", "enum", "anyOf", "format"),
}


def mismatches(document: Any, schema: dict[str, Any], at: str = "$") -> Iterator[str]:
    """Yield what does not match, and unknown keywords of the schema."""
    yield from (
        f"{at}: unknown {word}" for word in schema if not word.startswith("x-") | (word in _WORDS)
    )
    if "anyOf" in schema and all(list(mismatches(document, one, at)) for one in schema["anyOf"]):
        yield f"{at}: {document!r} fits no alternative"
    if "const" in schema and document != schema["const"]:
        yield f"{at}: {document!r} is not {schema['const']!r}"
    if document not in schema.get("enum", [document]):
        yield f"{at}: {document!r} is not one of {schema['enum']}"
    if "type" in schema and not _is_any(document, schema["type"]):
        yield f"{at}: {document!r} is no {schema['type']}"
        return
    if schema.get("format") == "date-time" and not _is_instant(document):
        yield f"{at}: {document!r} is no instant"
    if isinstance(document, dict):
        yield from _of_object(document, schema, at)
    if isinstance(document, list) and "anyOf" not in schema:
        for number, item in enumerate(document):
            yield from mismatches(item, schema["items"], f"{at}[{number}]")


def _of_object(document: dict[str, Any], schema: dict[str, Any], at: str) -> Iterator[str]:
    properties, others = schema.get("properties", {}), schema["additionalProperties"]
    yield from (f"{at}: no {name}" for name in schema.get("required", ()) if name not in document)
    for name, value in document.items():
        if name in properties or isinstance(others, dict):
            yield from mismatches(value, properties.get(name, others), f"{at}.{name}")
        elif not others:
            yield f"{at}: {name} is not declared"


def _is_any(document: Any, types: str | list[str]) -> bool:
    names = [types] if isinstance(types, str) else types
    return any(
        isinstance(document, _TYPES[name]) and isinstance(document, bool) == (name == "boolean")
        for name in names
    )


def _is_instant(document: Any) -> bool:
    try:
        parse_instant(document, now=0)
    except TwinError:
        return False
    return str(document).endswith("Z")
