"""The outcome of a step: everything that a story can expect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from twin.stories.matching import Table


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


def not_done(problem: str) -> StepOutcome:
    """Return the outcome of a step that cannot be done as written."""
    return StepOutcome(done=False, problem=problem, lines=[problem])
