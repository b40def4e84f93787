"""What a question needs of a rehearsal; `twin.app.rehearsing` has the real one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, Self

from twin.model.instants import MINUTE, Instant

if TYPE_CHECKING:
    from twin.fold.estate import Estate, Part
    from twin.model.instants import AsOf
    from twin.questions.hops import Hop

SETTLES_WITHIN: Final[Instant] = 1 * MINUTE
"""How long channels have to start or to fail, and repository commands to travel, after a command:
what comes by then comes at once.
"""


class Rehearsing(Protocol):
    """A private estate that is commanded and advanced in memory."""

    @property
    def estate(self) -> Estate:
        """The estate of now, only to be read."""

    @property
    def point(self) -> AsOf:
        """The point of its answers."""

    def now(self) -> Instant:
        """Return the instant that it has reached."""

    def fork(self) -> Self:
        """Return a rehearsal that goes on from here."""

    def touched(self) -> frozenset[tuple[str, Part]]:
        """Return the parts of queue managers, by QMID, that changed since it was forked."""

    def advance(self, to: Instant) -> object:
        """Let time pass up to an instant."""

    def endmqm(self, qmgr: str) -> None:
        """End a queue manager."""

    def link(self, action: str, one: str, other: str) -> None:
        """Cut the network between two queue managers."""

    def follow(self, qmgr: str, queue: str, bind: str = "asqdef") -> Sequence[Hop]:
        """Follow a message hop by hop to its ends; what is requested on the way stays known."""

    def runmqsc(self, qmgr: str, text: str) -> Any:
        """Run MQSC at a queue manager."""
