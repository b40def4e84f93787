"""Plan a change of a folder of definitions: by commands, or as the difference to another folder."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from twin.review.folders.difference import difference
from twin.review.plan.plan import Plan, Request, plan

if TYPE_CHECKING:
    from twin.review.folders.estates import Folder


def plan_in_folder(folder: Folder, request: Request) -> Plan:
    """Plan commands for the queue managers of a folder.

    Raises:
        SeveralEstates: if two of its queue managers have one name.
        NothingPlanned, NoSuchQueueManager: see `plan`.
    """
    result = plan(folder.single().twin, request)
    return replace(result, notes=(*folder.notes(), *result.notes))


def plan_difference(before: Folder, after: Folder, request: Request) -> Plan:
    """Plan the change that makes one folder another; the request has no changes of its own.

    Raises:
        SeveralEstates: if two queue managers of a folder have one name.
        NoSuchQueueManager: if a put of the request names an unknown queue manager.
    """
    made = difference(before.single(), after.single())
    wanted = replace(request, changes=lambda _: made.changes, may_be_empty=True)
    result = plan(before.single().twin, wanted)
    what = f"the change: {after.path} instead of {before.path}; what only {before.path} says goes"
    notes = (*before.notes(), what, *after.notes()[1:], *made.notes, *result.notes)
    return replace(result, notes=tuple(dict.fromkeys(notes)))
