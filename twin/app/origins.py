"""The origin of recorded facts, set for a whole block of calls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Final

from twin.events import Event, Origin, PrimaryFact

_STATED: Final[ContextVar[Origin | None]] = ContextVar("origin", default=None)


@contextmanager
def recording_from(origin: Origin) -> Iterator[None]:
    """Give this origin to every primary fact recorded in the block, unless it has one."""
    token = _STATED.set(origin)
    try:
        yield
    finally:
        _STATED.reset(token)


def with_origin(event: Event) -> Event:
    """Return an event with the origin of the block, if it is a primary fact without one."""
    origin = _STATED.get()
    if origin is None or not isinstance(event, PrimaryFact) or event.origin is not None:
        return event
    return replace(event, origin=origin)
