"""The object that a statement is about."""

from __future__ import annotations

from collections.abc import Container

from twin.model.attributes import TYPES
from twin.model.objects import ObjectKey
from twin.mqsc.statement import Parameter, Statement


class NotTaken(Exception):
    """A command cannot be used; the error never leaves this room."""


def name_in(statement: Statement) -> str:
    """Return the name in a statement, '' if it has none."""
    return statement.name.text if statement.name else ""


def object_in(statement: Statement) -> tuple[str, ObjectKey]:
    """Return the type of the object of a DEFINE or ALTER, and the object.

    Raises:
        NotTaken: when it is a channel without a type.
    """
    type_name = statement.object
    if type_name == "CHANNEL":
        types = _values(statement, "CHLTYPE")
        type_name = types[0] if types else ""
        if type_name not in TYPES or TYPES[type_name].word != "CHANNEL":
            message = "CHLTYPE is missing or is not a channel type"
            raise NotTaken(message)
    return type_name, (TYPES[type_name].kind, name_in(statement))


def deleted_in(statement: Statement, known: Container[ObjectKey]) -> ObjectKey:
    """Return the object of a DELETE: a client channel if the command says so or no other fits."""
    name = name_in(statement)
    if statement.object != "CHANNEL":
        return (TYPES[statement.object].kind, name)
    if "CLNTTAB" in _values(statement, "CHLTABLE") or ("CHANNEL", name) not in known:
        return ("CLNTCONN", name)
    return ("CHANNEL", name)


def segment(statement: Statement, parameter: Parameter) -> str:
    """Write one parameter of a statement, with the verb and the object."""
    values = "" if parameter.values is None else f"({','.join(v.text for v in parameter.values)})"
    name = f"({name_in(statement)})" if statement.name else ""
    return f"{statement.verb} {statement.object}{name} {parameter.keyword}{values}"


def _values(statement: Statement, keyword: str) -> list[str]:
    return [
        value.text.upper()
        for parameter in statement.parameters
        if parameter.keyword == keyword
        for value in parameter.values or ()
    ]
