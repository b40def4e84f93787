"""The facts that calls record, and what they act on: a branch of a log, or a rehearsal."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from twin import events

if TYPE_CHECKING:
    from twin.app.repeating import Repeating
    from twin.fold.estate import Estate
    from twin.model.instants import AsOf, Instant
    from twin.rules.commands.read_command import ReadCommand
    from twin.rules.deriving import Outcome

COMMAND: Final = "command"
"""The source of a command, as opposed to an observation."""

CLOCK: Final = "clock"
"""The source of a TimePassed."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A primary fact to be recorded.

    Attributes:
        event: the fact.
        source: where it comes from, for example a command, an observation or the clock.
        event_id: its own id, if it has one.
        command: the parsed command, if the fact is an MQSC command.
        rows: the observations that it stands for, if it is `SeenAgain`.
    """

    event: events.Event
    source: str
    event_id: str | None = None
    command: ReadCommand | None = None
    rows: tuple[events.Observation, ...] = ()

    @property
    def said(self) -> tuple[events.Event, ...]:
        """What is folded, and what rules read: the fact, or the observations that it stands for."""
        return self.rows or (self.event,)


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
