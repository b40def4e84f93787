"""What queue managers are known to hold and to lack, as opposed to what they would usually hold.

The rules say what an observed queue manager should hold. Whether it does is known only where it was
seen: a record is in an answer to DISPLAY, or a complete answer lacks it. Two that were seen at
different instants can be compared only in one direction: one lacks what another one has if that one
was seen to have it before and still later. Of two versions of a record, that with the earlier
ALTDATE and ALTTIME is the older one: both are times of its owner. SUSPEND QMGR does not move them,
but sends the record again, so then CLUSDATE tells. What a command on a branch did
counts as known, and of a simulated queue manager all is known.

What rests on anything else must not lead to a finding that it is wrong, and never to a command that
destroys something. Source: design laws 15, 17 and 18.
"""

from __future__ import annotations

from twin.fold.beliefs import Belief, RecordName
from twin.fold.estate import NEVER_CONFIRMED, Estate, QueueManager
from twin.model.basis import Basis
from twin.model.cluster_records import ALTERED, OBJECT_KINDS, is_as_good
from twin.model.instants import Instant, from_clock, on_clock
from twin.model.objects import Definition
from twin.questions.basis import ALWAYS, acted, basis_of_content, last_seen
from twin.rules import membership


def is_defined_whole(owner: QueueManager, kind: str) -> bool:
    """Return whether all objects of a kind are known of a queue manager: a script has only some."""
    return not owner.observed or bool(owner.confirmed.get(kind, NEVER_CONFIRMED).complete)


def known_until(estate: Estate, holder: QueueManager, key: RecordName, belief: Belief) -> Instant:
    """Return until when a queue manager is known to hold a record; 0 if it is only expected to."""
    owner = estate.owner(belief.owner)
    if not holder.observed or acted(owner, key):
        return ALWAYS
    if owner is holder:
        confirmed = owner.confirmed.get(OBJECT_KINDS[key[1]], NEVER_CONFIRMED)
        return confirmed.at if confirmed.complete and not owner.may_be_rebuilt else 0
    seen = last_seen(holder, key, belief)
    known = basis_of_content(holder, key, belief) is Basis.OBSERVED
    return seen.at if seen is not None and known else 0


def is_surely_held(estate: Estate, holder: QueueManager, key: RecordName, belief: Belief) -> bool:
    """Return whether a queue manager is known to hold a record, and not only expected to."""
    return known_until(estate, holder, key, belief) > 0


def is_surely_lacked(
    estate: Estate,
    holder: QueueManager,
    key: RecordName,
    owner: str,
    *,
    since: Instant,
    until: Instant = ALWAYS,
) -> bool:
    """Return whether a queue manager is known to lack a record that it does not hold.

    Args:
        estate: the estate of both.
        holder: the queue manager that does not hold it.
        key: the name of the record.
        owner: the QMID of its owner.
        since: when it should have had it at the latest: an older answer says nothing.
        until: until when it should have had it, as far as that is known: so does a later answer.
    """
    if not holder.observed or (holder.simulated and acted(estate.owner(owner), key)):
        return True
    complete = holder.confirmed.get(key[1], NEVER_CONFIRMED)
    if not complete.complete or not since <= complete.at <= until:
        return False
    seen = holder.repository.shown.get((key, owner))
    return seen is None or seen.at < complete.at  # else the rules removed it after that


def is_surely_behind(
    estate: Estate,
    holder: QueueManager,
    key: RecordName,
    newer: Belief,
    *,
    by: QueueManager,
    since: Instant,
) -> bool:
    """Return whether a queue manager is known to lack a record, or values of it, that another has.

    Args:
        estate: the estate of both.
        holder: the queue manager that may be behind.
        key: the name of the record.
        newer: the record as the other one holds it.
        by: the other one.
        since: when it should have had it at the latest: an older answer says nothing.
    """
    until = known_until(estate, by, key, newer)
    held = holder.repository.instances(*key).get(newer.owner)
    if not until:
        return False
    if held is None:
        return is_surely_lacked(estate, holder, key, newer.owner, since=since, until=until)
    if is_as_good(held.values, newer.values):
        return False
    if not holder.observed or (holder.simulated and acted(estate.owner(newer.owner), key)):
        return True
    seen, sent = last_seen(holder, key, held), last_seen(by, key, newer)
    older, younger = altered(estate, holder, key, held), altered(estate, by, key, newer)
    if older == younger and seen and sent and not (seen.assumes_utc or sent.assumes_utc):
        older, younger = seen.received, sent.received
    is_older = older is not None and younger is not None and older < younger
    return is_older and seen is not None and seen.at >= since


def altered(
    estate: Estate, holder: QueueManager, key: RecordName, belief: Belief
) -> Instant | None:
    """Return when the object of a record was altered last, as far as that was seen, or simulated.

    It is a local time of the owner, to be compared with others of it (`on_clock`). A script has no
    dates: what follows from it is dated by its import.
    """
    value = belief.values.get(ALTERED)
    when = value if isinstance(value, int) else None
    owner = estate.owner(belief.owner)
    if belief.sequence < 0 or not holder.observed or not owner.observed or acted(owner, key):
        return when
    kind = OBJECT_KINDS[key[1]]
    definition = owner.definitions.get((kind, key[2]))
    confirmed = owner.confirmed.get(kind, NEVER_CONFIRMED)
    date = definition and definition.alter_date
    if date is None or not confirmed.complete or date >= confirmed.at:
        return None
    return on_clock(date, owner.zone)


def seen_since(estate: Estate) -> dict[str, Instant]:
    """Return for each QMID the latest date of a record of it that others were seen to hold.

    What a queue manager defined before that date may have changed.
    """
    latest: dict[str, Instant] = {}
    owners = {each.qmid: each for each in estate.qmgrs.values()}
    for observer in estate.qmgrs.values():
        for (key, qmid), seen in observer.repository.shown.items():
            held = observer.repository.beliefs.get(key, {}).get(qmid)
            date = seen.received or 0
            if held is not None and held.sequence < 0:
                value = held.values.get(ALTERED)
                zone = estate.zone_of(estate.owner(qmid)) or ""
                shown = from_clock(value, zone) if isinstance(value, int) else 0
                date = max(date, min(shown, seen.at))
            if (qmid == observer.qmid and observer.altered == seen.at) or (
                qmid in owners and _denies(owners[qmid], observer, key, held)
            ):
                date = seen.at
            latest[qmid] = max(date, latest.get(qmid, 0))
    return latest


def _denies(
    owner: QueueManager, observer: QueueManager, key: RecordName, held: Belief | None
) -> bool:
    """Return whether a row of CLUSQMGR denies a definition: the membership, or the role."""
    if key[1] != "qmgr":
        return False
    if owner is observer:
        return key not in owner.repository.own_records
    is_full = held is not None and held.values.get("QMTYPE") == "REPOS"
    return held is not None and is_full != membership.is_full(owner, key[0])


def is_denied_role(estate: Estate, qmgr: QueueManager, cluster: str) -> bool:
    """Return whether a later answer shows another role of a queue manager than its definitions."""
    confirmed = qmgr.confirmed.get("QMGR", NEVER_CONFIRMED)
    for observer in estate.qmgrs.values() if qmgr.observed else ():
        for channel in observer.repository.routes.get((cluster, qmgr.qmid), ()):
            key = (cluster, "qmgr", channel)
            held = observer.repository.beliefs[key][qmgr.qmid]
            seen = last_seen(observer, key, held)
            if seen is not None and seen.at > confirmed.at and _denies(qmgr, observer, key, held):
                return True
    return False


def is_defined_still(owner: QueueManager, kind: str, latest: dict[str, Instant]) -> bool:
    """Return whether all objects of a kind are known, and nothing younger was seen of the owner.

    `latest` is what `seen_since` returns.
    """
    if not owner.observed:
        return True
    confirmed = owner.confirmed.get(kind, NEVER_CONFIRMED)
    return bool(confirmed.complete) and latest.get(owner.qmid, 0) <= confirmed.at


def is_automatic(qmgr: QueueManager, cluster: str, sender: Definition) -> bool:
    """Return whether a cluster sender was seen as automatic after its manual definition was seen.

    A definition that a command made since, as on a branch, counts.

    Source: IBM MQ 9.1, DISPLAY CLUSQMGR: one that is also defined has DEFTYPE(CLUSSDRB).
    """
    since = max(qmgr.confirmed.get("CHANNEL", NEVER_CONFIRMED).at, sender.altered or 0)
    return qmgr.observed and any(
        seen.deftype == "CLUSSDRA" and seen.at > since
        for (key, _), seen in qmgr.repository.shown.items()
        if key == (cluster, "qmgr", sender.name)
    )
