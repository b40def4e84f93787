"""A runbook as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from twin.model.instants import format_instant
from twin.review.plan.document import command_document

if TYPE_CHECKING:
    from twin.model.instants import AsOf, Instant
    from twin.review.runbooks.runbook import WorkedRunbook
    from twin.review.runbooks.walk import WalkedStep

FORMAT_VERSION: Final = "1.2"
"""The version of the document. A reader must refuse another number before the dot.

Keys that are added count up the number after it: 1.1 added `refused` to steps, 1.2
`confirmed` and `accepted`, and `is_seen` to the effects of a refresh.
"""


def document_of(worked: WorkedRunbook) -> dict[str, Any]:
    """Return a runbook as a document of JSON values; instants are ISO 8601 in UTC."""
    subject = worked.subject
    return {
        "format_version": FORMAT_VERSION,
        "runbook": worked.name,
        "as_of": point_document(worked.point),
        "qmgr": subject.name,
        "qmid": subject.qmid,
        "clusters": list(subject.clusters),
        "to": subject.to or None,
        "steps": [_step(worked, each) for each in worked.steps],
        "summary": {
            "steps": len(worked.steps),
            "done": worked.done,
            "blocked": worked.is_blocked,
            "ends": _instant(worked.ends),
        },
        "notes": list(worked.notes),
    }


def point_document(point: AsOf) -> dict[str, str]:
    """Return a point in time as JSON values."""
    return {
        "valid": format_instant(point.valid),
        "known": format_instant(point.known),
        "branch": point.branch,
    }


def _step(worked: WorkedRunbook, walked: WalkedStep) -> dict[str, Any]:
    step = walked.step
    return {
        "number": walked.number,
        "id": step.id,
        "state": str(walked.state),
        "confirmed": walked.confirmed,
        "accepted": walked.accepted,
        "text": step.sentence(worked.subject),
        "commands": [
            {"on": each.on, "kind": each.kind, "text": each.text} for each in walked.commands
        ],
        "done_when": step.condition(worked.subject),
        "now": walked.detail or None,
        "blocked_by": walked.blocked_by or None,
        "refused": [command_document(each) for each in walked.refused],
        "unknown": walked.unknown or None,
        "expected": _instant(walked.expected),
        "destructive": step.destructive,
        "rests_on": worked.destroys(walked) or None,
        "source": step.source,
        "evidence": list(walked.evidence),
    }


def _instant(value: Instant | None) -> str | None:
    return None if value is None else format_instant(value)
