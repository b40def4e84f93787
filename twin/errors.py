"""Everything that can go wrong, one root; each leaf composes its own one-line message."""

from __future__ import annotations


class TwinError(Exception):
    """The root of every error this package raises on purpose."""


class BadInstant(TwinError, ValueError):
    """A time that is neither ISO 8601 nor relative."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{text!r} is not a time: write ISO 8601 (2026-01-31T02:13:00Z) or relative (+27d, -2h)"
        )
