"""Names as applications and administrators give them: one that MQ allows nowhere is bad input."""

from __future__ import annotations

from twin.errors import TwinError
from twin.model.names import CHANNEL_NAME_LENGTH, NAME_LENGTH, legal_name


class BadName(TwinError, ValueError):
    """A name that no object of its kind can have."""

    def __init__(self, name: str, *, kind: str, limit: int = NAME_LENGTH) -> None:
        super().__init__(f"{name!r} is no {kind} name: 1 to {limit} of A-Z a-z 0-9 . / _ %")


def demand_queue(name: str) -> None:
    """Check the name of a queue.

    Raises:
        BadName: when no queue can have it.
    """
    if not legal_name(name):
        raise BadName(name, kind="queue")


def demand_target(name: str) -> None:
    """Check an ObjectQMgrName, which may be blank.

    Raises:
        BadName: when no queue manager can have it.
    """
    if name and not legal_name(name):
        raise BadName(name, kind="queue manager")


def demand_channel(name: str) -> None:
    """Check the name of a channel.

    Raises:
        BadName: when no channel can have it.
    """
    if not legal_name(name, limit=CHANNEL_NAME_LENGTH):
        raise BadName(name, kind="channel", limit=CHANNEL_NAME_LENGTH)
