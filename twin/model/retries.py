"""The retries of a channel: short ones first, then long ones.

Source: IBM MQ 9.4, SHORTRTY, SHORTTMR, LONGRTY and LONGTMR of DEFINE CHANNEL; "Short retry
interval".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, Self

from twin.model.attributes import LARGEST, Value
from twin.model.instants import MILLISECOND, SECOND, Instant, is_instant


class Retries(NamedTuple):
    """The numbers and intervals (in microseconds) of the retries of a failed channel.

    With `hangs`, each retry waits that long for an answer before it fails, and the next interval
    begins then. It counts as made when it has failed. A failure counts to the millisecond, as logs
    have it: what lies below orders the records of one.
    """

    short_count: int = 10
    short_every: int = 60 * SECOND
    long_count: int = LARGEST
    long_every: int = 1200 * SECOND
    hangs: int = 0

    @classmethod
    def of(cls, values: Mapping[str, Value]) -> Self:
        """Read the retries of a channel definition; missing values have their defaults."""
        usual = cls()
        return cls(
            int(str(values.get("SHORTRTY", usual.short_count))),
            int(str(values.get("SHORTTMR", usual.short_every // SECOND))) * SECOND,
            int(str(values.get("LONGRTY", usual.long_count))),
            int(str(values.get("LONGTMR", usual.long_every // SECOND))) * SECOND,
        )

    def next_after(self, failed: Instant, at: Instant) -> Instant | None:
        """Return when the first retry begins after `at`, of a channel that failed at `failed`.

        Return None after the last retry: the channel is then STOPPED.
        """
        if not self.hangs:
            return self.next_failure(failed, at)
        ended = self.next_failure(failed, at)
        if ended is not None and ended - self.hangs <= at:  # that retry has begun
            ended = self.next_failure(failed, ended)
        return None if ended is None else ended - self.hangs

    def next_failure(self, failed: Instant, at: Instant) -> Instant | None:
        """Return when the first retry after `at` fails that finds no partner."""
        short = _next(failed, at, self.short_count, self.short_every + self.hangs)
        if short is not None:
            return short
        return _next(self._long_begin(failed), at, self.long_count, self.long_every + self.hangs)

    def is_hanging(self, failed: Instant, at: Instant) -> bool:
        """Return whether a retry waits for an answer at the instant `at`."""
        ended = self.next_failure(failed, at) if self.hangs else None
        return ended is not None and ended - self.hangs <= at

    def end(self, failed: Instant) -> Instant | None:
        """Return the last retry of a channel that failed at `failed`; None if retries never end.

        They never end, too, if that would be after all dates: 999999999 are the default, of which
        some may have been used.
        """
        usual = Retries()
        if self.long_count >= usual.long_count or self.short_count >= usual.long_count:
            return None
        last = self._long_begin(failed) + self.long_count * (self.long_every + self.hangs)
        return last if is_instant(last) else None

    def made(self, failed: Instant, at: Instant) -> tuple[int, int]:
        """Return the numbers of short and long retries up to and including `at`."""
        short = _made(failed, at, self.short_count, self.short_every + self.hangs)
        if short < self.short_count:
            return short, 0
        long_every = self.long_every + self.hangs
        return short, _made(self._long_begin(failed), at, self.long_count, long_every)

    def last(self, failed: Instant, at: Instant) -> Instant:
        """Return the last attempt of a channel up to `at`: its failure at `failed`, or a retry."""
        short, long = self.made(failed, at)
        short_every, long_every = self.short_every + self.hangs, self.long_every + self.hangs
        return failed + short * short_every + long * long_every

    def between(self, failed: Instant, after: Instant, upto: Instant) -> Iterator[Instant]:
        """Yield the instants of the retries after `after` up to `upto`, in order."""
        following = self.next_failure(failed, after)
        while following is not None and after < following <= upto:
            yield following
            after, following = following, self.next_failure(failed, following)

    def _long_begin(self, failed: Instant) -> Instant:
        return failed + self.short_count * (self.short_every + self.hangs)


def _made(begin: Instant, at: Instant, count: int, every: int) -> int:
    begin -= begin % MILLISECOND
    if at < begin:
        return 0
    if not every:  # see `_next`
        return 0 if count >= Retries().long_count else count
    return min((at - begin) // every, count)


def _next(begin: Instant, at: Instant, count: int, every: int) -> Instant | None:
    begin -= begin % MILLISECOND
    if not every:  # without an interval all retries are made at once, unless they never end
        return at if count >= Retries().long_count else None
    number = max((at - begin) // every, 0) + 1
    return begin + number * every if number <= count else None
