"""How long repository information lives: one table, every figure with its source.

Source: IBM MQ 9.4, "How long do the queue manager repositories retain information?".
"""

from __future__ import annotations

from typing import Final

from twin.model.instants import DAY, Instant

RESEND_AFTER: Final = 27 * DAY
"""An owner sends everything about itself again this long after its last publication."""

EXPIRE_AFTER: Final = 30 * DAY
"""A record that was not renewed expires this long after its owner sent it."""

REMOVE_AFTER: Final = 90 * DAY
"""An expired record is held in grace and removed this long after its owner sent it."""


def expires(published: Instant) -> Instant:
    """Return the instant a record published at `published` expires, wherever it is held."""
    return published + EXPIRE_AFTER


def removal(published: Instant) -> Instant:
    """Return the instant a record published at `published` is removed."""
    return published + REMOVE_AFTER


def has_expired(published: Instant, *, at: Instant) -> bool:
    """Say whether a record has expired; at its due instant it has."""
    return at >= expires(published)
