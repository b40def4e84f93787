"""What became of a story: its steps, how long they took, and why it could not be played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from twin.model.instants import Instant
from twin.stories.play import Played
from twin.stories.story import Story


@dataclass(frozen=True, slots=True)
class StoryRun:
    """A story that was played, or not to its end.

    Attributes:
        began: the instant of the wall clock at which it began.
        steps: the steps that were played.
        lasted: how long each of them took, in microseconds.
        problem: why it could not be played to its end; '' if it was.
    """

    story: Story
    began: Instant
    steps: Sequence[Played]
    lasted: Sequence[int]
    problem: str = ""

    @property
    def failed(self) -> int:
        """The number of steps that did not hold."""
        return sum(not played.held for played in self.steps)
