"""The section of a plan about definitions, attributes and states of queue managers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from twin.model.system_objects import initial_values
from twin.questions import field_differences
from twin.questions.field_differences import FieldDifference
from twin.questions.two_sides import differences

if TYPE_CHECKING:
    from twin.fold.estate import QueueManager
    from twin.model.objects import ObjectKey
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

    def change(on: str, of: ObjectKey, type_: str, each: FieldDifference) -> DefinitionChange:
        field, was, now = each
        action: PlanAction = "create" if was is None else "delete" if now is None else "update"
        name = of[1] or on
        return DefinitionChange(action, on, type_, name, field, was, now, causes.get((on, *of), 0))

    for sides, key, was, now in pair.objects:
        latest = now or was
        if latest is not None and (sides.after is not None or now is None):
            for each in field_differences.of_definitions(was, now):
                yield change(sides.name, key, latest.type, each)
    for sides in pair.qmgrs:
        yield from (change(sides.name, ("QMGR", ""), "QMGR", each) for each in _of_qmgr(sides))


def _of_qmgr(sides: Sides) -> list[FieldDifference]:
    """Compare a queue manager: whether it runs, its attributes, and where it is suspended."""
    name, before, after = sides
    if before is after:
        return []
    status = FieldDifference("status", *map(_status, (before, after)))
    found = [status] if status.before != status.after else []
    if after is not None:
        values = initial_values(name, level=after.cmdlevel) if before is None else before.values
        found += field_differences.of_attributes(after, values, after.values)
    if before is not None and after is not None:
        found += (
            FieldDifference(f"SUSPEND {cluster}", was or "NO", now or "NO")
            for cluster, was, now in differences(before.suspended, after.suspended)
        )
    return found


def _status(qmgr: QueueManager | None) -> str | None:
    return None if qmgr is None else "running" if qmgr.running else "ended"
