"""DEFINE, ALTER and DELETE of every object type, and ALTER QMGR.

Source: IBM MQ 9.4, "MQSC commands reference". A DEFINE starts from the type's template (or from
LIKE), a REPLACE too: what is not given goes back to the template's values, and a queue's type
cannot be changed by it. Nothing is half applied: a command changes everything it says or nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from twin import events
from twin.events.base import Values
from twin.fold.estate import QueueManager
from twin.model.attributes import (
    TYPES,
    Problem,
    Reading,
    Value,
    conflict,
    read_values,
    sparse,
    template_of,
)
from twin.model.names import legal_name, name_limit
from twin.model.objects import Definition
from twin.mqsc.statement import Statement
from twin.rules.commands import clearing, observed_definitions
from twin.rules.draft import Draft
from twin.rules.replies import Result, done, refused


class _Acknowledged(NamedTuple):
    created: str
    altered: str
    deleted: str


ACKNOWLEDGED: Final[Mapping[str, _Acknowledged]] = {
    "QUEUE": _Acknowledged("AMQ8006", "AMQ8008", "AMQ8007"),
    "CHANNEL": _Acknowledged("AMQ8014", "AMQ8016", "AMQ8015"),
    "CLNTCONN": _Acknowledged("AMQ8014", "AMQ8016", "AMQ8015"),
    "PROCESS": _Acknowledged("AMQ8010", "AMQ8012", "AMQ8011"),
    "NAMELIST": _Acknowledged("AMQ8552", "AMQ8551", "AMQ8553"),
    "AUTHINFO": _Acknowledged("AMQ8563", "AMQ8567", "AMQ8564"),
    "LISTENER": _Acknowledged("AMQ8626", "AMQ8623", "AMQ8627"),
    "SERVICE": _Acknowledged("AMQ8625", "AMQ8622", "AMQ8624"),
    "TOPIC": _Acknowledged("AMQ8690", "AMQ8691", "AMQ8692"),
    "SUB": _Acknowledged("AMQ8094", "AMQ8092", "AMQ8091"),
    "COMMINFO": _Acknowledged("AMQ8858", "AMQ8859", "AMQ8860"),
}
"""What MQ says when an object was created, changed or deleted, by kind."""

_SYNTAX: Final = frozenset(
    "unknown-keyword keyword-not-for-type bad-value out-of-range too-long bad-name repeated"
    " not-alterable".split()
)

_CANNOT_BE_DELETED: Final = frozenset(
    ("QUEUE", f"SYSTEM.CLUSTER.{name}.QUEUE") for name in ("TRANSMIT", "COMMAND", "REPOSITORY")
)
"""Queues that the repository manager has open, so that they are always in use."""


def type_of(statement: Statement) -> str | None:
    """Return the object type a DEFINE, ALTER or DELETE is about; None where it does not say.

    A channel's type is what CHLTYPE says, which DEFINE and ALTER require first after the name.
    """
    if statement.object != "CHANNEL":
        return statement.object
    for parameter in statement.parameters:
        if parameter.keyword == "CHLTYPE":
            given = parameter.values[0].text.upper() if parameter.values else ""
            return (
                given if given in TYPES and TYPES[given].kind in ("CHANNEL", "CLNTCONN") else None
            )
    return None


def fault_of(statement: Statement, *, level: int) -> Problem | None:
    """Find what makes a DEFINE or ALTER a syntax error, whatever objects there are."""
    type_name = type_of(statement)
    if type_name is None:
        return Problem("missing", "CHLTYPE", "CHLTYPE is missing or no channel type")
    reading = _read(statement, type_name, level=level)
    if reading.problem is not None and reading.problem.kind in _SYNTAX:
        return reading.problem
    return None


def _read(statement: Statement, type_name: str, *, level: int) -> Reading:
    altering = statement.verb == "ALTER"
    name = name_of(statement)
    return read_values(type_name, statement.parameters, altering=altering, level=level, name=name)


def name_of(statement: Statement) -> str:
    """Return the name in a statement, '' where it has none."""
    return statement.name.text if statement.name else ""


def define(draft: Draft, qmgr: QueueManager, statement: Statement) -> Result:
    """Create an object, or replace it."""
    type_name, name = type_of(statement) or "", name_of(statement)
    table = TYPES[type_name]
    if table.kind != "SUB" and not legal_name(name, limit=name_limit(table.kind)):
        return refused("AMQ8424")
    reading = _read(statement, type_name, level=qmgr.cmdlevel)
    if reading.problem is not None:
        return _conflicting(reading.problem)
    before = qmgr.definitions.get((table.kind, name))
    if before is not None and ("REPLACE" not in reading.options or before.type != type_name):
        return _taken(before, replacing="REPLACE" in reading.options)
    base = _base(qmgr, type_name, reading)
    if base is None:
        return refused("AMQ8147", str(reading.options["LIKE"]))
    values = {**base, **reading.values}
    if problem := conflict(type_name, values):
        return _conflicting(problem)
    draft.emit(
        events.ObjectDefined(
            qmgr=qmgr.name,
            kind=table.kind,
            name=name,
            type=type_name,
            values=sparse(type_name, values),
        )
    )
    observed_definitions.object_changed(draft, qmgr, (table.kind, name), was=before)
    return done(ACKNOWLEDGED[table.kind].created)


def _taken(before: Definition, *, replacing: bool) -> Result:
    if replacing:
        return _other_type(before)
    return refused("AMQ8226" if before.kind in _CHANNEL_KINDS else "AMQ8150", before.name)


def _base(qmgr: QueueManager, type_name: str, reading: Reading) -> Mapping[str, Value] | None:
    table = TYPES[type_name]
    if like := reading.options.get("LIKE"):
        model = qmgr.definitions.get((table.kind, str(like)))
        return model.values if model is not None and model.type == type_name else None
    template = qmgr.definitions.get((table.kind, template_of(type_name, reading.values)))
    return template.values if template is not None and template.type == type_name else {}


def alter(draft: Draft, qmgr: QueueManager, statement: Statement) -> Result:
    """Set some attributes of an object."""
    if statement.object == "QMGR":
        return _alter_qmgr(draft, qmgr, statement)
    type_name, name = type_of(statement) or "", name_of(statement)
    table = TYPES[type_name]
    before = qmgr.definitions.get((table.kind, name))
    if before is None:
        return refused("AMQ8227" if table.kind in _CHANNEL_KINDS else "AMQ8147", name)
    if before.type != type_name:
        return _other_type(before)
    reading = _read(statement, type_name, level=qmgr.cmdlevel)
    problem = reading.problem or conflict(type_name, {**before.values, **reading.values})
    if problem is not None:
        return _conflicting(problem)
    draft.emit(
        events.ObjectAltered(
            qmgr=qmgr.name, kind=table.kind, name=name, values=dict(reading.values)
        )
    )
    observed_definitions.object_changed(draft, qmgr, (table.kind, name), was=before)
    return done(ACKNOWLEDGED[table.kind].altered)


def _alter_qmgr(draft: Draft, qmgr: QueueManager, statement: Statement) -> Result:
    reading = _read(statement, "QMGR", level=qmgr.cmdlevel)
    problem = reading.problem or conflict("QMGR", {**qmgr.values, **reading.values})
    if problem is not None:
        return _conflicting(problem)
    values: Values = dict(reading.values)
    draft.emit(events.QueueManagerAltered(qmgr=qmgr.name, values=values))
    observed_definitions.attributes_changed(draft, qmgr, set(values))
    return done("AMQ8005")


def delete(draft: Draft, qmgr: QueueManager, statement: Statement) -> Result:
    """Delete an object."""
    before = _to_delete(qmgr, statement)
    name = name_of(statement)
    if before is None:
        return refused("AMQ8227" if statement.object == "CHANNEL" else "AMQ8147", name)
    if (before.kind, name) in _CANNOT_BE_DELETED:
        return refused(clearing.IN_USE)
    if before.type == "QLOCAL":
        purge = any(each.keyword == "PURGE" for each in statement.parameters)
        if problem := clearing.refusal(qmgr, name, draft.at, purge=purge):
            return problem
        clearing.lose(draft, qmgr, name, "deleted")
    draft.emit(events.ObjectDeleted(qmgr=qmgr.name, kind=before.kind, name=name))
    observed_definitions.object_changed(draft, qmgr, (before.kind, name), was=before)
    return done(ACKNOWLEDGED[before.kind].deleted)


def _to_delete(qmgr: QueueManager, statement: Statement) -> Definition | None:
    name = name_of(statement)
    if statement.object != "CHANNEL":
        kind = TYPES[statement.object].kind
        found = qmgr.definitions.get((kind, name))
        return found if found is not None and found.type == statement.object else None
    client_table = any(
        parameter.keyword == "CHLTABLE"
        and parameter.values is not None
        and parameter.values[0].text.upper() == "CLNTTAB"
        for parameter in statement.parameters
    )
    order = ("CLNTCONN",) if client_table else ("CHANNEL", "CLNTCONN")
    found_in = (qmgr.definitions.get((kind, name)) for kind in order)
    return next((found for found in found_in if found is not None), None)


def _other_type(before: Definition) -> Result:
    if before.kind in _CHANNEL_KINDS:
        return refused("AMQ8213", before.name)
    return refused("AMQ8151")


def _conflicting(problem: Problem) -> Result:
    if problem.kind == "missing":
        return refused(_MISSING.get(problem.keyword, "AMQ8421"))
    return refused(_CONFLICTS.get(problem.reason or 0, "AMQ8405"))


_CHANNEL_KINDS: Final = frozenset({"CHANNEL", "CLNTCONN"})
_MISSING: Final[Mapping[str, str]] = {"CONNAME": "AMQ8214", "XMITQ": "AMQ8230"}
_CONFLICTS: Final[Mapping[int, str]] = {3088: "AMQ8438", 3089: "AMQ8439", 3090: "AMQ8440"}
