"""Messages that wait, explained: what for, whether they may be moved, and what a pass would do now.

A pass makes the choice again, as it would be made for new messages, and moves those whose route is
no longer among the best. It is computed here as the rules would compute it, and changes nothing.

Source: IBM's article on re-allocation: messages that are bound are never moved; a pass looks at the
messages for a channel as it stops, and again at each retry that fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Final, NamedTuple

from twin.events import Parcel
from twin.fold.estate import Estate, QueueManager
from twin.model.amounts import counted
from twin.model.instants import AsOf, Instant, format_instant
from twin.questions.answer import Answer, EvidencedRow, Row
from twin.questions.belief import observers
from twin.questions.blocked import channel_block, waits_for
from twin.questions.catalogue import QUESTIONS
from twin.questions.name_words import path_texts
from twin.questions.paragraphs import WIDTH
from twin.questions.reachability import obstacle
from twin.questions.seen_messages import SeenMessages, row_of, seen_messages
from twin.questions.sender_channels import SenderChannels, messaging_of
from twin.questions.transmission import Piece, depths_seen, if_none, pieces, waits_in_full
from twin.rules.draft import Draft
from twin.rules.messages.best_routes import (
    NO_BETTER_ROUTE,
    NO_DESTINATION,
    NO_ROOM,
    BestRoutes,
    Prospects,
)
from twin.rules.messages.destinations import Resolver
from twin.rules.path.resolved import NAMED, Resolved
from twin.rules.workload.choosing import Trace
from twin.rules.workload.trace_text import trace_lines

_FIXED: Final = {
    "bind-on-open": "{they} {are} bound to {their} destination (bind on open)",
    "bind-on-group": "{they} {belong} to a group that is bound to its destination",
    "named-qmgr": "the application, or a definition, named the queue manager",
    "in-doubt": "{their} batch is in doubt",
    "at-risk": "{they} {were} already sent outside syncpoint",
    "no-channel": "a pass needs a channel that stops or fails, and {their} own is gone",
    "stranded": "{their} channel no longer reads this queue",
}
"""Why messages may not be moved -> the reason in words."""

_STAYS: Final = {
    NO_BETTER_ROUTE: "{their} route is still among the best",
    NO_DESTINATION: "the choice would fail",
    NO_ROOM: "the queue that {they} would move to has no space",
}
"""Why a pass would leave messages that it may move -> the reason in words."""

_MANY: Final = {each: each for each in ("they", "their", "are", "were", "belong")}
_ONE: Final = {
    "they": "it",
    "their": "its",
    "are": "is",
    "were": "was",
    "belong": "belongs",
}
"""The words for several messages -> those for one."""


def words_of(reason: str, count: int = 2) -> str:
    """Return in words why messages may not be moved, or why a pass would leave them."""
    words = _FIXED.get(reason) or _STAYS.get(reason) or reason
    return words.format_map(_ONE if count == 1 else _MANY)


_NOT_BY_ITSELF: Final = ("INACTIVE", "STOPPED")
"""The statuses in which a channel does not start again by itself."""


class _Group(NamedTuple):
    """Messages that wait on one queue and are alike in all that decides about them."""

    xmitq: str
    channel: str
    queue: str
    named: str
    to: str
    why: str


@dataclass(frozen=True, slots=True)
class _Waiting:
    """Waiting messages that are alike, and what a pass would do with them now."""

    on: str
    group: _Group
    count: int
    since: Instant
    puts: tuple[int, ...]
    parcel: Parcel


def waiting(
    estate: Estate,
    as_of: AsOf,
    *,
    on: str | None = None,
    queue: str | None = None,
    channel: str | None = None,
    position: str | None = None,
) -> Answer:
    """Explain the messages that wait for cluster channels, those that are alike together.

    `queue` is that at the destination; or it is the name of an alias or of a remote definition at
    the queue manager, and stands for the queue that this leads to. Messages do not say which name
    was opened: those that were put to that queue by another name are explained too [decision].
    `position` is the position of the event that put them. Of an imported queue manager captures
    show only how many messages lie on its transmission queues, at least and at most: those are rows
    without a queue. The notes have the depths, and say which are not known.

    Raises:
        NoSuchQueueManager: when there is no queue manager `on`.
    """
    put = None if position is None else int(position)
    draft = Draft(estate, as_of.valid, max(estate.position, as_of.position) + 1)
    rows: list[EvidencedRow] = []
    lines: list[str] = []
    notes: list[str] = []
    for qmgr in observers(estate, on):
        explainer, leads_to = _Explainer(draft, qmgr), _LeadsTo.of(draft, qmgr, queue)
        for each in _groups(qmgr, put):
            named = queue in (None, each.group.queue)
            if channel in (None, each.group.channel) and (named or leads_to.matches(each)):
                rows.append(explainer.row(each))
                lines += [*([""] if lines else []), *explainer.lines(each)]
                notes += [] if named else [leads_to.note]
        for seen in seen_messages(qmgr) if queue is None and put is None else ():
            if channel in (None, seen.channel):
                rows.append(explainer.seen(seen))
                lines += [
                    *([""] if lines else []),
                    *wrap(f"{seen}.", WIDTH, subsequent_indent="  "),
                ]
    if queue is channel is position is None:
        lines += if_none(estate, on, rows)
    answer = replace(Answer.of("waiting", as_of, rows), lines=tuple(lines))
    return replace(answer, notes=tuple(dict.fromkeys([*notes, *depths_seen(estate, on)])))


class _LeadsTo(NamedTuple):
    """What a name leads to that is defined at a queue manager; None if it leads to no cluster."""

    resolved: Resolved | None = None
    note: str = ""

    @classmethod
    def of(cls, draft: Draft, qmgr: QueueManager, name: str | None) -> _LeadsTo:
        """Resolve a name as an MQOPEN would that asks nobody."""
        own = qmgr.definitions.get(("QUEUE", name)) if name else None
        if own is None or own.type not in ("QALIAS", "QREMOTE"):
            return cls()
        resolved = Resolver(draft, qmgr, asks=False).resolve(own.name)
        if resolved.reason or not resolved.clustered:
            return cls()
        note = f"{path_texts(resolved)[0]}: messages for it are listed, whatever name was opened"
        return cls(resolved, note)

    def matches(self, waiting: _Waiting) -> bool:
        """Return whether messages that wait may have been put by the name."""
        resolved, group, parcel = self.resolved, waiting.group, waiting.parcel
        if resolved is None or (group.queue, group.named) != (resolved.queue, resolved.named):
            return False
        owners = {belief.owner for _, belief in resolved.instances}
        by_name = parcel.fixed == NAMED
        return by_name == (resolved.fixed == NAMED) and (not by_name or group.to in owners)


def _groups(qmgr: QueueManager, put: int | None) -> Iterator[_Waiting]:
    """Yield the waiting messages of a queue manager, those that are alike together."""
    found: dict[_Group, list[Piece]] = {}
    for channel in sorted(messaging_of(qmgr).channels()):
        for piece in pieces(qmgr, channel):
            parcel = piece.parcel
            if put not in (None, parcel.put) or not parcel.to:
                continue
            why = "stranded" if piece.stranded else piece.why
            group = _Group(piece.queue, channel, parcel.queue, parcel.named, parcel.to, why)
            found.setdefault(group, []).append(piece)
    for group, alike in found.items():
        parcels = [piece.parcel for piece in alike]
        yield _Waiting(
            qmgr.name,
            group,
            sum(parcel.count for parcel in parcels),
            min(parcel.at for parcel in parcels),
            tuple(parcel.put for parcel in parcels),
            parcels[0],
        )


class _Explainer:
    """Explains the waiting messages of one queue manager; the draft is only read."""

    def __init__(self, draft: Draft, qmgr: QueueManager) -> None:
        self._draft = draft
        self._qmgr = qmgr
        self._senders = SenderChannels(qmgr)
        self._prospects = Prospects(draft, qmgr)

    def row(self, waiting: _Waiting) -> EvidencedRow:
        """Return waiting messages as a row."""
        group, names = waiting.group, self._draft.estate.names
        channel, at = group.channel, self._draft.at
        stays = group.why or self._prospects.why(waiting.parcel)
        trace = None if stays else self._choice(waiting)
        chosen = trace.chosen if trace else None
        state = self._qmgr.activity.channels.get(channel)
        row: Row = {
            "on": waiting.on,
            "queue": group.queue,
            "count": waiting.count,
            "at_most": waiting.count,
            "channel": channel,
            "qmgr": names.get(group.to),
            "xmitq": group.xmitq,
            "named": group.named or None,
            "why": group.why or None,
            "put_at": waiting.since,
            "status": channel_block(self._qmgr, channel, at).status,
            "waits_for": waits_in_full(self._draft, self._qmgr, channel) or None,
            "next_start": self._senders.next_retry(channel, at),
            "next_pass": None if group.why else self._senders.next_pass(channel, at),
            "stays": stays or None,
            "moves_to": chosen.qmgr if chosen else None,
            "moves_by": chosen.channel if chosen and not chosen.local else None,
        }
        return row, (*waiting.puts, *((state.position,) if state else ()))

    def seen(self, seen: SeenMessages) -> EvidencedRow:
        """Return messages that captures show as a row."""
        row = row_of(seen, QUESTIONS["waiting"].names, self._senders, self._draft.at)
        return row, seen.evidence

    def lines(self, waiting: _Waiting) -> Iterator[str]:
        """Yield waiting messages in words: what for, and what a pass would do now."""
        for sentence in self._sentences(waiting):
            yield from wrap(sentence, WIDTH, subsequent_indent="  ", break_on_hyphens=False)
        trace = None if waiting.group.why else self._choice(waiting)
        if trace is not None:
            yield "As a pass would choose now:"
            yield from (f"  {line}" for line in trace_lines(trace))

    def _sentences(self, waiting: _Waiting) -> Iterator[str]:
        group, at, count = waiting.group, self._draft.at, waiting.count
        to = self._draft.estate.names.get(group.to, group.to)
        they, them, wait = ("It", "it", "waits") if count == 1 else ("They", "them", "wait")
        yield (
            f"{counted(waiting.count)} for {group.queue} at {to} on {group.xmitq} of {waiting.on}, "
            f"put at {format_instant(waiting.since)}."
        )
        block = channel_block(self._qmgr, group.channel, at, queue=group.xmitq)
        by_hand = block.status in _NOT_BY_ITSELF and not block.why
        why = (
            waits_for(self._qmgr, group.channel, at) if by_hand else "",
            obstacle(self._draft, self._qmgr, group.channel, to),
        )
        yield f"{they} {wait}: {'; '.join(filter(None, (str(block), *why)))}."
        if group.why:
            yield f"No pass moves {them}: {words_of(group.why, count)}."
            return
        stays = self._prospects.why(waiting.parcel)
        does = f"leave {them}: {words_of(stays, count)}" if stays else f"move {them}"
        yield f"A pass now would {does}."
        if due := self._senders.next_pass(group.channel, at):
            yield f"The next pass is at {format_instant(due)}, if that retry fails."

    def _choice(self, waiting: _Waiting) -> Trace | None:
        """Return the choice that a pass would make; None if the name leads into no cluster."""
        best = BestRoutes.now(self._draft, self._qmgr, waiting.group.queue, waiting.group.named)
        if best.candidates is None:
            return None
        workload = self._qmgr.messaging.workload
        return Trace.of(best.candidates.routes, best.candidates.context, workload)
