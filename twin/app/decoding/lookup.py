"""What the twin says about names, as of one point. Each question is asked once."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from twin.model.names import legal_name

if TYPE_CHECKING:
    from twin.app.twin import Twin
    from twin.model.asof import AsOf
    from twin.model.instants import Instant
    from twin.questions.answer import Row


class Lookup:
    """Asks `Twin` about names: questions, and DISPLAY commands for definitions.

    Attributes:
        point: the point that everything is asked about.
    """

    def __init__(self, twin: Twin, *, as_of: Instant | None, known_at: Instant | None) -> None:
        """Fix the point: `as_of`, or now, with what the log knew at `known_at`, or now."""
        self._twin = twin
        self.point: AsOf = twin.as_of(valid=as_of, known=known_at)
        self._displayed: dict[tuple[str, str], Row | None] = {}
        self._lifetimes: dict[str, tuple[Row, ...]] = {}

    def ask(self, question: str, **filters: str) -> tuple[Row, ...]:
        """Return the rows of an answer."""
        valid, known = self.point.valid, self.point.known
        return self._twin.ask(question, as_of=valid, known_at=known, since=None, **filters).rows

    def displayed(self, qmgr: str, kind: str, name: str) -> Row | None:
        """Return what DISPLAY shows of an object at a queue manager; None if there is none.

        `kind` is QUEUE or CHANNEL. A name that MQ does not allow has no object.
        """
        if not legal_name(name):
            return None
        command = f"DISPLAY {kind}('{name}') ALL"
        if (qmgr, command) not in self._displayed:
            session = self._twin.runmqsc(
                qmgr, command, as_of=self.point.valid, known_at=self.point.known
            )
            self._displayed[qmgr, command] = next(iter(session.displayed), None)
        return self._displayed[qmgr, command]

    def lifetimes(self, owner: str) -> tuple[Row, ...]:
        """Return the records of an owner that queue managers hold."""
        if owner not in self._lifetimes:
            self._lifetimes[owner] = self.ask("lifetimes", owner=owner)
        return self._lifetimes[owner]

    @cached_property
    def qmgrs(self) -> dict[str, bool]:
        """The queue managers, and whether they run."""

        def look() -> dict[str, bool]:
            estate, _ = self._twin.view(as_of=self.point.valid, known_at=self.point.known)
            return {qmgr.name: qmgr.running for qmgr in estate.qmgrs.values()}

        return self._twin.soundly(look)

    @cached_property
    def members(self) -> tuple[Row, ...]:
        """The members of all clusters."""
        return self.ask("members")

    @cached_property
    def channels(self) -> tuple[Row, ...]:
        """The cluster channels of all queue managers."""
        return self.ask("channels")

    @cached_property
    def waiting(self) -> tuple[Row, ...]:
        """The messages on transmission queues."""
        return self.ask("transmission")

    @cached_property
    def names(self) -> dict[str, frozenset[str]]:
        """The known names by role: qmid, cluster, channel."""
        return {
            "qmid": frozenset(str(row["qmid"]) for row in self.members),
            "cluster": frozenset(str(row["cluster"]) for row in self.members),
            "channel": frozenset(str(row["channel"]) for row in self.channels),
        }
