"""The content of a story: queue managers, links, and steps with expectations and outcomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from twin.model.instants import Instant, parse_instant
from twin.stories.errors import FileLine
from twin.stories.fields import Moment
from twin.stories.matching import Table

DEFAULT_START: Final[Instant] = parse_instant("2026-01-01T00:00:00Z", now=0)
"""The start of a story that has queue managers of its own and names no start."""


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """The outcome of a step.

    Attributes:
        done: whether it succeeded.
        problem: why it failed, in one line.
        messages: the ids of MQ's answers with their letters, in order.
        lines: its answer as text.
        table: the rows of its answer; None if it has none.
        reason: the reason code of an MQI call; None for other steps.
        count: the number of messages that were got; None for other steps.
        at: the failed call of a put, 'open' or 'put'; '' if none failed.
        to: the number of messages for each chosen queue manager.
        via: the number of messages for each chosen channel; a local queue has none.
        order: the chosen queue managers of the first messages, one by one.
        bound_to: the queue managers that a handle may be bound to; one if it is bound.
        waited: microseconds an MQOPEN waited for the full repositories.
        errors: error log entries since the previous step; None unless expected.
    """

    done: bool = True
    problem: str = ""
    messages: Sequence[str] = ()
    lines: Sequence[str] = ()
    table: Table | None = None
    reason: int | None = None
    count: int | None = None
    at: str = ""
    to: Mapping[str, int] = field(default_factory=dict)
    via: Mapping[str, int] = field(default_factory=dict)
    order: Sequence[str] = ()
    bound_to: tuple[str, ...] = ()
    waited: int = 0
    errors: Table | None = None


@dataclass(frozen=True, slots=True)
class Script:
    """A queue manager to create and start, its qm.ini, and the MQSC to run there."""

    place: FileLine
    qmgr: str
    mqsc: str
    cmdlevel: int
    platform: str
    ini: str = ""


@dataclass(frozen=True, slots=True)
class LinkLatency:
    """The latency of one link, in microseconds."""

    between: tuple[str, str]
    latency: int


@dataclass(frozen=True, slots=True)
class Action:
    """The action of a step: a verb, a queue manager or '', and the values of its options."""

    place: FileLine
    verb: str
    on: str
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Expectation:
    """The expected outcome of a step.

    Attributes:
        values: the expected values by key, each read as its kind.
        written: the same as written in the story, for reports.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    written: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Step:
    """One step: its time, its action, and its expected outcome.

    Attributes:
        number: from 1.
        at: its time; None means the instant of the previous step.
        title: the action in one line.
    """

    number: int
    place: FileLine
    at: Moment | None
    title: str
    action: Action
    expect: Expectation


@dataclass(frozen=True, slots=True)
class Story:
    """One scenario.

    Attributes:
        name: the behaviour, in a sentence.
        start: its first instant; None if not given.
        scripts: its queue managers; None if it plays on a given branch.
        latency: the latency of links without one of their own, in microseconds.
        links: links with a latency of their own.
        readings: the readings that are chosen at its start.
    """

    name: str
    place: FileLine
    start: Instant | None
    scripts: tuple[Script, ...] | None
    latency: int
    links: tuple[LinkLatency, ...]
    readings: Mapping[str, str]
    steps: tuple[Step, ...]


def not_done(problem: str) -> StepOutcome:
    """Return the outcome of a step that cannot be done as written."""
    return StepOutcome(done=False, problem=problem, lines=[problem])
