"""What waits for channels: messages of applications, and repository commands, counted apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from twin.questions.answer import Row
from twin.questions.transmission import SYSTEM


@dataclass(frozen=True, slots=True, order=True)
class Backlog:
    """What waits.

    Attributes:
        messages: the number of messages of applications.
        commands: the number of repository commands.
    """

    messages: int = 0
    commands: int = 0

    def __bool__(self) -> bool:
        """Whether anything waits."""
        return bool(self.messages or self.commands)

    def __add__(self, other: Backlog) -> Backlog:
        """Return the sum of both."""
        return Backlog(self.messages + other.messages, self.commands + other.commands)

    def __str__(self) -> str:
        """Return it in words: `3 messages, 1 repository command`; '' if nothing waits."""
        parts = []
        if self.messages:
            parts.append(f"{self.messages:,} message{'s' if self.messages != 1 else ''}")
        if self.commands:
            parts.append(f"{self.commands:,} repository command{'s' if self.commands != 1 else ''}")
        return ", ".join(parts)

    @property
    def short(self) -> str:
        """What stands beside a line of the map; '' if nothing waits."""
        if self.messages:
            return f"{self.messages:,} wait{'s' if self.messages == 1 else ''}"
        return f"{self.commands:,} cmd" if self.commands else ""


def backlogs(rows: Iterable[Row]) -> dict[tuple[str, str], Backlog]:
    """Return (queue manager, channel) -> what waits, from rows of the question `transmission`."""
    found: dict[tuple[str, str], Backlog] = {}
    for row in rows:
        key, count = (str(row["on"]), str(row["channel"])), row["count"]
        number = count if isinstance(count, int) else 0
        of_row = Backlog(commands=number) if row["why"] == SYSTEM else Backlog(number)
        found[key] = found.get(key, Backlog()) + of_row
    return found
