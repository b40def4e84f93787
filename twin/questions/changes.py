"""What changed between two points: definitions and beliefs, the ones that matter most first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from twin.events.base import Value
from twin.fold.estate import Estate, QueueManager
from twin.model.asof import AsOf
from twin.model.objects import Definition
from twin.questions.answer import Answer, Row
from twin.questions.belief import fields_that_differ

_COLUMNS: Final = ("at", "position", "on", "kind", "name", "field", "before", "after")

_EFFECT: Final = {
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
"""How much a change of a field can do, least number first; what is not here comes last."""


def changes(before: Estate, after: Estate, as_of: AsOf, *, on: str | None = None) -> Answer:
    """List what differs from one estate to another, ranked by effect.

    A change of a queue manager's own state comes first, then membership and role, then records
    that others gained or lost, then definitions, then what steers the choice of a destination.
    `at` and `position` are those of the fact the new state rests on.
    """
    rows = [
        row
        for name in sorted(before.qmgrs.keys() | after.qmgrs.keys())
        if on in (None, name)
        for row in _of_qmgr(name, before.qmgrs.get(name), after.qmgrs.get(name))
    ]
    rows.sort(key=_rank)
    evidence = tuple(((row["position"],) if row["position"] else ()) for row in rows)
    return Answer(
        "changes",
        as_of,
        _COLUMNS,
        tuple(rows),
        frozenset({"at"}),
        evidence,  # type: ignore[arg-type]
    )


def _rank(row: Row) -> tuple[int, int, str, str]:
    effect = _EFFECT.get(str(row["field"]), 9)
    at = row["at"]
    return effect, at if isinstance(at, int) else 0, str(row["on"]), str(row["name"])


def _of_qmgr(name: str, before: QueueManager | None, after: QueueManager | None) -> Iterator[Row]:
    latest = after or before
    if latest is None:
        return
    states = (_state(before), _state(after))
    if states[0] != states[1]:
        at = after.started if after and after.running else None
        yield _row(at, latest.position, name, "qmgr", name, "status", *states)
    if before is None or after is None:
        return
    for field, old, new in _values_that_differ(before.values, after.values):
        yield _row(after.altered, after.position, name, "qmgr", name, field, old, new)
    yield from _definitions(name, before, after)
    yield from _beliefs(name, before, after)


def _state(qmgr: QueueManager | None) -> str | None:
    if qmgr is None:
        return None
    return f"{qmgr.qmid} {'running' if qmgr.running else 'ended'}"


def _definitions(name: str, before: QueueManager, after: QueueManager) -> Iterator[Row]:
    old, new = before.definitions, after.definitions
    for key in sorted(old.keys() | new.keys()):
        was, now = old.get(key), new.get(key)
        if was is now:
            continue
        if was is None or now is None:
            at, position = (now.altered, now.position) if now else (None, 0)
            pair = (_described(was), _described(now))
            yield _row(at, position, name, key[0].lower(), key[1], "definition", *pair)
            continue
        for field, earlier, later in _values_that_differ(was.values, now.values):
            yield _row(
                now.altered, now.position, name, key[0].lower(), key[1], field, earlier, later
            )


def _described(definition: Definition | None) -> str | None:
    return None if definition is None else definition.type


def _beliefs(name: str, before: QueueManager, after: QueueManager) -> Iterator[Row]:
    old, new = before.repository.beliefs, after.repository.beliefs
    for key in sorted(old.keys() | new.keys()):
        was_held, now_held = old.get(key, {}), new.get(key, {})
        for owner in sorted(was_held.keys() | now_held.keys()):
            was, now = was_held.get(owner), now_held.get(owner)
            latest = now or was
            if latest is None or latest.owner_name == name:
                continue
            differing = fields_that_differ(was and was.values, now and now.values)
            subject = latest.owner_name if key[1] == "qmgr" else f"{key[2]}@{latest.owner_name}"
            for field, earlier, later in differing:
                at, position = (now.received, now.position) if now else (None, 0)
                yield _row(at, position, name, f"belief:{key[1]}", subject, field, earlier, later)


def _values_that_differ(
    before: Mapping[str, Value], after: Mapping[str, Value]
) -> Iterator[tuple[str, str | None, str | None]]:
    for field in sorted(before.keys() | after.keys()):
        if before.get(field) != after.get(field):
            yield field, _text(before.get(field)), _text(after.get(field))


def _text(value: Value | None) -> str | None:
    if value is None:
        return None
    return ",".join(value) if isinstance(value, tuple) else str(value)


def _row(
    at: int | None,
    position: int,
    on: str,
    kind: str,
    name: str,
    field: str,
    before: str | None,
    after: str | None,
) -> Row:
    values = (at, position, on, kind, name, field, before, after)
    return dict(zip(_COLUMNS, values, strict=True))
