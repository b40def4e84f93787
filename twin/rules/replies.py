"""Replies to commands: MQ's messages, and whether the command failed."""

from __future__ import annotations

from dataclasses import dataclass

from twin.model.messages import Message


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply to one command that is not a DISPLAY."""

    messages: tuple[Message, ...]
    failed: bool = False


def done(message_id: str, *inserts: str) -> Reply:
    """Reply that a command was carried out."""
    return Reply((Message(message_id, *inserts),))


def refused(message_id: str, *inserts: str) -> Reply:
    """Reply that a command could not be processed."""
    return Reply((Message(message_id, *inserts),), failed=True)
