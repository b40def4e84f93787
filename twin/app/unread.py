"""Late observations that no rule reads: they are added, and nothing is derived again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from twin import events
from twin.app.batch import Batch, derive_all
from twin.app.facts import Fact
from twin.events.catalogue import column_of, columns_of_all, decode
from twin.fold.estate import QueueManager
from twin.log import StoredEvent
from twin.model.objects import ObjectKey
from twin.rules.assumptions import pointed_to
from twin.rules.commands.observed_objects import differs, reads
from twin.rules.draft import Draft
from twin.rules.observations.unread import read_by_none

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
            *(events.IntervalCounted, events.EvidenceObserved, events.ZoneStated),
        )
    )
)
"""The type columns of primary facts that read no queue: they neither command nor move messages."""

_COMMAND: Final = column_of(events.CommandEntered)
_READ_OWN: Final = frozenset(columns_of_all((events.CommandEntered, events.ControlCommandEntered)))
"""The type columns of primary facts that read queues of their own queue manager only."""


def never_read(facts: Sequence[Fact]) -> bool:
    """Return whether no rule ever reads these facts, so that late ones are just added."""
    return all(read_by_none(fact.event) for fact in facts)


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
