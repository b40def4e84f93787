"""Workload exits as the twin is given them: timed, since the rules have no clock."""

from __future__ import annotations

import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from twin.errors import TwinError
from twin.model.instants import SECOND, Instant
from twin.rules.workload.exit_structures import MQWDR, MQWQR, MQWXP
from twin.rules.workload.exits import WorkloadExit

ALLOWED: Final[Instant] = 1 * SECOND
"""How long an exit may take for one choice, in microseconds, before that is an error (2266)."""

NO_EXITS: Final[Mapping[str, WorkloadExit]] = MappingProxyType({})


class TooSlow(TwinError, TimeoutError):
    """An exit that took longer than it may."""

    def __init__(self, took: int) -> None:
        super().__init__(f"it took {took} microseconds, and {ALLOWED} are allowed")


def timed(exits: Mapping[str, WorkloadExit]) -> Mapping[str, WorkloadExit]:
    """Let each exit fail that is slower than is allowed."""
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
