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
    def file(self) -> str:
        """The name of its file."""
        return self.story.place.file

    @property
    def failed(self) -> int:
        """The number of steps that did not hold."""
        return sum(not played.held for played in self.steps)


@dataclass(frozen=True, slots=True)
class UnplayedFile:
    """A story file of which nothing was played, because it or another file cannot be read.

    Attributes:
        file: its name.
        began: the instant of the wall clock at which it was read.
        problem: why it cannot be read; '' if another file cannot be.
    """

    file: str
    began: Instant
    problem: str = ""
