"""What observations say of earlier instants: when an object was altered, or a channel started.

From its last alteration on an object is as it was shown, not only from the observation on. Between
the last earlier sight and that instant, an attribute that differs may have had either value: ALTER
and DEFINE REPLACE date the object, not the attribute. If it differs although the object was not
altered since that sight, it was changed otherwise (MQSET, triggering), and it is not known when;
nor is it if no date is shown.

Where a later observation shows another QMID of a name, the queue manager may have been built again
since its last sight, or since the date in that QMID: what it was seen to be is not known any more.

A channel that was seen RUNNING runs since it started, if CHSTADA and CHSTATI say when: that start
is an observation at its own instant, which follows from the one that shows it. Nothing follows at a
queue manager that was not known yet.

All this follows from the observations of a branch, in the order of their instants, so that it does
not matter in which order they were imported.

Source: design law 15; IBM MQ 9.4, DISPLAY QUEUE (ALTDATE, ALTTIME: when the definition was last
altered), DISPLAY CHSTATUS (CHSTADA, CHSTATI: when the channel was started); MQSET.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Final, NamedTuple, TypeAlias

from twin.events import (
    ChannelObserved,
    Event,
    ObjectsDated,
    ObjectsObserved,
    ObjectsUnsure,
    StatedObject,
)
from twin.fold.estate import NEVER_CONFIRMED, Estate, QueueManager
from twin.fold.replay.one_instant import canonical
from twin.model.attributes import Value
from twin.model.instants import HOUR, Instant
from twin.model.names import creation_of, may_follow
from twin.model.objects import ObjectKey
from twin.model.observed_objects import differing, differing_attributes
from twin.model.platforms import DEFAULT_LEVEL
from twin.rules import assumptions, repository_manager
from twin.rules.commands import observed_objects
from twin.rules.draft import Draft, Foreseen
from twin.rules.observations import states

_ZONES: Final = 14 * HOUR
"""How far a local time may be from UTC, if its zone is not known."""

PrimaryAt: TypeAlias = tuple[Instant, str, Event]
"""The instant, the id and the event of a primary fact."""


class _Known(NamedTuple):
    """An object as it was seen or stated last, and when; `altered` is what was shown of it."""

    type: str
    values: Mapping[str, Value]
    altered: Instant | None


class _Says(NamedTuple):
    """What one observation says of one object from an instant on."""

    at: Instant
    one: StatedObject
    event: type[ObjectsDated | ObjectsUnsure]


class ShownLater(NamedTuple):
    """An event for an earlier instant, and the id of the observation that shows it."""

    at: Instant
    cause: str
    event: ObjectsDated | ObjectsUnsure


class ReachesBack(NamedTuple):
    """What observations say of instants before their own.

    Attributes:
        since: the earliest instant from which on rules have to be asked again; None if for none.
        beside: what is said of earlier instants than that, which no rule reads.
    """

    since: Instant | None
    beside: Sequence[ShownLater] = ()


def foreseen(draft: Draft, later: Iterable[PrimaryAt]) -> list[Foreseen]:
    """Return what follows for instants after the draft's from later observations, latest first."""
    later = list(later)
    says = [each for each in _all_says(draft.estate, later) if each[-1].at > draft.at]
    found = [
        Foreseen(at, cause, partial(_take, event=event)) for at, cause, event in _latest_first(says)
    ]
    starts: dict[tuple[Instant, str], tuple[str, ChannelObserved]] = {}
    for at, cause, each in later:
        start = _start_of(each, at)
        if start is not None and start.began is not None and start.began > draft.at:
            starts.setdefault((start.began, repr(start)), (cause, start))
    found += [
        Foreseen(at, cause, partial(_start, event=event))
        for (at, _), (cause, event) in sorted(starts.items())
    ]
    return sorted(found, key=attrgetter("at"), reverse=True)


def reaches_back(event: Event) -> bool:
    """Return whether an observation may say something of an earlier instant than its own."""
    if isinstance(event, ChannelObserved):
        return event.began is not None
    return isinstance(event, ObjectsObserved)


def _start_of(event: Event, at: Instant) -> ChannelObserved | None:
    """Return what an observation of an instant says of the start of a channel before it."""
    if not isinstance(event, ChannelObserved) or event.began is None or event.began >= at:
        return None
    return ChannelObserved(
        qmgr=event.qmgr,
        channel=event.channel,
        status=event.status,
        instance=event.instance,
        kind=event.kind,
        partner=event.partner,
        began=event.began,
    )


def _start(draft: Draft, *, event: ChannelObserved) -> None:
    if (qmgr := draft.estate.qmgrs.get(event.qmgr)) is not None:
        draft.emit(event)
        states.channel(draft, qmgr, event)


def _starts(estate: Estate, observed: Iterable[PrimaryAt]) -> Iterator[Instant]:
    """Yield when channels started that observations show; not what the last rows showed, too."""
    for at, _, event in observed:
        start, qmgr = _start_of(event, at), estate.qmgrs.get(event.qmgr)
        if start is None or start.began is None or qmgr is None or qmgr.created > start.began:
            continue
        cells = event.cells if isinstance(event, ChannelObserved) else None
        seen = qmgr.activity.seen
        rows = seen.rows.get(start.channel, {}).values()
        shown = [_start_cells(row.cells) for row in rows if row.status == start.status]
        last = seen.of_channel(start.channel)
        is_known = last is not None and (last.status, last.began) == (start.status, start.began)
        if not is_known and _start_cells(cells or {}) not in shown:
            yield start.began


def _start_cells(cells: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(cells.get(each, "") for each in ("CHSTADA", "CHSTATI"))


def reach(estate: Estate, observed: Sequence[PrimaryAt], *, late: bool) -> ReachesBack:
    """Return what observations of one instant say of earlier ones.

    The estate is that of their instant, without them. Of `late` ones rules are asked about all of
    it: what was known before of their instant may change, too.
    """
    says, starts = list(_all_says(estate, observed)), list(_starts(estate, observed))
    if not late:
        read = [
            each.at
            for _, observation, each in says
            if each.event is ObjectsDated and _is_read(estate, observation, each.one)
        ]
        since = min([*read, *starts], default=None)
        beside = _latest_first([each for each in says if since is None or each[-1].at < since])
        return ReachesBack(since, [_at_first_sight(estate, each) for each in beside])
    unsure = [
        unsure[one.name].since
        for _, _, each in observed
        if isinstance(each, ObjectsObserved)
        and (qmgr := estate.qmgrs.get(each.qmgr)) is not None
        and (unsure := qmgr.unsure.get(each.kind))
        for one in each.said
        if one.name in unsure
    ]
    at = observed[0][0]
    earlier = [each for each in (*(one.at for _, _, one in says), *unsure, *starts) if each < at]
    return ReachesBack(min(earlier, default=None))


def _is_read(estate: Estate, observation: ObjectsObserved, one: StatedObject) -> bool:
    """Return whether a rule may read an object, before it was altered or since.

    Where there are messages, every queue may be read.
    """
    qmgr, kind = estate.qmgrs[observation.qmgr], observation.kind
    before = qmgr.definitions.get((kind, one.name))
    named = (assumptions.pointed_to(each.values) for each in qmgr.definitions.values())
    assumed = estate.assumptions.get(qmgr.name)
    return (
        observed_objects.reads(kind, one.name, one.values)
        or (before is not None and observed_objects.reads(kind, one.name, before.values))
        or any(one.name in each for each in named)
        or (assumed is not None and one.name in assumed.queues)
        or any(each.has_messaging for each in estate.qmgrs.values())
    )


def _latest_first(says: Iterable[tuple[str, ObjectsObserved, _Says]]) -> list[ShownLater]:
    """Group what is said of objects into events, and return these."""
    groups: dict[tuple[Instant, str, str, type, str], tuple[str, list[StatedObject]]] = {}
    for cause, observation, each in says:
        zone = observation.zone or ""
        key = (each.at, observation.qmgr, observation.kind, each.event, zone)
        groups.setdefault(key, (cause, []))[1].append(each.one)
    return [
        ShownLater(at, cause, event(qmgr=qmgr, kind=kind, said=tuple(said), zone=zone or None))
        for (at, qmgr, kind, event, zone), (cause, said) in sorted(
            groups.items(), key=lambda each: (*each[0][:3], each[0][3].__name__), reverse=True
        )
    ]


def _take(draft: Draft, *, event: ObjectsDated | ObjectsUnsure) -> None:
    qmgr = draft.estate.qmgrs.get(event.qmgr)
    if qmgr is None or isinstance(event, ObjectsUnsure):
        draft.emit(event)
        return
    draft.at = _at_first_sight(draft.estate, ShownLater(draft.at, "", event)).at
    observed_objects.take_dated(draft, qmgr, event)
    assumptions.bring_up_to_date(draft, qmgr)
    repository_manager.attend(draft, event.qmgr)


def _at_first_sight(estate: Estate, shown: ShownLater) -> ShownLater:
    """Return what is said of the instant after the first sight for that: it is applied by now."""
    created = estate.qmgrs[shown.event.qmgr].created
    is_first = isinstance(shown.event, ObjectsDated) and shown.at == created + 1
    return shown._replace(at=created) if is_first else shown


def _all_says(
    estate: Estate, later: Iterable[PrimaryAt]
) -> Iterator[tuple[str, ObjectsObserved, _Says]]:
    seen: dict[str, _Sights] = {}
    stated = [
        (at, id_, each)
        for at, id_, each in later
        if isinstance(each, ObjectsObserved) and not each.undated
    ]
    for at, alike in groupby(stated, key=itemgetter(0)):
        for _, cause, event in canonical(alike, lambda each: each[2]):
            before = seen.get(event.qmgr) or _Sights(estate.qmgrs.get(event.qmgr), at)
            if event.qmid is not None and before.is_of_another(event.qmid):
                for says in before.replaced(event.qmid, at):
                    yield cause, replace(event, kind="QMGR"), says
                before = _Sights(None, at)
            elif before.is_of_one_before(event.qmid):
                continue
            seen[event.qmgr] = before
            for says in before.take(event, at):
                yield cause, event, says


class _Sights:
    """The objects of a queue manager, observation by observation."""

    def __init__(self, qmgr: QueueManager | None, at: Instant) -> None:
        """Begin with a queue manager, or with one that is first seen at an instant."""
        self._qmgr = qmgr
        self._first = at if qmgr is None else qmgr.created
        self._qmid = None if qmgr is None or qmgr.made_qmid else qmgr.qmid
        self._says_qmid = qmgr is None or qmgr.says_qmid
        self._known: dict[ObjectKey, _Known] = {}
        self._seen: dict[str, dict[str, Instant]] = defaultdict(dict)

    def is_of_another(self, qmid: str | None) -> bool:
        """Return whether a QMID is that of a queue manager that was built later."""
        return bool(qmid and self._qmid) and may_follow(str(qmid), str(self._qmid))

    def is_of_one_before(self, qmid: str | None) -> bool:
        """Return whether a QMID is that of an earlier queue manager of the name."""
        return bool(qmid and self._qmid and self._says_qmid) and qmid != self._qmid

    def replaced(self, qmid: str, at: Instant) -> Iterator[_Says]:
        """Yield that it may have been built again: since its last sight, or the date of the QMID.

        That date is in the zone of its host, which is not known.
        """
        confirmed = self._qmgr.confirmed.values() if self._qmgr else ()
        seen = (each for known in self._seen.values() for each in known.values())
        last = max(self._first, *(each.at for each in confirmed), *seen)
        since = max(last + 1, creation_of(qmid) - _ZONES)
        if since < at:
            yield _Says(since, StatedObject(name=qmid), ObjectsUnsure)

    def take(self, event: ObjectsObserved, at: Instant) -> Iterator[_Says]:
        """Take an observation; yield what it says of instants before its own."""
        self._qmid = event.qmid or self._qmid
        zones = _ZONES if event.assumes_utc else 0
        seen = self._seen[event.kind]
        for one in event.said:
            shows = one.altered is not None if one.act == "alter" else one.act == "define"
            if not shows or one.base or (one.act == "alter" and event.kind != "QMGR"):
                continue
            key = (event.kind, one.name)
            last = max(self._first, self._last(event.kind, one))
            before = self._before(key)
            if last < at:
                settled = at if one.altered is None else min(one.altered + zones, at)
                yield from self._says(key, one, before, last, settled, at)
            others = before.values if one.act == "alter" and before is not None else {}
            self._known[key] = _Known(one.type, {**others, **one.values}, one.altered)
            seen[one.name] = at
        if event.complete == "*":
            seen["*"] = at

    def _says(
        self,
        key: ObjectKey,
        one: StatedObject,
        before: _Known | None,
        last: Instant,
        settled: Instant,
        at: Instant,
    ) -> Iterator[_Says]:
        altered = one.altered and (before is None or before.altered != one.altered)
        differs = before is not None and _differs(key, before, one)
        sighted = self._last(key[0], one) > 0
        if not sighted and settled <= last:  # it was so when its queue manager was first seen
            settled, altered = last + 1, before is None or differs
            differs = False
        if last < settled < at and (altered or differs):
            yield _Says(settled, one, ObjectsDated)
        if differs and (last < settled if altered else sighted):
            yield _Says(last + 1, one, ObjectsUnsure)

    def _last(self, kind: str, one: StatedObject) -> Instant:
        seen = self._seen[kind]
        confirmed = (self._qmgr.confirmed if self._qmgr else {}).get(kind, NEVER_CONFIRMED)
        known = confirmed.last_seen(one.name, one.type)
        return max(known, seen.get(one.name, 0), seen.get("*", 0))

    def _before(self, key: ObjectKey) -> _Known | None:
        if key in self._known or self._qmgr is None:
            return self._known.get(key)
        if key[0] == "QMGR":
            return _Known("QMGR", self._qmgr.values, self._qmgr.altered)
        known = self._qmgr.definitions.get(key)
        return None if known is None else _Known(known.type, known.values, known.altered)


def _differs(key: ObjectKey, before: _Known, one: StatedObject) -> bool:
    if before.type == one.type and before.values == one.values:
        return False
    if key[0] == "QMGR":
        return bool(differing_attributes("", DEFAULT_LEVEL, before.values, [one]))
    return bool(differing({key: before}, key[0], [one], complete=None))
