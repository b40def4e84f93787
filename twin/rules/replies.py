"""The answer to a command: MQ's messages, and whether the command could be processed."""

from __future__ import annotations

from dataclasses import dataclass

from twin.model.messages import Message


@dataclass(frozen=True, slots=True)
class Result:
    """The answer to one command that is not a DISPLAY."""

    messages: tuple[Message, ...]
    failed: bool = False


def done(message_id: str, *inserts: str) -> Result:
    """Answer that a command was carried out."""
    return Result((Message(message_id, *inserts),))


def refused(message_id: str, *inserts: str) -> Result:
    """Answer that a command could not be processed."""
    return Result((Message(message_id, *inserts),), failed=True)
