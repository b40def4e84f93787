"""Primary facts that callers ask to record: commands, observations, and that time passed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from twin import events

if TYPE_CHECKING:
    from twin.rules.commands.read_command import ReadCommand

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
    """

    event: events.Event
    source: str
    event_id: str | None = None
    command: ReadCommand | None = None
