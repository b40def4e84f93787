"""The two rehearsals that a plan compares: with the change, and without it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from twin.model.platforms import DEFAULT_LEVEL
from twin.model.system_objects import system_objects
from twin.review.plan.histories import differing_histories

if TYPE_CHECKING:
    from twin.app.rehearsing import Rehearsal
    from twin.fold.beliefs import Belief, RecordName
    from twin.fold.estate import Part, QueueManager
    from twin.model.instants import Instant
    from twin.model.objects import Definition, ObjectKey

Definitions: TypeAlias = "Mapping[ObjectKey, Definition]"


class Sides(NamedTuple):
    """One queue manager without the change and with it; None where it does not exist."""

    name: str
    before: QueueManager | None
    after: QueueManager | None

    def definitions(self) -> tuple[Definitions, Definitions]:
        """Return its objects on both sides; where it does not exist, those of a new one."""
        level = next((each.cmdlevel for each in (self.after, self.before) if each), DEFAULT_LEVEL)
        default = system_objects(level)
        return (
            self.before.definitions if self.before else default,
            self.after.definitions if self.after else default,
        )


class RecordDifference(NamedTuple):
    """A record with other values on the two sides, or sent at another instant.

    Attributes:
        sides: the queue manager that holds it.
        key: its cluster, kind and name.
        owner: the QMID of its owner.
        before, after: the record without the change and with it; None where it is not held.
    """

    sides: Sides
    key: RecordName
    owner: str
    before: Belief | None
    after: Belief | None

    @property
    def values_differ(self) -> bool:
        """Whether it has other values, or is held on one side only."""
        before, after = self.before, self.after
        return (before and before.values) != (after and after.values)


class RepositoryDifference(NamedTuple):
    """How the records of one holder differ between the two sides.

    Attributes:
        differing: the records that differ, by name and owner.
        learned: when records were learned that only one side holds, or holds since then.
    """

    differing: list[RecordDifference]
    learned: set[Instant]


@dataclass(frozen=True)
class RehearsedPair:
    """Two rehearsals that began alike, have reached the same instant, and do not go on.

    Attributes:
        begin: where both began; it stays there.
        base: what happens without the change.
        changed: what happens with it.
        settled: until when an effect counts as one that comes at once.
    """

    begin: Rehearsal
    base: Rehearsal
    changed: Rehearsal
    settled: Instant

    @property
    def start(self) -> Instant:
        """The instant of the change."""
        return self.begin.now()

    @property
    def first(self) -> int:
        """The number of events that were decided in both before the change."""
        return len(self.begin.decided)

    @cached_property
    def parts(self) -> frozenset[tuple[str, Part]]:
        """The parts of queue managers, by QMID, that may differ between the two.

        One of the two has changed them, by events that the other one does not have.
        """
        unlike = differing_histories(self.base, self.changed, self.first)
        names = {**self.base.estate.names, **self.changed.estate.names}
        return frozenset(
            each
            for each in self.base.touched() | self.changed.touched()
            if names.get(each[0], "") in unlike
        )

    @cached_property
    def qmgrs(self) -> tuple[Sides, ...]:
        """All queue managers, by name."""
        before, after = self.base.estate.qmgrs, self.changed.estate.qmgrs
        return tuple(
            Sides(name, before.get(name), after.get(name))
            for name in sorted(before.keys() | after.keys())
        )

    def touched(self, part: Part) -> Iterator[Sides]:
        """Go through the queue managers for which a part may differ between the two, by name.

        Both begin as copies, so a part is the same if the same events have changed it in both.
        """
        for sides in self.qmgrs:
            if (
                sides.before is None
                or sides.after is None
                or sides.before.qmid != sides.after.qmid
                or (sides.after.qmid, part) in self.parts
            ):
                yield sides

    @cached_property
    def records(self) -> tuple[RecordDifference, ...]:
        """The records that differ, by their holder, name and owner."""
        return tuple(each for found in self._repositories for each in found.differing)

    @cached_property
    def learned(self) -> frozenset[Instant]:
        """When records were learned that only one side holds, or holds since then."""
        return frozenset(at for found in self._repositories for at in found.learned)

    @cached_property
    def _repositories(self) -> tuple[RepositoryDifference, ...]:
        """How repositories differ, of all holders: all their records are read once."""
        return tuple(map(_differing_records, self.touched("repository")))

    def unlike(self, *parts: Part) -> set[str]:
        """Return the queue managers of which something may differ between the two.

        That is one of these parts (any, if none is named), or what belongs to no part. Of all
        others, one copy stands for both, so that the other one need not be read.
        """
        qmids = {qmid for qmid, part in self.parts if not parts or part in parts}
        return {
            name
            for name, before, after in self.qmgrs
            if before is None
            or after is None
            or after.qmid in qmids
            or (before.qmid, before.running, before.values, before.suspended)
            != (after.qmid, after.running, after.values, after.suspended)
        }


def _differing_records(sides: Sides) -> RepositoryDifference:
    """Compare the records that a queue manager holds on both sides."""
    old = sides.before.repository.beliefs if sides.before else {}
    new = sides.after.repository.beliefs if sides.after else {}
    found, learned = [], set()
    for key in old.keys() | new.keys():
        before, after = old.get(key, _NOTHING), new.get(key, _NOTHING)
        for owner in before if before.keys() == after.keys() else before.keys() | after.keys():
            was, now = before.get(owner), after.get(owner)
            if was is None or now is None or was.since != now.since:
                learned |= {each.since for each in (was, now) if each is not None}
            if (
                was is None
                or now is None
                or was.receipt.published != now.receipt.published
                or was.values != now.values
            ):
                found.append(RecordDifference(sides, key, owner, was, now))
    return RepositoryDifference(sorted(found, key=lambda each: (each.key, each.owner)), learned)


_NOTHING: Final[Mapping[str, Belief]] = MappingProxyType({})
