"""Derive what follows from a primary fact.

An MQSC command is carried out by `mqsc_commands`; `_RULES` gives the rule for every other type.

Some observations are read by no rule: late ones are added, and nothing is derived again.

Source: design decision 35.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from twin import events
from twin.events.logged import FAILED_PUTS
from twin.fold.estate import NoSuchQueueManager, QueueManager
from twin.model.messages import Message
from twin.rules import assumptions, consequences, lifecycle, repository_manager
from twin.rules.channels.switching import Switching
from twin.rules.commands import (
    control,
    dead_letters,
    definitions,
    mqsc_commands,
    network_and_restore,
    observed_beliefs,
    observed_channels,
    observed_objects,
)
from twin.rules.commands.read_command import ReadCommand
from twin.rules.draft import Draft
from twin.rules.messages import getting, opening, putting
from twin.rules.observations import identity, own_rows, publication_dates, states
from twin.rules.repository import answers


class Outcome(NamedTuple):
    """The result of a primary fact, for the caller that records it.

    Attributes:
        messages: MQ's messages, for an MQSC command.
        failed: whether the command or call failed.
        opened: the result of an MQOPEN.
        put: the result of an MQPUT.
        got: the result of an MQGET.
        switched: the reply of runswchl, one value for each channel.
        handled: the reply of runmqdlq, in the order of the queue.
    """

    messages: tuple[Message, ...] = ()
    failed: bool = False
    opened: opening.Opened | None = None
    put: putting.Put | None = None
    got: getting.Got | None = None
    switched: tuple[Switching, ...] = ()
    handled: tuple[dead_letters.Handled, ...] = ()

    @property
    def pending(self) -> int:
        """The position of the event that says that the call waits; 0 if it does not wait."""
        call = self.opened or self.put
        return call.pending if call is not None else 0

    def ended(self, result: object) -> Outcome:
        """Return the outcome of a call that waits, with the result that it will have."""
        pending = self.pending
        if isinstance(result, opening.Opened):
            opened = result._replace(pending=pending)
            return self._replace(opened=opened, failed=bool(opened.reason))
        if isinstance(result, putting.Put):
            put = replace(result, pending=pending, positions=())
            return self._replace(put=put, failed=bool(put.reason))
        return self


def derive(draft: Draft, primary: events.Event, command: ReadCommand | None = None) -> Outcome:
    """Emit a primary fact on a draft, and then the facts that follow from it.

    `command` is the parsed MQSC command of the fact, if the caller has parsed it already.

    Raises:
        ControlRefused: if MQ would refuse the fact's control command.
        NoSuchQueueManager: if the fact names a queue manager that does not exist.
    """
    if isinstance(primary, events.CommandEntered):
        draft.qmgr(primary.qmgr)
        draft.emit(primary)
        reply = mqsc_commands.carry_out(draft, primary, command)
        outcome = Outcome(reply.messages, failed=reply.failed)
    else:
        outcome = _RULES[type(primary)](draft, primary) or Outcome()
    repository_manager.attend(draft, primary.qmgr)
    consequences.settle(draft)
    lifecycle.play(draft, upto=draft.at)  # the fact may have added something that is already due
    return outcome


def derive_together(
    draft: Draft, statements: Sequence[events.StatedObservation]
) -> list[Callable[[], None]]:
    """Emit statements of one instant, and return for each what derives what follows from it.

    They are all about objects, or all about records. Nothing follows before all of them are
    emitted, so their order decides nothing.
    """
    qmgrs = [each.qmgr for each in statements]
    follow = _taken_in(draft, statements)
    first = [tuple(qmgrs), *(() for _ in qmgrs[1:])]  # all are identified before anything follows
    return [partial(_follow, draft, *each) for each in zip(qmgrs, first, follow, strict=True)]


def _taken_in(
    draft: Draft, statements: Sequence[events.StatedObservation]
) -> list[Callable[[], None]]:
    objects = [each for each in statements if isinstance(each, events.ObjectsObserved)]
    records = [each for each in statements if isinstance(each, events.BeliefsObserved)]
    return [
        *(
            partial(_follow_objects, draft, each)
            for each in observed_objects.take_in(draft, objects)
        ),
        *(
            partial(_follow_beliefs, draft, each)
            for each in observed_beliefs.take_in(draft, records)
        ),
    ]


def _follow_objects(draft: Draft, taken: observed_objects.Taken) -> None:
    observed_objects.follow(draft, taken)
    publication_dates.date(draft, draft.qmgr(taken.qmgr))


def _follow_beliefs(draft: Draft, taken: observed_beliefs.TakenBeliefs) -> None:
    if taken.first_seen is not None:
        draft.emit(taken.first_seen)
    own_rows.follow(draft, taken.observed)
    observed_beliefs.follow(draft, taken)
    if (observer := draft.estate.qmgrs.get(taken.qmgr)) is not None:
        assumptions.answer(draft, observer)
        publication_dates.date(draft, observer)


def _follow(
    draft: Draft, qmgr: str, first_seen: tuple[str, ...], derive_from: Callable[[], None]
) -> None:
    identity.identify(draft, first_seen)
    _recall(draft, qmgr)
    derive_from()
    _apply_seen_before(draft, qmgr)
    _assume(draft, qmgr)
    repository_manager.attend(draft, qmgr)
    consequences.settle(draft)
    lifecycle.play(draft, upto=draft.at)


def derive_again(draft: Draft, primary: events.Event) -> None:
    """Derive again what follows from a recorded fact, because a late fact was inserted before it.

    A fact that can no longer be carried out has no consequences, as if it had been refused.
    """
    try:
        derive(draft, primary)
    except (control.ControlRefused, NoSuchQueueManager):
        return


def _control(draft: Draft, primary: events.ControlCommandEntered) -> Outcome:
    draft.emit(primary)
    report = control.carry_out(draft, primary)
    return Outcome(
        switched=tuple(each for each in report if isinstance(each, Switching)),
        handled=tuple(each for each in report if isinstance(each, dead_letters.Handled)),
    )


def _handle_closed(draft: Draft, primary: events.HandleClosed) -> Outcome:
    qmgr = draft.qmgr(primary.qmgr)
    if names := answers.opening_of(qmgr, primary.handle):
        draft.emit(primary)
        answers.begin(draft, qmgr, names, closed=replace(primary, origin=None))
        return Outcome()
    failed = primary.handle not in qmgr.messaging.handles
    draft.emit(primary)
    return Outcome(failed=failed)


def _stated(draft: Draft, primary: events.StatedObservation) -> None:
    for follow in _taken_in(draft, [primary]):
        identity.identify(draft, [primary.qmgr])
        _recall(draft, primary.qmgr)
        follow()
    _apply_seen_before(draft, primary.qmgr)
    _assume(draft, primary.qmgr)


def _recall(draft: Draft, qmgr: str) -> None:
    if (known := draft.estate.qmgrs.get(qmgr)) is not None:
        observed_channels.recall(draft, known)
        if known.created == draft.at:
            states.of_new(draft, known)


def _apply_seen_before(draft: Draft, name: str) -> None:
    """Derive what follows from the states that were seen before a queue manager was known.

    The instant at which it becomes known is that of its first definitions. A queue manager that
    said its QMID ran then, whatever was seen before.
    """
    qmgr, seen_before = draft.estate.qmgrs.get(name), draft.estate.seen_before.get(name)
    if qmgr is None or seen_before is None or qmgr.created != draft.at:
        return
    for _, event in seen_before.in_order():
        if not qmgr.says_qmid or not isinstance(event, events.QueueManagerStatusObserved):
            _SEEN_BEFORE[type(event)](draft, qmgr, event)


_SEEN_BEFORE: Final[dict[type[events.Event], Callable[[Draft, QueueManager, Any], None]]] = {
    events.ListenersObserved: states.listeners,
    events.QueueManagerStatusObserved: states.queue_manager,
    events.RepositoryManagerObserved: states.repository,
    events.SuspensionObserved: states.suspension,
    events.TransmissionQueueObserved: states.transmission_queue,
}


def _assume(draft: Draft, qmgr: str) -> None:
    if (known := draft.estate.qmgrs.get(qmgr)) is not None:
        assumptions.bring_up_to_date(draft, known)


_Rule: TypeAlias = Callable[[Draft, Any], Outcome | None]


def _at_qmgr(rule: Callable[[Draft, QueueManager, Any], Outcome | None]) -> _Rule:
    """Return a rule that emits a fact about an existing queue manager and then calls `rule`."""

    def derive_at(draft: Draft, primary: events.Event) -> Outcome | None:
        qmgr = draft.qmgr(primary.qmgr)
        draft.emit(primary)
        return rule(draft, qmgr, primary)

    return derive_at


def _observed(rule: Callable[[Draft, QueueManager, Any], None]) -> _Rule:
    """Return a rule that emits an observation, and calls `rule` if its queue manager is known."""

    def derive_observed(draft: Draft, primary: events.Event) -> None:
        draft.emit(primary)
        if (qmgr := draft.estate.qmgrs.get(primary.qmgr)) is not None:
            rule(draft, qmgr, primary)

    return derive_observed


def _call(name: str, call: Callable[[Draft, QueueManager, Any], Any]) -> _Rule:
    """Return the rule for a call of an application; its result goes to `Outcome.<name>`."""

    def derive_call(draft: Draft, qmgr: QueueManager, primary: events.Event) -> Outcome:
        result = call(draft, qmgr, primary)
        return Outcome(failed=bool(result.reason), **{name: result})

    return _at_qmgr(derive_call)


_RULES: Final[dict[type[events.Event], _Rule]] = {
    events.ControlCommandEntered: _control,
    events.QueueOpened: _call("opened", opening.carry_out),
    events.HandleClosed: _handle_closed,
    events.PutEntered: _call("put", putting.put),
    events.GetEntered: _call("got", getting.get),
    events.LinkChanged: network_and_restore.link_changed,
    events.AssumptionSet: assumptions.set_by,
    events.ReadingChosen: Draft.emit,
    events.TimePassed: Draft.emit,
    events.BranchRetired: Draft.emit,
    events.ImportBegun: Draft.emit,
    events.ImportEnded: Draft.emit,
    events.QueueManagerRestored: network_and_restore.restored,
    events.RepositoryStorageExhausted: network_and_restore.storage_exhausted,
    events.PageSetFilled: network_and_restore.storage_exhausted,
    events.QueueManagerFirstSeen: network_and_restore.first_seen,
    events.QueueManagerObserved: _at_qmgr(
        lambda draft, qmgr, primary: definitions.attributes_changed(
            draft, qmgr, set(primary.values)
        )
    ),
    events.ObjectObserved: definitions.object_observed,
    events.ObjectVanished: definitions.object_observed,
    events.ObjectsObserved: _stated,
    events.BeliefsObserved: _stated,
    events.ChannelObserved: _observed(states.channel),
    events.ChannelsListed: _observed(states.listed),
    events.QueueManagerStatusObserved: _observed(states.queue_manager),
    events.SuspensionObserved: _observed(states.suspension),
    events.ClusterCommandObserved: _observed(states.cluster_command),
    events.ListenersObserved: _observed(states.listeners),
    events.TransmissionQueueObserved: _observed(states.transmission_queue),
    events.RepositoryManagerObserved: _observed(states.repository),
    events.QueueManagerReplaced: Draft.emit,
    events.RenewalOverdueObserved: Draft.emit,
    events.DepthsObserved: Draft.emit,
    events.ConfigurationObserved: Draft.emit,
    events.IntervalCounted: Draft.emit,
    events.EvidenceObserved: Draft.emit,
    events.ZoneStated: Draft.emit,
    events.SeenAgain: Draft.emit,
    events.QueueManagerGone: network_and_restore.gone,
    events.ChannelHeld: _at_qmgr(lambda _draft, _qmgr, _primary: None),
    events.ChannelReleased: _at_qmgr(observed_channels.released),
}
"""Type of a primary fact -> the rule that emits it and derives what follows."""


_READ_BY_NONE: Final = (
    events.DepthsObserved,
    events.IntervalCounted,
    events.QueueManagerReplaced,
    events.ZoneStated,
)


def read_by_none(event: events.Event) -> bool:
    """Return whether nothing can ever follow from an observation, whatever is known."""
    if isinstance(event, events.ClusterCommandObserved):
        return not event.done
    if isinstance(event, events.EvidenceObserved):
        return event.id not in FAILED_PUTS
    return isinstance(event, _READ_BY_NONE)
