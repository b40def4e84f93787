"""The members of clusters, and the records that queue managers hold.

The lifetimes of records: when each should be renewed, expires and is removed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from twin.fold.beliefs import Belief, RecordName
from twin.fold.estate import NEVER_CONFIRMED, Estate, QueueManager
from twin.model.basis import Basis, strongest, weakest
from twin.model.cluster_records import SUSPEND, unshown_in
from twin.model.instants import DAY, AsOf, Instant
from twin.questions.answer import Answer, BasedRow, Row
from twin.questions.basis import (
    RecordBasis,
    basis_of_record,
    received,
    role_known,
    suspension_known_until,
)
from twin.questions.basis import last_seen as seen_last
from twin.questions.proofs_of_death import own_sight, proof_of
from twin.questions.renewals import Published, Renewals
from twin.questions.sights import fresh, last_seen
from twin.rules.repository.lifetimes import RESEND_AFTER, expires, has_expired, removal


class RecordFilters(NamedTuple):
    """The filters of a question about records and requests; None for all."""

    on: str | None = None
    cluster: str | None = None
    kind: str | None = None
    name: str | None = None
    owner: str | None = None

    def let(self, observer: str, key: RecordName, owner: str) -> bool:
        """Return whether a record passes, given the names of observer and owner."""
        return (
            self.on in (None, observer)
            and self.cluster in (None, key[0])
            and self.kind in (None, key[1])
            and self.name in (None, shown_name(key, owner))
            and self.owner in (None, owner)
        )


class ObservedRecord(NamedTuple):
    """One record as one queue manager holds it."""

    observer: QueueManager
    key: RecordName
    belief: Belief

    def basis(self, estate: Estate) -> RecordBasis:
        """Return what the record rests on; on a branch nothing is seen, so it follows at best."""
        known = basis_of_record(estate, self.observer, self.key, self.belief)
        at_best = [Basis.DERIVED] if self.observer.simulated else []
        return known._replace(content=weakest([known.content, *at_best]))

    def evidence(self) -> tuple[int, ...]:
        """Return the positions of the event by which it came, and of the last one that saw it."""
        seen = self.observer.repository.shown.get((self.key, self.belief.owner))
        return (self.belief.position, *((seen.position,) if seen else ()))

    def columns(self) -> Row:
        """Return the columns that identify the record."""
        belief = self.belief
        return {
            "observer": self.observer.name,
            "cluster": self.key[0],
            "kind": self.key[1],
            "name": shown_name(self.key, belief.owner_name),
            "owner": belief.owner_name,
            "qmid": belief.owner,
            "channel": channel_of(self.key),
        }


def shown_name(key: RecordName, owner: str) -> str:
    """Return the name of a record; that of a queue manager is the name of its owner."""
    return owner if key[1] == "qmgr" else key[2]


def channel_of(key: RecordName) -> str | None:
    """Return the CLUSRCVR that a record of kind qmgr is about; None for another kind."""
    return key[2] if key[1] == "qmgr" else None


def records(estate: Estate, filters: RecordFilters) -> Iterator[ObservedRecord]:
    """Go through the records that queue managers hold and that pass the filters.

    They are sorted by observer, name and owner.

    Raises:
        NoSuchQueueManager: when there is no such observer.
    """
    for observer in observers(estate, filters.on):
        for key, owners in sorted(observer.repository.beliefs.items()):
            for _, belief in sorted(owners.items()):
                if filters.let(observer.name, key, belief.owner_name):
                    yield ObservedRecord(observer, key, belief)


def observers(estate: Estate, on: str | None) -> list[QueueManager]:
    """Return the queue manager of a name, or all of them by name.

    Raises:
        NoSuchQueueManager: when none of that name exists.
    """
    if on is not None:
        return [estate.qmgr(on)]
    return [estate.qmgrs[name] for name in sorted(estate.qmgrs)]


def members(
    estate: Estate, as_of: AsOf, *, cluster: str | None = None, basis: str | None = None
) -> Answer:
    """List the members of each cluster that any queue manager knows, and who knows them.

    A queue manager that was deleted stays as long as another one holds a record of it. A member was
    observed if anybody was seen to hold its record, and its row says so, although it may follow
    from the rules that others know it (`basis_of` says it of `known_by`). If it is not known of
    everybody in the cluster, or of somebody whom nobody shows any more, what they hold, or if the
    rules say that somebody who was seen to hold it does so no more, `known_by` is assumed to be
    complete. With `basis`, it lists only those of whom that is known.
    """
    to = Basis.ASSUMED if basis is None else Basis(basis)
    rows = list(_members(estate, as_of.valid, cluster, to))
    is_weaker = any(row.basis["known_by"].rank > row.basis["qmgr"].rank for row in rows)
    notes = ["known_by also lists those of whom it follows or is assumed that they hold it"]
    gone = [(str(row.row["qmgr"]), str(row.row["qmid"])) for row in rows]
    proofs = {of: proof_of(estate, of[1]) for of in gone if of[1] in estate.departed}
    return Answer.based(
        "members",
        as_of,
        rows,
        basis=basis,
        notes=(
            *(notes if is_weaker else ()),
            *(f"{name} ({qmid}) {each.why}" for (name, qmid), each in proofs.items() if each),
        ),
        apart=("known_by", "suspend"),
    )


def _members(estate: Estate, at: Instant, only: str | None, to: Basis) -> Iterator[BasedRow]:
    members_known: dict[tuple[str, str], list[ObservedRecord]] = defaultdict(list)
    for observer in estate.qmgrs.values():
        for key, belief in observer.repository.of_kind("qmgr", cluster=only):
            record = ObservedRecord(observer, key, belief)
            members_known[key[0], belief.owner].append(record)
    dropped = {
        (name[0], owner)
        for observer in estate.qmgrs.values()
        for name, owner in observer.repository.shown
        if name[1] == "qmgr" and owner not in observer.repository.instances(*name)
    }
    is_whole = estate.named.keys() <= {qmid for _, qmid in members_known}
    unheard = {
        cluster
        for cluster, qmid in members_known
        if not is_whole or not _is_heard(estate, qmid, estate.names[qmid])
    }
    for (cluster, qmid), known in sorted(members_known.items(), key=_by_name):
        latest = max((record.belief for record in known), key=lambda belief: belief.sequence)
        held: dict[str, Basis] = {}
        for record in known:
            name = record.observer.name
            held[name] = strongest([*filter(None, [held.get(name)]), record.basis(estate).content])
        shown = {name: basis for name, basis in held.items() if basis.rank <= to.rank}
        bases = dict.fromkeys(("qmgr", "qmtype", "suspend"), strongest(held.values()))
        own = [each[:2] for each in known if each.observer.qmid == qmid]
        (suspend_by, suspend_seen, suspend), (_, role_seen, role) = (
            _last_with(known, latest, keyword) for keyword in (SUSPEND, "QMTYPE")
        )
        is_old = at - suspend_seen > fresh(estate, suspend_by) and not suspend_by.simulated
        if is_old if suspend_seen else not all(suspension_known_until(*each) for each in own):
            bases["suspend"] = Basis.ASSUMED
        if not role_seen and not all(role_known(*each) for each in own):
            bases["qmtype"] = Basis.ASSUMED
        is_open = to is Basis.ASSUMED and (cluster in unheard or (cluster, qmid) in dropped)
        bases["known_by"] = Basis.ASSUMED if is_open else weakest(shown.values())
        owner = estate.qmgrs.get(latest.owner_name)
        row: Row = {
            "cluster": cluster,
            "qmgr": latest.owner_name,
            "qmid": qmid,
            "qmtype": role.values.get("QMTYPE", "NORMAL"),
            "suspend": suspend.values.get(SUSPEND, "NO"),
            "known_by": tuple(sorted(shown)),
            "last_seen": last_seen(owner)
            if owner and owner.qmid == qmid
            else own_sight(estate, qmid) or None,
        }
        evidence = {record.belief.position for record in known}
        if qmid in estate.departed and (proof := proof_of(estate, qmid)) is not None:
            evidence.add(proof.position)
        yield BasedRow(row, tuple(sorted(evidence)), bases)


def _last_with(
    known: Iterable[ObservedRecord], latest: Belief, keyword: str
) -> tuple[QueueManager, Instant, Belief]:
    """Return who showed a column last, and when, and that record; if `latest` is newer, that, at 0.

    The own row says it of the instant at which it was seen. What another one holds says it of the
    instant at which it was received (CLUSDATE), however late that one was seen to hold it.
    """
    sights = [
        ((said, own, sight.at, each.observer.name, each.key), each, sight.at)
        for each in known
        if keyword not in unshown_in(each.belief.values)
        and (sight := seen_last(each.observer, each.key, each.belief)) is not None
        for own in [each.observer.qmid == each.belief.owner]
        for said in [sight.at if own or sight.received is None else sight.received]
    ]
    _, record, at = max(sights, default=((), next(iter(known)), 0), key=lambda each: each[0])
    return record.observer, *((at, record.belief) if at >= latest.since else (0, latest))


def _is_heard(estate: Estate, qmid: str, name: str) -> bool:
    """Return whether it is known what a member holds: all was seen, or the rules decide it."""
    qmgr = estate.qmgrs.get(name)
    if qmgr is None or not qmgr.observed:
        return qmid not in estate.named
    is_seen = qmgr.confirmed.get("qmgr", NEVER_CONFIRMED).complete > 0
    return is_seen and qmid not in qmgr.unsure.get("QMGR", {})


def _by_name(
    member: tuple[tuple[str, str], list[ObservedRecord]],
) -> tuple[str, str, str]:
    (cluster, qmid), known = member
    return cluster, known[0].belief.owner_name, qmid


def beliefs(
    estate: Estate,
    as_of: AsOf,
    *,
    on: str | None = None,
    cluster: str | None = None,
    kind: str | None = None,
    name: str | None = None,
    basis: str | None = None,
) -> Answer:
    """List the records that queue managers hold in their repositories, and until when.

    `on` is the observer. A record is `fresh` until 30 days after its owner sent it, then `expired`
    until it is removed after 90 days (IBM MQ 9.4, repository information retention). The name of a
    `qmgr` record is that of its owner. A record that was seen rests on that observation too. Which
    full repository sent a record (`source`) no command displays: at an observed queue manager it is
    unknown.
    """
    found, renewals = (
        records(estate, RecordFilters(on, cluster, kind, name)),
        Renewals(estate, as_of.valid),
    )
    rows = (_believed(estate, renewals, record, as_of.valid) for record in found)
    return Answer.based("beliefs", as_of, rows, basis=basis)


def _believed(estate: Estate, renewals: Renewals, record: ObservedRecord, at: Instant) -> BasedRow:
    belief, basis, known = record.belief, record.basis(estate), renewals.of(*record)
    own = belief.owner == record.observer.qmid
    is_sure = belief.source and (own or not record.observer.is_only_observed)
    row: Row = {
        **record.columns(),
        "state": "expired" if has_expired(known.at, at=at) else "fresh",
        "source": belief.source if is_sure else None,
        "received": received(record.observer, record.key, belief),
        "expires": expires(known.at),
        "removal": removal(known.at),
    }
    bases = {
        "name": _held(estate, record, basis, known, at),
        "state": known.basis,
        "received": basis.received,
        "expires": known.basis,
        "removal": known.basis,
    }
    return BasedRow(row, record.evidence(), bases)


def _held(
    estate: Estate, record: ObservedRecord, basis: RecordBasis, known: Published, at: Instant
) -> Basis:
    """Return what it rests on that a record is held; none is known that may have gone since."""
    observer, _, belief = record
    seen = None if belief.owner == observer.qmid else seen_last(*record)
    is_old = seen is not None and at - seen.at > fresh(estate, observer)
    return Basis.ASSUMED if is_old and has_expired(known.at, at=at) else basis.content


ACTIVE: Final = "active"
OVERDUE: Final = "overdue"
EXPIRED: Final = "expired"


def lifetimes(
    estate: Estate,
    as_of: AsOf,
    *,
    on: str | None = None,
    cluster: str | None = None,
    kind: str | None = None,
    name: str | None = None,
    owner: str | None = None,
    basis: str | None = None,
) -> Answer:
    """List the records that queue managers hold: when each is due again, expires, is removed.

    `on` is the observer. A record is `active` for 27 days after its owner sent it, `overdue` until
    it expires at 30, and `expired` until it is removed at 90 (IBM MQ 9.4, repository information
    retention). At each of these instants the record has the later state.

    Where a renewal is due that nobody saw (`twin.questions.renewals`), the dates are those without
    it, and `or_published` and `or_removal` those with it, unless captures show that renewals move
    CLUSDATE at the level of the observer: then a note says in how many.

    With `basis`, a record whose removal rests on less has no row: the dates are what is asked.

    Days to removal are rounded up, as in the warnings AMQ9469 and AMQ9456: n whole days overdue
    and 63 - n days left, so that 0 means removed.
    """
    filters = RecordFilters(on, cluster, kind, name, owner)
    renewals = Renewals(estate, as_of.valid)
    held = list(records(estate, filters))
    least = Basis.UNKNOWN if basis is None else Basis(basis)
    rows = [
        row
        for record in held
        if (row := _row(estate, renewals, record, as_of.valid)).basis["removal"].rank <= least.rank
    ]
    shown = {renewals.readings_of(record.observer) for record in held if record.observer.observed}
    notes = tuple(
        f"{each}: {'it is' if each.moves else 'so it may not be'} the date of the last renewal"
        for each in sorted(shown)
        if each.moved
    )
    return Answer.based("lifetimes", as_of, rows, basis=basis, notes=notes)


def republish_due(published: Instant) -> Instant:
    """Return when the owner should renew a record that it published at `published`."""
    return published + RESEND_AFTER


def state_of(published: Instant, *, at: Instant) -> str:
    """Return whether a record published at `published` is active, overdue or expired."""
    if at >= expires(published):
        return EXPIRED
    return OVERDUE if at >= republish_due(published) else ACTIVE


def days_to_removal(published: Instant, *, at: Instant) -> int:
    """Return how many days remain until a record is removed; a started day counts."""
    return max(0, -((at - removal(published)) // DAY))


def _row(estate: Estate, renewals: Renewals, record: ObservedRecord, at: Instant) -> BasedRow:
    known, basis = renewals.of(*record), record.basis(estate)
    published, other = known.at, known.other
    dated: Row = {
        "published": published,
        "republish_due": republish_due(published),
        "expires": expires(published),
        "removal": removal(published),
        "state": state_of(published, at=at),
        "days_to_removal": days_to_removal(published, at=at),
        "or_published": other,
        "or_removal": removal(other) if other is not None else None,
    }
    held = _held(estate, record, basis, known, at)
    bases = {"name": held, **dict.fromkeys(dated, known.basis)}
    warned = record.observer.repository.warned.get((record.key, record.belief.owner))
    if known.by_log and warned and record.key[1] == "qmgr" and known.basis is not Basis.ASSUMED:
        bases["days_to_removal"] = Basis.OBSERVED  # a log counts days, and of CLUSRCVRs
    evidence = (*record.evidence(), *((warned.position,) if known.by_log and warned else ()))
    return BasedRow({**record.columns(), **dated}, evidence, bases)
