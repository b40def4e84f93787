"""SET CHLAUTH, SET AUTHREC, SET POLICY: records that are kept and displayed as they were given.

Source: IBM MQ 9.4, "SET CHLAUTH", "SET AUTHREC", "SET POLICY". They steer who may do what, which
the twin does not model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from twin import events
from twin.fold.estate import QueueManager
from twin.model.attributes import Reading, Value, read_values
from twin.model.objects import record_name
from twin.model.records import granted, identified, removed
from twin.mqsc.statement import Statement
from twin.rules.draft import Draft
from twin.rules.replies import Result, done, refused

_SET: Final = {"CHLAUTH": "AMQ8877", "AUTHREC": "AMQ8862", "POLICY": "AMQ9088"}
_DELETED: Final = {"AUTHREC": "AMQ8863", "POLICY": "AMQ9087"}
_NOT_FOUND: Final = {"CHLAUTH": "AMQ8884"}


def set_record(draft: Draft, qmgr: QueueManager, statement: Statement) -> Result:
    """Add, replace or remove a record."""
    kind = statement.object
    reading = _read(qmgr, statement)
    if reading.problem is not None:
        return refused("AMQ8405", statement.text)
    profile = _profile(qmgr, statement, reading.values)
    action = str(reading.options.get("ACTION", "ADD"))
    if action.startswith("REMOVE"):
        return _remove(draft, qmgr, kind, profile, reading.values, action=action)
    name = record_name(kind, profile, reading.values)
    before = qmgr.definitions.get((kind, name))
    values = dict(reading.values)
    if kind == "AUTHREC":
        values = granted(values, before.values if before else {})
    draft.emit(
        events.ObjectDefined(
            qmgr=qmgr.name,
            kind=kind,
            name=name,
            type=kind,
            values=identified(kind, profile, values),
        )
    )
    return done(_SET[kind])


def delete_record(draft: Draft, qmgr: QueueManager, statement: Statement) -> Result:
    """Delete an authority record or a policy."""
    values = _read(qmgr, statement).values
    profile = _profile(qmgr, statement, values)
    result = _remove(draft, qmgr, statement.object, profile, values, action="REMOVE")
    return result if result.failed else done(_DELETED[statement.object])


def _read(qmgr: QueueManager, statement: Statement) -> Reading:
    return read_values(statement.object, statement.parameters, altering=False, level=qmgr.cmdlevel)


def _profile(qmgr: QueueManager, statement: Statement, values: Mapping[str, Value]) -> str:
    return statement.name.text if statement.name else str(values.get("PROFILE", qmgr.name))


def _remove(
    draft: Draft,
    qmgr: QueueManager,
    kind: str,
    profile: str,
    values: Mapping[str, Value],
    *,
    action: str,
) -> Result:
    there = [name for what, name in qmgr.definitions if what == kind]
    names = removed(kind, profile, values, action=action, among=there)
    if not names:
        return refused(_NOT_FOUND.get(kind, "AMQ8147"), profile)
    for name in names:
        draft.emit(events.ObjectDeleted(qmgr=qmgr.name, kind=kind, name=name))
    return done(_SET[kind])
