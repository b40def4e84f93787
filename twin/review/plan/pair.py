"""The two rehearsals that a plan compares: with the change, and without it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Self, TypeAlias

from twin.model.platforms import DEFAULT_LEVEL
from twin.model.system_objects import system_objects
from twin.questions.rehearsing import SETTLES_WITHIN
from twin.questions.two_sides import KeyDifference, differences
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


class ObjectDifference(NamedTuple):
    """An object with another type or other values on the two sides; None where there is none."""

    sides: Sides
    key: ObjectKey
    before: Definition | None
    after: Definition | None


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

    @classmethod
    def advanced(cls, begin: Rehearsal, base: Rehearsal, changed: Rehearsal) -> Self:
        """Let both go on until a minute after the beginning, when effects have arrived."""
        settled = begin.now() + SETTLES_WITHIN
        for rehearsal in (base, changed):
            rehearsal.advance(settled)
        return cls(begin, base, changed, settled)

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
    def on_both(self) -> tuple[tuple[str, QueueManager, QueueManager], ...]:
        """The queue managers that exist on both sides, by name."""
        return tuple((name, one, other) for name, one, other in self.qmgrs if one and other)

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
    def objects(self) -> tuple[ObjectDifference, ...]:
        """The objects that differ, by their queue manager and name."""
        return tuple(
            ObjectDifference(sides, *each)
            for sides in self.touched("definitions")
            for each in differences(*sides.definitions())
            if (each.before and (each.before.type, each.before.values))
            != (each.after and (each.after.type, each.after.values))
        )

    @cached_property
    def statuses(self) -> dict[str, dict[str, KeyDifference[str, str]]]:
        """The channels whose status differs, by their queue manager and name.

        Of a queue manager that only one side has there are none.
        """
        return {
            sides.name: {each.key: each for each in differing}
            for sides in self.touched("activity")
            if sides.before is not None
            and sides.after is not None
            and (differing := [*differences(_statuses(sides.before), _statuses(sides.after))])
        }

    @cached_property
    def records(self) -> tuple[RecordDifference, ...]:
        """The records that differ, by their holder, name and owner."""
        return tuple(
            RecordDifference(sides, each.key, owner, was, now)
            for sides, each in self._held
            for owner, was, now in differences(each.before or {}, each.after or {})
            if was is None
            or now is None
            or was.receipt.published != now.receipt.published
            or was.values != now.values
        )

    @cached_property
    def learned(self) -> frozenset[Instant]:
        """When records were learned that only one side holds, or holds since then."""
        return frozenset(
            held.since
            for _, each in self._held
            for _, was, now in differences(each.before or {}, each.after or {})
            if was is None or now is None or was.since != now.since
            for held in (was, now)
            if held is not None
        )

    @cached_property
    def _held(self) -> list[tuple[Sides, KeyDifference[RecordName, dict[str, Belief]]]]:
        """The names of records of which the two sides hold others, by holder and name."""
        return [
            (sides, each)
            for sides in self.touched("repository")
            for each in differences(
                *(side.repository.beliefs if side else {} for side in sides[1:])
            )
        ]

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


def _statuses(qmgr: QueueManager) -> dict[str, str]:
    return {name: state.status for name, state in qmgr.activity.channels.items() if state.status}
