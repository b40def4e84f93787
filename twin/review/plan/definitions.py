"""The section of a plan about definitions, attributes and states of queue managers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from twin.model.system_objects import initial_values
from twin.questions import field_differences
from twin.questions.field_differences import FieldDifference

if TYPE_CHECKING:
    from twin.fold.estate import QueueManager
    from twin.review.plan.pair import RehearsedPair, Sides
    from twin.review.plan.planned import CausedObject

PlanAction: TypeAlias = Literal["create", "update", "delete"]


class DefinitionChange(NamedTuple):
    """A field of an object that the change sets.

    Attributes:
        action: `create` and `delete` of a whole object, else `update`.
        on: the queue manager.
        type: the type of the object, such as QLOCAL or CLUSRCVR; QMGR for its own attributes.
        name: the name of the object.
        field: the attribute; `definition` for a whole object, `status` of a queue manager.
        before, after: the values as in MQSC; None where there is no object.
        cause: the number of the command that did it; 0 if only time passed.
    """

    action: PlanAction
    on: str
    type: str
    name: str
    field: str
    before: str | None
    after: str | None
    cause: int


def definition_changes(
    pair: RehearsedPair, causes: Mapping[CausedObject, int]
) -> Iterator[DefinitionChange]:
    """Compare the definitions of the two rehearsals, by queue manager and object.

    A queue manager that only one of them has is compared with a new one.
    """
    for sides in pair.touched("definitions"):
        yield from _of_objects(sides, causes)
    for name in sorted(pair.base.estate.qmgrs.keys() | pair.changed.estate.qmgrs.keys()):
        before = pair.base.estate.qmgrs.get(name)
        after = pair.changed.estate.qmgrs.get(name)
        either = after or before
        if either is None or before is after:
            continue
        cause = causes.get((name, "QMGR", ""), 0)
        differing = [FieldDifference("status", _status(before), _status(after))]
        if after is not None:
            values = initial_values(name, level=after.cmdlevel) if before is None else before.values
            differing += field_differences.of_attributes(either, values, after.values)
        if before is not None and after is not None:
            differing += _suspensions(before.suspended, after.suspended)
        for field, was_value, now_value in differing:
            if was_value != now_value:
                action = _action(was_value, now_value)
                yield DefinitionChange(
                    action, name, "QMGR", name, field, was_value, now_value, cause
                )


def _of_objects(sides: Sides, causes: Mapping[CausedObject, int]) -> Iterator[DefinitionChange]:
    old, new = sides.definitions()
    for key in sorted(old.keys() | new.keys()):
        was, now = old.get(key), new.get(key)
        latest = now or was
        if latest is None or was is now or (sides.after is None and now is not None):
            continue
        cause = causes.get((sides.name, *key), 0)
        for field, earlier, later in field_differences.of_definitions(was, now):
            whole = field == "definition"
            action: PlanAction = _action(earlier, later) if whole else "update"
            yield DefinitionChange(
                action, sides.name, latest.type, latest.name, field, earlier, later, cause
            )


def _suspensions(before: Mapping[str, str], after: Mapping[str, str]) -> list[FieldDifference]:
    """Compare the modes with which a queue manager is suspended in its clusters."""
    return [
        FieldDifference(f"SUSPEND {cluster}", before.get(cluster, "NO"), after.get(cluster, "NO"))
        for cluster in sorted(before.keys() | after.keys())
    ]


def _action(before: str | None, after: str | None) -> PlanAction:
    if before is None:
        return "create"
    return "delete" if after is None else "update"


def _status(qmgr: QueueManager | None) -> str | None:
    if qmgr is None:
        return None
    return "running" if qmgr.running else "ended"
