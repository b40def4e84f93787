"""Time limits for workload exits. They are in this room because the rules have no clock."""

from __future__ import annotations

import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from twin.errors import SubjectError
from twin.model.instants import SECOND, Instant
from twin.rules.workload.exit_structures import MQWDR, MQWQR, MQWXP
from twin.rules.workload.exits import WorkloadExit

__all__ = ["ALLOWED", "TooSlow", "WorkloadExit", "timed"]

ALLOWED: Final[Instant] = 1 * SECOND
"""The longest time that an exit may take for one choice, in microseconds; else it fails (2266)."""


class TooSlow(
    SubjectError,
    TimeoutError,
    message=f"the exit took {{}} microseconds; {ALLOWED} are allowed",
):
    """An exit that exceeded its time limit."""


def timed(exits: Mapping[str, WorkloadExit]) -> Mapping[str, WorkloadExit]:
    """Return the exits wrapped so that each fails if it exceeds the time limit."""
    return MappingProxyType({name: _timed(each) for name, each in exits.items()})


def _timed(exit_: WorkloadExit) -> WorkloadExit:
    def call(block: MQWXP, destinations: tuple[MQWDR, ...], queues: tuple[MQWQR, ...]) -> MQWXP:
        began = time.perf_counter_ns()
        answer = exit_(block, destinations, queues)
        took = (time.perf_counter_ns() - began) // 1000
        if took > ALLOWED:
            raise TooSlow(took)
        return answer

    return call
