"""Ask a log everything: every question at several points of every branch, some DISPLAYs, verify."""

from __future__ import annotations

import json
from typing import Any, Final

from twin.app.twin import Twin
from twin.errors import TwinError
from twin.model.instants import HOUR
from twin.questions.catalogue import QUESTIONS

DISPLAYS: Final = """DISPLAY QMGR ALL
DISPLAY QUEUE(*) ALL
DISPLAY CLUSQMGR(*) ALL
DISPLAY QCLUSTER(*) ALL
DISPLAY CHANNEL(*)
DISPLAY CHSTATUS(*) ALL
DISPLAY QSTATUS(*)"""


def answers(twin: Twin) -> dict[str, Any]:
    """Return every answer of a log by what was asked, as JSON values."""
    found: dict[str, Any] = {"head": str(twin.log.verify())}
    for branch in twin.log.branches():
        found |= _of_branch(twin.on_branch(branch.name))
    values: dict[str, Any] = json.loads(json.dumps(found))
    return values


def _of_branch(twin: Twin) -> dict[str, Any]:
    head = twin.log.head(twin.branch)
    if head.occurred_at is None:
        return {}
    first = min(row[0] for row in twin.log.rows(branch=twin.branch))
    stored = list(twin.log.events(branch=twin.branch))
    events = [
        [event.position, event.branch, event.occurred_at, event.type, event.qmgr]
        for event in stored
    ]
    points: dict[str, dict[str, int]] = {
        "latest": {"as_of": head.occurred_at},
        "midway": {"as_of": (first + head.occurred_at) // 2},
        "then": {"as_of": head.occurred_at, "known_at": stored[len(stored) // 2].recorded_at},
        "a day on": {"as_of": head.occurred_at + 24 * HOUR},
    }
    return {f"{twin.branch} events": events, **answers_at(twin, points, first)}


def answers_at(twin: Twin, points: dict[str, dict[str, int]], first: int) -> dict[str, Any]:
    """Return every answer of a branch at points; `first` is its first instant."""
    found: dict[str, Any] = {}
    for name, point in points.items():
        for asked, given in _questions(twin, **point):
            key = " ".join([twin.branch, name, asked, *given.values()])
            found[key] = _answer(twin, asked, {**point, **given}, first)
        if name in ("latest", "midway"):
            estate, _ = twin.view(**point)
            for qmgr in sorted(estate.qmgrs):
                found[f"{twin.branch} {name} DISPLAY {qmgr}"] = _shown(twin, qmgr, point)
    return found


def _questions(twin: Twin, **point: int) -> list[tuple[str, dict[str, str]]]:
    """Return the questions to ask, with their filters."""
    estate, _ = twin.view(**point)
    asked: list[tuple[str, dict[str, str]]] = []
    for name in QUESTIONS:
        if name in ("explain", "browse"):
            for qmgr in sorted(estate.qmgrs):
                asked += [(name, {"on": qmgr, "queue": queue}) for queue in ("ORD", "Q", "LATE")]
        else:
            asked.append((name, {}))
    return asked


def _answer(twin: Twin, asked: str, given: dict[str, Any], first: int) -> Any:
    since: dict[str, Any] = {"since": first - 1} if asked in ("changes", "passes") else {}
    try:
        answer = twin.ask(asked, **since, **given)
    except TwinError as error:
        return f"{type(error).__name__}: {error}"
    return [answer.as_json()["rows"], [list(evidence) for evidence in answer.evidence]]


def _shown(twin: Twin, qmgr: str, point: dict[str, int]) -> Any:
    session = twin.runmqsc(qmgr, DISPLAYS, **point)
    return [line.rstrip() for line in session.lines[1:]]


def changed(before: dict[str, Any], after: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return what differs, by what was asked, as (before, after).

    Questions that were added since, and keys that rows have got since, do not count.
    """
    return {
        key: (before[key], after.get(key))
        for key in sorted(before)
        if before[key] != as_before(before[key], after.get(key))
    }


def as_before(before: Any, after: Any) -> Any:
    """Return a value without the keys that were added to it."""
    if isinstance(before, dict) and isinstance(after, dict):
        return {key: as_before(before[key], after[key]) for key in before.keys() & after.keys()}
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return [as_before(*pair) for pair in zip(before, after, strict=True)]
    return after
