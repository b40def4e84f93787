"""A plan as JSON."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from twin.model.instants import format_instant

if TYPE_CHECKING:
    from twin.model.instants import Instant
    from twin.review.plan.beliefs import BeliefChange, DateChange
    from twin.review.plan.findings import FindingChange
    from twin.review.plan.meanwhile import Passing
    from twin.review.plan.plan import Plan
    from twin.review.plan.planned import RehearsedCommand
    from twin.review.plan.routing import Routing, RoutingChange
    from twin.review.plan.waiting import WaitingChange

FORMAT_VERSION: Final = "1.10"
"""The version of the document. A reader must refuse another number before the dot.

Keys that are added count up the number after it: 1.1 added `error_log`, `ends_before`,
`ends_after`, `owner_qmid` and, to shares, `then`, `stays` and the QMIDs. 1.2 added
`address` to shares. 1.3 added `changed` to `findings`. 1.4 added `channel` to ends. 1.5 added
`share` to ends. 1.6 gave shares `obstacle` in place of `ended`, which said one of the obstacles;
nothing was released before. 1.7 added `meanwhile`. 1.8 added `compared` to it. 1.9 added
`lost`, also to `summary`, and `handles`. 1.10 added `first` to commands.
"""

_EFFECTS: Final = {"learns": "create", "sees": "update", "forgets": "delete", "misses": "update"}


def document_of(plan: Plan) -> dict[str, Any]:
    """Return a plan as a document of JSON values; instants are ISO 8601 in UTC."""
    point = plan.point
    return {
        "format_version": FORMAT_VERSION,
        "as_of": {
            "valid": format_instant(point.valid),
            "known": format_instant(point.known),
            "branch": point.branch,
        },
        "until": format_instant(plan.until),
        "script": [{"on": on, "file": file} for on, file in plan.scripts],
        "commands": [command_document(each) for each in plan.commands],
        "changes": [*_definitions(plan), *map(_belief, plan.beliefs)],
        "routing": [_routing(plan, each) for each in plan.routing],
        "waiting": [*map(_waiting, plan.waiting)],
        "seen_waiting": [{**each._asdict(), "at": _instant(each.at)} for each in plan.seen],
        "lost": [{"effect": each.effect, **each._asdict()} for each in plan.lost],
        "handles": [each._asdict() for each in plan.handles],
        "dates": [*map(_date, plan.dates)],
        "meanwhile": _meanwhile(plan),
        "error_log": [
            {
                **each._asdict(),
                "first": format_instant(each.first),
                "last": format_instant(each.last),
            }
            for each in plan.error_log
        ],
        "findings": {
            "new": [_finding(each) for each in plan.findings if each.effect == "new"],
            "changed": [
                _finding(each) | {"effect": each.effect, "severity_before": each.severity_before}
                for each in plan.findings
                if each.effect in {"worse", "milder"}
            ],
            "gone": [_finding(each) for each in plan.findings if each.effect == "gone"],
        },
        "summary": _summary(plan),
        "notes": list(plan.notes),
    }


def command_document(command: RehearsedCommand) -> dict[str, Any]:
    """Return a command and the reply to it as JSON values."""
    return {
        "number": command.number,
        "first": command.first or None,
        "on": command.on,
        "file": command.file or None,
        "line": command.line or None,
        "text": command.text,
        "messages": list(command.messages),
        "segment": command.segment or None,
        "accepted": command.accepted,
    }


def _definitions(plan: Plan) -> list[dict[str, Any]]:
    return [
        {
            "section": "definitions",
            "action": each.action,
            "on": each.on,
            "kind": each.type,
            "name": each.name,
            "field": each.field,
            "before": each.before,
            "after": each.after,
            "unknown": False,
            "cause": each.cause or None,
            "when": format_instant(plan.point.valid) if each.cause else None,
        }
        for each in plan.definitions
    ]


def _belief(each: BeliefChange) -> dict[str, Any]:
    return {
        "section": "beliefs",
        "action": _EFFECTS[each.effect],
        "effect": each.effect,
        "on": each.observer,
        "cluster": each.cluster,
        "kind": each.kind,
        "name": each.name,
        "owner": each.owner,
        "owner_qmid": each.owner_qmid,
        "channel": each.channel or None,
        "field": each.field,
        "before": each.before,
        "after": each.after,
        "unknown": each.when is None and each.effect != "misses",
        "cause": None,
        "when": _instant(each.when),
        "how": each.how,
        "why": each.why or None,
    }


def _waiting(each: WaitingChange) -> dict[str, Any]:
    return {**each._asdict(), "strands": each.strands}


def _date(each: DateChange) -> dict[str, Any]:
    return {
        name: _instant(value) if name.startswith(("expires", "removal")) else value
        for name, value in each._asdict().items()
    }


def _meanwhile(plan: Plan) -> dict[str, Any]:
    """Return the differences that have gone at the end, by section, each with its dates."""
    found = plan.meanwhile
    return {
        "changes": [_span(each) | _belief(each.change) for each in found.beliefs],
        "routing": [_span(each) | _routing(plan, each.change) for each in found.routing],
        "waiting": [_span(each) | _waiting(each.change) for each in found.waiting],
        "dates": [_span(each) | _date(each.change) for each in found.dates],
        "compared": found.compared,
        "left_out": found.left_out,
    }


def _span(passing: Passing[Any]) -> dict[str, str]:
    return {"since": format_instant(passing.since), "until": format_instant(passing.until)}


def _routing(plan: Plan, change: RoutingChange) -> dict[str, Any]:
    before, after = change.before, change.after
    return {
        "on": change.put.on,
        "alike": list(change.alike),
        "queue": change.put.queue,
        "cluster": change.cluster or None,
        "bind": change.put.bind,
        "before": _shares(before),
        "after": _shares(after),
        "reason_before": before.reason,
        "reason_after": after.reason,
        "waits_before": before.waits or None,
        "waits_after": after.waits or None,
        "ends_before": _ends(before),
        "ends_after": _ends(after),
        "removed_by": {
            plan.named(each.qmgr, each.qmid): each.rule
            for each in after.removed
            if each not in before.removed
        },
    }


def _finding(change: FindingChange) -> dict[str, str]:
    return {
        "id": change.id,
        "severity": change.severity.value,
        "object": change.object,
        "finding": change.finding,
    }


def _shares(routing: Routing) -> list[dict[str, Any]]:
    return [{**each._asdict(), "channel": each.channel or None} for each in routing.shares]


def _ends(routing: Routing) -> list[dict[str, Any]]:
    return [
        each._asdict()
        | {key: getattr(each, key) or None for key in ("waits", "channel", "rerouted")}
        for each in routing.ends
    ]


def _summary(plan: Plan) -> dict[str, int]:
    acts = Counter(change.action for change in plan.definitions)
    return {
        "add": acts["create"],
        "change": acts["update"],
        "remove": acts["delete"],
        "routes": sum(1 + len(change.alike) for change in plan.routing),
        "stranded": sum(change.strands for change in plan.waiting),
        "lost": sum(change.loses for change in plan.lost),
        "refused": plan.refused,
    }


def _instant(value: Instant | None) -> str | None:
    return None if value is None else format_instant(value)
