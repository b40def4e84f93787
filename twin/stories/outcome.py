"""What a step came to, whatever it was: everything that an expectation can speak of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
    bound_to: tuple[str, ...] = ()
    waited: int = 0
    errors: Table | None = None
