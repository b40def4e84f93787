"""Puts to a name that nobody has: they fail with 2085, or with 2189 if no full repository answers.

Both codes tell an application something else: the name is wrong, or nobody could be asked. A change
can exchange them without any effect on a queue that exists.

Source: IBM MQ 9.4, "2189 (088D) (RC2189): MQRC_CLUSTER_RESOLUTION_ERROR".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator
from itertools import count
from typing import TYPE_CHECKING, Final

from twin.review.plan.alike import AskedOnBothSides, Groups, Member
from twin.rules.membership import clusters_joined, full_repository_of

if TYPE_CHECKING:
    from twin.fold.estate import QueueManager
    from twin.review.plan.asking_members import CutOff
    from twin.review.plan.pair import RehearsedPair

NO_SUCH_NAME: Final = "-"
"""Stands for every name that nobody has."""


def with_other_answers(
    pair: RehearsedPair, silenced: CutOff, asked: AskedOnBothSides
) -> Iterator[tuple[str, ...]]:
    """Yield those for which the answer to such a put may differ; named together, they are alike.

    It may if they can ask on one side only (`silenced`), or are then in other clusters.
    """
    found = {each.name: each for members in silenced.values() for each in members}
    differing = pair.unlike("definitions")
    for name, before, after in pair.qmgrs:
        if name in differing and before is not None and after is not None:
            both_run = before.running and after.running
            if both_run and (roles := _roles(before)) != _roles(after):
                found[name] = Member(name, before, after, (*roles[0],))
    groups = Groups(pair, asked)
    alike: dict[Hashable, list[Member]] = defaultdict(list)
    for _, member in sorted(found.items()):
        alike[tuple(map(_roles, member.sides()))].append(member)
    for members in alike.values():
        yield from groups.of("", members)


def unused_name(pair: RehearsedPair) -> str:
    """Return a name that nobody has on either side."""
    taken = {
        name
        for rehearsal in (pair.base, pair.changed)
        for qmgr in rehearsal.estate.qmgrs.values()
        for kind, name in qmgr.definitions
        if kind == "QUEUE"
    } | {each.key[2] for each in pair.records}
    return next(name for number in count() if (name := f"NOBODY.HAS.{number}") not in taken)


def _roles(qmgr: QueueManager) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return clusters_joined(qmgr), full_repository_of(qmgr)
