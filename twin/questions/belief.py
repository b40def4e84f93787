"""The members of clusters, the records that queue managers hold, and where records are wrong."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from twin.events.base import Values
from twin.fold.beliefs import Belief, Name
from twin.fold.estate import Estate, QueueManager
from twin.model.asof import AsOf
from twin.questions import fields
from twin.questions.answer import Answer, Row
from twin.rules import membership
from twin.rules.repository.lifetimes import expires, has_expired, removal


def members(estate: Estate, as_of: AsOf, *, cluster: str | None = None) -> Answer:
    """List who is in each cluster, as any queue manager knows it, and who knows it.

    A queue manager that was deleted stays as long as somebody believes in it.
    """
    found: dict[tuple[str, str], list[tuple[QueueManager, Belief]]] = defaultdict(list)
    for observer in estate.qmgrs.values():
        for (there, _, _), belief in observer.repository.of_kind("qmgr", cluster=cluster):
            found[there, belief.owner].append((observer, belief))
    rows: list[Row] = []
    evidence = []
    for (there, owner), known in sorted(found.items(), key=_by_name):
        latest = max((belief for _, belief in known), key=lambda belief: belief.sequence)
        known_by = sorted({observer.name for observer, _ in known})
        rows.append(
            {
                "cluster": there,
                "qmgr": latest.owner_name,
                "qmid": owner,
                "qmtype": latest.values.get("QMTYPE", "NORMAL"),
                "suspend": latest.values.get("SUSPEND", "NO"),
                "known_by": tuple(known_by),
            }
        )
        evidence.append(tuple(sorted({belief.position for _, belief in known})))
    return Answer.of("members", as_of, rows, evidence)


def _by_name(
    item: tuple[tuple[str, str], list[tuple[QueueManager, Belief]]],
) -> tuple[str, str, str]:
    (cluster, owner), known = item
    return cluster, known[0][1].owner_name, owner


def beliefs(
    estate: Estate,
    as_of: AsOf,
    *,
    on: str | None = None,
    cluster: str | None = None,
    kind: str | None = None,
    name: str | None = None,
) -> Answer:
    """List what queue managers hold in their repositories, and until when.

    `on` is the observer. A record is `fresh` until 30 days after its owner sent it, then `expired`
    until it is removed at 90 (IBM MQ 9.4, repository information retention). Of a `qmgr` record
    name and owner are the queue manager.
    """
    rows, evidence = [], []
    for observer in observers(estate, on):
        for (there, what, called), belief in held(observer):
            shown = belief.owner_name if what == "qmgr" else called
            if (
                cluster not in (None, there)
                or kind not in (None, what)
                or name not in (None, shown)
            ):
                continue
            row: Row = {
                "observer": observer.name,
                "cluster": there,
                "kind": what,
                "name": shown,
                "owner": belief.owner_name,
                "qmid": belief.owner,
                "state": "expired" if has_expired(belief.published, at=as_of.valid) else "fresh",
                "source": belief.source,
                "received": belief.received,
                "expires": expires(belief.published),
                "removal": removal(belief.published),
            }
            rows.append(row)
            evidence.append((belief.position,))
    return Answer.of("beliefs", as_of, rows, evidence)


def observers(estate: Estate, on: str | None) -> list[QueueManager]:
    """Return the queue manager of a name, or all of them by name.

    Raises:
        NoSuchQueueManager: when none of that name exists.
    """
    if on is not None:
        return [estate.qmgr(on)]
    return [estate.qmgrs[name] for name in sorted(estate.qmgrs)]


def held(observer: QueueManager) -> Iterator[tuple[Name, Belief]]:
    """Go through the records that a queue manager holds, sorted by name and owner."""
    for name, owners in sorted(observer.repository.beliefs.items()):
        for owner in sorted(owners):
            yield name, owners[owner]


def divergence(
    estate: Estate, as_of: AsOf, *, cluster: str | None = None, on: str | None = None
) -> Answer:
    """List where what a queue manager believes differs from what the owner now says of itself.

    `other` is the owner; `here` is what the observer believes and `there` the truth, defaults
    shown; null is a record that is not there: a full repository that misses one is a row, a partial
    one that never asked is not.
    """
    truth = _truth(estate)
    rows, evidence = [], []
    for observer in observers(estate, on):
        for row, position in _differences(estate, observer, truth):
            if cluster in (None, row["cluster"]):
                rows.append(row)
                evidence.append((position,) if position else ())
    return Answer.of("divergence", as_of, rows, evidence)


_Truth = dict[Name, dict[str, tuple[str, Values]]]


def _truth(estate: Estate) -> _Truth:
    truth: _Truth = defaultdict(dict)
    for qmgr in estate.qmgrs.values():
        for name, values in membership.own_records(qmgr).items():
            truth[name][qmgr.qmid] = (qmgr.name, values)
    return truth


def _differences(
    estate: Estate, observer: QueueManager, truth: _Truth
) -> Iterator[tuple[Row, int]]:
    beliefs_held = observer.repository.beliefs
    full = set(membership.full_repository_of(observer))
    missable = {name for name in truth if name[0] in full} if full else set()
    for name in sorted(beliefs_held.keys() | missable):
        believed, true = beliefs_held.get(name, {}), truth.get(name, {})
        for owner in sorted(believed.keys() | true.keys()):
            belief = believed.get(owner)
            if belief is None and name[0] not in full:
                continue
            here = belief.values if belief else None
            there = true[owner][1] if owner in true else None
            if here == there:
                continue
            owner_name = true[owner][0] if owner in true else estate.names[owner]
            position = belief.position if belief else 0
            for field, before, after in fields.of_records(name[1], here, there):
                row: Row = {
                    "cluster": name[0],
                    "kind": name[1],
                    "name": owner_name if name[1] == "qmgr" else name[2],
                    "owner": owner_name,
                    "observer": observer.name,
                    "other": owner_name,
                    "field": field,
                    "here": before,
                    "there": after,
                }
                yield row, position
