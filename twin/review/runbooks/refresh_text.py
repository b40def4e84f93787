"""The decision about REFRESH CLUSTER as text for a terminal, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from twin.model import reasons
from twin.model.amounts import counted, verb
from twin.model.reasons import reason_name
from twin.questions.paragraphs import paragraph
from twin.review.heading import heading
from twin.review.plan.routing import Routing
from twin.review.runbooks.refreshing import JudgedReason, RefreshDecision, RefreshEffects
from twin.review.runbooks.text import FORMAT_VERSION, point_document

_INDENT: Final = " " * 10
_SHOWN: Final = 8


def text_of(decision: RefreshDecision) -> Iterator[str]:
    """Yield the lines of a decision, at most 100 columns wide."""
    subject = decision.subject
    yield from heading(f"twin runbook refresh {subject.name}", decision.point.lines)
    yield f"Does {subject.name} need REFRESH CLUSTER({subject.clusters[0]})?"
    for each in decision.reasons:
        yield ""
        yield from _reason(each)
    yield ""
    yield from _effects(decision)
    yield ""
    yield from (line for note in decision.notes for line in paragraph(note, ""))
    yield from paragraph(answer(decision), "")


def answer(decision: RefreshDecision) -> str:
    """Return the answer in words."""
    unknown = [each.reason.id for each in decision.reasons if each.judgement.unknown]
    if not decision.is_needed:
        fixed_otherwise = [each for each in decision.reasons if each.judgement.instead]
        text = "Answer: no, by what was observed." if unknown else "Answer: no."
        if fixed_otherwise:
            ids = ", ".join(each.reason.id for each in fixed_otherwise)
            text += f" Something else fixes what is wrong ({ids})."
        if unknown:
            text += f" Not known: {', '.join(unknown)}."
        return f"{text} IBM Support may ask for it nevertheless."
    ids = ", ".join(each.reason.id for each in decision.reasons if each.judgement.needs_refresh)
    text = f"{decision.command.on}: {decision.command.text} ({decision.rests_on})"
    if decision.blockers:
        return f"Answer: yes ({ids}). First: {'; '.join(decision.blockers)}. Then on {text}."
    return f"Answer: yes ({ids}). On {text}. On no other queue manager, and one at a time."


def _reason(each: JudgedReason) -> Iterator[str]:
    reason, judgement = each
    mark = "[yes]" if judgement.needs_refresh else "[unknown]" if judgement.unknown else "[no]"
    yield from paragraph(f"{reason.text} ({reason.id})", f"{mark:<9} ")
    label = "unknown" if judgement.unknown else "seen"
    yield from paragraph(f"{label}: {judgement.seen}", _INDENT)
    if judgement.found and judgement.instead:
        yield from paragraph(f"instead: {judgement.instead}", _INDENT)
    yield from paragraph(f"source: {reason.source}", _INDENT)


def _effects(decision: RefreshDecision) -> Iterator[str]:
    effects = decision.effects
    if effects is None:
        yield from paragraph(f"{decision.command.text} would be refused, or do nothing.", "")
        return
    yield f"What {decision.command.text} would do within a minute (rehearsed):"
    if not effects.is_seen:
        yield from paragraph(
            f"- Unknown: what {decision.subject.name} holds, because none of its answers to "
            "DISPLAY CLUSQMGR was imported. It forgets at least what is named here, and puts to "
            "queues that it forgets may wait or fail",
            "  ",
            rest="    ",
        )
    yield from (
        line for sentence in sentences(effects) for line in paragraph(f"- {sentence}", "  ")
    )
    for blocker in decision.blockers:
        yield from paragraph(f"- before it: {blocker}", "  ")


def sentences(effects: RefreshEffects) -> Iterator[str]:
    """Yield what a refresh would do, in short sentences."""
    kinds = ", ".join(
        counted(count, f"{'queue manager' if kind == 'qmgr' else kind} record")
        for kind, count in effects.forgotten.items()
    )
    nothing = "nothing" if effects.is_seen else "nothing that twin knows of"
    yield f"It forgets {kinds or nothing}" + (
        f"; it holds {effects.back} of them again a minute later" if kinds else ""
    )
    if effects.names:
        shown = ", ".join(effects.names[:_SHOWN])
        more = f" and {len(effects.names) - _SHOWN} more" if len(effects.names) > _SHOWN else ""
        yield _used_next(f"{shown}{more}", is_member=effects.is_member)
    if effects.is_member:
        yield (
            f"It sends {counted(effects.published, 'own record')} again, and from then on renews "
            "them all together every 27 days"
        )
    else:
        yield "It sends no own record, and renews none: it has left the cluster"
    waits = effects.waiting
    waiting = f", and {waits} {verb(waits, 'wait')}" if waits > 0 else ""
    arriving = max(effects.commands, 0)
    arrive = "command arrives" if arriving == 1 else "commands arrive"
    yield f"{arriving} more repository {arrive}{waiting}"
    if records := effects.elsewhere:
        yield f"{counted(records, 'record')} {verb(records, 'change')} at other queue managers"
    if not effects.puts and effects.is_seen:
        yield "Every put of its applications works as before, after at most one wait"
    for put in effects.puts[:_SHOWN]:
        yield f"A put at {put.on} to {put.queue}: {_goes(put.before)} -> {_goes(put.after)}"


def _used_next(names: str, *, is_member: bool) -> str:
    """Return what happens at the next use of queues that were forgotten."""
    if is_member:
        return f"It asks again for {names} when they are used next"
    fails = f"{reasons.UNKNOWN_OBJECT} {reason_name(reasons.UNKNOWN_OBJECT)}"
    return (
        f"It makes no subscription for {names}: an MQOPEN of a queue that is neither its own nor "
        f"in another of its clusters fails with {fails}"
    )


def _goes(routing: Routing) -> str:
    if routing.reason:
        return f"{routing.reason} {reason_name(routing.reason)}"
    return ", ".join(share.qmgr for share in routing.shares) or "works"


def document_of(decision: RefreshDecision) -> dict[str, Any]:
    """Return a decision as a document of JSON values; instants are ISO 8601 in UTC."""
    subject, effects = decision.subject, decision.effects
    return {
        "format_version": FORMAT_VERSION,
        "runbook": "refresh",
        "as_of": point_document(decision.point),
        "qmgr": subject.name,
        "qmid": subject.qmid,
        "clusters": list(subject.clusters),
        "needed": decision.is_needed,
        "blocked_by": list(decision.blockers),
        "command": {"on": decision.command.on, "kind": "mqsc", "text": decision.command.text},
        "reasons": [
            {
                "id": reason.id,
                "text": reason.text,
                "found": judgement.found,
                "needs_refresh": judgement.needs_refresh,
                "unknown": judgement.unknown,
                "seen": judgement.seen,
                "instead": judgement.instead or None,
                "evidence": list(judgement.evidence),
                "source": reason.source,
            }
            for reason, judgement in decision.reasons
        ],
        "effects": effects and _effects_document(effects),
        "notes": list(decision.notes),
    }


def _effects_document(effects: RefreshEffects) -> dict[str, Any]:
    return {
        "is_seen": effects.is_seen,
        "forgotten": effects.forgotten,
        "back": effects.back,
        "is_member": effects.is_member,
        "asked_again": list(effects.names) if effects.is_member else [],
        "unknown_afterwards": [] if effects.is_member else list(effects.names),
        "published": effects.published,
        "commands": effects.commands,
        "waiting": effects.waiting,
        "elsewhere": effects.elsewhere,
        "puts": [
            {
                "on": put.on,
                "queue": put.queue,
                "before": [share.qmgr for share in put.before.shares],
                "after": [share.qmgr for share in put.after.shares],
                "reason_before": put.before.reason,
                "reason_after": put.after.reason,
            }
            for put in effects.puts
        ],
    }
