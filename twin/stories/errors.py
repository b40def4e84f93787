"""Errors of stories. Each one names the file, the line and the key."""

from __future__ import annotations

from typing import NamedTuple

from twin.errors import TwinError


class FileLine(NamedTuple):
    """A place in a story: the file as it was given, and the line from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        """Return the place as compilers write it."""
        return f"{self.file}:{self.line}"


class StoryError(TwinError, ValueError):
    """A story cannot be played."""

    def __init__(self, place: FileLine, key: str, problem: str) -> None:
        super().__init__(f"{place}: {key}: {problem}" if key else f"{place}: {problem}")
        self.values = (str(place), key)


class MalformedStory(StoryError):
    """A story has a wrong key or value; nothing of it was played."""


class CannotPlay(StoryError):
    """A well-formed story met an error that no step can expect."""
