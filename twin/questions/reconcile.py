"""What queue managers were seen to hold, beside what the rules derive for the same instant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, cast

from twin.events import BeliefsObserved, RecordSaid
from twin.events.base import Values
from twin.fold.beliefs import Belief, RecordName
from twin.fold.estate import NEVER_CONFIRMED, Estate, QueueManager
from twin.model.amounts import counted, verb
from twin.model.cluster_records import is_copied
from twin.model.instants import AsOf
from twin.model.names import generic, may_follow
from twin.questions import basis, field_differences, sights
from twin.questions import reconcile_reasons as reasons
from twin.questions.answer import Answer, EvidencedRow, FoldedFact, Row
from twin.questions.belief import channel_of, observers, shown_name
from twin.questions.field_differences import FieldDifference
from twin.questions.reconcile_reasons import lines_of
from twin.questions.verdicts import (
    AGREES,
    BEHIND,
    DERIVED_ONLY,
    DIFFERS,
    OBSERVED_ONLY,
    VERDICTS,
)
from twin.rules import membership

_WHOLE: Final = "record"
_QUEUE_TYPE: Final = "CLUSQT"


class SeenAndDerived(NamedTuple):
    """One record as it was seen, and as the rules derive it; None where there is none.

    Attributes:
        name: the name of the record.
        owner: the name of its owner.
        observed: the record in the answer.
        derived: the record that follows from everything but observed beliefs.
        qmid: the QMID of the owner in the answer, or else as derived.
        fact: the observation.
    """

    name: RecordName
    owner: str
    observed: RecordSaid | None
    derived: Belief | None
    qmid: str
    fact: FoldedFact


def reconcile(
    estate: Estate,
    as_of: AsOf,
    *,
    beside: Iterable[tuple[Sequence[FoldedFact], Estate]],
    on: str | None = None,
    cluster: str | None = None,
    kind: str | None = None,
    name: str | None = None,
    verdict: str | None = None,
) -> Answer:
    """Compare what queue managers were seen to hold with what the rules derive.

    For each observer and kind of record, the last answer to DISPLAY is compared with what follows,
    at the same instant, from all definitions, commands and observed channels, but from no observed
    beliefs. A record that agrees is one row. One that differs is a row for each field.

    A record is `behind` if its owner defines something else than was seen, and the change has not
    arrived: by the rules, or because the way was not usable. What only the rules have is a row if
    the answer was complete, unless it was only assumed, and not before that answer. A cluster
    channel that was seen shows that its sending end has a record of its partner: if nothing else in
    the twin says why, that is a row too.
    """
    rows: list[EvidencedRow] = []
    for facts, derived in beside:
        event = cast("BeliefsObserved", facts[0].event)
        if on in (None, event.qmgr) and kind in (None, event.kind):
            rows += list(_compared(estate, derived, facts, as_of.position))
    shown = {(row["observer"], row["channel"]) for row, _ in rows}
    rows += [
        each
        for each in _implied(estate, on, kind)
        if (each[0]["observer"], each[0]["channel"]) not in shown
    ]
    kept = [
        (row, evidence)
        for row, evidence in sorted(rows, key=_order)
        if cluster in (None, row["cluster"])
        and name in (None, row["name"])
        and verdict in (None, row["verdict"])
    ]
    answer = Answer.of("reconcile", as_of, kept)
    lines = [*lines_of(answer.rows, verdict=verdict)]
    if rows and not kept:
        lines = [f"no such record; {counted(len(rows), 'row')} without these filters"]
    return replace(answer, lines=tuple(lines), notes=tuple(_summary(answer)))


def _implied(estate: Estate, on: str | None, kind: str | None) -> Iterator[EvidencedRow]:
    """Yield the records that only the status of a channel shows to be held."""
    for observer in observers(estate, on) if kind in (None, "qmgr") else ():
        if not observer.is_only_observed:
            continue
        for channel, seen in sorted(observer.activity.seen.channels.items()):
            if seen.kind != "CLUSSDR" or seen.status == "INACTIVE" or not seen.partner:
                continue
            whole = observer.confirmed.get("qmgr", NEVER_CONFIRMED)
            if whole.complete and (whole.at or 0) >= seen.at:  # it would show the record
                continue
            held = [
                (cluster, belief)
                for cluster in observer.repository.clusters
                for belief in observer.repository.instances(cluster, "qmgr", channel).values()
            ]
            if any(belief.source for _, belief in held) or channel in observer.channels:
                continue
            cluster, qmid = (held[0][0], held[0][1].owner) if held else ("", "")
            row: Row = {
                "observer": observer.name,
                "cluster": cluster,
                "kind": "qmgr",
                "name": seen.partner,
                "owner": seen.partner,
                "qmid": qmid,
                "channel": channel,
                "field": _WHOLE,
                "observed": "present",
                "derived": None,
                "verdict": OBSERVED_ONLY,
                "reason": reasons.implied(estate, observer, channel, seen),
                "at": seen.at,
            }
            yield row, (seen.position,)


def _summary(answer: Answer) -> Iterator[str]:
    """Yield how many rows have each verdict, in one line; nothing without rows."""
    verdicts = [row["verdict"] for row in answer.rows]
    if shown := [f"{verdicts.count(each)} {each}" for each in VERDICTS if each in verdicts]:
        yield f"{counted(len(verdicts), 'row')}: {', '.join(shown)}"


def _order(row: EvidencedRow) -> tuple[object, ...]:
    columns = ("observer", "cluster", "kind", "name", "owner", "field")
    return (VERDICTS.index(str(row[0]["verdict"])), *(str(row[0][each]) for each in columns))


def _compared(
    estate: Estate, derived: Estate, facts: Sequence[FoldedFact], known: int
) -> Iterator[EvidencedRow]:
    """Yield the rows of the last answers of one queue manager about one kind of record.

    Positions after `known` are not in the log: they were derived again in memory.
    """
    event = cast("BeliefsObserved", facts[0].event)
    observer = derived.qmgrs.get(event.qmgr)
    for pair in _pairs(derived, observer, facts):
        at, position = pair.fact.at, pair.fact.position
        derived_at = pair.derived.position if pair.derived else 0
        evidence = (position, *((derived_at,) if 0 < derived_at <= known else ()))
        for verdict, difference, reason in _verdicts(estate, derived, observer, pair):
            row: Row = {
                "observer": event.qmgr,
                "cluster": pair.name[0],
                "kind": pair.name[1],
                "name": shown_name(pair.name, pair.owner),
                "owner": pair.owner,
                "qmid": pair.qmid,
                "channel": channel_of(pair.name),
                "field": difference.field,
                "observed": difference.before,
                "derived": difference.after,
                "verdict": verdict,
                "reason": reason or None,
                "at": at,
            }
            yield row, evidence


def _pairs(
    derived: Estate, observer: QueueManager | None, facts: Sequence[FoldedFact]
) -> Iterator[SeenAndDerived]:
    """Pair what was seen with what the rules derive: by QMID.

    Where one of the two has none, or one that the twin made, the name of the owner counts. Of a
    record in several answers, the one with most attributes counts.
    """
    kind = cast("BeliefsObserved", facts[0].event).kind
    held: dict[RecordName, dict[str, Belief]] = {}
    for name, belief in observer.repository.of_kind(kind) if observer else ():
        held.setdefault(name, {})[belief.owner] = belief
    unpaired: list[tuple[RecordName, RecordSaid, FoldedFact]] = []
    for name, said, fact in _seen(facts):
        if (owners := held.get(name, {})) and said.owner in owners:
            yield SeenAndDerived(
                name, said.owner_name, said, owners.pop(said.owner), said.owner, fact
            )
        else:
            unpaired.append((name, said, fact))
    for name, said, fact in unpaired:
        owners = held.get(name, {})
        named = (
            qmid
            for qmid, each in owners.items()
            if each.owner_name == said.owner_name
            and (said.owner in ("", said.owner_name) or derived.owner(qmid).made_qmid)
        )
        if (qmid := next(named, None)) is not None:
            yield SeenAndDerived(
                name, said.owner_name, said, owners.pop(qmid), said.owner or qmid, fact
            )
        else:
            yield SeenAndDerived(name, said.owner_name, said, None, said.owner, fact)
    for name, owners in held.items():
        for qmid, belief in owners.items():
            called = belief.owner_name if kind == "qmgr" else name[2]
            lacking = next((each for each in facts if _names_all(each, called)), None)
            if lacking is not None:
                yield SeenAndDerived(name, belief.owner_name, None, belief, qmid, lacking)


def _seen(
    facts: Sequence[FoldedFact],
) -> Iterator[tuple[RecordName, RecordSaid, FoldedFact]]:
    """Yield each record that was seen, as the answer with most attributes shows it."""
    seen: dict[tuple[RecordName, str, str], tuple[RecordName, RecordSaid, FoldedFact]] = {}
    for fact in sorted(facts, key=lambda each: len(cast("BeliefsObserved", each.event).columns)):
        event = cast("BeliefsObserved", fact.event)
        for said in event.said:
            name = (said.cluster, event.kind, said.name)
            seen[name, said.owner_name, said.owner] = (name, said, fact)
    identified = {key[:2] for key in seen if key[2]}
    yield from (each for key, each in seen.items() if key[2] or key[:2] not in identified)


def _names_all(fact: FoldedFact, name: str) -> bool:
    return generic(cast("BeliefsObserved", fact.event).complete or "", name)


def _verdicts(
    estate: Estate, derived: Estate, observer: QueueManager | None, pair: SeenAndDerived
) -> Iterator[tuple[str, FieldDifference, str]]:
    """Yield verdict, difference (observed, derived) and reason for each row of a record."""
    seen, held, at = pair.observed, pair.derived, pair.fact.at
    if observer is None:
        unknown = FieldDifference(_WHOLE, "present", None)
        yield OBSERVED_ONLY, unknown, "the observer is not in the twin"
    elif held is None:
        assert seen is not None  # noqa: S101 - a pair has one side at least
        why = _built_again(estate, observer, pair, seen) or _as_defined(
            derived, observer, pair, seen
        )
        if why:
            yield AGREES, FieldDifference(_WHOLE, "present", "present"), why
            return
        why, is_late = reasons.observed_only(estate, derived, observer, pair.name, seen, at)
        met = reasons.first_contact(estate, pair.name, observer, seen.owner, at, seen)
        past = reasons.past_its_dates(estate, observer, pair.name, seen.owner, at)
        verdict = BEHIND if is_late else OBSERVED_ONLY
        said = "; ".join(filter(None, (why, *met, past)))
        yield verdict, FieldDifference(_WHOLE, "present", None), said
    elif seen is None:
        why, is_late = reasons.derived_only(estate, derived, observer, pair.name, held, at)
        if not why:
            return
        said = "; ".join((why, *reasons.first_contact(estate, pair.name, observer, held.owner, at)))
        yield BEHIND if is_late else DERIVED_ONLY, FieldDifference(_WHOLE, None, "present"), said
    else:
        past = reasons.past_its_dates(estate, observer, pair.name, held.owner, at)
        rows = [*_of_both(derived, observer, pair, seen, held)]
        if rows[0][0] == DIFFERS and (again := _built_again(estate, observer, pair, seen)):
            rows = [(AGREES, FieldDifference(_WHOLE, "present", "present"), again)]
        for verdict, difference, why in rows:
            yield verdict, difference, "; ".join(filter(None, (why, past)))


def _built_again(
    estate: Estate, observer: QueueManager, pair: SeenAndDerived, seen: RecordSaid
) -> str:
    """Say who was seen to hold the same record of a queue manager that was built again since.

    Its earlier QMID is in the twin no more: the beliefs of others show what it published. A full
    repository got it from the owner, or passed it on. '' if there is no such witness.
    """
    now = estate.qmgrs.get(pair.owner)
    if now is None or now.qmid == seen.owner or not may_follow(now.qmid, seen.owner):
        return ""
    event = cast("BeliefsObserved", pair.fact.event)
    alike = [
        other.name
        for other in estate.qmgrs.values()
        if other.name != observer.name
        and any(membership.is_full(each, pair.name[0]) for each in (other, observer))
        and (held := other.repository.instances(*pair.name).get(seen.owner)) is not None
        and basis.last_seen(other, pair.name, held) is not None
        and not _differences(event, seen.values, held.values)
    ]
    also = f"{', '.join(sorted(alike))} {verb(len(alike), 'hold')} the same record"
    return f"{seen.owner} was built again as {now.qmid}; {also}" if alike else ""


def _as_defined(
    derived: Estate, observer: QueueManager, pair: SeenAndDerived, seen: RecordSaid
) -> str:
    """Say that a record was seen which is as its owner defines it, though nothing says why.

    A partial repository asked for it, or was told of it while it or the owner was a full
    repository, or before it left. '' if the record is another one.
    """
    owner = reasons.owner_of(derived, seen.owner)
    defined = membership.own_records(owner).get(pair.name) if owner else None
    event = cast("BeliefsObserved", pair.fact.event)
    if not defined or _differences(event, seen.values, defined):
        return ""
    return f"it is as {pair.owner} defines it: {observer.name} asked for it, or was told of it"


def _of_both(
    derived: Estate, observer: QueueManager, pair: SeenAndDerived, seen: RecordSaid, held: Belief
) -> Iterator[tuple[str, FieldDifference, str]]:
    event = cast("BeliefsObserved", pair.fact.event)
    differences = [*_differences(event, seen.values, held.values)]
    if differences := [*differences, *_of_deftype(observer, pair, seen)]:
        for each in differences:
            why, is_late = reasons.differing(derived, observer, pair.name, held, seen, each)
            yield BEHIND if is_late else DIFFERS, each, why
        return
    behind = _not_arrived(derived, event, pair.name, held)
    if not behind:
        yield AGREES, FieldDifference(_WHOLE, "present", "present"), ""
        return
    why, _ = reasons.late(derived, observer, held.owner, pair.name[0], pair.fact.at)
    for each in behind:
        reason = f"{pair.owner} defines {each.after or 'nothing'}; {why}"
        yield BEHIND, FieldDifference(each.field, each.before, each.before), reason


def _of_deftype(
    observer: QueueManager, pair: SeenAndDerived, seen: RecordSaid
) -> Iterator[FieldDifference]:
    """Compare DEFTYPE with the manual CLUSSDRs of an observer whose channels are all known.

    A row that is of a later collection than the channels is no contradiction: it says itself
    whether there is a manual CLUSSDR since.
    """
    known = observer.confirmed.get("CHANNEL", NEVER_CONFIRMED)
    outdated = not known.complete or known.at + sights.SHORTEST < pair.fact.at
    if not seen.deftype or pair.qmid == observer.qmid or (observer.observed and outdated):
        return
    is_manual = any(
        definition.name == pair.name[2]
        for definition, _ in membership.channels_of(observer, "CLUSSDR", pair.name[0])
    )
    expected = "CLUSSDRB" if is_manual else "CLUSSDRA"
    if seen.deftype != expected:
        yield FieldDifference("DEFTYPE", seen.deftype, expected)


def _differences(
    event: BeliefsObserved, observed: Values, derived: Values
) -> list[FieldDifference]:
    """Compare the attributes that were shown and that records copy; a blank CONNAME equals any."""
    columns = {each for each in event.columns if is_copied(event.kind, each)} | {_QUEUE_TYPE}
    here, there = (
        {key: value for key, value in values.items() if key in columns}
        for values in (observed, derived)
    )
    found = [
        each
        for each in field_differences.of_records(event.kind, here, there)
        if each.field != "CONNAME" or (each.before and each.after)
    ]
    if _QUEUE_TYPE in event.columns and here.get(_QUEUE_TYPE) != there.get(_QUEUE_TYPE):
        types = (str(side.get(_QUEUE_TYPE) or "") or None for side in (here, there))
        found.append(FieldDifference(_QUEUE_TYPE, *types))
    return found


def _not_arrived(
    derived: Estate, event: BeliefsObserved, name: RecordName, held: Belief
) -> list[FieldDifference]:
    """Return how a record that was seen, and follows by the rules, differs from its owner's."""
    owner = reasons.owner_of(derived, held.owner)
    if owner is None:
        return []
    now = membership.own_records(owner).get(name)
    if now is None:
        return [FieldDifference(_WHOLE, "present", None)]
    return _differences(event, held.values, now)
