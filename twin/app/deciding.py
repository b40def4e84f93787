"""Decide what follows from primary facts, or from time, after the head of a branch.

Late observations that no rule reads are added, and nothing is derived again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from twin import events
from twin.app import late_facts
from twin.app.acting import Fact
from twin.app.batch import Batch, derive_all
from twin.app.exits import ExitCalls
from twin.app.foretelling import foretold
from twin.app.protection import Protection
from twin.app.reading import Pages, Views
from twin.app.recorded_estate import HeadEstate, RecordedEstate
from twin.app.sweeping import NewFact, Sweep
from twin.app.ticking import OpenBatch
from twin.events import StatedObservation
from twin.events.catalogue import column_of, columns_of_all, decode
from twin.fold import seen_before
from twin.fold.estate import Estate, QueueManager
from twin.fold.replay import gc_paused
from twin.fold.replay.one_instant import JOINED
from twin.fold.seen_before import SeenQmids
from twin.log import Head, Log, StoredEvent
from twin.model.instants import Instant
from twin.model.objects import ObjectKey
from twin.rules import consequences, due_timers, lifecycle
from twin.rules.assumptions import pointed_to
from twin.rules.commands.observed_objects import differs, reads
from twin.rules.deriving import Outcome, read_by_none
from twin.rules.draft import Decided, Draft
from twin.rules.observations import dating, identity
from twin.rules.reactions import REACTIONS

_OBSERVED: Final = events.ObjectsObserved

_READ_NO_QUEUE: Final = frozenset(
    columns_of_all(
        (
            *(_OBSERVED, events.BeliefsObserved, events.ObjectObserved, events.ObjectVanished),
            *(events.QueueManagerFirstSeen, events.QueueManagerObserved, events.LinkChanged),
            *(events.ReadingChosen, events.TimePassed),
            *(events.ChannelObserved, events.ChannelsListed, events.QueueManagerStatusObserved),
            *(events.SuspensionObserved, events.ClusterCommandObserved),
            *(events.TransmissionQueueObserved, events.RepositoryManagerObserved),
            *(events.RenewalOverdueObserved, events.DepthsObserved, events.ListenersObserved),
            events.QueueManagerReplaced,
            *(events.IntervalCounted, events.EvidenceObserved, events.ZoneStated),
            events.ConfigurationObserved,
        )
    )
)
"""The type columns of primary facts that read no queue: they neither command nor move messages."""

_COMMAND: Final = column_of(events.CommandEntered)

_READ_OWN: Final = frozenset(columns_of_all((events.CommandEntered, events.ControlCommandEntered)))
"""The type columns of primary facts that read queues of their own queue manager only."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided after the head of a branch, and is not appended yet.

    Attributes:
        batch: the events.
        first: the position that its first event has, if no other process appends first.
        answer: what the caller gets when the batch is appended.
        seconds: how long it took to decide, without rebuilding the estate of the head.
        current: the estate of the head, with the batch folded into it; None if the facts are late.
        pages: the estate of the head, encoded for a snapshot, if one is due.
        late: the instant of late facts; None if they are not late.
    """

    batch: Batch
    first: int
    answer: Any
    seconds: float
    current: HeadEstate | None = None
    pages: Pages | None = None
    late: Instant | None = None


class Decider:
    """Decides after the head of one branch.

    The estate of the head is ahead of the log until the decision is appended, so it is no longer at
    hand: whoever appends a decision puts it back, and after a failure it is rebuilt.
    """

    def __init__(
        self,
        log: Log,
        views: Views,
        recorded: RecordedEstate,
        exits: ExitCalls,
        protection: Protection,
    ) -> None:
        """Decide on this recorded estate, with these exits and this protection of main."""
        self._log = log
        self._views = views
        self._recorded = recorded
        self._exits = exits
        self._protection = protection

    def facts(self, facts: Sequence[Fact], head: Head, last: int, at: Instant) -> Decision:
        """Decide facts of one instant, after all timed events that are due up to it.

        Without facts nothing is decided, not even what fell due: they were refused.

        Raises:
            ObservedOnMain: if a command would change an observed queue manager on main.
        """
        if not facts:
            return Decision(Batch(), 0, [], 0.0)
        batch = Batch()
        facts = [replace(each, event_id=each.event_id or batch.new_id(at)) for each in facts]
        (since, beside), then = self._reaches_back(facts, head, at)
        if since is None and head.occurred_at is not None and at <= head.occurred_at:
            if self._joins(facts, head, at):
                since = at
            elif at < head.occurred_at:
                return self._late(facts, head, at, then)
        if since is not None:
            return self._joined(facts, head, at, since=since - 1, beside=beside)
        current, first = self.at_hand(head, last)
        self._protect(facts, current.estate)
        began = time.monotonic()
        pages = self.pages(current, later=at > current.estate.instant)
        draft = self.draft(current.estate, first)
        with gc_paused():
            lifecycle.play(draft, upto=at)
            batch.add_due(draft.events)
            draft.at = at
            outcomes = foretold(draft, derive_all(draft, facts, batch))
        seconds = time.monotonic() - began
        if (late := _add_beside(batch, beside)) is not None:  # the estate at hand lacks it
            return Decision(batch, first, outcomes, seconds, late=late)
        return Decision(batch, first, outcomes, seconds, current, pages)

    def due(
        self,
        decide: Callable[[OpenBatch], Any],
        head: Head,
        last: int,
        *,
        upto: Instant,
        seconds: float,
    ) -> Decision:
        """Decide what `decide` puts into an open batch, which is late after `seconds`."""
        current, first = self.at_hand(head, last)
        began = time.monotonic()
        due = due_timers.due(current.estate, upto=upto)
        later = due is not None and due.instant > current.estate.instant
        pages = self.pages(current, later=later)
        draft = self.draft(current.estate, first)
        with gc_paused():
            answer = decide(OpenBatch(draft, seconds=seconds))
            batch = Batch()
            batch.add_due(draft.events)
        return Decision(batch, first, answer, time.monotonic() - began, current, pages)

    def _late(
        self, facts: Sequence[Fact], head: Head, at: Instant, then: Estate | None
    ) -> Decision:
        """Decide late facts, and derive again what follows from all later primary facts.

        Nothing is derived again if no rule reads what was observed. `then` is the estate of that
        instant, if it was rebuilt already.
        """
        self._recorded.at_hand = None
        began = time.monotonic()
        branch, first = self._recorded.branch, self._log.last().position + 1
        if never_read(facts):
            batch = Batch()
            for fact in facts:
                batch.add_primary(fact, Decided(at, fact.event))
            outcomes = [Outcome() for _ in facts]
            return Decision(batch, first, outcomes, time.monotonic() - began, late=at)
        later = self._log.primary_after(at, branch=branch, known=head.position)

        def draft_then() -> Draft:
            estate = rebuilt.pop() if rebuilt else self._rebuilt(head, at)
            return Draft(estate, at, first, reactions=REACTIONS)

        rebuilt = [] if then is None else [then]
        if may_be_unread(facts, later):
            batch = Batch()
            if add_unread(draft_then(), facts, later, batch):
                outcomes = [Outcome() for _ in facts]
                return Decision(batch, first, outcomes, time.monotonic() - began, late=at)
        draft, batch = draft_then(), Batch()
        self._protect(facts, draft.estate)
        outcomes = late_facts.decide(draft, facts, later, batch, upto=head.occurred_at or at)
        return Decision(batch, first, outcomes, time.monotonic() - began, late=at)

    def _protect(self, facts: Sequence[Fact], estate: Estate) -> None:
        self._protection.check(facts, estate, log=self._log, branch=self._recorded.branch)

    def _joins(self, facts: Sequence[Fact], head: Head, at: Instant) -> bool:
        """Return whether there are statements of an instant that has others to follow them."""
        return any(isinstance(fact.event, StatedObservation) for fact in facts) and bool(
            self._log.rows(
                branch=self._recorded.branch,
                valid=at,
                since_valid=at - 1,
                known=head.position,
                types=JOINED,
            )
        )

    def _rebuilt(self, head: Head, at: Instant) -> Estate:
        branch = self._recorded.branch
        return self._views.rebuild(branch=branch, valid=at, position=head.position).estate

    def _reaches_back(
        self, facts: Sequence[Fact], head: Head, at: Instant
    ) -> tuple[dating.ReachesBack, Estate | None]:
        """Return from when on facts change what was derived, and what they say beside it.

        They may give known queue managers another QMID, or say when objects were altered or
        channels started. The other value is the estate of the instant of late facts, if it was
        needed.
        """
        stated = [
            (at, str(each.event_id), each.event)
            for each in facts
            if isinstance(each.event, StatedObservation) or dating.reaches_back(each.event)
        ]
        if not stated or head.occurred_at is None:
            return dating.ReachesBack(None), None
        said: SeenQmids = {}
        for _, _, event in stated:
            seen_before.note(said, event, at)
        estate = self._recorded.of(head).estate
        identified = identity.first_affected(estate, said) if said else None
        named = identified is not None and identified <= at
        then = self._rebuilt(head, at) if at < head.occurred_at else None
        late = named or at <= head.occurred_at
        reached = dating.reach(then or estate, stated, late=late)
        since = [each for each in (reached.since, identified) if each is not None and each <= at]
        return reached._replace(since=min(since, default=None)), then

    def _joined(
        self,
        facts: Sequence[Fact],
        head: Head,
        at: Instant,
        *,
        since: Instant,
        beside: Sequence[dating.ShownLater],
    ) -> Decision:
        """Decide observations, and derive everything after an instant again, with them.

        What comes out as it is recorded is not recorded again. `beside` is what they say of earlier
        instants, and no rule reads.
        """
        self._recorded.at_hand = None
        began = time.monotonic()
        branch, first = self._recorded.branch, self._log.last().position + 1
        draft = Draft(self._rebuilt(head, since), since, first, reactions=REACTIONS)
        later = self._log.primary_after(since, branch=branch, known=head.position)
        derived = self._log.derived_after(since, branch=branch, known=head.position)
        batch = Batch()
        news = [NewFact(at, fact, read=not never_read([fact])) for fact in facts]
        sweep = Sweep(draft, list(map(late_facts.decoded, later)), derived)
        with gc_paused():
            sweep.advance(news, batch, first=first, upto=max(head.occurred_at or at, at))
        late = min(since, _add_beside(batch, beside) or since)
        outcomes = [Outcome() for _ in facts]
        return Decision(batch, first, outcomes, time.monotonic() - began, late=late)

    def at_hand(self, head: Head, last: int) -> tuple[HeadEstate, int]:
        """Take the estate at the head of the branch; return it with the next position of the log.

        `last` is the last position when the head was read. Rebuilding the estate takes time, so the
        position is read again after it. If the log has grown on another branch meanwhile, a batch
        that refers to its own positions is decided again.
        """
        before = self._recorded.at_hand
        current = self._recorded.of(head)
        self._recorded.at_hand = None
        kept = before is not None and before.estate is current.estate
        return current, (last if kept else self._log.last().position) + 1

    def pages(self, current: HeadEstate, *, later: bool) -> Pages | None:
        """Encode the estate of the head if a snapshot is due and the events come `later`."""
        return self._recorded.snapshots.taken(current.estate, current.pages) if later else None

    def draft(self, estate: Estate, first: int) -> Draft:
        """Return a draft at the head of a branch, whose first event gets the position `first`."""
        exits = self._exits.exits
        draft = Draft(estate, estate.instant, first, reactions=REACTIONS, exits=exits)
        consequences.await_exits(draft)
        return draft


def _add_beside(batch: Batch, beside: Sequence[dating.ShownLater]) -> Instant | None:
    """Add what observations say of earlier instants, and no rule reads.

    Return the instant before the earliest of them; None if there is none.
    """
    for at, cause, event in beside:
        batch.add_again(cause, batch.new_id(at), [Decided(at, event)])
    return beside[-1].at - 1 if beside else None


def never_read(facts: Sequence[Fact]) -> bool:
    """Return whether no rule ever reads these facts, so that late ones are just added."""
    return all(read_by_none(each) for fact in facts for each in fact.said)


def may_be_unread(facts: Sequence[Fact], later: Sequence[StoredEvent]) -> bool:
    """Return whether late facts are observations, and nothing later moves messages.

    Control commands of the observed queue managers must not come later either.
    """
    names = {fact.event.qmgr for fact in facts}
    return all(isinstance(fact.event, _OBSERVED) for fact in facts) and all(
        each.type in _READ_NO_QUEUE
        or each.type == _COMMAND
        or (each.type in _READ_OWN and each.qmgr not in names)
        for each in later
    )


def add_unread(
    draft: Draft, facts: Sequence[Fact], later: Sequence[StoredEvent], batch: Batch
) -> bool:
    """Add late observations to a batch if nothing follows from them, now or later.

    `later` are the primary facts after the draft's instant; see `may_be_unread`. Return whether the
    observations were added; if not, the draft and the batch must be discarded. They are not added

    - if they change an object that a rule may read, or name an unknown queue manager;
    - if another object of the queue manager, then or later, names a changed one;
    - if any queue manager ever had messages by that instant;
    - if a later observation says something of a changed object, or starts from it, that depends on
      what the object was;
    - if a later command of the queue manager contains the name of a changed object.
    """
    known = draft.estate.qmgrs
    if any(fact.event.qmgr not in known for fact in facts):
        return False
    if any(qmgr.has_messaging for qmgr in known.values()):
        return False
    names = {fact.event.qmgr for fact in facts}
    before = {name: dict(known[name].definitions) for name in names}
    own = {name: _own(known[name]) for name in names}
    derive_all(draft, facts, batch)
    if len(batch.events) > len(facts) or any(_own(known[name]) != own[name] for name in names):
        return False
    changed: dict[str, set[ObjectKey]] = {}
    for name in names:
        was, now = before[name], known[name].definitions
        keys = {key for key in {**was, **now} if differs(was.get(key), now.get(key))}
        if any(reads(*key, each[key].values) for each in (was, now) for key in keys & each.keys()):
            return False
        named = set[str]().union(*(pointed_to(each.values) for each in now.values()))
        if name in draft.estate.assumptions:
            named.update(draft.estate.assumptions[name].queues)
        if not {key[1] for key in keys}.isdisjoint(named):
            return False
        changed[name] = keys
    return not any(_depends(each, changed) for each in later if each.qmgr in names)


def _own(qmgr: QueueManager) -> tuple[object, ...]:
    """Return what an observation may change of a queue manager itself."""
    return qmgr.values, qmgr.cmdlevel, qmgr.version


def _depends(stored: StoredEvent, changed: dict[str, set[ObjectKey]]) -> bool:
    """Return whether what a fact comes to depends on one of these objects of its queue manager."""
    event = decode(stored.type, stored.body)
    if isinstance(event, events.CommandEntered):
        text = event.text.upper()
        return any(name.upper() in text for _, name in changed[event.qmgr])
    if not isinstance(event, _OBSERVED):
        return False
    names = {name for kind, name in changed[event.qmgr] if kind == event.kind}
    queues = {name for kind, name in changed[event.qmgr] if kind == "QUEUE"}
    return any(
        said.base in names
        or (said.name in names and (said.act == "alter" or said.base))
        or (said.name in names and reads(event.kind, said.name, said.values))
        or not pointed_to(said.values).isdisjoint(queues)
        for said in event.said
    )
