"""Measure a branch as of now: its estate, and the messages counted since the log began."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from twin.app.questions import QuestionCalls
from twin.app.repeating import sound
from twin.events.catalogue import columns_of_all
from twin.fold.estate import Estate
from twin.fold.replay import decode
from twin.log import Log, LogRow
from twin.log.records import LONG_AGO
from twin.model.instants import AsOf

if TYPE_CHECKING:
    from twin.questions.measures.channels import Wanted
    from twin.questions.measures.measuring import Measures
    from twin.questions.measures.traffic import MessageTraffic

Result = TypeVar("Result")


class TrafficCount:
    """The messages counted up to the head of a branch; later events are added as they come."""

    def __init__(self, log: Log, branch: str) -> None:
        """Count on this branch; nothing is read before the first use."""
        from twin.questions.measures.traffic import READS, MessageTraffic  # noqa: PLC0415 - few commands measure

        self._log = log
        self._branch = branch
        self._position = 0
        self._instant = LONG_AGO
        self._traffic = MessageTraffic()
        self._empty = MessageTraffic
        self._columns = columns_of_all(READS)

    def upto_now(self) -> MessageTraffic:
        """Return what was counted, up to the head of the branch; later calls change it.

        After a late fact or a retraction everything is counted again.
        """
        head = self._log.head(self._branch)
        if head.position != self._position and head.occurred_at is not None:
            rows = self._later(head.position)
            if rows is None:
                self._traffic = self._empty()
                rows = self._log.rows(branch=self._branch, known=head.position, types=self._columns)
            for at, _, event in decode(rows):
                self._traffic.count(at, event)
            self._position, self._instant = head.position, head.occurred_at
        return self._traffic

    def _later(self, upto: int) -> list[LogRow] | None:
        """Return the counted events after the last ones; None if all must be read again."""
        if not self._position:
            return None
        rows = self._log.rows_after(
            self._position, instant=self._instant, branch=self._branch, upto=upto
        )
        return rows and [row for row in rows if row[2] in self._columns]


class MeasuringCalls(QuestionCalls):
    """The calls that read the estate of now for monitoring, and record nothing."""

    @cached_property
    def _traffic(self) -> TrafficCount:
        return TrafficCount(self.log, self.branch)

    @sound
    def read_now(self, question: Callable[[Estate, AsOf], Result]) -> Result:
        """Read from the estate of now, with all that is due by now, while nobody writes.

        The estate is kept for the next call. The answer must not refer to it.
        """
        point = self.as_of()
        with self._recorded.held():
            current = self._head_estates.of_now(point)
            if current is not None:
                return question(*current)
        return question(self.views.at(point), point)

    def measure(
        self, take: Callable[[Measures, AsOf], Result], *, wanted: Wanted, observed: bool
    ) -> Result:
        """Call a function with all measures as of now, and return its result.

        The measures refer to the estate, so the result must not refer to them.

        Args:
            take: the function.
            wanted: whether a channel of a name and a type is measured.
            observed: whether queue managers that are only observed are measured like others.
        """
        from twin.app.asking import facts_since  # noqa: PLC0415 - few commands measure
        from twin.questions.doctor.question import READS  # noqa: PLC0415
        from twin.questions.measures.measuring import measure  # noqa: PLC0415

        def taken(estate: Estate, point: AsOf) -> Result:
            facts = list(facts_since(self.log, point, (), READS, LONG_AGO))
            traffic = self._traffic.upto_now()
            return take(
                measure(estate, point, traffic, facts, wanted=wanted, observed=observed), point
            )

        return self.read_now(taken)
