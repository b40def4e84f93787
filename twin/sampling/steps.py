"""Steps: what is done in a cell at one instant, as the primary facts that say so."""

from __future__ import annotations

from typing import NamedTuple

from twin import events
from twin.app.batch import COMMAND, Fact
from twin.app.channels import SEEN
from twin.model.instants import Instant


class Step(NamedTuple):
    """Facts that are recorded at one instant.

    `seen` is the instant they were observed of, where they are observations; None of commands.
    """

    at: Instant
    facts: tuple[Fact, ...]
    seen: Instant | None = None


def control(at: Instant, qmgr: str, command: str, *arguments: str) -> Step:
    """Return the step that runs a control command."""
    return asked(at, events.ControlCommandEntered(qmgr=qmgr, command=command, arguments=arguments))


def mqsc(at: Instant, qmgr: str, *commands: str) -> Step:
    """Return the step that runs MQSC commands."""
    return asked(at, *(events.CommandEntered(qmgr=qmgr, text=text) for text in commands))


def link(at: Instant, one: str, other: str, *, cut: bool) -> Step:
    """Return the step that cuts or heals a link."""
    return asked(at, events.LinkChanged(qmgr=one, other=other, cut=cut))


def asked(at: Instant, *what: events.Event) -> Step:
    """Return the step in which something is asked for."""
    return Step(at, tuple(Fact(event, COMMAND) for event in what))


def status_seen(at: Instant, qmgr: str, channel: str, status: str, *, of: Instant) -> Step:
    """Return the step in which a channel's status at an instant is learnt at another."""
    seen = events.ChannelObserved(qmgr=qmgr, channel=channel, status=status)
    return Step(at, (Fact(seen, SEEN),), of)
