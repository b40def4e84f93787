"""Reallocation passes: when messages for a channel were or will be routed again.

Source: IBM's article on re-allocation, "When does re-allocation occur?": when a cluster-sender
channel stops, and each time that it tries to connect and fails. Retries that moved nothing are not
in the log; they follow from the instant of the failure and the retry intervals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Final, NamedTuple, TypeAlias

from twin import events
from twin.fold.estate import ChannelState, Estate, QueueManager
from twin.fold.replay import apply
from twin.fold.seen_retries import retries_of
from twin.fold.store.pages import private_copy
from twin.model.instants import AsOf, Instant
from twin.questions.answer import Answer, Facts, FoldedFact, Row
from twin.questions.belief import observers
from twin.questions.sender_channels import RETRYING, STARTS_AGAIN, SenderChannels, messaging_of
from twin.questions.transmission import AT_RISK, IN_DOUBT, NO_CHANNEL, SYSTEM, Piece, pieces
from twin.rules.channels import channel_status
from twin.rules.draft import Draft
from twin.rules.messages.best_routes import NO_BETTER_ROUTE, NO_DESTINATION, NO_ROOM, Prospects
from twin.rules.messages.reallocation import PassCause

EXIT: Final = "exit"
INTERRUPTED: Final = "interrupted"
LATER: Final = "later"
"""Why a portion of a pass leaves messages: a later portion looks at them."""


class ReallocationPass(NamedTuple):
    """One pass over the messages for a channel; the counts of a future pass are None."""

    at: Instant
    on: str
    channel: str
    cause: PassCause
    moved: int | None = None
    stayed: int | None = None
    stayed_why: tuple[str, ...] | None = None
    among_equals: bool = False
    evidence: tuple[int, ...] = ()

    def columns(self) -> Row:
        """Return the pass as a row, without the evidence."""
        row = self._asdict()
        del row["evidence"], row["among_equals"]
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
    folded into a private copy of it. A pass is listed if messages waited for the channel, even if
    it could move none of them. `stayed` counts all that remained, with repository commands, and
    `stayed_why` has the reasons. All three are null for a next pass, which takes place if that
    start or retry fails, and for the next portion of a pass. Each portion of a pass that takes time
    has a row of its own. A note says if messages stayed with one of several equally good channels.

    Raises:
        NoSuchQueueManager: when there is no queue manager `on`.
    """
    names = {qmgr.name for qmgr in observers(estate, on)}
    all_passes = [*_Playback(private_copy(before), since - 1).play(facts, upto=as_of.valid)]
    for name in sorted(names):
        all_passes += _next(estate.qmgrs[name], as_of.valid)
    listed = [
        pass_
        for pass_ in all_passes
        if pass_.on in names and channel in (None, pass_.channel) and pass_.at >= since
    ]
    answer = Answer.of("passes", as_of, ((each.columns(), each.evidence) for each in listed))
    ties = any(each.among_equals for each in listed)
    return replace(answer, notes=(_EQUALS,)) if ties else answer


_EQUALS: Final = (
    "among equally good channels nothing moves: this is the reading equals=stay "
    "(twin reading equals=turn lets them take turns)"
)
"""What is said if messages stayed with one of several channels that are equally good."""


def _next(qmgr: QueueManager, at: Instant) -> Iterator[ReallocationPass]:
    """Go through the next pass of each channel that retries, and the next portions of passes."""
    senders = SenderChannels(qmgr)
    for (channel, work), portion in sorted(qmgr.activity.portions.items()):
        if work == "pass":
            state = qmgr.activity.channels.get(channel)
            yield ReallocationPass(
                portion.at,
                qmgr.name,
                channel,
                portion.cause,
                evidence=(state.position,) if state else (),
            )
    retrying = {**_retrying(qmgr, STARTS_AGAIN), **_seen_retrying(qmgr, senders)}
    for channel, state in sorted(retrying.items()):
        following = senders.next_pass(channel, at)
        if following is not None:
            yield ReallocationPass(
                following, qmgr.name, channel, "retry", evidence=(state.position,)
            )


def _retrying(
    qmgr: QueueManager, statuses: tuple[str, ...] = (RETRYING,)
) -> dict[str, ChannelState]:
    """Return the channels that retry, or have another status, while messages wait for them."""
    states = qmgr.activity.channels
    return {
        name: states[name]
        for name in messaging_of(qmgr).channels()
        if name in states and states[name].status in statuses and any(_waiting(qmgr, name))
    }


def _seen_retrying(qmgr: QueueManager, senders: SenderChannels) -> dict[str, ChannelState]:
    """Return the cluster channels that were seen to retry while messages may wait for them."""
    if not qmgr.is_only_observed:
        return {}
    depths = qmgr.activity.seen.depths
    return {
        name: state
        for name, state in qmgr.activity.channels.items()
        if state.status == RETRYING and qmgr.channels.get(name, "CLUSSDR") == "CLUSSDR"
        if (seen := depths.get(senders.association(name).queue)) is None or seen.depth
    }


def _waiting(qmgr: QueueManager, channel: str) -> Iterator[Piece]:
    """Go through the messages that a pass for a channel finds; only clusters have passes."""
    for piece in pieces(qmgr, channel) if qmgr.has_messaging else ():
        if piece.parcel.to and not piece.stranded:
            yield piece


_WHYS: Final = (
    NO_BETTER_ROUTE,
    NO_DESTINATION,
    NO_ROOM,
    EXIT,
    INTERRUPTED,
    LATER,
    "bind-on-open",
    "bind-on-group",
    "named-qmgr",
    NO_CHANNEL,
    IN_DOUBT,
    AT_RISK,
    SYSTEM,
)
"""Why messages stay, in the order in which `stayed_why` lists the reasons."""


def _left(estate: Estate, name: str, channel: str, *, otherwise: str = NO_BETTER_ROUTE) -> _Left:
    """Return what waits for a channel: how many messages and repository commands, and why.

    `otherwise` is the reason of messages that the rules would move now.
    """
    qmgr = estate.qmgrs[name]
    waiting = list(_waiting(qmgr, channel))
    if not waiting:
        return _Left(0, None)
    prospects = Prospects(Draft(estate, estate.instant, 0), qmgr)
    whys = {each.why or prospects.why(each.parcel) or otherwise for each in waiting}
    commands = len(qmgr.repository.waiting.get(channel, ()))
    whys |= {SYSTEM} if commands else set()
    count = sum(each.parcel.count for each in waiting) + commands
    among_equals = any(each.eligible and prospects.ties(each.parcel) for each in waiting)
    return _Left(count, tuple(why for why in _WHYS if why in whys), among_equals)


class _Left(NamedTuple):
    """What a pass left: how many, and why; None if it left nothing.

    `among_equals`: whether the route of some is one of several that are equally good.
    """

    stayed: int
    stayed_why: tuple[str, ...] | None
    among_equals: bool = False


@dataclass(slots=True)
class _Playback:
    """A replay of facts, with the retries between them."""

    estate: Estate
    played: Instant
    retrying: dict[str, dict[str, ChannelState]] = field(default_factory=dict)

    def play(self, facts: Facts, *, upto: Instant) -> Iterator[ReallocationPass]:
        """Fold all facts, and go through the passes in the order of time."""
        for name in self.estate.qmgrs:
            self._note_retrying(name)
        for at, group in groupby(facts, key=lambda fact: fact.at):
            yield from self._failed(upto=at - 1)
            yield from self._at(at, list(group))
        yield from self._failed(upto=upto)

    def _note_retrying(self, name: str) -> None:
        """Note which channels of a queue manager retry now while messages wait."""
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
        failed_passes = []
        for name, channels in self.retrying.items():
            for channel, state in channels.items():
                since = max(self.played, state.since)
                retries = retries_of(self.estate.qmgrs[name], channel, state)
                made = retries.between(state.since, since, upto)
                if (name, channel) in but or not (instants := list(made)):
                    continue
                left = _left(self.estate, name, channel)
                failed_passes += [
                    ReallocationPass(at, name, channel, "retry", 0, *left, (state.position,))
                    for at in instants
                ]
        self.played = max(self.played, upto)
        yield from sorted(failed_passes, key=_order)

    def _at(self, at: Instant, facts: list[FoldedFact]) -> Iterator[ReallocationPass]:
        """Fold the facts of one instant, and go through its passes, each as its own events left it.

        A retry due at this instant failed first, unless it caused a new status of the channel or
        moved messages. A later change of the channel at this instant begins a pass of its own, or
        none.
        """
        yield from self._failed(upto=at, but=_of_retries(facts))
        done: list[ReallocationPass] = []
        going: dict[tuple[str, str], ReallocationPass] = {}
        for number, fact in enumerate(facts):
            event = fact.event
            if not isinstance(event, _SHOWING):
                apply(self.estate, event, fact.at, fact.position)
                continue
            key = (event.qmgr, event.channel)
            cause = self._cause(event, facts[number + 1 :], at)
            apply(self.estate, event, fact.at, fact.position)
            before = going.get(key)
            if before is None or isinstance(event, events.ChannelStatusChanged):
                done += [going.pop(key)] if before is not None else []
                before = ReallocationPass(at, *key, cause, 0) if cause is not None else None
            if before is not None:
                going[key] = self._with(before, event, fact.position)
        for name in dict.fromkeys(fact.event.qmgr for fact in facts):
            self._note_retrying(name)
        yield from sorted(
            (each for each in (*done, *going.values()) if each.moved or each.stayed), key=_order
        )

    def _cause(self, event: _Showing, later: Iterable[FoldedFact], at: Instant) -> PassCause | None:
        """Return the cause of the pass that an event shows; None if it shows no pass.

        A START makes a channel INACTIVE first; this is not a stop.
        """
        if isinstance(event, events.MessagesReallocated):
            return event.cause
        state = channel_status.current_state(self.estate.qmgrs[event.qmgr], event.channel, at)
        before = state.status if state else "INACTIVE"
        if before == "STOPPING":
            return None  # its pass is done
        if event.status == RETRYING:
            return "stop" if before == "RUNNING" else "retry"
        if event.status == "STOPPED" and before != "STOPPED":
            return "retry" if before == RETRYING and event.reason else "stop"
        if event.status == "INACTIVE" and before in ("RUNNING", RETRYING):
            return None if _goes_on(event, later) else "stop"
        return None

    def _with(self, pass_: ReallocationPass, event: _Showing, position: int) -> ReallocationPass:
        """Add an applied event to a pass: its position, what it moved, and what it left."""
        evidence, moved, otherwise = (*pass_.evidence, position), pass_.moved or 0, NO_BETTER_ROUTE
        if isinstance(event, events.MessagesReallocated):
            shares = [move.share for move in event.moves]
            moved += sum(share.count for share in shares if share.channel != event.channel)
            otherwise = INTERRUPTED if event.interrupted else EXIT if event.exit else otherwise
            otherwise = LATER if event.later else otherwise
        left = _left(self.estate, pass_.on, pass_.channel, otherwise=otherwise)
        return pass_._replace(moved=moved, evidence=evidence, **left._asdict())


_Showing: TypeAlias = events.ChannelStatusChanged | events.MessagesReallocated
_SHOWING: Final = (events.ChannelStatusChanged, events.MessagesReallocated)


def _order(each: ReallocationPass) -> tuple[Instant, str, str, tuple[int, ...]]:
    """Return the place of a pass: those of one channel at one instant are in the order of facts."""
    return each.at, each.on, each.channel, each.evidence


def _of_retries(facts: Iterable[FoldedFact]) -> set[tuple[str, str]]:
    """Return the channels that a retry at the instant of some facts may have changed.

    What is due comes before the commands of its instant. A START makes a channel INACTIVE first.
    """
    first: dict[tuple[str, str], bool] = {}
    commanded = False
    for fact in facts:
        event = fact.event
        commanded = commanded or isinstance(event, events.PrimaryFact)
        if isinstance(event, _SHOWING):
            by_command = (
                commanded
                and isinstance(event, events.ChannelStatusChanged)
                and event.status in ("INACTIVE", "STOPPED")
                and not event.reason
            )
            first.setdefault((event.qmgr, event.channel), not by_command)
    return {key for key, by_retry in first.items() if by_retry}


def _goes_on(event: events.ChannelStatusChanged, later: Iterable[FoldedFact]) -> bool:
    """Return whether a channel that became INACTIVE was started by that: no pass came between."""
    following = (
        other
        for _, _, other in later
        if isinstance(other, _SHOWING)
        and (other.qmgr, other.channel) == (event.qmgr, event.channel)
    )
    after = next(following, None)
    return isinstance(after, events.ChannelStatusChanged) and after.status != event.status
