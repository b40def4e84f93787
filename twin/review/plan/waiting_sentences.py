"""The lines of a plan about messages that wait, that are destroyed, or that go elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from twin.model.amounts import counted, verb
from twin.review.plan.listing import PlanLine
from twin.review.plan.passing_sentences import SectionText, with_passing

if TYPE_CHECKING:
    from twin.review.plan.handles import HandleChange
    from twin.review.plan.lost import LostChange
    from twin.review.plan.plan import Plan

_LOST: Final = {
    "cleared": "deleted",
    "deleted": "deleted",
    "restarted": "lost at the restart",
    "fast": "lost when the channel fails",
    "resolved": "lost by RESOLVE CHANNEL",
    "discarded": "discarded on arrival",
}
"""How messages are lost -> the words for it."""
_NONPERSISTENT: Final = frozenset({"restarted", "fast", "discarded"})


def waiting_lines(plan: Plan) -> SectionText:
    """Return what the section says: of messages that are lost, of those that wait, of handles."""
    summary, lines = with_passing(plan, "waiting", _waiting)
    said = [summary] if lines else []
    if plan.lost:
        count = lost_messages(plan)
        lost = f"{counted(count, 'message')} {verb(count, 'are')} lost"
        said.insert(0, lost if count else "fewer messages are lost")
    if plan.handles:
        count = len(plan.handles)
        said.append(f"those put through {counted(count, 'open handle')} end elsewhere")
    return (
        "; ".join(said) or summary,
        (*map(_lost, plan.lost), *lines, *map(_handle, plan.handles)),
    )


def _handle(change: HandleChange) -> PlanLine:
    said = (
        f"{change.queue} is open at {change.on} (handle {change.handle}), bound to "
        f"{change.qmgr}: messages put through this handle {change.after}"
    )
    return PlanLine("~", said)


def lost_messages(plan: Plan) -> int:
    """Return how many more messages are lost with the change."""
    return sum(each.loses for each in plan.lost)


def _lost(change: LostChange) -> PlanLine:
    count = abs(change.after - change.before)
    kind = "nonpersistent message" if change.why in _NONPERSISTENT else "message"
    place = f"{'to' if change.why == 'discarded' else 'on'} {change.queue} at {change.on}"
    no_longer = "" if change.loses else "no longer "
    sign = "-" if change.loses else "+"
    how = f"{verb(count, 'are')} {no_longer}{_LOST[change.why]}"
    return PlanLine(sign, f"{counted(count, kind)} {place} {how}")


def _waiting(plan: Plan) -> SectionText:
    lines = []
    for each in plan.waiting:
        to = f" at {each.qmgr}" if each.qmgr else ""
        where = f"{each.on}: to {each.queue}{to}" + (f" on {each.channel}" if each.channel else "")
        bound = f" ({each.why})" if each.why else " (stranded)" if each.stranded else ""
        said = f"{where}: {each.before} -> {counted(each.after, 'message')}{bound}"
        lines.append(PlanLine("~", said))
    return ("more or fewer messages wait" if lines else "no changes"), tuple(lines)
