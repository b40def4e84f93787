"""Steps: what happens in a cell at one instant, as primary facts."""

from __future__ import annotations

from typing import NamedTuple

from twin import events
from twin.app.acting import COMMAND, Fact
from twin.app.channels import CHANNEL_OBSERVATION
from twin.model.instants import Instant


class PlannedStep(NamedTuple):
    """Facts that are recorded at one instant.

    Attributes:
        seen: the instant of observations; None for commands.
    """

    at: Instant
    facts: tuple[Fact, ...]
    seen: Instant | None = None


def control(at: Instant, qmgr: str, command: str, *arguments: str) -> PlannedStep:
    """Return the step that runs a control command."""
    return entered(
        at, events.ControlCommandEntered(qmgr=qmgr, command=command, arguments=arguments)
    )


def mqsc(at: Instant, qmgr: str, *commands: str) -> PlannedStep:
    """Return the step that runs MQSC commands."""
    return entered(at, *(events.CommandEntered(qmgr=qmgr, text=text) for text in commands))


def link(at: Instant, one: str, other: str, *, cut: bool) -> PlannedStep:
    """Return the step that cuts or heals a link."""
    return entered(at, events.LinkChanged(qmgr=one, other=other, cut=cut))


def entered(at: Instant, *what: events.Event) -> PlannedStep:
    """Return the step that enters commands or requests."""
    return PlannedStep(at, tuple(Fact(event, COMMAND) for event in what))


def status_seen(at: Instant, qmgr: str, channel: str, status: str, *, of: Instant) -> PlannedStep:
    """Return the step that observes a channel's status; `of` is the instant of the status."""
    event = events.ChannelObserved(qmgr=qmgr, channel=channel, status=status)
    return PlannedStep(at, (Fact(event, CHANNEL_OBSERVATION),), of)
