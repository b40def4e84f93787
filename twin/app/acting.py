"""What commands act on: a branch of a log, or a rehearsal."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from twin.app.facts import COMMAND, Fact

if TYPE_CHECKING:
    from twin import events
    from twin.app.repeating import Repeating
    from twin.fold.estate import Estate
    from twin.model.instants import AsOf, Instant
    from twin.rules.deriving import Outcome

Result = TypeVar("Result")


class Acting(ABC):
    """The basis of the calls about queue managers, channels and applications.

    Attributes:
        soundly: calls a function that uses estates; calls it again if a saved one was damaged.
    """

    soundly: Repeating

    @abstractmethod
    def record(self, facts: Sequence[Fact], *, at: Instant | None = None) -> list[Outcome]:
        """Carry out commands of one instant, with all that follows; return the outcome of each.

        `at` defaults to now.
        """

    @abstractmethod
    def view(
        self, *, as_of: Instant | None = None, known_at: Instant | None = None
    ) -> tuple[Estate, AsOf]:
        """Return the estate of an instant, which defaults to now, and its point."""

    @abstractmethod
    def read(self, question: Callable[[Estate], Result]) -> Result:
        """Read from the latest estate. The answer must not refer to the estate."""

    @abstractmethod
    def now(self) -> Instant:
        """Return the instant that commands have by default."""

    def _command(self, event: events.Event, at: Instant | None) -> Outcome:
        """Carry out one command and return its outcome."""
        (outcome,) = self.record([Fact(event, COMMAND)], at=at)
        return outcome
