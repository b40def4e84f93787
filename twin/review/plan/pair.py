"""The two rehearsals that a plan compares: with the change, and without it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from twin.model.platforms import DEFAULT_LEVEL
from twin.model.system_objects import system_objects

if TYPE_CHECKING:
    from twin.app.rehearsing import Rehearsal
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


class RehearsedPair(NamedTuple):
    """Two rehearsals that began alike and have reached the same instant.

    Attributes:
        base: what happens without the change.
        changed: what happens with it.
        start: the instant of the change.
        settled: until when an effect counts as one that comes at once.
        first: the number of events that were decided in both before the change.
    """

    base: Rehearsal
    changed: Rehearsal
    start: Instant
    settled: Instant
    first: int

    def touched(self, part: Part) -> Iterator[Sides]:
        """Go through the queue managers for which a part may differ between the two, by name.

        Both begin as copies, so a part that neither has changed is the same.
        """
        parts = self.base.touched() | self.changed.touched()
        for sides in self.qmgrs():
            if (
                sides.before is None
                or sides.after is None
                or sides.before.qmid != sides.after.qmid
                or (sides.after.qmid, part) in parts
            ):
                yield sides

    def qmgrs(self) -> Iterator[Sides]:
        """Go through all queue managers, by name."""
        before, after = self.base.estate.qmgrs, self.changed.estate.qmgrs
        for name in sorted(before.keys() | after.keys()):
            yield Sides(name, before.get(name), after.get(name))

    def unlike(self, *parts: Part) -> set[str]:
        """Return the queue managers of which something may differ between the two.

        That is one of these parts (any, if none is named), or what belongs to no part. Of all
        others, one copy stands for both, so that the other one need not be read.
        """
        touched = self.base.touched() | self.changed.touched()
        qmids = {qmid for qmid, part in touched if not parts or part in parts}
        return {
            name
            for name, before, after in self.qmgrs()
            if before is None
            or after is None
            or after.qmid in qmids
            or (before.qmid, before.running, before.values, before.suspended)
            != (after.qmid, after.running, after.values, after.suspended)
        }
