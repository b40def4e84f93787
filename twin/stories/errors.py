"""What can be wrong with a story: each error names the file, the line and the key."""

from __future__ import annotations

from typing import NamedTuple

from twin.errors import TwinError


class Place(NamedTuple):
    """Where something stands in a story: the file as it was named, and the line from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        """Write the place as compilers do."""
        return f"{self.file}:{self.line}"


class StoryError(TwinError, ValueError):
    """A story that cannot be played; nothing of it has been recorded where it could stay."""

    def __init__(self, place: Place, key: str, problem: str) -> None:
        super().__init__(f"{place}: {key}: {problem}" if key else f"{place}: {problem}")


class MalformedStory(StoryError):
    """A story that is not written as stories are."""


class CannotPlay(StoryError):
    """A well written story that ran into something no expectation can speak of."""
