"""Measure the effects that probes of findings name, in a rehearsal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from twin.app.rehearsing import Rehearsal
from twin.events import MessagesArrived
from twin.model.instants import MINUTE
from twin.model.reasons import reason_name
from twin.mqsc.readback import read_back
from twin.questions.doctor.finding import Probe
from twin.questions.explanation import ExplainRequest
from twin.questions.put_outcome import put_outcome
from twin.questions.sender_channels import SenderChannels

MeasuredRows: TypeAlias = tuple[tuple[str, ...], ...]
"""What a probe finds: rows of words."""

_SHOWN: Final = 4
"""How many rows of an answer are shown."""

_NO_QUEUE: Final = "TWIN.DOCTOR.NO.SUCH.QUEUE"
"""The queue of a message that cannot be put."""


class Measured(NamedTuple):
    """What a probe found.

    Attributes:
        rows: in rows of words.
        fails: whether a put ended in a reason code, was lost, or goes round for ever.
        delivered: whether a put was delivered as a whole.
    """

    rows: MeasuredRows
    fails: bool = False
    delivered: bool = False


def measure(probe: Probe, rehearsal: Rehearsal) -> Measured:
    """Return what a probe finds in a rehearsal."""
    return _MEASURES[probe.kind](probe, rehearsal)


def _opened(probe: Probe, rehearsal: Rehearsal) -> Measured:
    """Put messages, one after the other, and follow them to their ends."""
    trial = rehearsal.fork()
    puts = [_put(probe, trial) for _ in range(probe.turns)]
    ends = dict.fromkeys(row for put in puts for row in put.rows)
    return Measured(tuple(ends), fails=any(put.fails for put in puts))


def _put(probe: Probe, trial: Rehearsal) -> Measured:
    """Put a message; return its ends. It fails by a reason code, a loss or a loop."""
    decided = len(trial.decided)
    put = trial.put(probe.on, probe.name, to=probe.to)
    trial.advance(trial.now() + MINUTE)
    if put.pending:
        decided = len(trial.decided)
        put = trial.put(probe.on, probe.name, to=probe.to)
    if put.reason:
        return Measured(((f"{put.reason} {reason_name(put.reason)}",),), fails=True)
    events = [each.event for each in trial.decided[decided:]]
    outcome = put_outcome(trial.estate, probe.on, put, events, at=trial.now())
    if outcome.delivered == outcome.messages:
        arrivals = [each for each in events if isinstance(each, MessagesArrived)]
        at = [
            each.qmgr
            for each in arrivals
            if any(parcel.put in put.positions for parcel in each.parcels)
        ] or [probe.on]
        return Measured(((f"delivered at {at[-1]}",),), delivered=True)
    fails = bool(outcome.lost or outcome.dead_lettered or outcome.circulating)
    return Measured(tuple((each,) for each in outcome.lines(at=probe.on))[1:], fails=fails)


def _failed_over(probe: Probe, rehearsal: Rehearsal) -> Measured:
    """End the preferred queue managers; put when their channels have failed, and follow the put."""
    trial = rehearsal.fork()
    for name in probe.ended:
        if trial.estate.qmgr(name).running:
            trial.endmqm(name)
    _put(probe, trial)  # it starts the channel
    put = _put(probe, trial)
    return put._replace(fails=not put.delivered)


def _routed(probe: Probe, rehearsal: Rehearsal) -> Measured:
    explanation = rehearsal.explain(probe.on, ExplainRequest(queue=probe.name, bind="notfixed"))
    rows = explanation.trace.rows() if explanation.trace is not None else []
    return Measured(tuple((_taken(row),) for row in rows))


def _steady(probe: Probe, rehearsal: Rehearsal) -> Measured:
    """Return the queue managers to which puts go now; it fails where they do not arrive."""
    if not rehearsal.estate.qmgr(probe.on).running:
        return Measured((), fails=True)
    explanation = rehearsal.explain(probe.on, ExplainRequest(queue=probe.name, bind="notfixed"))
    rows = explanation.trace.rows() if explanation.trace is not None else []
    used = {str(row["qmgr"]) for row in rows if row["removed_by"] in (None, "", "weight")}
    alone = explanation.alone[0]
    fails = bool(explanation.reason or explanation.block)
    return Measured(tuple((each,) for each in sorted(used or {alone})), fails=fails)


def _taken(row: Mapping[str, object]) -> str:
    """Return whether a route is used: those that only the weight leaves out come later."""
    by = row["removed_by"]
    return (
        f"{row['qmgr']} left out by {by}" if by and by != "weight" else f"{row['qmgr']} takes turns"
    )


def _displayed(probe: Probe, rehearsal: Rehearsal) -> Measured:
    trial = rehearsal.fork()
    if probe.before:
        trial.runmqsc(probe.on, probe.before)
    read = read_back("\n".join(trial.runmqsc(probe.on, probe.name).lines))
    rows = (
        tuple(
            keyword if value is None else f"{keyword}({value})" for keyword, value in record.cells
        )
        for record in read.records
        if record.cells
    )
    return Measured(tuple(sorted(rows)))


def _transmission_queue(probe: Probe, rehearsal: Rehearsal) -> Measured:
    senders = SenderChannels(rehearsal.estate.qmgr(probe.on))
    association = senders.association(probe.name)
    used = " or ".join(association.candidates) or association.queue
    following = " or ".join(senders.queues.select(probe.name).candidates)
    both = f"{used} now, {following} after its next start"
    return Measured(((used if following == used else both,),))


def _undelivered(probe: Probe, rehearsal: Rehearsal) -> Measured:
    trial = rehearsal.fork()
    trial.put(probe.on, _NO_QUEUE, to=probe.to)
    trial.advance(trial.now() + MINUTE)
    state = trial.estate.qmgr(probe.on).activity.channels.get(probe.name)
    if state is None:
        return Measured((("it did not start",),))
    reason = f" ({state.reason})" if state.reason else ""
    return Measured(((f"{state.status}{reason}",),))


def difference(before: MeasuredRows, after: MeasuredRows) -> str:
    """Return how a measure changed, in words: only the rows and words that differ."""
    was = tuple(row for row in before if row not in after)
    now = tuple(row for row in after if row not in before)
    if len(was) == len(now) == 1 and len(was[0]) == len(now[0]):
        pairs = [(one, other) for one, other in zip(was[0], now[0], strict=True) if one != other]
        was, now = (tuple(one for one, _ in pairs),), (tuple(other for _, other in pairs),)
    return f"{written(was)} -> {written(now)}"


def written(found: MeasuredRows) -> str:
    """Return rows in words; of many only the first."""
    rows = [" ".join(row) for row in found[:_SHOWN]]
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return "; ".join(rows) + more if rows else "nothing"


_MEASURES: Final[Mapping[str, Callable[[Probe, Rehearsal], Measured]]] = MappingProxyType(
    {
        "open": _opened,
        "refused": lambda probe, rehearsal: _opened(probe, rehearsal)._replace(fails=False),
        "failover": _failed_over,
        "routes": _routed,
        "steady": _steady,
        "display": _displayed,
        "definition": _displayed,
        "transmission-queue": _transmission_queue,
        "undelivered": _undelivered,
    }
)


def described(probe: Probe) -> str:
    """Return what a probe looks at, in words."""
    to, ended = f" for {probe.to}" if probe.to else "", " and ".join(probe.ended)
    put = f"a put to {probe.name}{to} at {probe.on}"
    words = {
        "open": put,
        "refused": put,
        "failover": f"a put to {probe.name} at {probe.on} after {ended} ended",
        "routes": f"routes to {probe.name} from {probe.on}",
        "steady": f"puts to {probe.name} at {probe.on} go elsewhere while nothing has failed",
        "undelivered": f"{probe.name} at {probe.on}, when a message cannot be put at {probe.to}",
        "transmission-queue": f"the transmission queue of {probe.name} at {probe.on}",
    }
    return words.get(probe.kind) or f"{probe.name} at {probe.on}"
