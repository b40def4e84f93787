"""What a step came to, whatever it was: everything that an expectation can speak of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from twin.stories.matching import Table


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a step came to.

    Attributes:
        done: whether it did what it was asked; only what is expected tells otherwise.
        problem: why it was not done, in one line.
        messages: the ids of MQ's answers with their letters, in order.
        lines: its answer as text.
        table: the rows of its answer, None where it has none.
        reason: the reason code of an MQI call, None where it was none.
        count: how many messages were taken, None where none were to be.
        at: which call of a put ended in it, 'open' or 'put', '' for none.
        to: the queue managers that messages were chosen for -> how many.
        via: the channels that they were chosen for -> how many; a local queue has none.
        order: the queue managers that the first of them were chosen for, one by one.
        bound_to: the queue managers that a handle may be bound to: one, where that is settled.
        waited: microseconds an MQOPEN waited for the full repositories.
        errors: what was written to error logs since the step before, None unless it is expected.
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


def not_done(problem: str) -> Outcome:
    """Return the outcome of a step that cannot be done as it is written, in one line."""
    return Outcome(done=False, problem=problem, lines=[problem])
