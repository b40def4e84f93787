"""MQSC on `Twin`: run scripts at a queue manager, read as of an instant, or check only."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from twin.app.notes import BeforeLog, beginning_of
from twin.app.open_branch import OpenBranch
from twin.model.instants import AsOf, Instant

if TYPE_CHECKING:
    from twin.app.session import MqscSession, ReadEstate
    from twin.events import Origin
    from twin.fold.estate import Estate
    from twin.mqsc.frame import Session

Result = TypeVar("Result")


class MqscCalls(OpenBranch):
    """The calls of runmqsc."""

    def runmqsc(
        self,
        qmgr: str,
        text: str,
        *,
        at: Instant | None = None,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
    ) -> MqscSession:
        """Run MQSC at a queue manager. With `as_of` or `known_at` the session is read-only.

        Each command is recorded, with its outcome, before the next one runs.
        """
        session = self.mqsc(qmgr, at=at, as_of=as_of, known_at=known_at)
        return session.run(text)

    def mqsc(
        self,
        qmgr: str,
        *,
        at: Instant | None = None,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
        origin: Origin | None = None,
    ) -> MqscSession:
        """Begin a runmqsc session that reads commands as they are typed (`MqscSession.stream`).

        `origin` is the script, or the user, that the commands come from.

        Raises:
            BeforeLog: if the log begins after the time to look at.
        """
        from twin.app.session import MqscSession  # noqa: PLC0415

        if as_of is None and known_at is None:
            return MqscSession.acting(
                self._recorded,
                self.views,
                qmgr,
                soundly=self.soundly,
                record=self.record,
                at=at,
                now=lambda: self.as_of(valid=at),
                origin=origin,
            )
        point = self.as_of(valid=as_of, known=known_at)
        look = self._look(lambda: self.views.of_one(point, qmgr), point)
        session = MqscSession.reading(look, qmgr)
        if not session.exists and (lines := beginning_of(self.log, point)):
            raise BeforeLog(lines[0])
        return session

    def _look(self, rebuild: Callable[[], Estate], point: AsOf) -> ReadEstate:
        """Return a function that asks questions about one estate, and rebuilds it if necessary."""
        kept: list[Estate] = []

        def look(question: Callable[[Estate, AsOf], Result]) -> Result:
            estate = kept.pop() if kept else rebuild()
            answer = question(estate, point)
            kept.append(estate)
            return answer

        return lambda question: self.soundly(partial(look, question))

    def verify_mqsc(self, qmgr: str) -> Session:
        """Begin a session that checks commands without running them (`runmqsc -v`).

        Raises:
            NoSuchQueueManager: if the queue manager does not exist.
        """
        from twin.app.session import verification  # noqa: PLC0415 - not every command asks

        point = self.as_of()
        return verification(self._look(lambda: self.views.at(point), point), qmgr)
