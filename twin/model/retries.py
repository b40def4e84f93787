"""The retry sequence of a channel: short retries first, then long ones.

Source: IBM MQ 9.4, SHORTRTY, SHORTTMR, LONGRTY and LONGTMR of DEFINE CHANNEL; "Short retry
interval".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Self

from twin.model.attributes import Value
from twin.model.instants import SECOND, Instant


class Retries(NamedTuple):
    """How often, and every how many microseconds, a failed channel is tried again."""

    short_count: int = 10
    short_every: int = 60 * SECOND
    long_count: int = 999_999_999
    long_every: int = 1200 * SECOND

    @classmethod
    def of(cls, values: Mapping[str, Value]) -> Self:
        """Read the retries of a channel definition; what it does not say has its default."""
        usual = cls()
        return cls(
            int(str(values.get("SHORTRTY", usual.short_count))),
            int(str(values.get("SHORTTMR", usual.short_every // SECOND))) * SECOND,
            int(str(values.get("LONGRTY", usual.long_count))),
            int(str(values.get("LONGTMR", usual.long_every // SECOND))) * SECOND,
        )

    def next_after(self, failed: Instant, at: Instant) -> Instant | None:
        """Return the first retry after `at` of a channel that failed at `failed`.

        None when there is none left: the channel is then as good as stopped.
        """
        found = _next(failed, at, self.short_count, self.short_every)
        if found is not None:
            return found
        return _next(
            failed + self.short_count * self.short_every, at, self.long_count, self.long_every
        )


def _next(begin: Instant, at: Instant, count: int, every: int) -> Instant | None:
    if not every:  # retries without a pause are over at once, unless they go on for ever
        return at if count >= Retries().long_count else None
    number = max((at - begin) // every, 0) + 1
    return begin + number * every if number <= count else None
