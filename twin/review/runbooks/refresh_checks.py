"""Look for the faults for which people run REFRESH CLUSTER."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from twin.fold.beliefs import RecordName
from twin.fold.estate import QueueManager
from twin.model.amounts import counted, verb
from twin.model.basis import Basis
from twin.model.cluster_records import ALTERED, OBJECT_KINDS
from twin.model.instants import HOUR, format_instant, from_clock
from twin.model.platforms import renumbers
from twin.questions.basis import basis_of_record
from twin.questions.doctor.checks.disagreeing_repositories import DifferingRecord, records_lacking
from twin.questions.doctor.finding import some
from twin.questions.known_holdings import (
    is_defined_still,
    is_denied_role,
    is_surely_behind,
    is_surely_held,
    is_surely_lacked,
    known_until,
    seen_since,
)
from twin.questions.newer_versions import newer_versions
from twin.review import hearing
from twin.review.hearing import what_delivers, where_waiting, why_not_heard
from twin.review.runbooks import checks
from twin.review.runbooks.scene import Scene
from twin.rules import membership
from twin.rules.repository.lifetimes import has_expired


class Judgement(NamedTuple):
    """Whether a reason holds.

    Attributes:
        found: whether the fault is there.
        seen: what was looked at, in a sentence without its full stop.
        instead: what mends it without a refresh; '' if nothing is wrong, or only a refresh does.
        unknown: whether it cannot be seen.
        evidence: the positions of the events that say so.
    """

    found: bool
    seen: str
    instead: str = ""
    unknown: bool = False
    evidence: tuple[int, ...] = ()

    @property
    def needs_refresh(self) -> bool:
        """Whether REFRESH CLUSTER is what mends it."""
        return self.found and not self.instead


_SETTLED: Final = HOUR
"""How long a record may be on its way before it counts as missing."""


def _no(seen: str, *evidence: int) -> Judgement:
    return Judgement(found=False, seen=seen, evidence=evidence)


def _unknown(seen: str) -> Judgement:
    return Judgement(found=False, seen=seen, unknown=True)


def _no_or_unseen(qmgrs: Iterable[QueueManager], seen: str, *evidence: int) -> Judgement:
    """Return that nothing was found, unless nobody saw what some queue managers hold."""
    unseen = [qmgr.name for qmgr in qmgrs if checks.unseen_kinds(qmgr, "qmgr")]
    if unseen:
        return _unknown(f"an answer to DISPLAY CLUSQMGR was never observed at {some(unseen)}")
    return _no(seen, *evidence)


def _is_seen(qmgr: QueueManager) -> bool:
    """Return whether the records of a queue manager are more than what would follow."""
    return not checks.unseen_kinds(qmgr, "qmgr")


def _seen_repositories(scene: Scene, cluster: str) -> list[QueueManager]:
    """Return the running full repositories whose records are more than what would follow."""
    return [
        full
        for full in checks.running_repositories(scene, cluster)
        if _is_seen(full) and not is_denied_role(scene.estate, full, cluster)
    ]


def is_restored(scene: Scene, qmgr: QueueManager) -> Judgement:
    """Check for a restore: others ignore what is published after one if they hold newer versions.

    The doctor's rule `restored-without-refresh` says the same.
    """
    newer = newer_versions(scene.estate, qmgr, scene.cluster)
    if newer:
        holders = sorted({each.holder for each in newer})
        names = some(dict.fromkeys(each.key[2] for each in newer))
        then = (
            f"{verb(len(holders), 'accept')} what it publishes next, since it has level "
            f"{qmgr.cmdlevel}; IBM's procedure asks for REFRESH CLUSTER all the same"
            if renumbers(qmgr.cmdlevel, qmgr.platform)
            else f"{verb(len(holders), 'ignore')} what it publishes of them"
        )
        return Judgement(
            found=True,
            seen=f"{qmgr.name} was restored to an earlier state; {some(holders)} "
            f"{verb(len(holders), 'hold')} newer versions of {names}, and {then}",
            evidence=(qmgr.position, *(each.position for each in newer[:20] if each.position)),
        )
    if qmgr.restored:
        return _no(
            "it was restored, and nobody holds newer versions of its records than it has itself",
            qmgr.position,
        )
    if qmgr.observed:
        return _unknown(f"nothing observed says whether {qmgr.name} was restored")
    return _no(f"{qmgr.name} was never restored")


def is_removed(scene: Scene, qmgr: QueueManager) -> Judgement:
    """Check whether a full repository removed it by force and did not take it back."""
    cluster = scene.cluster
    if cluster not in membership.clusters_joined(qmgr):
        return _no(f"{qmgr.name} is no member of {cluster}")
    for full in checks.running_repositories(scene, cluster):
        removed = full.repository.force_removed.get((cluster, qmgr.qmid))
        keys = [
            (cluster, "qmgr", each.name)
            for each, _ in membership.channels_of(qmgr, "CLUSRCVR", cluster)
        ]
        if (
            removed
            and (cluster, qmgr.qmid) not in full.repository.routes
            and all(
                is_surely_lacked(scene.estate, full, key, qmgr.qmid, since=removed[0])
                for key in keys
            )
        ):
            at = format_instant(removed[0])
            return Judgement(
                found=True,
                seen=f"{full.name} removed it by force at {at}, and holds no record of it since",
                evidence=(full.position,),
            )
    return _no("no full repository removed it by force, or those that did hold it again")


def has_left(scene: Scene, qmgr: QueueManager) -> Judgement:
    """Check whether it left the cluster and still holds records of it."""
    cluster = scene.cluster
    if cluster in membership.clusters_joined(qmgr):
        return _no(f"{qmgr.name} is a member of {cluster}")
    if not is_defined_still(qmgr, "CHANNEL", seen_since(scene.estate)):
        return _unknown(f"not all channels of {qmgr.name} were observed lately: it may be a member")
    positions = [
        belief.position
        for key, owners in qmgr.repository.beliefs.items()
        for belief in owners.values()
        if key[0] == cluster and is_surely_held(scene.estate, qmgr, key, belief)
    ]
    if not (held := len(positions)):
        return _no(f"{qmgr.name} holds no record of {cluster}")
    return Judgement(
        found=True,
        evidence=tuple(sorted(set(positions)))[:20],
        seen=f"{qmgr.name} left {cluster} and still holds {counted(held, 'record')}, for up to 90 "
        "days; its applications can put to them, and nothing is sent",
    )


def is_misunderstood(scene: Scene, qmgr: QueueManager) -> Judgement:
    """Check that the full repositories hold what the queue manager published of itself."""
    cluster = scene.cluster
    if cluster not in membership.clusters_joined(qmgr):
        return _no(f"{qmgr.name} is no member of {cluster}")
    own = [name for name in qmgr.repository.own_records if name[0] == cluster]
    for full in _seen_repositories(scene, cluster):
        late = []
        for name in own:
            mine = qmgr.repository.beliefs[name][qmgr.qmid]
            altered = mine.values.get(ALTERED)
            changed = from_clock(altered, qmgr.zone) if isinstance(altered, int) else 0
            since = max(mine.published, changed) + _SETTLED
            if since <= scene.at and is_surely_behind(
                scene.estate, full, name, mine, by=qmgr, since=since
            ):
                late.append((name, mine.position))
        if late:
            seen = (
                f"{full.name} lacks the values of {counted(len(late), 'record')} that "
                f"{qmgr.name} published more than an hour ago: {some(name[2] for name, _ in late)}"
            )
            return _explained(scene, full, qmgr.qmid, late, seen)
    return _no_or_unseen(
        checks.running_repositories(scene, cluster),
        f"the running full repositories hold what {qmgr.name} published",
        qmgr.position,
    )


def _explained(
    scene: Scene, observer: QueueManager, owner: str, late: list[tuple[RecordName, int]], seen: str
) -> Judgement:
    """Return a fault that only a refresh mends, unless commands that would mend it wait.

    While a command queue is disabled, nothing else is found out before it is enabled.
    """
    names, evidence = [name for name, _ in late], tuple(position for _, position in late[:20])
    sender = scene.estate.owner(owner)
    instead = hearing.enabling(observer) or hearing.enabling(sender, ("GET",))
    place = where_waiting(scene.estate, observer, [(name, owner) for name in names])
    if not instead and place is not None and not place.channel:
        instead = what_delivers(scene.estate, observer, place)
    elif not instead:
        why = why_not_heard(scene.estate, observer, owner, at=scene.at, records=names)
        instead = f"repair what keeps it waiting: {why}" if why else ""
    return Judgement(found=True, seen=seen, instead=instead, evidence=evidence)


def is_wrong(scene: Scene, qmgr: QueueManager) -> Judgement:
    """Check that it holds of others what the running full repositories hold."""
    cluster, repository = scene.cluster, qmgr.repository
    asked = {name[2] for name in repository.subscriptions if name[0] == cluster}
    held = {
        (key[2] if key[1] != "qmgr" else belief.owner_name)
        for key, owners in repository.beliefs.items()
        if key[0] == cluster
        for belief in owners.values()
        if belief.owner != qmgr.qmid
    }
    is_full = membership.is_full(qmgr, cluster) and not is_denied_role(scene.estate, qmgr, cluster)
    for full in _seen_repositories(scene, cluster) if _is_seen(qmgr) else ():
        lacking = [
            each
            for each in records_lacking(
                scene.estate, full, qmgr, cluster, at=scene.at, age=_SETTLED
            )
            if is_full or each.name in asked | held
        ]
        if lacking:
            names = some(each.name for each in lacking)
            seen = (
                f"{qmgr.name} lacks the values of {counted(len(lacking), 'record')} that "
                f"{full.name} has held for more than an hour: {names}"
            )
            return _waiting_or_wrong(scene, qmgr, lacking, seen)
    ghosts = _ghosts(scene, qmgr) if _is_seen(qmgr) else []
    if ghosts:
        seen = (
            f"{qmgr.name} holds {counted(len(ghosts), 'record')} that neither the owner nor a full "
            f"repository has: {some(each.name for each in ghosts)}"
        )
        return _waiting_or_wrong(scene, qmgr, ghosts, seen)
    return _no_or_unseen(
        [qmgr], f"{qmgr.name} holds what the running full repositories hold of what it uses"
    )


def _ghosts(scene: Scene, qmgr: QueueManager) -> list[DifferingRecord]:
    """Return the records that only the queue manager has, for an hour."""
    cluster = scene.cluster
    full = _seen_repositories(scene, cluster)
    ghosts, latest = [], seen_since(scene.estate)
    for key, owners in sorted(qmgr.repository.beliefs.items()):
        for owner, belief in owners.items() if key[0] == cluster and full else ():
            if owner in scene.estate.named or owner == qmgr.qmid:
                continue
            known = scene.estate.owner(owner)
            if key in known.repository.own_records or not is_defined_still(
                known, OBJECT_KINDS[key[1]], latest
            ):
                continue
            since = belief.received + _SETTLED
            lacked = since <= scene.at and all(
                owner not in each.repository.instances(*key)
                and is_surely_lacked(
                    scene.estate,
                    each,
                    key,
                    owner,
                    since=since,
                    until=known_until(scene.estate, qmgr, key, belief),
                )
                for each in full
            )
            if lacked:
                ghosts.append(DifferingRecord(key, owner, key[2], belief.position))
    return ghosts


def _waiting_or_wrong(
    scene: Scene, qmgr: QueueManager, wrong: list[DifferingRecord], seen: str
) -> Judgement:
    """Return a fault that only a refresh mends, unless commands about all these records wait.

    While its command queue is disabled, nothing else is found out before it is enabled.
    """
    place = where_waiting(scene.estate, qmgr, [(each.key, each.owner) for each in wrong])
    instead = hearing.enabling(qmgr)
    if place is not None:
        instead = what_delivers(scene.estate, qmgr, place)
    evidence = tuple(each.position for each in wrong[:20])
    return Judgement(found=True, seen=seen, instead=instead, evidence=evidence)


def holds_expired(scene: Scene, qmgr: QueueManager) -> Judgement:
    """Check whether it holds expired records of others."""
    cluster = scene.cluster
    expired = [
        (key, belief)
        for key, owners in sorted(qmgr.repository.beliefs.items())
        if key[0] == cluster
        for belief in owners.values()
        if has_expired(belief.published, at=scene.at)
    ]
    known = [
        (key, belief)
        for key, belief in expired
        if basis_of_record(scene.estate, qmgr, key, belief).dates is not Basis.ASSUMED
    ]
    if expired and not known:
        names = some(belief.owner_name for _, belief in expired)
        return _unknown(f"when {names} last published is not known")
    expired = known
    if not expired:
        return _no_or_unseen([qmgr], "it holds no expired record")
    full = checks.running_repositories(scene, cluster)
    silent = sorted(
        {
            belief.owner_name
            for key, belief in expired
            if not any(_is_fresh(scene, each, key, belief.owner) for each in full)
        }
    )
    instead = "nothing: full repositories hold newer ones, and it asks again at the next use"
    if silent:
        gone = {each.name for each in scene.estate.departed.values() if each.deleted}
        instead = f"let {some(silent)} renew them (does it run, does its channel?)"
        if lost := [name for name in silent if name in gone and name not in scene.estate.qmgrs]:
            instead += f"; {lost[0]} was deleted: twin runbook leave {lost[0]} --lost removes it"
        instead += ". After 90 days they go by themselves"
    return Judgement(
        found=True,
        seen=f"it holds expired records of {some(belief.owner_name for _, belief in expired)}",
        instead=instead,
        evidence=tuple(sorted({belief.position for _, belief in expired}))[:20],
    )


def _is_fresh(scene: Scene, full: QueueManager, key: RecordName, owner: str) -> bool:
    held = full.repository.instances(*key).get(owner)
    return held is not None and not has_expired(held.published, at=scene.at)


def sees_double(scene: Scene, qmgr: QueueManager) -> Judgement:
    """Check whether it holds several QMIDs of one name."""
    names: dict[str, set[str]] = {}
    for key, belief in qmgr.repository.of_kind("qmgr", cluster=scene.cluster):
        if is_surely_held(scene.estate, qmgr, key, belief):
            names.setdefault(belief.owner_name, set()).add(belief.owner)
    double = sorted(name for name, qmids in names.items() if len(qmids) > 1)
    if not double:
        return _no_or_unseen([qmgr], "it holds one QMID of each queue manager")
    departed = scene.estate.departed
    gone = [n for n in double if any(q in departed and departed[q].deleted for q in names[n])]
    instead = f"find out which of them exist: DISPLAY QMGR QMID at each {double[0]}"
    if gone:
        instead = f"remove the old QMID at a full repository: twin runbook rebuild {gone[0]}"
    return Judgement(
        found=True,
        seen=f"it holds several QMIDs of {some(double)}",
        instead=f"{instead}; a refresh would learn both again",
    )


def has_lapsed(scene: Scene, qmgr: QueueManager) -> Judgement:
    """Check whether requests of it lapsed."""
    lapsed = [
        (name[2], subscription.position)
        for name, subscription in qmgr.repository.lapsed
        if name[0] == scene.cluster
    ]
    if not lapsed:
        hidden = f"no observation shows whether a request of {qmgr.name} lapsed"
        return _unknown(hidden) if qmgr.observed else _no("none of its requests lapsed")
    names = some(name for name, _ in lapsed)
    return Judgement(
        found=True,
        seen=f"its requests for {names} lapsed",
        instead="nothing: it asks again at the next use",
        evidence=tuple(position for _, position in lapsed[:20]),
    )
