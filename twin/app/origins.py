"""The origin of what is recorded, where the caller states it for a whole block of calls."""

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
    """Give this origin to every primary fact that is recorded in the block and has none."""
    token = _STATED.set(origin)
    try:
        yield
    finally:
        _STATED.reset(token)


def with_origin(event: Event) -> Event:
    """Return an event with the origin that is stated for it, if it can have one and has none."""
    origin = _STATED.get()
    if origin is None or not isinstance(event, PrimaryFact) or event.origin is not None:
        return event
    return replace(event, origin=origin)
