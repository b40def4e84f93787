"""SET CHLAUTH, SET AUTHREC and SET POLICY: records that are kept and displayed as given.

The records control access, which the twin does not model.

Source: IBM MQ 9.4, "SET CHLAUTH", "SET AUTHREC", "SET POLICY".
"""

from __future__ import annotations

from typing import Final

from twin import events
from twin.fold.estate import QueueManager
from twin.model.messages import NOT_FOUND
from twin.model.objects import record_name
from twin.model.records import granted, identified, removed
from twin.rules.commands.definitions import refusal_of
from twin.rules.commands.read_command import ReadCommand
from twin.rules.draft import Draft
from twin.rules.replies import Reply, done, refused

_SET: Final = {"CHLAUTH": "AMQ8877", "AUTHREC": "AMQ8862", "POLICY": "AMQ9088"}
_DELETED: Final = {"AUTHREC": "AMQ8863", "POLICY": "AMQ9087"}
_NOT_FOUND: Final = {"CHLAUTH": "AMQ8884", "POLICY": "AMQ8958"}


def set_record(draft: Draft, qmgr: QueueManager, command: ReadCommand) -> Reply:
    """Add, replace or remove a record."""
    if command.problem is not None:
        return refusal_of(command.problem)
    action = command.option("ACTION") or "ADD"
    if action.startswith("REMOVE"):
        return _remove(draft, qmgr, command, action=action)
    kind, profile = command.object, _profile(qmgr, command)
    name = record_name(kind, profile, command.values)
    before = qmgr.definitions.get((kind, name))
    values = dict(command.values)
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


def delete_record(draft: Draft, qmgr: QueueManager, command: ReadCommand) -> Reply:
    """Delete an authority record or a policy."""
    if command.problem is not None:
        return refusal_of(command.problem)
    reply = _remove(draft, qmgr, command, action="REMOVE")
    return reply if reply.failed else done(_DELETED[command.object])


def _profile(qmgr: QueueManager, command: ReadCommand) -> str:
    return command.name if command.statement.name else str(command.values.get("PROFILE", qmgr.name))


def _remove(draft: Draft, qmgr: QueueManager, command: ReadCommand, *, action: str) -> Reply:
    kind, profile = command.object, _profile(qmgr, command)
    records = [name for what, name in qmgr.definitions if what == kind]
    names = removed(kind, profile, command.values, action=action, among=records)
    if not names:
        return refused(_NOT_FOUND.get(kind, NOT_FOUND), profile)
    for name in names:
        draft.emit(events.ObjectDeleted(qmgr=qmgr.name, kind=kind, name=name))
    return done(_SET[kind])
