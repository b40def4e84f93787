"""Changes that are known by their ALTDATE and ALTTIME: which attributes differ, or only when.

A definition has the date of its last ALTER, also if nothing else shows what that changed. So has a
record of it that another queue manager was seen to hold, and that one may be later than what was
collected of its owner.

Source: design law 15; IBM MQ 9.4, DISPLAY QUEUE, CHANNEL and CLUSQMGR (ALTDATE, ALTTIME).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

from twin.events.base import Values
from twin.fold.beliefs import RecordName
from twin.fold.estate import Estate, QueueManager
from twin.model.cluster_records import OBJECT_KINDS
from twin.model.instants import HOUR, Instant, from_clock, mq_date_time, on_clock
from twin.questions import field_differences
from twin.questions.field_differences import FieldDifference
from twin.rules import membership

ALTDATE: Final = "ALTDATE"
"""The field of a change of which only the instant is known."""

_ZONES: Final = 28 * HOUR
"""By how much two local times of one instant may differ."""

_Object: TypeAlias = tuple[str, str, str]
"""The QMID of an owner, with the kind and the name of an object."""


class DatedChange(NamedTuple):
    """A change of one field of an object: its owner, kind and name, and when it was made.

    That is `assumed` if only a local time of the owner says it, whose zone is not known: then that
    is taken as UTC.
    """

    on: str
    kind: str
    name: str
    at: Instant
    position: int
    difference: FieldDifference
    assumed: bool = False


class _Sight(NamedTuple):
    """The latest ALTDATE and ALTTIME of an object in records that others were seen to hold.

    They are a local time of the owner (`on_clock`).
    """

    at: Instant
    seen: Instant
    position: int
    key: RecordName
    values: Values | None


def dated_changes(
    before: Estate, after: Estate, *, since: Instant | None, until: Instant
) -> Iterator[DatedChange]:
    """Yield the changes of observed queue managers that an ALTDATE and ALTTIME date.

    What follows from two versions of a definition is left to its comparison: of such a change only
    the instant is told. Without `since`, definitions that are new to the twin are left out.
    """
    yield from _own(before, after, since, until)
    for (qmid, kind, name), sight in sorted(_seen(after).items()):
        owner = after.owner(qmid)
        known, zone = owner.definitions.get((kind, name)), after.zone_of(owner)
        defined = on_clock(known.altered, owner.zone) if known and known.altered else 0
        at = min(from_clock(sight.at, zone or ""), sight.seen)
        if known is None or defined >= sight.at or not (since or 0) < at <= until:
            continue
        yield from (
            DatedChange(owner.name, kind.lower(), name, at, sight.position, each, zone is None)
            for each in _differences(owner, defined, sight)
        )


def _own(
    before: Estate, after: Estate, since: Instant | None, until: Instant
) -> Iterator[DatedChange]:
    for on, qmgr in sorted(after.qmgrs.items()):
        earlier = before.qmgrs.get(on)
        for (kind, name), now in sorted(qmgr.definitions.items() if qmgr.observed else ()):
            was = earlier and earlier.definitions.get((kind, name))
            altered, shown_before = now.alter_date or 0, was and was.alter_date
            if was is now or not now.position or not (since or 0) < altered <= until:
                continue
            if (was or since is not None) and shown_before != altered:
                date = _altered(shown_before or 0, altered)
                yield DatedChange(on, kind.lower(), name, altered, now.position, date)


def _seen(estate: Estate) -> dict[_Object, _Sight]:
    seen: dict[_Object, _Sight] = {}
    for observer in estate.qmgrs.values():
        for (key, qmid), last in observer.repository.shown.items():
            place = (qmid, OBJECT_KINDS[key[1]], key[2])
            held = observer.repository.beliefs.get(key, {}).get(qmid)
            if last.altered is None or held is None or qmid == observer.qmid:
                continue
            if place not in seen or last.altered > seen[place].at:
                values = held.values if held.since <= last.at else None
                seen[place] = _Sight(last.altered, last.at, last.position, key, values)
    return seen


def _differences(owner: QueueManager, altered: Instant, sight: _Sight) -> list[FieldDifference]:
    """Return how a record that was seen differs from its owner's older definition.

    If no attribute does, the dates tell of an ALTER only if they differ in any two zones.
    """
    defined = membership.own_records(owner).get(sight.key)
    found = field_differences.of_records(sight.key[1], defined, sight.values)
    if defined is not None and sight.values is not None and found:
        return found
    return [_altered(altered, sight.at)] if sight.at - altered > _ZONES else []


def _altered(before: Instant, after: Instant) -> FieldDifference:
    """Return how the local time of the last ALTER differs."""
    return FieldDifference(ALTDATE, mq_date_time(before) if before else None, mq_date_time(after))
