"""Reallocation passes: when messages for a channel were or will be routed again.

Source: IBM's article on re-allocation, "When does re-allocation occur?": when a cluster-sender
channel stops, and each time that it tries to connect and fails. Retries that moved nothing are not
in the log; they follow from the instant of the failure and the retry intervals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final, NamedTuple, TypeAlias

from twin import events
from twin.fold.estate import ChannelState, Estate, QueueManager
from twin.fold.replay import apply
from twin.fold.store.pages import private_copy
from twin.model.asof import AsOf
from twin.model.instants import Instant
from twin.questions.answer import Answer, Row
from twin.questions.belief import observers
from twin.questions.facts import Facts, FoldedFact
from twin.questions.sender_channels import RETRYING, SenderChannels, messaging_of
from twin.rules.channels import disconnecting
from twin.rules.messages.reallocation import PassCause
from twin.rules.queues import put_times


class ReallocationPass(NamedTuple):
    """One pass over the messages for a channel; the counts of a future pass are None."""

    at: Instant
    on: str
    channel: str
    cause: PassCause
    moved: int | None = None
    stayed: int | None = None
    evidence: tuple[int, ...] = ()

    def columns(self) -> Row:
        """Return the pass as a row, without the evidence."""
        row = self._asdict()
        del row["evidence"]
        return row


def passes(
    estate: Estate,
    as_of: AsOf,
    *,
    before: Estate,
    facts: Facts,
    since: Instant,
    on: str | None = None,
    channel: str | None = None,
) -> Answer:
    """List the reallocation passes from `since` on, and the next pass of each retrying channel.

    `before` is the estate just before `since`, and `facts` are all facts from then on; they are
    folded into a private copy of it. A pass that found no movable message is not listed. `stayed`
    is the number of movable messages that stayed. Both counts are null for a next pass, which takes
    place if that retry fails.

    Raises:
        NoSuchQueueManager: when there is no queue manager `on`.
    """
    names = {qmgr.name for qmgr in observers(estate, on)}
    all_passes = [*_Playback(private_copy(before), since - 1).play(facts, upto=as_of.valid)]
    for name in sorted(names):
        all_passes += _next(estate.qmgrs[name], as_of.valid)
    rows = (
        (pass_.columns(), pass_.evidence)
        for pass_ in all_passes
        if pass_.on in names and channel in (None, pass_.channel) and pass_.at >= since
    )
    return Answer.of("passes", as_of, rows)


def _next(qmgr: QueueManager, at: Instant) -> Iterator[ReallocationPass]:
    """Go through the next pass of each channel that retries while movable messages wait."""
    senders = SenderChannels(qmgr)
    for channel, (state, _) in sorted(_retrying(qmgr).items()):
        following = senders.next_retry(channel, at)
        if following is not None:
            yield ReallocationPass(
                following, qmgr.name, channel, "retry", evidence=(state.position,)
            )


def _retrying(qmgr: QueueManager) -> dict[str, tuple[ChannelState, int]]:
    """Return the channels that retry while movable messages wait, with the number of those."""
    retrying = {}
    for name in messaging_of(qmgr).channels():
        state = qmgr.activity.channels.get(name)
        if state is not None and state.status == RETRYING and (movable := _movable(qmgr, name)):
            retrying[name] = (state, movable)
    return retrying


def _movable(qmgr: QueueManager, channel: str) -> int:
    """Count the messages waiting for a channel that a pass may move."""
    eligible = put_times.eligible(qmgr, channel) if qmgr.has_messaging else ()
    return sum(each.parcel.count for each in eligible)


@dataclass(slots=True)
class _Playback:
    """A replay of facts, with the retries between them."""

    estate: Estate
    played: Instant
    retrying: dict[str, dict[str, tuple[ChannelState, int]]] = field(default_factory=dict)

    def play(self, facts: Facts, *, upto: Instant) -> Iterator[ReallocationPass]:
        """Fold all facts, and go through the passes in the order of time."""
        for name in self.estate.qmgrs:
            self._note_retrying(name)
        for at, group in groupby(facts, key=lambda fact: fact.at):
            yield from self._failed(upto=at - 1)
            yield from self._at(at, list(group))
        yield from self._failed(upto=upto)

    def _note_retrying(self, name: str) -> None:
        """Note which channels of a queue manager retry now while movable messages wait."""
        qmgr = self.estate.qmgrs.get(name)
        retrying = (
            _retrying(qmgr) if qmgr is not None and qmgr.has_messaging and qmgr.running else {}
        )
        if retrying:
            self.retrying[name] = retrying
        else:
            self.retrying.pop(name, None)

    def _failed(
        self, *, upto: Instant, but: Iterable[tuple[str, str]] = ()
    ) -> Iterator[ReallocationPass]:
        """Go through the retries up to an instant; they failed and moved nothing."""
        failed_passes = [
            ReallocationPass(at, name, channel, "retry", 0, movable, (state.position,))
            for name, channels in self.retrying.items()
            for channel, (state, movable) in channels.items()
            if (name, channel) not in but
            for at in state.retries.between(state.since, max(self.played, state.since), upto)
        ]
        self.played = max(self.played, upto)
        yield from sorted(failed_passes)

    def _at(self, at: Instant, facts: list[FoldedFact]) -> Iterator[ReallocationPass]:
        """Fold the facts of one instant, and go through its passes.

        A retry due at this instant failed first, unless it caused a new status of the channel or
        moved messages.
        """
        shown = {
            (event.qmgr, event.channel) for _, _, event in facts if isinstance(event, _SHOWING)
        }
        yield from self._failed(upto=at, but=shown)
        shown_passes: dict[tuple[str, str], ReallocationPass] = {}
        for fact in facts:
            event = fact.event
            if isinstance(event, _SHOWING):
                key = (event.qmgr, event.channel)
                cause = self._cause(event, facts, at)
                if cause is not None and key not in shown_passes:
                    movable = _movable(self.estate.qmgrs[event.qmgr], event.channel)
                    shown_passes[key] = ReallocationPass(at, *key, cause, 0, movable)
                if key in shown_passes:
                    shown_passes[key] = _with(shown_passes[key], event, fact.position)
            apply(self.estate, event, fact.at, fact.position)
        for name in dict.fromkeys(fact.event.qmgr for fact in facts):
            self._note_retrying(name)
        yield from sorted(each for each in shown_passes.values() if each.moved or each.stayed)

    def _cause(self, event: _Showing, facts: Iterable[FoldedFact], at: Instant) -> PassCause | None:
        """Return the cause of the pass that an event shows; None if it shows no pass.

        A START makes a channel INACTIVE first; this is not a stop.
        """
        if isinstance(event, events.MessagesReallocated):
            return event.cause
        state = disconnecting.current_state(self.estate.qmgrs[event.qmgr], event.channel, at)
        before = state.status if state else "INACTIVE"
        if event.status == RETRYING:
            return "stop" if before == "RUNNING" else "retry"
        if event.status == "STOPPED" and before != "STOPPED":
            return "retry" if before == RETRYING and event.reason else "stop"
        if event.status == "INACTIVE" and before in ("RUNNING", RETRYING):
            return None if _goes_on(event, facts) else "stop"
        return None


_Showing: TypeAlias = events.ChannelStatusChanged | events.MessagesReallocated
_SHOWING: Final = (events.ChannelStatusChanged, events.MessagesReallocated)


def _goes_on(event: events.ChannelStatusChanged, facts: Iterable[FoldedFact]) -> bool:
    """Return whether a channel gets a status other than INACTIVE at the same instant."""
    return any(
        isinstance(other, events.ChannelStatusChanged)
        and (other.qmgr, other.channel) == (event.qmgr, event.channel)
        and other.status != event.status
        for _, _, other in facts
    )


def _with(pass_: ReallocationPass, event: _Showing, position: int) -> ReallocationPass:
    """Add an event to a pass: its position, and how many messages it moved."""
    evidence = (*pass_.evidence, position)
    if isinstance(event, events.ChannelStatusChanged):
        return pass_._replace(evidence=evidence)
    moved = sum(move.share.count for move in event.moves)
    stayed = max((pass_.stayed or 0) - moved, 0)
    return pass_._replace(moved=(pass_.moved or 0) + moved, stayed=stayed, evidence=evidence)
