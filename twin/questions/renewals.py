"""When records were published last, as far as that is known: CLUSDATE has two readings.

CLUSDATE says since when a queue manager has a record. Whether a renewal moves it is not documented.
If it does, a record was published at its CLUSDATE and not since; if not, its owner may have sent it
again every 27 days. A renewal is taken as made only if the channel of the owner to a full
repository was seen to work when it was due, or later. Without that, the earlier date counts, and
the later one is given beside it. A record that is shown when it would have been removed was
renewed. What an error log says to the day counts more than both.

Captures over time decide it for a level: CLUSDATE moved in all renewals that they show, or in none.

Sources: IBM MQ 9.4, DISPLAY CLUSQMGR (CLUSDATE); "How long do the queue manager repositories retain
information?"; IBM PH34265 (the days in AMQ9469 and AMQ9456). Design law 15.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from twin.fold.beliefs import Belief, RecordName
from twin.fold.estate import Estate, QueueManager
from twin.model.basis import Basis
from twin.model.instants import DAY, REMOVE_AFTER, RESEND_AFTER, Instant, format_instant
from twin.questions.basis import basis_of_record, last_seen
from twin.rules import membership, standing

if TYPE_CHECKING:
    from twin.rules.draft import Draft

_ALWAYS: Final = 1 << 62
"""Later than every instant."""

_PRECISION: Final = DAY
"""How exact the days in a warning are."""


class Published(NamedTuple):
    """When a record was published last.

    Attributes:
        at: the instant; of two readings, the earlier one.
        other: the later one; None if only one is left.
        basis: what the instant rests on.
        by_log: whether an error log says when the record is removed.
        shown: its CLUSDATE; None if it was not shown.
    """

    at: Instant
    other: Instant | None
    basis: Basis
    by_log: bool = False
    shown: Instant | None = None


class Readings(NamedTuple):
    """In how many renewals captures of a level show that CLUSDATE moved, and that it stayed.

    The level is 0 where no file shows one.
    """

    level: int
    moved: int
    kept: int

    @property
    def moves(self) -> bool | None:
        """Whether a renewal moves CLUSDATE; None if that is not known."""
        return None if bool(self.moved) == bool(self.kept) else bool(self.moved)

    def __str__(self) -> str:
        """Say what captures show."""
        return (
            f"CLUSDATE moved in {self.moved} of {self.moved + self.kept} renewals that captures "
            f"show at {f'level {self.level}' if self.level else 'an unknown level'}"
        )


class _Bound(NamedTuple):
    """When a record was published if it was not renewed since, and when that was seen."""

    published: Instant
    since: Instant
    shown: Instant | None
    by_log: bool = False
    assumes_utc: bool = False


class Renewals:
    """The dates of records in an estate, at an instant."""

    def __init__(self, estate: Estate, at: Instant) -> None:
        """Begin; what owners were seen to do is looked up once for each."""
        self._estate = estate
        self._at = at
        self._reached: dict[tuple[str, str], Instant] = {}
        self._warning: dict[tuple[RecordName, str], list[QueueManager]] = {}
        self._any_warned = any(each.repository.warned for each in estate.qmgrs.values())

    def of(self, observer: QueueManager, key: RecordName, belief: Belief) -> Published:
        """Return when a record that a queue manager holds was published last."""
        known = Published(
            belief.published, None, basis_of_record(self._estate, observer, key, belief).dates
        )
        if belief.owner == observer.qmid or not observer.observed:
            return known
        bound = self._bound(observer, key, belief)
        if bound is None or (observer.simulated and belief.published > bound.since):
            return known
        start, unsure = bound.published, Basis.ASSUMED if bound.assumes_utc else Basis.DERIVED
        first = Published(
            start if bound.by_log else min(start, belief.published),
            None,
            unsure,
            bound.by_log,
            shown=bound.shown,
        )
        told = belief.published <= bound.since if bound.by_log else self.readings_of(observer).moves
        if belief.published <= start or told:
            return first
        latest = self._latest_sure(bound, belief, key[0])
        if latest == belief.published:
            return first._replace(at=latest, by_log=False)
        return first._replace(at=latest, other=belief.published, basis=Basis.ASSUMED)

    def _bound(self, observer: QueueManager, key: RecordName, belief: Belief) -> _Bound | None:
        """Return what a log, or else CLUSDATE, says of the publication of a record.

        What an owner has renewed at no full repository, it has not at other holders either.
        """
        seen = last_seen(observer, key, belief)
        warned = [
            each.repository.warned.get((key, belief.owner))
            for each in (observer, *self._warners(key, belief.owner))
        ]
        logged = max(filter(None, warned), default=None)
        shown = min(seen.received, self._at) if seen and seen.received is not None else None
        if logged is not None and (shown is None or logged.at > shown):
            close = abs(belief.published - logged.published) <= _PRECISION
            exact = belief.published if close else logged.published
            return _Bound(exact, logged.at, shown, by_log=True)
        if seen is None or shown is None:
            return None
        return _Bound(shown, seen.at, shown, assumes_utc=seen.assumes_utc)

    def _warners(self, key: RecordName, owner: str) -> list[QueueManager]:
        """Return the full repositories of a cluster if all of them warned of a record."""
        if (key, owner) not in self._warning:
            self._warning[key, owner] = (
                membership.warners(self._estate, key, owner) if self._any_warned else []
            )
        return self._warning[key, owner]

    def _latest_sure(self, bound: _Bound, belief: Belief, cluster: str) -> Instant:
        """Return the latest publication that a channel was seen to carry, or a later sight needs.

        They are whole periods before the one that the twin derived.
        """
        latest, reached = belief.published, self.reached(belief.owner, cluster)
        while latest > max(bound.published, reached):
            latest -= RESEND_AFTER
        latest = max(bound.published, latest)
        while not bound.by_log and latest + REMOVE_AFTER <= bound.since:
            latest += RESEND_AFTER
        return min(latest, belief.published)

    def reached(self, owner: str, cluster: str) -> Instant:
        """Return when an owner, by QMID, was last seen to reach a full repository; 0 if never."""
        known = self._reached.get((owner, cluster))
        if known is None:
            known = self._reached[owner, cluster] = self._last_reached(owner, cluster)
        return known

    def _last_reached(self, owner: str, cluster: str) -> Instant:
        qmgr = self._estate.qmgrs.get(self._estate.names[owner])
        if qmgr is None or qmgr.qmid != owner:
            return 0
        if not qmgr.observed:
            return _ALWAYS
        chosen = self._chosen(qmgr, cluster)
        if not chosen and membership.is_full(qmgr, cluster):  # the only one: it renews at itself
            return standing.answered(qmgr) or 0
        seen = (qmgr.activity.seen.of_channel(channel) for _, channel in chosen)
        return max(
            (each.at for each in seen if each and each.status in standing.CARRIES), default=0
        )

    @cached_property
    def _draft(self) -> Draft:
        from twin.rules.draft import Draft  # noqa: PLC0415 - only records that were seen need it

        return Draft(self._estate, self._at, self._estate.position + 1)

    def _chosen(self, qmgr: QueueManager, cluster: str) -> list[tuple[QueueManager, str]]:
        """Return the full repositories that a queue manager uses, each with the channel to it."""
        from twin.rules.repository import (  # noqa: PLC0415 - only records that were seen need it
            recipients,
        )

        return recipients.full_repositories(self._draft, qmgr, cluster)

    def doubt(self, owner: str, cluster: str, since: Instant) -> str:
        """Say why a queue manager, by QMID, may not have renewed its records since an instant."""
        name, when = self._estate.names[owner], format_instant(since)
        qmgr = self._estate.qmgrs.get(name)
        if qmgr is None or qmgr.qmid != owner:
            return f"nothing says whether {owner} ran on {when} or later"
        if not qmgr.running:
            return f"{name} was seen to have ended"
        for _, channel in self._chosen(qmgr, cluster):
            seen = qmgr.activity.seen.of_channel(channel)
            if seen is not None and seen.status not in standing.CARRIES:
                return f"its channel {channel} was {seen.status} on {format_instant(seen.at)}"
        return f"nobody saw a channel of {name} to a full repository work on {when} or later"

    def readings_of(self, observer: QueueManager) -> Readings:
        """Return what captures of queue managers at the level of one show of CLUSDATE."""
        level = _level(observer)
        return self._readings.get(level, Readings(level, 0, 0))

    @cached_property
    def _readings(self) -> dict[int, Readings]:
        found: dict[int, Readings] = {}
        for qmgr in self._estate.qmgrs.values():
            level = _level(qmgr)
            for seen in qmgr.repository.shown.values():
                _, moved, kept = found.get(level, (level, 0, 0))
                found[level] = Readings(level, moved + seen.moved, kept + seen.kept)
        return found

    def keeps_clusdate(self, observer: QueueManager) -> bool:
        """Return whether a renewal does not move CLUSDATE, as the level shows, or else any other.

        A queue manager shows that if its own record, or one that it holds, has a CLUSDATE from
        before the last renewal that must have been made.
        """
        found = self.readings_of(observer)
        others = [found] if found.moved or found.kept else self._readings.values()
        return any(each.moves is False for each in others)


def _level(qmgr: QueueManager) -> int:
    return 0 if qmgr.made_level else qmgr.cmdlevel
