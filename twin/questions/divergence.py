"""Where the records that queue managers hold differ from the definitions of their owners."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TypeAlias

from twin.events.base import Values
from twin.fold.beliefs import Belief, RecordName
from twin.fold.estate import NEVER_CONFIRMED, Estate, QueueManager
from twin.model.basis import Basis, weakest
from twin.model.cluster_records import OBJECT_KINDS, SUSPEND, UNSHOWN
from twin.model.instants import AsOf, on_clock
from twin.questions import field_differences
from twin.questions.answer import Answer, BasedRow, Row
from twin.questions.basis import (
    basis_of_attribute,
    basis_of_content,
    basis_of_object,
    last_seen,
    suspension_known_until,
)
from twin.questions.belief import channel_of, observers, shown_name
from twin.questions.known_holdings import is_defined_whole
from twin.questions.proofs_of_death import proof_of
from twin.rules import membership


def divergence(
    estate: Estate,
    as_of: AsOf,
    *,
    cluster: str | None = None,
    on: str | None = None,
    basis: str | None = None,
) -> Answer:
    """List where a queue manager's beliefs differ from the owners' present definitions.

    `other` is the owner. `here` is what the observer believes, and `there` is the owner's
    definition; defaults are filled in. Null stands for a missing record. A record that a full
    repository lacks is a row. A queue that a partial repository lacks is a row if it has asked for
    it, or holds another instance of it: after REFRESH CLUSTER it may be told of one instance before
    it asks again. A record that it never asked for, as far as is known, is not: a use that is only
    assumed asks for none. What is not known of an owner differs from nothing: the notes name the
    owners of which records are held and definitions are missing.
    """
    truth, unknown = _truth(estate), set[str]()
    rows = [
        row
        for observer in observers(estate, on)
        for row in _differences(estate, observer, truth, unknown)
        if cluster in (None, row.row["cluster"])
    ]
    notes = (f"not compared, definitions not known: {', '.join(sorted(unknown))}",)
    return Answer.based("divergence", as_of, rows, basis=basis, notes=notes if unknown else ())


_Truth: TypeAlias = dict[RecordName, dict[str, tuple[str, Values]]]
"""Record name -> QMID of the owner -> the owner's name, and the values that it publishes now."""


def _truth(estate: Estate) -> _Truth:
    truth: _Truth = defaultdict(dict)
    for qmgr in estate.qmgrs.values():
        if qmgr.made_qmid and qmgr.name in estate.seen_qmids:
            continue  # others hold records of this name: which of them are its own is not known
        for name, values in membership.own_records(qmgr).items():
            truth[name][qmgr.qmid] = (qmgr.name, values)
    return truth


def _differences(
    estate: Estate, observer: QueueManager, truth: _Truth, unknown: set[str]
) -> Iterator[BasedRow]:
    """Yield where an observer differs; note the owners whose definitions are not known."""
    beliefs_held = observer.repository.beliefs
    full = set(membership.full_repository_of(observer))
    asked = {
        name
        for name, made in observer.repository.subscriptions.items()
        if name[1] == "queue" and not made.assumed
    }
    missable = {name for name in truth if name[0] in full} if full else set()
    for name in sorted(beliefs_held.keys() | missable | (asked & truth.keys())):
        believed, true = beliefs_held.get(name, {}), truth.get(name, {})
        told = name in asked or (
            name[1] == "queue"
            and any(
                basis_of_content(observer, name, each) is not Basis.ASSUMED
                for owner, each in believed.items()
                if owner != observer.qmid
            )
        )
        for owner in sorted(believed.keys() | true.keys()):
            belief = believed.get(owner)
            if belief is None and name[0] not in full and not told:
                continue
            owner_name, true_values = true.get(owner) or (estate.names[owner], None)
            if true_values is None and not _is_known_whole(estate, owner, name):
                unknown.add(owner_name)
                continue
            values = belief.values if belief else None
            if belief and true_values and name[1] == "qmgr":
                seen = last_seen(observer, name, belief)
                if suspension_known_until(estate.owner(owner), name) < (seen.at if seen else 1):
                    true_values = {**true_values, UNSHOWN: (SUSPEND,)}
            different = field_differences.of_records(name[1], values, true_values)
            for field, before, after in different:
                row: Row = {
                    "cluster": name[0],
                    "kind": name[1],
                    "name": shown_name(name, owner_name),
                    "owner": owner_name,
                    "observer": observer.name,
                    "qmid": owner,
                    "channel": channel_of(name),
                    "other": owner_name,
                    "field": field,
                    "here": before,
                    "there": after,
                }
                evidence = (belief.position,) if belief and belief.position else ()
                yield BasedRow(row, evidence, _bases(estate, observer, name, owner, belief, field))


def _is_known_whole(estate: Estate, owner: str, name: RecordName) -> bool:
    """Return whether what an owner does not define is known: a script has only some objects.

    Nor is it of one that has lost its name to another, unless something proves that it is dead.
    """
    if owner in estate.named or (owner in estate.departed and proof_of(estate, owner) is None):
        return False
    return is_defined_whole(estate.owner(owner), OBJECT_KINDS[name[1]])


def _bases(
    estate: Estate,
    observer: QueueManager,
    name: RecordName,
    owner: str,
    belief: Belief | None,
    field: str,
) -> dict[str, Basis]:
    """Return what both sides of a difference of a field rest on.

    That an observer has no record follows from the rules, unless an answer showed all its records.
    On a branch nothing of it is observed. A record that shows a later ALTDATE than the definition
    proves that an imported owner has altered it since: that it has still these values is assumed.
    """
    here = Basis.DERIVED
    if belief is not None:
        here = basis_of_content(observer, name, belief)
    elif observer.confirmed.get(name[1], NEVER_CONFIRMED).complete:
        here = Basis.OBSERVED
    if observer.simulated:
        here = weakest((here, Basis.DERIVED))
    defines = estate.owner(owner)
    there = basis_of_object(defines, name)
    defined = (
        defines.definitions.get((OBJECT_KINDS[name[1]], name[2])) if defines.observed else None
    )
    seen = last_seen(observer, name, belief) if belief is not None else None
    date = on_clock(defined.altered or 0, defines.zone) if defined is not None else None
    if date is not None and seen is not None and (seen.altered or 0) > date:
        there = weakest((there, Basis.ASSUMED))
    if defined is not None:
        there = weakest((there, basis_of_attribute(defines, defined, field)))
    return {"field": weakest((here, there)), "here": here, "there": there}
