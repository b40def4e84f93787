"""The lines of a plan about what differs for a time only: as those at the end, with its dates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from twin.model.amounts import between, counted, verb
from twin.model.instants import format_instant

NAMED: Final = 4
"""So many are named; more are counted."""

if TYPE_CHECKING:
    from twin.model.instants import Instant
    from twin.review.plan.handles import HandleChange
    from twin.review.plan.lost import LostChange
    from twin.review.plan.meanwhile import Passing
    from twin.review.plan.plan import Plan
    from twin.review.plan.waiting import SeenWaiting

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


class PlanLine(NamedTuple):
    """A line of a section of a plan.

    Attributes:
        sign: `+` is added, `~` changes, `-` is removed, `!` needs attention; '' for none.
        text: what it says.
        depth: 0, or 1 and more for a line that belongs to the one before it.
    """

    sign: str
    text: str
    depth: int = 0

    def __str__(self) -> str:
        """Write it with its sign, indented by its depth."""
        return "    " * self.depth + " ".join(filter(None, (self.sign, self.text)))

    @property
    def parts(self) -> tuple[str, str]:
        """Its sign and its text; of a line that belongs to another one, '' and all that it says."""
        return ("", str(self).lstrip()) if self.depth else (self.sign, self.text)


SectionText: TypeAlias = tuple[str, tuple[PlanLine, ...]]
"""What a section says in one line, and its lines."""


def with_passing(plan: Plan, section: str, say: Callable[[Plan], SectionText]) -> SectionText:
    """Return what is said of a section at the end, and then of what has gone by then."""
    summary, lines = say(plan)
    found: Sequence[Passing[Any]] = getattr(plan.meanwhile, section)
    if not found:
        return summary, lines
    spans: dict[tuple[Instant, Instant], list[Any]] = defaultdict(list)
    for each in found:
        spans[each.since, each.until].append(each.change)
    more: list[PlanLine] = []
    for (since, until), changes in spans.items():
        span = f"from {format_instant(since)} until {format_instant(until)}:"
        more.append(PlanLine("", span))
        then: dict[str, Any] = {section: tuple(changes)}
        _, these = say(replace(plan, **then))
        more += [line._replace(depth=line.depth + 1) for line in these]
    for_a_time = f"{counted(len(found), 'change')} for a time only"
    summary = f"{summary}; {for_a_time}" if lines else for_a_time
    return summary, (*lines, *more)


def names(qmgrs: Iterable[str]) -> str:
    """Name queue managers; of many only some, and how many they are."""
    return listed(qmgrs, "queue managers")


def listed(given: Iterable[str], what: str) -> str:
    """Write names once each, sorted; of many only some, and how many of `what` they are."""
    distinct = sorted(set(given))
    if len(distinct) <= NAMED:
        return ", ".join(distinct)
    return f"{len(distinct)} {what} ({', '.join(distinct[: NAMED - 1])} ...)"


def waiting_lines(plan: Plan) -> SectionText:
    """Return what the section says: of messages that are lost, of those that wait, of handles."""
    summary, lines = with_passing(plan, "waiting", _waiting)
    said = [summary] if lines else []
    if plan.lost:
        count = lost_messages(plan)
        lost = f"{counted(count, 'message')} {verb(count, 'are')} lost"
        said.insert(0, lost if count else "fewer messages are lost")
    if plan.seen:
        said.append("messages that captures show stay")
    if plan.handles:
        count = len(plan.handles)
        said.append(f"those put through {counted(count, 'open handle')} end elsewhere")
    return (
        "; ".join(said) or summary,
        (*map(_lost, plan.lost), *_seen(plan.seen), *lines, *map(_handle, plan.handles)),
    )


def _seen(seen: Sequence[SeenWaiting]) -> Iterator[PlanLine]:
    """Say what is known of messages at imported queue managers for channels that stop."""
    for each in seen:
        if each.least is not None:
            at = "" if each.at is None else f" when seen at {format_instant(each.at)}"
            known = f"{between(each.least, each.most)} of unknown content on {each.xmitq}{at}"
            yield PlanLine("~", f"what waits at {each.on} for {each.channel} stays: {known}")
    if unknown := sorted({each.on for each in seen if each.least is None}):
        where = f"at {names(unknown)} for channels that stop"
        yield PlanLine("~", f"how many messages wait {where} is not known: no depth was observed")


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
