"""Why what was seen at a queue manager may differ from what the rules derive: the likeliest reason.

Each reason names facts of the estate that the rules derive. If no fact explains a difference, the
reason says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from twin.events import RecordSaid
from twin.fold.beliefs import Belief, RecordName
from twin.fold.estate import NEVER_CONFIRMED, Estate, QueueManager
from twin.fold.seen_states import SeenStatus
from twin.model.amounts import counted
from twin.model.basis import Basis
from twin.model.cluster_records import ALTERED, OBJECT_KINDS
from twin.model.instants import REMOVE_AFTER, Instant, format_instant, mq_date_time
from twin.questions import basis, channel_since
from twin.questions.answer import Row
from twin.questions.field_differences import FieldDifference
from twin.rules import membership
from twin.rules.assumptions import seen_in_use
from twin.rules.channels.channel_status import current_state
from twin.rules.repository.lifetimes import expires, has_expired

_USABLE: Final = frozenset({"INACTIVE", "RUNNING"})


_RECORD: Final = itemgetter("cluster", "kind", "name", "owner", "qmid")

_ONE_SIDED: Final = {
    "observed-only": "seen, and does not follow by the rules",
    "derived-only": "follows by the rules, and was not seen",
}


def derived_only(
    estate: Estate,
    derived: Estate,
    observer: QueueManager,
    name: RecordName,
    held: Belief,
    at: Instant,
) -> tuple[str, bool]:
    """Say why a complete answer does not show a record that follows, and if it only came late.

    '' if it is only assumed since then: until then there was no assumption to contradict. So it is
    if the record was to be removed by then, as its owner shows when it sent it last: without what
    this observer holds, it is dated by the first sight of the owner.
    """
    owner = owner_of(estate, held.owner)
    own = owner.repository.beliefs.get(name, {}).get(held.owner) if owner else None
    if own is not None and own.published + REMOVE_AFTER <= at:
        return "", False
    if basis.basis_of_content(observer, name, held) is Basis.ASSUMED:
        return "" if held.since >= at else "it was assumed, and is not so", False
    if has_expired(held.published, at=at):
        return f"by the rules it expired {format_instant(expires(held.published))}", False
    return late(derived, observer, held.owner, name[0], at)


def late(
    derived: Estate, observer: QueueManager | None, owner: str, cluster: str, at: Instant
) -> tuple[str, bool]:
    """Say what on the way from an owner, over full repositories, is not usable, and if anything."""
    found = "; ".join(_obstacles(derived, observer, owner, cluster, at))
    return found or "every channel on the way is usable, as far as the twin knows", bool(found)


def observed_only(
    estate: Estate,
    derived: Estate,
    observer: QueueManager,
    name: RecordName,
    said: RecordSaid,
    at: Instant,
) -> tuple[str, bool]:
    """Say why a record was seen that does not follow, and if its change only came late.

    A partial repository that uses no queue of a queue manager is not told what becomes of it: it
    keeps what it knew as a full repository, or before it left.
    """
    owner = owner_of(derived, said.owner) or (
        None if said.owner else derived.qmgrs.get(said.owner_name)
    )
    if owner is None:
        other = f"{said.owner}, another queue manager of the name {said.owner_name}"
        is_other = said.owner and said.owner_name in derived.qmgrs
        return f"not in the twin: {other if is_other else f'{said.owner_name}?'}", False
    why, is_late = late(derived, observer, owner.qmid, name[0], at)
    if not is_late and name[1] == "qmgr" and not membership.is_full(observer, name[0]):
        holder = estate.qmgr(observer.name)
        used = seen_in_use(holder)
        is_late = all(owner.qmid not in holder.repository.instances(*each) for each in used)
        why = f"{observer.name} uses no queue there, and is told no more of it"
    how = "defines it otherwise" if name in membership.own_records(owner) else "does not define it"
    return f"{owner.name} {how} in the twin{f'; {why}' if is_late else ''}", is_late


def first_contact(
    estate: Estate,
    name: RecordName,
    observer: QueueManager,
    qmid: str,
    at: Instant,
    said: RecordSaid | None = None,
) -> tuple[str, ...]:
    """Say which of two queue managers knows the other, and since when, of a record of one of them.

    `said` is the record of the owner as the observer showed it at an instant; without it the
    observer showed that it has none.
    """
    owner = owner_of(estate, qmid)
    if name[1] != "qmgr" or owner is None or owner.name == observer.name:
        return ()
    if said is None:
        here = f"{observer.name} did not know {owner.name} at {format_instant(at)}"
    else:
        met = format_instant(min(at if said.received is None else said.received, at))
        here = f"{observer.name} knows {owner.name} since {met}"
    held = [
        belief
        for (cluster, _, _), belief in owner.repository.of_kind("qmgr")
        if cluster == name[0] and belief.owner == observer.qmid
    ]
    complete = owner.confirmed.get("qmgr", NEVER_CONFIRMED)
    if held:
        since = format_instant(min(each.since for each in held))
        return here, f"{owner.name} knows {observer.name} since {since}"
    if complete.complete and complete.at is not None:
        seen = format_instant(complete.at)
        return here, f"{owner.name} did not know {observer.name} at {seen}"
    return here, f"whether {owner.name} knows {observer.name} was not seen"


def past_its_dates(
    estate: Estate, observer: QueueManager, name: RecordName, qmid: str, at: Instant
) -> str:
    """Say that a record which was seen had expired by then; '' if it had not."""
    holder = owner_of(estate, observer.qmid)
    held = holder.repository.instances(*name).get(qmid) if holder is not None else None
    if held is None or not has_expired(held.published, at=at):
        return ""
    removal = format_instant(held.published + REMOVE_AFTER)
    return f"it expired {format_instant(expires(held.published))}; it is removed {removal}"


def implied(estate: Estate, observer: QueueManager, channel: str, seen: SeenStatus) -> str:
    """Say why a record is held of which only a channel was seen."""
    at = format_instant(seen.at)
    shows = f"{channel} was seen {seen.status} at {at}, so {observer.name} has the record"
    partner = estate.qmgrs.get(seen.partner)
    receiver = partner and partner.definitions.get(("CHANNEL", channel))
    for cluster in membership.clusters(partner, receiver) if partner and receiver else ():
        for full in (observer, partner):
            if full is not None and membership.is_full(full, cluster):
                return f"{shows}; {full.name} is a full repository of {cluster}"
    return f"{shows}; nothing in the twin says why"


def differing(
    derived: Estate,
    observer: QueueManager | None,
    name: RecordName,
    held: Belief,
    seen: RecordSaid,
    difference: FieldDifference,
) -> tuple[str, bool]:
    """Say why a field of a record differs, and whether it only came late."""
    if difference.field == "DEFTYPE":
        return "the manual CLUSSDRs of the dump say otherwise", False
    then, now = seen.values.get(ALTERED), held.values.get(ALTERED)
    shown = ""
    if isinstance(then, int) and isinstance(now, int) and then // 1_000_000 != now // 1_000_000:
        shown = f"seen as altered {mq_date_time(then)}, defined {mq_date_time(now)}: "
        if then > now:
            return f"{shown}the definitions in the twin are older", False
    why, is_late = late(derived, observer, held.owner, name[0], derived.instant)
    if not is_late and observer and basis.basis_of_content(observer, name, held) is Basis.ASSUMED:
        why, is_late = f"that {observer.name} asked for it again is only assumed", True
    if not is_late and not shown:
        why = _otherwise(derived, name, held, difference)
    return f"{shown}{why}", is_late


def _otherwise(derived: Estate, name: RecordName, held: Belief, difference: FieldDifference) -> str:
    """Say why a field differs although the way is usable."""
    known = owner_of(derived, held.owner)
    if difference.field == "VERSION":
        return f"{held.owner_name} was upgraded, or its definitions say no level"
    if known is not None and name[2] in known.unsure.get(OBJECT_KINDS.get(name[1], ""), {}):
        return f"{held.owner_name} altered it between two sights: what it was then is not known"
    return "nothing in the twin says why"


def owner_of(derived: Estate, qmid: str) -> QueueManager | None:
    """Return the queue manager with a QMID that exists; None if there is none."""
    return next((each for each in derived.qmgrs.values() if each.qmid == qmid), None)


def _obstacles(
    derived: Estate, observer: QueueManager | None, qmid: str, cluster: str, at: Instant
) -> Iterator[str]:
    owner = owner_of(derived, qmid)
    full = [each for each in derived.qmgrs.values() if membership.is_full(each, cluster)]
    way = [*([owner] if owner else []), *full, *([observer] if observer else [])]
    for qmgr in dict.fromkeys(each.name for each in way):
        if not derived.qmgr(qmgr).running:
            yield f"{qmgr} has ended"
    seen = set()
    for place, sender in enumerate(way):
        for target in way[place + 1 :]:
            for definition, _ in membership.channels_of(target, "CLUSRCVR", cluster):
                state = current_state(sender, definition.name, at)
                key = (sender.name, definition.name)
                if state is not None and state.status not in _USABLE and key not in seen:
                    seen.add(key)
                    began = channel_since.since(derived, sender, definition.name, state, at)
                    since = format_instant(state.since if began.at is None else began.at)
                    if began.earliest is not None and began.earliest != began.at:
                        since += f" at the latest, {format_instant(began.earliest)} at the earliest"
                    yield f"{definition.name} at {sender.name} is {state.status} since {since}"


def lines_of(rows: Sequence[Row], *, verdict: str | None = None) -> Iterator[str]:
    """Yield the lines of an answer: for each observer, what does not agree, and why.

    If the rows are only those with one verdict, how many agree is not known from them.
    """
    by_observer = sorted(rows, key=lambda row: (str(row["observer"]), row["at"]))
    for (observer, at), found in groupby(by_observer, key=itemgetter("observer", "at")):
        of_observer = sorted(found, key=lambda row: tuple(map(str, _RECORD(row))))
        records = [list(each) for _, each in groupby(of_observer, key=_RECORD)]
        agree = sum(record[0]["verdict"] == "agrees" for record in records)
        when = format_instant(int(str(at)))
        which = f"{agree} agree" if verdict is None else f"verdict {verdict} alone"
        yield f"{observer} at {when}: {counted(len(records), 'record')}, {which}"
        for record in records:
            if record[0]["verdict"] != "agrees":
                yield from _lines_of_record(record)


def _lines_of_record(rows: Sequence[Row]) -> Iterator[str]:
    row = rows[0]
    of_owner = "" if row["kind"] == "qmgr" else f" of {row['owner']}"
    name = f"  {row['kind']} {row['name']}{of_owner} in {row['cluster']}"
    if row["verdict"] in _ONE_SIDED:
        yield f"{name}: {_ONE_SIDED[str(row['verdict'])]}"
        yield f"    {row['reason']}"
        return
    yield name
    for each in rows:
        if each["verdict"] == "behind":
            yield f"    {each['field']} is behind: {_shown(each['observed'])}"
        else:
            seen, derived = _shown(each["observed"]), _shown(each["derived"])
            yield f"    {each['field']}: seen {seen}, by the rules {derived}"
        yield f"      {each['reason']}"


def _shown(value: Any) -> str:
    return "blank" if value in (None, "") else str(value)
