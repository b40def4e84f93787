"""When effects of a change may begin or end: what happens in only one of two rehearsals."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from twin import events
from twin.questions.two_sides import differences

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from twin.app.rehearsing import Rehearsal
    from twin.model.instants import Instant
    from twin.review.plan.pair import RehearsedPair

_FREE: Final = frozenset({"RUNNING", "INACTIVE", "BINDING", "STARTING", "INITIALIZING"})
"""The statuses with which a channel sends messages, or may: they differ from time to time."""

_OF_CHANNELS: Final = (
    events.MessagesSent,
    events.MessagesReallocated,
    events.MessagesReturned,
    events.ReceivingEndEnded,
)
_OF_QMGRS: Final = (events.RepositoryManagerFailed, events.RepositoryManagerRestarted)

_Happening: TypeAlias = tuple[Any, ...]
"""What happened: its instant first, then its type, its queue manager, and what it was about."""

_Expired: TypeAlias = "Mapping[tuple[str, frozenset[str]], AbstractSet[Instant]]"
"""The queue manager and the owners of records -> when they expired."""


def turning_points(pair: RehearsedPair) -> list[Instant]:
    """Return the instants after the change has settled at which something may begin or end.

    These are the instants at which something happens in only one of the rehearsals: a record is
    learned, expires or goes, a channel fails or works again, or messages leave. Renewals of
    records, and channels that start for them and disconnect, are no such thing. The last instant is
    that of the comparison at the end, if something changes until then.
    """
    one, other = (_Happenings(each, pair.first) for each in (pair.base, pair.changed))
    found = {each[0] for each in one.noted ^ other.noted} | pair.learned
    for _, *sides in pair.touched("repository"):
        deletions = (each.repository.deletions if each else {} for each in sides)
        for _, *deleted in differences(*deletions):
            found |= {each[1] for each in deleted if each}
    last = pair.changed.now()
    found = {at for at in found if pair.settled < at <= last}
    expiries = _expiries(one.expired, other.expired, before=max(found, default=pair.settled))
    return sorted(found | {at for at in expiries if pair.settled < at <= last})


def _expiries(one: _Expired, other: _Expired, *, before: Instant) -> Iterator[Instant]:
    """Yield when records expired on one side only, if that may end by the end of the rehearsals.

    It ends as they expire on the other side, or with something that happens later.
    """
    for key in one.keys() | other.keys():
        was, now = one.get(key, frozenset()), other.get(key, frozenset())
        both = bool(was - now) and bool(now - was)
        yield from (at for at in was ^ now if both or at < before)


class _Happenings:
    """What happened in a rehearsal since the change, of the types of which effects may come.

    Attributes:
        noted: what happened, without expiries.
        expired: when records of some owners expired at a queue manager.
    """

    def __init__(self, rehearsal: Rehearsal, first: int) -> None:
        """Read the events of a rehearsal after the first ones."""
        self.noted: set[_Happening] = set()
        self.expired: dict[tuple[str, frozenset[str]], set[Instant]] = defaultdict(set)
        self._statuses: dict[tuple[str, str], str] = {}
        for at, event in rehearsal.decided[first:]:
            self._note(at, event)

    def _note(self, at: Instant, event: events.Event) -> None:
        kind = type(event)
        if isinstance(event, events.InformationExpired | events.InformationRemoved):
            owners = frozenset(item.owner for item in event.items)
            if isinstance(event, events.InformationExpired):
                self.expired[event.qmgr, owners].add(at)
            else:
                self.noted.add((at, kind, event.qmgr, owners))
        elif isinstance(event, events.ChannelStatusChanged):
            key = (event.qmgr, event.channel)
            was = self._statuses.get(key, "")
            self._statuses[key] = event.status
            if {was, event.status} - _FREE - {""}:
                self.noted.add((at, kind, *key, event.status))
        elif isinstance(event, _OF_CHANNELS):
            self.noted.add((at, kind, event.qmgr, event.channel))
        elif isinstance(event, _OF_QMGRS):
            self.noted.add((at, kind, event.qmgr))
