"""Plan a change of a folder of definitions: by commands, or as the difference to another folder."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from twin.errors import TwinError
from twin.review.folders.difference import difference
from twin.review.plan.plan import Plan, Request, plan

if TYPE_CHECKING:
    from twin.review.folders.estates import Folder


class EmptiedFile(TwinError, ValueError):
    """A file that defines nothing of a queue manager that was defined before."""

    def __init__(self, path: str, name: str) -> None:
        super().__init__(
            f"{path} defines nothing; remove the file if queue manager {name} is to be deleted"
        )


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
        EmptiedFile: if a file is left of a queue manager that has no definitions any more.
        NoSuchQueueManager: if a put of the request names an unknown queue manager.
    """
    for name, path in after.undefined.items():
        if name in before.single().names:
            raise EmptiedFile(path, name)
    made = difference(before.single(), after.single())
    wanted = replace(request, changes=lambda _: made.changes, may_be_empty=True)
    result = plan(before.single().twin, wanted)
    what = f"the change: {after.path} instead of {before.path}; what only {before.path} says goes"
    notes = (*before.notes(), what, *after.notes()[1:], *made.notes, *result.notes)
    return replace(result, notes=tuple(dict.fromkeys(notes)))


def newly_lost(before: Folder, after: Folder) -> int:
    """Return how many commands of a folder could not be used that another does not have."""
    new = _lost(after) - _lost(before)
    return min(new.total(), after.lost_commands)


def _lost(folder: Folder) -> Counter[tuple[str, str, str]]:
    """Count what could not be used, by queue manager, text and reason."""
    return Counter(
        (observed.qmgr, problem.text, problem.why)
        for estate in folder.estates
        for observed in estate.observed
        for problem in observed.not_understood
    )
