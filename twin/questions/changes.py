"""The differences between two points: definitions and records, the most important changes first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from twin.fold.beliefs import Belief, RecordName
from twin.fold.estate import NEVER_CONFIRMED, Estate, QueueManager
from twin.fold.repository import Repository
from twin.model.basis import Basis, weakest
from twin.model.instants import AsOf, Instant
from twin.model.system_objects import system_objects
from twin.questions import field_differences
from twin.questions.answer import Answer, EvidencedRow, OtherRules, Row
from twin.questions.basis import basis_of_attribute, basis_of_content
from twin.questions.catalogue import QUESTIONS
from twin.questions.change_index import ChangeIndex, IndexedSubject, of_belief, of_object, of_qmgr
from twin.questions.dated_changes import DatedChange, dated_changes
from twin.questions.field_differences import FieldDifference
from twin.questions.narrowing import Narrowing, note_of
from twin.questions.two_sides import differences

_EFFECT: Final = {
    "version": 0,
    "status": 0,
    "REPOS": 1,
    "REPOSNL": 1,
    "CLUSTER": 1,
    "CLUSNL": 1,
    "record": 2,
    "definition": 3,
    "PUT": 4,
    "CONNAME": 4,
    "CLWLRANK": 5,
    "CLWLPRTY": 5,
    "CLWLWGHT": 5,
    "CLWLUSEQ": 5,
    "DEFBIND": 5,
    "NETPRTY": 5,
    "SUSPEND": 5,
}
"""The rank of a change of a field: the lowest comes first, fields not listed here last."""


_OF_RECORD: Final = 5
"""The parts of a subject that is a record."""


class _Rest(NamedTuple):
    """The instant and position of the fact that a state rests on, as far as the state has them."""

    at: Instant | None = None
    position: int = 0
    assumed: bool = False


class _Change(NamedTuple):
    """A difference and its subject; `rest` is used if no change index has the fact."""

    subject: IndexedSubject
    kind: str
    name: str
    difference: FieldDifference
    rest: _Rest


def changes(  # noqa: PLR0913 - each is an option of its own
    before: Estate,
    after: Estate,
    as_of: AsOf,
    *,
    on: str | None = None,
    kind: str | None = None,
    name: str | None = None,
    all: str | None = None,  # noqa: A002 - the name of the option
    trail: ChangeIndex | None = None,
    rules: Iterable[OtherRules] = (),
    since: Instant | None = None,
) -> Answer:
    """List the differences between two estates, ranked by effect.

    The status of a queue manager comes first, then membership and role, then records that others
    gained or lost, then definitions, then attributes that affect the choice of a destination. `at`
    and `position` are those of the last fact in the change index that changed the field. Without a
    change index, they are those of the fact that the new state rests on. `before` and `after` have
    the product's defaults filled in; null stands for a missing object or record. If a queue manager
    is created or deleted, its default objects are not listed, only what differs from them.

    `kind` and `name` narrow the rows. If neither is given, rows about access records are left out,
    and a note counts them, unless `all` is given.

    `rules` come with the status. Their rows are about all queue managers, so `on` is empty.

    An ALTER since `since` that only an ALTDATE and ALTTIME show is a row, too: of the attributes in
    which a record that others hold differs, or of ALTDATE if nobody saw what it changed.
    """
    rows = [
        _row(after, qmgr, change, trail)
        for qmgr in sorted(before.qmgrs.keys() | after.qmgrs.keys())
        if on in (None, qmgr)
        for change in _of_qmgr(qmgr, before.qmgrs.get(qmgr), after.qmgrs.get(qmgr))
    ]
    rows += [_row(after, "", _of_rules(each), None) for each in rules]
    made = {(row["on"], row["kind"], row["name"], row["at"]) for row, _ in rows}
    rows += [
        _row(after, each.on, _dated(each), None)
        for each in dated_changes(before, after, since=since, until=as_of.valid)
        if on in (None, each.on) and each[:4] not in made
    ]
    narrowing = Narrowing(kind, name, everything=bool(all))
    rows = [row for row in rows if narrowing.has(str(row[0]["kind"]), [str(row[0]["name"])])]
    shown = [row for row in rows if not narrowing.leaves_out(str(row[0]["kind"]))]
    answer = Answer.of("changes", as_of, sorted(shown, key=_rank))
    return replace(answer, notes=note_of(len(rows) - len(shown), "row"))


def _of_rules(rules: OtherRules) -> _Change:
    difference = FieldDifference("version", rules.before, rules.after)
    return _Change(of_qmgr(""), "rules", rules.source, difference, _Rest(rules.at, rules.position))


def _dated(each: DatedChange) -> _Change:
    rest = _Rest(each.at, each.position, each.assumed)
    subject = of_object(each.on, each.kind, each.name)
    return _Change(subject, each.kind, each.name, each.difference, rest)


def _row(estate: Estate, on: str, change: _Change, trail: ChangeIndex | None) -> EvidencedRow:
    subject, kind, name, (field, before, after), rest = change
    at, position = (trail and trail.last(subject, field)) or rest[:2]
    basis = Basis.ASSUMED if rest.assumed else _basis(estate, on, subject)
    qmgr = estate.qmgrs.get(on)
    defined = qmgr and qmgr.definitions.get((kind.upper(), name))
    if qmgr and defined:
        basis = weakest((basis, basis_of_attribute(qmgr, defined, field)))
    values = (at, position, on, kind, name, field, before, after, basis)
    row: Row = dict(zip(QUESTIONS["changes"].names, values, strict=True))
    return row, (position,) if position else ()


def _basis(estate: Estate, on: str, subject: IndexedSubject) -> Basis:
    """Return what a change rests on; nothing is observed on a branch."""
    qmgr = estate.qmgrs.get(on)
    if qmgr is None or not qmgr.observed or qmgr.simulated:
        return Basis.DERIVED
    if len(subject) < _OF_RECORD:
        return Basis.OBSERVED
    _, cluster, kind, name, owner = subject
    belief = qmgr.repository.beliefs.get((cluster, kind, name), {}).get(owner)
    if belief is not None:
        return basis_of_content(qmgr, (cluster, kind, name), belief)
    complete = qmgr.confirmed.get(kind, NEVER_CONFIRMED).complete
    return Basis.OBSERVED if complete else Basis.DERIVED


def _rank(change: EvidencedRow) -> tuple[int, int, str, str]:
    row, _ = change
    effect, at = _EFFECT.get(str(row["field"]), 9), row["at"]
    return effect, at if isinstance(at, int) else 0, str(row["on"]), str(row["name"])


def _of_qmgr(
    name: str, before: QueueManager | None, after: QueueManager | None
) -> Iterator[_Change]:
    latest = after or before
    if latest is None:
        return
    states = (_state(before), _state(after))
    if states[0] != states[1]:
        rest = _Rest(after.started if after and after.running else None, latest.position)
        yield _Change(of_qmgr(name), "qmgr", name, FieldDifference("status", *states), rest)
    for change in _within(name, before or _as_created(latest), after or _as_created(latest)):
        field, earlier, later = change.difference
        was, now = earlier if before else None, later if after else None
        if was is not None or now is not None:
            yield change._replace(difference=FieldDifference(field, was, now))


def _state(qmgr: QueueManager | None) -> str | None:
    if qmgr is None:
        return None
    return f"{qmgr.qmid} {'running' if qmgr.running else 'ended'}"


def _as_created(qmgr: QueueManager) -> QueueManager:
    """Return a queue manager as it was created, for comparison if it is missing in one estate."""
    new = QueueManager(
        qmgr.name, qmgr.qmid, qmgr.created, qmgr.cmdlevel, qmgr.platform, qmgr.position
    )
    new.definitions = dict(system_objects(qmgr.cmdlevel))
    new.repository = Repository()
    return new


def _within(name: str, before: QueueManager, after: QueueManager) -> Iterator[_Change]:
    rest = _Rest(after.altered, after.position)
    for difference in field_differences.of_attributes(after, before.values, after.values):
        yield _Change(of_qmgr(name), "qmgr", name, difference, rest)
    yield from _definitions(name, before, after)
    yield from _beliefs(name, before, after)


def _definitions(name: str, before: QueueManager, after: QueueManager) -> Iterator[_Change]:
    found = field_differences.of_objects(before.definitions, after.definitions)
    for (key, _, now), difference in found:
        rest = _Rest(now.altered, now.position) if now else _Rest()
        yield _Change(of_object(name, *key), key[0].lower(), key[1], difference, rest)


def _beliefs(name: str, before: QueueManager, after: QueueManager) -> Iterator[_Change]:
    for key, *sides in differences(before.repository.beliefs, after.repository.beliefs):
        held, holds = (
            {owner: each for owner, each in (records or {}).items() if owner != qmgr.qmid}
            for records, qmgr in zip(sides, (before, after), strict=True)
        )
        shown = _names(key, {**held, **holds})
        for owner, was, now in differences(held, holds):
            rest = _Rest(now.received, now.position) if now else _Rest()
            for difference in field_differences.of_records(
                key[1], was and was.values, now and now.values
            ):
                subject = of_belief(name, key, owner)
                yield _Change(subject, f"belief:{key[1]}", shown[owner], difference, rest)


def _names(key: RecordName, held: Mapping[str, Belief]) -> dict[str, str]:
    """Return distinct names of records: owners of the same name are shown by their QMIDs."""
    cluster, _, called = key
    sharing = Counter(belief.owner_name for belief in held.values())
    return {
        owner: f"{called}@{belief.owner_name if sharing[belief.owner_name] == 1 else owner}"
        f" in {cluster}"
        for owner, belief in held.items()
    }
