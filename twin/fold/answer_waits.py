"""The calls of one queue manager that wait for an answer of full repositories, and their names."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from twin.events import AnswerAwaited
from twin.model.instants import Instant

Names: TypeAlias = tuple[tuple[str, str], ...]
"""The (kind, name) of the records that are waited for."""


class WaitingCall(NamedTuple):
    """A call that waits: where and when it was recorded, and the event that says what it is."""

    position: int
    at: Instant
    call: AnswerAwaited


class AnswerWait(NamedTuple):
    """A wait for some names: since when, and the calls that wait, the first first."""

    since: Instant
    calls: tuple[WaitingCall, ...]
