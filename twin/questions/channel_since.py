"""Since when a channel has its status: what a capture shows of that, and what follows from it.

A capture shows a status, and seldom when it began. CHSTADA and CHSTATI say so of a running channel.
Of a RETRYING one, SHORTRTS and LONGRTS are the retries that are left: those that were made, and
their intervals, bound the failure. It was at the latest the time of all these intervals before the
capture, and at the earliest one interval before that, if each attempt fails at once. Over a path on
which packets vanish each attempt takes up to 127 s, so the failure was that much earlier. This
dates the present series only: START CHANNEL or a restart begins a new one. All other statuses
began at the latest when they were first seen, and after another status was last seen.

The intervals are those of the record that the queue manager holds of its partner, else of the
partner's CLUSRCVR, else of the manual definition, else the defaults.

Sources: IBM MQ 9.2, "DISPLAY CHSTATUS" (SHORTRTS, LONGRTS: the attempts left; CHSTADA, CHSTATI);
9.1, "Short retry interval", "Long retry interval".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from twin.fold.estate import ChannelState, Estate, QueueManager
from twin.fold.seen_retries import retries_of
from twin.fold.seen_states import SeenRetries, SeenStatus
from twin.model.attributes import Value
from twin.model.basis import Basis
from twin.model.instants import Instant
from twin.model.retries import Retries
from twin.model.silence import CONNECT_TIMEOUT
from twin.rules import membership, standing
from twin.rules.channels import channel_status

_INACTIVE: Final = "INACTIVE"
_RETRYING: Final = "RETRYING"


class StatusBegin(NamedTuple):
    """Since when a channel has its status.

    Attributes:
        at: when that was at the latest, or exactly; None if it is not known.
        earliest: when that was at the earliest; None if it is not known, or `at` is exact.
        basis: what `at` rests on.
        attempts: of a RETRYING channel: the retries that have failed by then.
        silently: of a RETRYING channel: how much earlier it may have failed over a silent path.
    """

    at: Instant | None
    earliest: Instant | None
    basis: Basis
    attempts: int | None = None
    silently: Instant = 0


def since(
    estate: Estate, qmgr: QueueManager, channel: str, state: ChannelState | None, at: Instant
) -> StatusBegin:
    """Return since when a channel has the status of `state`; without one it is INACTIVE."""
    began = channel_status.disconnected_at(qmgr, channel, at) if state is None else state.since
    seen = _seen(qmgr, channel, state, began or 0)
    unseen = Basis.ASSUMED if qmgr.is_only_observed else Basis.DERIVED
    if seen is None:
        return StatusBegin(began, None, unseen, _made(qmgr, channel, state, at))
    if seen.began is not None:
        return StatusBegin(seen.began, None, Basis.OBSERVED)
    first = seen.at if seen.first is None else seen.first
    if seen.status == _INACTIVE and seen.other is None:  # it may never have run
        return StatusBegin(None, None, Basis.DERIVED)
    if qmgr.started is not None and first < qmgr.started <= seen.at and qmgr.started > qmgr.created:
        return StatusBegin(seen.at, qmgr.started, Basis.DERIVED)
    left = qmgr.activity.seen.retries.get(channel)
    if seen.status != _RETRYING or left is None or left.at < first:
        made = None if qmgr.is_only_observed else _made(qmgr, channel, state, at)
        return StatusBegin(first, seen.other, Basis.DERIVED, made)
    values = _values(estate, qmgr, channel, seen.partner or (state.partner if state else ""))
    return _by_retries(seen, left, Retries.of(values), at)


def _seen(
    qmgr: QueueManager, channel: str, state: ChannelState | None, began: Instant
) -> SeenStatus | None:
    """Return the sight of a status that a channel still has; None if nobody saw it.

    What began later, on a branch, is another status: a channel ran, and is INACTIVE again.
    """
    seen = qmgr.activity.seen.of_channel(channel) if qmgr.observed else None
    if seen is None or seen.status != (_INACTIVE if state is None else state.status):
        return None
    goes_on = qmgr.simulated and began <= seen.at
    return seen if goes_on or standing.stands(qmgr, channel) else None


def _made(qmgr: QueueManager, channel: str, state: ChannelState | None, at: Instant) -> int | None:
    """Return how many retries have failed since a channel was seen RETRYING."""
    if state is None or state.status != _RETRYING:
        return None
    return sum(retries_of(qmgr, channel, state).made(state.since, at))


def _by_retries(seen: SeenStatus, left: SeenRetries, all_: Retries, at: Instant) -> StatusBegin:
    """Bound a failure by the retries that were left when they were last seen."""
    short, long = all_.short_count - left.short, all_.long_count - left.long
    if short < 0 or long < 0:  # the definition has changed since
        return StatusBegin(seen.first, seen.other, Basis.DERIVED)
    latest = left.at - short * all_.short_every - long * all_.long_every
    every = all_.short_every if left.short else all_.long_every
    later = all_._replace(short_count=left.short, long_count=left.long).made(left.at, at)
    earliest = latest - every
    if seen.other is not None:  # it had another status then
        earliest = min(max(earliest, seen.other), latest)
    made = short + long
    silently, first = made * CONNECT_TIMEOUT, latest if seen.first is None else seen.first
    if latest - every - silently <= first < latest:  # this series was seen when it was younger
        latest, earliest, silently = first, min(earliest, first), silently - (latest - first)
    return StatusBegin(latest, earliest, Basis.DERIVED, made + sum(later), max(silently, 0))


def _values(estate: Estate, qmgr: QueueManager, channel: str, partner: str) -> Mapping[str, Value]:
    """Return the attributes that a channel runs with, as far as they are known."""
    other = estate.qmgrs.get(partner)
    for cluster in membership.clusters_joined(qmgr):
        held = qmgr.repository.instances(cluster, "qmgr", channel)
        for owner, belief in held.items():
            if len(held) == 1 or (other is not None and owner == other.qmid):
                return belief.values
    ends = estate.ends.get((channel, "CLUSRCVR"), {})
    for name in [partner] if partner in ends else ends:
        return estate.qmgrs[name].definitions["CHANNEL", channel].values
    definition = qmgr.definitions.get(("CHANNEL", channel))
    return {} if definition is None else definition.values
