"""What the twin says about names, as of one point. Each question is asked once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import starmap
from typing import TYPE_CHECKING

from twin.model.names import legal_name

if TYPE_CHECKING:
    from twin.app.twin import Twin
    from twin.model.instants import AsOf, Instant
    from twin.questions.answer import Row, RowValue


@dataclass(frozen=True, slots=True)
class KnownRow:
    """A row of an answer, and the positions of the events that it rests on."""

    row: Row
    evidence: tuple[int, ...]

    def __getitem__(self, column: str) -> RowValue:
        """Return the value of a column."""
        return self.row[column]


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
        self._lifetimes: dict[str, tuple[KnownRow, ...]] = {}

    def ask(self, question: str, /, **filters: str) -> tuple[KnownRow, ...]:
        """Return the rows of an answer."""
        valid, known = self.point.valid, self.point.known
        answer = self._twin.ask(question, filters, as_of=valid, known_at=known)
        return tuple(starmap(KnownRow, zip(answer.rows, answer.evidence, strict=True)))

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

    def lifetimes(self, owner: str) -> tuple[KnownRow, ...]:
        """Return the records of an owner that queue managers hold."""
        if owner not in self._lifetimes:
            self._lifetimes[owner] = self.ask("lifetimes", owner=owner)
        return self._lifetimes[owner]

    @cached_property
    def qmgrs(self) -> dict[str, KnownRow]:
        """The queue managers; the column `running` tells whether they run."""

        def look() -> dict[str, KnownRow]:
            estate, _ = self._twin.view(as_of=self.point.valid, known_at=self.point.known)
            return {
                qmgr.name: KnownRow(
                    {"running": qmgr.running, "qmid": None if qmgr.made_qmid else qmgr.qmid},
                    (qmgr.position,),
                )
                for qmgr in estate.qmgrs.values()
            }

        return self._twin.soundly(look)

    @cached_property
    def members(self) -> tuple[KnownRow, ...]:
        """The members of all clusters."""
        return self.ask("members")

    @cached_property
    def channels(self) -> tuple[KnownRow, ...]:
        """The cluster channels of all queue managers."""
        return self.ask("channels")

    @cached_property
    def waiting(self) -> tuple[KnownRow, ...]:
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
