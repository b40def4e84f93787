"""Fold what a queue manager was seen to hold; the difference to what is known is computed here.

A record that equals the held one keeps its receipt, which is more exact than what was seen. Any
other gets a receipt of its own: CLUSDATE and CLUSTIME bound when its owner published it. Its
publication is numbered below zero, so that every later publication of its owner replaces it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import blake2b
from typing import Any, Final

from twin import events
from twin.events.base import Values
from twin.fold import seen_before
from twin.fold.beliefs import (
    Belief,
    LastSeen,
    Publication,
    PublicationKey,
    Receipt,
    RecordName,
    Warned,
)
from twin.fold.estate import NEVER_CONFIRMED, PARTS, Confirmation, Estate, QueueManager, Running
from twin.fold.handlers import information, queue_managers
from twin.fold.messaging import Messaging
from twin.fold.repository import Repository
from twin.model.cluster_records import ALTERED, UNSHOWN, not_among, type_of, unshown_in
from twin.model.instants import DAY, EXPIRE_AFTER, REMOVE_AFTER, RESEND_AFTER, SECOND, Instant
from twin.model.names import generic
from twin.model.platforms import DEFAULT_LEVEL, PLATFORMS
from twin.model.system_objects import system_objects

_NEVER: Final = 1 << 38
"""A number of seconds that is later than every instant."""

_PLACES: Final = 20
"""The bits of a number that tell apart what was received in one second."""

_VERSION: Final = "VERSION"
"""The value of a record that says when its object was altered last."""


def observed(estate: Estate, event: events.BeliefsObserved, at: Instant, position: int) -> None:
    """Let a queue manager hold what it was seen to hold.

    What a complete observation does not name is no longer held, and no earlier sight of it counts:
    DISPLAY shows what has expired, too [inferred; documented of a queue manager that left]. What a
    row of its own shows of its CLUSRCVR is an event of its own.
    """
    if not elsewhere(estate, event, at, position):
        return
    qmgr, stated = estate.changing(event.qmgr, "repository"), event
    queue_managers.note_level(qmgr, event)
    event = of_others(estate, event)
    before = qmgr.confirmed.get(event.kind, NEVER_CONFIRMED)
    complete = (position, at) if event.complete == "*" else before[1:]
    qmgr.confirmed[event.kind] = Confirmation(max(position, before.position), *complete)
    repository = qmgr.repository
    for said in own_rows(qmgr, stated):
        _note_own(qmgr, stated, said, at, position)
    held = dict.fromkeys(_hold(qmgr, event, said, at, position) for said in event.said)
    for published, key in filter(None, held):
        estate.agenda.add_held(published, qmgr.name, key)
    if event.complete is not None:
        named = {((said.cluster, event.kind, said.name), said.owner) for said in event.said}
        known = {(name, belief.owner) for name, belief in repository.of_kind(event.kind)}
        known.update(each for each in repository.shown if each[0][1] == event.kind)
        for name, owner in sorted(known - named):
            called = estate.names.get(owner, "") if event.kind == "qmgr" else name[2]
            shown = repository.shown.get((name, owner))
            if (
                owner != qmgr.qmid
                and generic(event.complete, called)
                and (shown is None or shown.at != at)
            ):
                if owner in repository.instances(*name):
                    repository.forget(name, owner)
                repository.shown.pop((name, owner), None)


def elsewhere(estate: Estate, event: events.BeliefsObserved, at: Instant, position: int) -> bool:
    """Add what was seen of the observer itself, publications, and their owners; hold nothing.

    Return whether the observer is known. One that was not is added, if the observation has its
    QMID; owners that are not known are not added as queue managers.
    """
    seen_before.note(estate.seen_qmids, event, at)
    if event.qmgr not in estate.qmgrs:
        if event.qmid is None:
            return False
        queue_managers.first_seen(estate, first_seen(event, event.qmid), at, position)
        estate.qmgrs[event.qmgr].made_level = event.cmdlevel is None
    estate.changing(event.qmgr, "activity").activity.seen.note_collection(at)
    event = of_others(estate, event)
    seen: dict[str, dict[int, Publication]] = {}
    for said in event.said:
        publications = seen.setdefault(said.owner, {})
        _publish(estate, publications, event, said, at, position)
    for qmid, publications in seen.items():
        owner = estate.owner(qmid)
        before = {
            sequence: each
            for sequence, each in owner.published.items()
            if sequence < 0 and each.instant >= at - information.KEPT_FOR
        }
        own = {sequence: each for sequence, each in owner.published.items() if sequence > 0}
        for sequence, each in publications.items():
            known = before.get(sequence)
            records = each.records if known is None else {**known.records, **each.records}
            before[sequence] = each._replace(records=records)
        owner.published = dict(sorted(before.items())) | own
        owner.changed.add("published")
    return True


def first_seen(event: events.BeliefsObserved, qmid: str) -> events.QueueManagerFirstSeen:
    """Return what an observation says of its observer, which was unknown."""
    return events.QueueManagerFirstSeen(
        qmgr=event.qmgr,
        qmid=qmid,
        cmdlevel=event.cmdlevel or DEFAULT_LEVEL,
        platform=PLATFORMS[0],
    )


def of_others(estate: Estate, event: events.BeliefsObserved) -> events.BeliefsObserved:
    """Return an observation without the observer's own records, with the QMIDs of all owners.

    An owner that was shown without QMID is the queue manager that has its name, or the last one
    that had it. If there is none, the name stands for the QMID.
    """
    known = {name: qmid for qmid, name in sorted(estate.names.items())}
    known |= {name: qmgr.qmid for name, qmgr in estate.qmgrs.items()}
    said = [
        each if each.owner else replace(each, owner=known.get(each.owner_name, each.owner_name))
        for each in event.said
        if not is_own(event, each)
    ]
    own = known.get(event.qmgr)
    return replace(event, said=tuple(each for each in said if each.owner != own))


def own_rows(qmgr: QueueManager, event: events.BeliefsObserved) -> Iterator[events.RecordSaid]:
    """Yield what an observation says of the observer's own records."""
    for said in event.said:
        if is_own(event, said) or said.owner == qmgr.qmid:
            yield said


def is_own(event: events.BeliefsObserved, said: events.RecordSaid) -> bool:
    """Return whether a record is the observer's own: its name, with its QMID or with none."""
    return said.owner_name == event.qmgr and said.owner in {"", event.qmid}


def _publish(
    estate: Estate,
    publications: dict[int, Publication],
    event: events.BeliefsObserved,
    said: events.RecordSaid,
    at: Instant,
    position: int,
) -> None:
    """Enter a record among the publications of its owner that were seen."""
    if said.owner not in estate.names:
        _add_name(estate, said.owner, said.owner_name, at, position)
    published = assumed_publication(said.received, at)
    sequence = number_of(event.qmgr, said.cluster, published)
    record = events.RecordPublished(kind=event.kind, name=said.name, values=said.values)
    if sequence not in publications:
        publications[sequence] = Publication(
            said.cluster, sequence, published, {}, position, sequence
        )
    publications[sequence].records[event.kind, said.name] = record


def _add_name(estate: Estate, qmid: str, name: str, at: Instant, position: int) -> None:
    """Make the name of an owner known of which others hold records, and nothing else is known."""
    qmgr = QueueManager(
        name=name,
        qmid=qmid,
        created=at,
        cmdlevel=DEFAULT_LEVEL,
        platform=PLATFORMS[0],
        position=position,
        observed=True,
        simulated=estate.simulated,
        changed=set(PARTS),
    )
    qmgr.definitions = dict(system_objects(DEFAULT_LEVEL))
    qmgr.repository, qmgr.published = Repository(), {}
    qmgr.activity, qmgr.messaging = Running(), Messaging()
    estate.named[qmid] = qmgr
    estate.names[qmid] = name


def _hold(
    qmgr: QueueManager,
    event: events.BeliefsObserved,
    said: events.RecordSaid,
    at: Instant,
    position: int,
) -> tuple[Instant, PublicationKey] | None:
    """Hold a record as it was seen; return its publication if its timers have to be entered.

    What is known of attributes that were not shown stays, and the record names them.
    """
    repository = qmgr.repository
    name: RecordName = (said.cluster, event.kind, said.name)
    before = repository.beliefs.get(name, {}).get(said.owner)
    earlier = repository.shown.get((name, said.owner))
    published = assumed_publication(said.received, at)
    number = number_of(event.qmgr, said.cluster, published)
    received = min(at if said.received is None else said.received, at)
    same = before is not None and _is_same(before, event.columns, said)
    seen = _last_seen(event, said, earlier, at, position)
    repository.shown[name, said.owner] = _renewed(seen, earlier, REMOVE_AFTER)
    again = same and before is not None and _was_set_again(before, said)
    warned = _warned(qmgr, name, said, at)
    if warned is not None and abs(published - warned.published) > DAY:
        published = warned.published
    if before is not None:
        fits = warned is None or abs(before.published - published) <= DAY
        outdated = _is_outdated(repository, name, before, said.received, at)
        if same and not again and fits and not outdated:
            _hold_version(repository, name, before, event, said)
            return None
        beside = earlier is not None and earlier.at == at and before.sequence < 0
        if beside and _order(before) > _order_said(said, at):
            return None  # of two sights at one instant, the order of recording decides nothing
    receipt = Receipt(number, published, "", received, position)
    since = before.since if before is not None and same and not again else received
    values = (
        _with_shown(before.values, event, said)
        if before is not None and same
        else _with_unshown(before, said.values, event, qmgr.cmdlevel)
    )
    if again:
        values = {**values, ALTERED: said.values[ALTERED]}
    repository.hold(name, Belief(said.owner, said.owner_name, values, since, receipt))
    return published, (said.owner, receipt.sequence)


def _warned(
    qmgr: QueueManager, name: RecordName, said: events.RecordSaid, at: Instant
) -> Warned | None:
    """Return the warning that a record was not renewed before it was seen; None if it was since.

    A log may have warned of it before anybody saw that the record is held. If it is held after the
    day at which it was to be removed, it was renewed.
    """
    for warning in qmgr.activity.seen.overdue.values():
        if information.bounds(qmgr, warning, name, said.owner, said.values):
            information.note_warning(qmgr.repository, warning, name, said.owner)
    warned = qmgr.repository.warned.get((name, said.owner))
    if warned is None or warned.published + REMOVE_AFTER <= at:
        return None
    return None if said.received is not None and said.received > warned.at else warned


def _note_own(
    qmgr: QueueManager,
    event: events.BeliefsObserved,
    said: events.RecordSaid,
    at: Instant,
    position: int,
) -> None:
    """Note since when a queue manager was seen to have a record of its own.

    A CLUSRCVR that nothing but such rows showed is as this one shows it. That it is suspended, or
    not, is an observation of its own, which follows at the same instant.
    """
    name: RecordName = (said.cluster, event.kind, said.name)
    belief = qmgr.repository.beliefs.get(name, {}).get(qmgr.qmid)
    columns = set(event.columns) - {"SUSPEND"}
    channel = qmgr.definitions.get(("CHANNEL", said.name))
    is_taken = channel is not None and event.kind == "qmgr" and qmgr.knows_by_rows(channel)
    earlier = qmgr.repository.shown.get((name, qmgr.qmid))
    if belief is not None and not is_taken and not _is_same(belief, columns, said):
        if earlier is not None and earlier.at == at:  # noted before its definition was recorded
            del qmgr.repository.shown[name, qmgr.qmid]
    else:
        seen = _last_seen(event, said, earlier, at, position)
        qmgr.repository.shown[name, qmgr.qmid] = _renewed(seen, earlier, RESEND_AFTER)


def _is_same(held: Belief, columns: Iterable[str], said: events.RecordSaid) -> bool:
    """Return whether a record was seen with the values that are held, as far as both are known.

    VERSION alone makes no other record: a fix pack does not change when it was published.
    """
    apart = {_VERSION, *unshown_in(held.values)}
    return all(
        held.values.get(column) == said.values.get(column)
        for column in columns
        if column not in apart
    )


def _with_unshown(
    before: Belief | None, values: Values, event: events.BeliefsObserved, level: int
) -> Values:
    """Return the values of a new record with what is known of those that were not shown."""
    queue_type = str(values.get("CLUSQT", "QLOCAL"))
    unshown = not_among(event.columns, event.kind, type_of(event.kind, queue_type), level)
    if not unshown:
        return values
    kept = before.values if before is not None else {}
    return {each: kept[each] for each in unshown if each in kept} | values | {UNSHOWN: unshown}


def _hold_version(
    repository: Repository,
    name: RecordName,
    held: Belief,
    event: events.BeliefsObserved,
    said: events.RecordSaid,
) -> None:
    """Let a held record have the VERSION that was seen, and what nobody saw before; keep dates."""
    values = _with_shown(held.values, event, said)
    if values != held.values:
        repository.hold(name, held._replace(values=values))


def _with_shown(held: Values, event: events.BeliefsObserved, said: events.RecordSaid) -> Values:
    """Return the values of a record that is held, with those that are seen for the first time."""
    seen = said.values.get(_VERSION)
    values = held if seen is None else {**held, _VERSION: seen}
    if unknown := unshown_in(held):
        new = unknown.intersection(event.columns)
        values = {each: value for each, value in values.items() if each not in {UNSHOWN, *new}}
        values |= {each: said.values[each] for each in new if each in said.values}
        if rest := tuple(sorted(unknown - new)):
            values[UNSHOWN] = rest
    return values


def _was_set_again(held: Belief, said: events.RecordSaid) -> bool:
    """Return whether the object of a record was altered since, to the values that are held."""
    known, seen = held.values.get(ALTERED), said.values.get(ALTERED)
    return isinstance(known, int) and isinstance(seen, int) and known < seen


def _last_seen(
    event: events.BeliefsObserved,
    said: events.RecordSaid,
    earlier: LastSeen | None,
    at: Instant,
    position: int,
) -> LastSeen:
    """Return when a record was last seen; a receipt that is not shown now may have been before."""
    shown = (said.received, event.assumes_utc)
    if earlier is not None and earlier.received is not None:
        before = (earlier.received, earlier.assumes_utc)
        if said.received is None:
            shown = before
        elif earlier.at == at:
            shown = max((said.received, event.assumes_utc), before)
    altered = said.values.get(ALTERED, earlier.altered if earlier else None)
    return LastSeen(
        at,
        position,
        *shown,
        said.deftype or (earlier.deftype if earlier else ""),
        altered if isinstance(altered, int) else None,
    )


def _renewed(seen: LastSeen, earlier: LastSeen | None, after: Instant) -> LastSeen:
    """Return a sight with the number of renewals that moved CLUSDATE, and that did not.

    One that was altered in between says nothing. A date that is later by 27 days, or by a multiple,
    was moved by a renewal. One that stays although it is `after` old was not: without a renewal the
    owner would not run, or the record would have been removed.
    """
    shown, before = seen.received, earlier and earlier.received
    moved, kept = (earlier.moved, earlier.kept) if earlier else (0, 0)
    if shown is None or (earlier is not None and earlier.at == seen.at):
        return seen._replace(moved=moved, kept=kept)
    since = shown if earlier is None or before != shown else earlier.at
    if (seen.at - shown) // after > (since - shown) // after:
        kept += 1
    if before is not None and earlier is not None and earlier.altered == seen.altered is not None:
        late = (shown - before + DAY) % RESEND_AFTER
        moved += late <= 2 * DAY and shown - before >= RESEND_AFTER - DAY
    return seen._replace(moved=moved, kept=kept)


def _is_outdated(
    repository: Repository,
    name: RecordName,
    held: Belief,
    received: Instant | None,
    at: Instant,
) -> bool:
    """Return whether a record that was seen unchanged was received again since it was held.

    It was, if it has expired otherwise, or expires at this very instant, unless an error log says
    since then that it was not renewed.
    """
    warned = repository.warned.get((name, held.owner))
    over = warned is not None and warned.published + REMOVE_AFTER <= at
    if warned is not None and not over and (received is None or received <= warned.at):
        return False
    if (held.owner, held.sequence) in repository.expired or held.published + EXPIRE_AFTER <= at:
        return True
    return held.sequence < 0 and received is not None and held.received < received


def _order(held: Belief) -> tuple[Any, ...]:
    return held.received, sorted((key, str(value)) for key, value in held.values.items())


def _order_said(said: events.RecordSaid, at: Instant) -> tuple[Any, ...]:
    received = min(at if said.received is None else said.received, at)
    return received, sorted((key, str(value)) for key, value in said.values.items())


def assumed_publication(received: Instant | None, at: Instant) -> Instant:
    """Return when the owner published a record that was seen at an instant.

    It is assumed to be the instant of the receipt. A record that would have expired by then was
    renewed since, and its date was not: owners send it again every 27 days.
    """
    published = at if received is None else min(received, at)
    if published + EXPIRE_AFTER > at:
        return published
    return published + (at - published) // RESEND_AFTER * RESEND_AFTER


def number_of(observer: str, cluster: str, published: Instant) -> int:
    """Return the number of a publication that was seen: below zero, and later ones are higher.

    The last bits tell apart what different queue managers received in one second.
    """
    digest = blake2b(f"{observer} {cluster}".encode(), digest_size=8).digest()
    place = int.from_bytes(digest, "big") % (1 << _PLACES)
    return (published // SECOND - _NEVER << _PLACES) + place
