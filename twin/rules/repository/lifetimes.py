"""How long records and requests last, and how often warnings are repeated.

Sources: IBM MQ 9.4, "How long do the queue manager repositories retain information?" (27, 30 and
90 days); "RESET CLUSTER" (10 seconds); IBM PH34265 (the warnings; it does not state their interval,
a day is inferred).
"""

from __future__ import annotations

from typing import Final

from twin.model.instants import (
    CHECK_AFTER,
    DAY,
    EXPIRE_AFTER,
    LAPSE_AFTER,
    REMOVE_AFTER,
    RESEND_AFTER,
    SECOND,
    Instant,
)

__all__ = [
    "CHECK_AFTER",
    "EXPIRE_AFTER",
    "LAPSE_AFTER",
    "REJOIN_AFTER",
    "REMOVE_AFTER",
    "RESEND_AFTER",
    "WARN_AFTER",
    "WARN_EVERY",
    "expires",
    "has_expired",
    "has_lapsed",
    "removal",
]

WARN_AFTER: Final = RESEND_AFTER + DAY
"""The time from the last publication of a record to the first warning that it was not renewed."""

WARN_EVERY: Final = DAY
"""The interval of further warnings [inferred]."""

REJOIN_AFTER: Final = 10 * SECOND
"""Records that a member publishes within this time after its forced removal are ignored."""


def expires(published: Instant) -> Instant:
    """Return the instant at which a record published at `published` expires."""
    return published + EXPIRE_AFTER


def removal(published: Instant) -> Instant:
    """Return the instant at which a record published at `published` is removed."""
    return published + REMOVE_AFTER


def has_expired(published: Instant, *, at: Instant) -> bool:
    """Return whether a record has expired at the instant `at`, which may be the due instant."""
    return at >= expires(published)


def has_lapsed(made: Instant, *, at: Instant) -> bool:
    """Return whether a request has lapsed at the instant `at`, which may be the due instant."""
    return at >= made + LAPSE_AFTER
