"""How much each member of a cluster has to carry, and what further members would add.

Sources: IBM MQ, "Selecting queue managers to hold full repositories" (a full repository holds all
records, and all members send to it); 9.4, "How long do the queue manager repositories retain
information?" (each record is renewed every 27 days).

How many channels a queue manager may have at once is told where it is known.

Sources: IBM MQ 9.3, "Channels stanza of the qm.ini file" (MaxChannels, 100 by default;
MaxActiveChannels, by default the value of MaxChannels); "ALTER QMGR" (z/OS: MAXCHL and ACTCHL, 200
by default).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from statistics import median_high
from typing import Final, NamedTuple

from twin.fold.estate import ChannelState, Estate, QueueManager
from twin.model.amounts import whole_number
from twin.model.basis import Basis, Source, Unknown, weakest
from twin.model.instants import DAY, RESEND_AFTER, AsOf, Instant
from twin.model.platforms import ZOS
from twin.questions.answer import Answer, BasedRow, Row
from twin.questions.basis import basis_of_content
from twin.questions.not_modelled import notes_of_direct_topics, topics_of
from twin.questions.sender_channels import inbound
from twin.rules import membership
from twin.rules.channels import channel_status

_DEFAULT: Final = 100
_DEFAULT_ZOS: Final = 200


class ChannelLimit(NamedTuple):
    """The smallest limit of the number of channels, and what sets it."""

    limit: int
    name: str


def settles_limit(qmgr: QueueManager) -> Source:
    """Return what shows how many channels a queue manager may have, and which it adopts."""
    return Source.QMGR if qmgr.platform == ZOS else Source.CONFIGURATION


def channel_limit(qmgr: QueueManager) -> ChannelLimit | None:
    """Return the limit of a queue manager; None if it is not known.

    See `channel_status.knows_configuration`.
    """
    if not channel_status.knows_configuration(qmgr):
        return None
    if qmgr.platform == ZOS:
        limits = [
            ChannelLimit(int(str(qmgr.values.get(name, _DEFAULT_ZOS))), name)
            for name in ("MAXCHL", "ACTCHL")
        ]
        return min(limits, default=None)
    given = {"MAXCHANNELS": str(_DEFAULT), **channel_status.stanza(qmgr, "Channels")}
    limits = [
        ChannelLimit(number, name)
        for name in ("MaxChannels", "MaxActiveChannels")
        if (number := whole_number(given.get(name.upper(), ""))) is not None
    ]
    return min(limits, default=None)


ALL_CLUSTERS: Final = "*"
"""What stands for a cluster in a row about all clusters of a queue manager."""

SENDING: Final = "sending"
RECEIVING: Final = "receiving"
RUNNING: Final = "running"
RECORDS: Final = "records"
OWN_RECORDS: Final = "own-records"
RENEWALS: Final = "renewals-per-day"
CHANNELS: Final = "channels"

_ESTIMATE: Final = (
    "then is assumed: as if each further member were like the median partial repository"
)
_DAYS: Final = RESEND_AFTER // DAY
_SHOWN: Final = 20
_IDLE: Final = ("INACTIVE",)


@dataclass(slots=True)
class _Load:
    """What one member has to carry in one cluster.

    Attributes:
        qmgr: the member.
        is_full: whether it is a full repository of the cluster.
        sending: how many cluster-sender channels it knows.
        to_partial: how many of them lead to partial repositories.
        receiving: how many members know a channel to it.
        from_partial: how many of them are partial repositories.
        records, own: how many records it holds, and how many of them are its own.
        running: how many channels are current; None if nobody saw.
        evidence: the positions of some of its records.
        basis: what the records rest on.
    """

    qmgr: QueueManager
    is_full: bool
    sending: int = 0
    to_partial: int = 0
    receiving: int = 0
    from_partial: int = 0
    records: int = 0
    own: int = 0
    running: int | None = None
    evidence: tuple[int, ...] = ()
    basis: Basis = Basis.DERIVED

    def figures(self) -> dict[str, int | None]:
        """Return the figures of now."""
        return {
            SENDING: self.sending,
            RECEIVING: self.receiving,
            RUNNING: self.running,
            RECORDS: self.records,
            OWN_RECORDS: self.own,
            RENEWALS: renewals(self.records),
        }


@dataclass(frozen=True, slots=True)
class _Growth:
    """What some further partial repositories add, each like the median one.

    Attributes:
        number: how many there are.
        members: how many partial repositories there are now.
        own: how many records each publishes.
        sends, receives: how many partial repositories each sends to, and how many send to it.
    """

    number: int
    members: int
    own: int
    sends: int
    receives: int

    def figures(self, load: _Load) -> dict[str, int | None]:
        """Return the figures of a member with them; what they use is spread evenly, rounded up."""
        known = self.number if load.is_full else self._spread(self.receives)
        known_by = self.number if load.is_full else self._spread(self.sends)
        records = load.records + known * self.own
        return {
            SENDING: load.sending + known,
            RECEIVING: load.receiving + known_by,
            RUNNING: None,
            RECORDS: records,
            OWN_RECORDS: load.own,
            RENEWALS: renewals(records),
        }

    def _spread(self, uses: int) -> int:
        return -(-self.number * uses // self.members)


def renewals(records: int) -> int:
    """Return how many of some records are renewed each day on average, rounded up."""
    return -(-records // _DAYS)


def capacity(
    estate: Estate,
    as_of: AsOf,
    *,
    on: str | None = None,
    cluster: str | None = None,
    figure: str | None = None,
    add: int | str | None = None,
    basis: str | None = None,
) -> Answer:
    """List what each member has to carry: channels, records, renewals; and with `add`, then.

    A row is a figure of a member in a cluster; `channels` are those of all its clusters together,
    beside the limit of the queue manager. Client connections count for that limit too, and are not
    in the figure. What nobody knows is null.

    Raises:
        NoSuchQueueManager: when there is no queue manager `on`.
    """
    if on is not None:
        estate.qmgr(on)
    number = None if add is None else int(add)
    loads = _loads(estate, as_of.valid)
    rows = [
        row
        for row in _rows(loads, number)
        if on in (None, row.row["qmgr"])
        and cluster in (None, row.row["cluster"])
        and figure in (None, row.row["figure"])
    ]
    is_estimated = any(row.row["then"] is not None for row in rows)
    notes = (_ESTIMATE,) if is_estimated else ()
    direct = notes_of_direct_topics(topics_of(estate), only=cluster) if rows else ()
    return Answer.based("capacity", as_of, rows, basis=basis, notes=(*notes, *direct))


def _loads(estate: Estate, at: Instant) -> dict[str, dict[str, _Load]]:
    """Return the load of each member, by cluster and name."""
    loads: dict[str, dict[str, _Load]] = defaultdict(dict)
    for name, qmgr in sorted(estate.qmgrs.items()):
        for cluster in membership.clusters_joined(qmgr):
            load = loads[cluster][name] = _Load(qmgr, membership.is_full(qmgr, cluster))
            _count_records(estate, load, cluster)
    arriving = inbound(estate, at)
    for cluster, members in loads.items():
        for load in members.values():
            _count_channels(estate, load, members, cluster)
        for load in members.values():
            load.running = _running(load.qmgr, cluster, at, arriving)
    return dict(sorted(loads.items()))


def _count_records(estate: Estate, load: _Load, cluster: str) -> None:
    bases, positions = [], []
    for key, owners in load.qmgr.repository.beliefs.items():
        if key[0] == cluster:
            load.records += len(owners)
            load.own += load.qmgr.qmid in owners
            positions += [belief.position for belief in owners.values()]
            if load.qmgr.observed:
                bases += [basis_of_content(load.qmgr, key, belief) for belief in owners.values()]
    load.evidence = tuple(sorted({each for each in positions if each}))[-_SHOWN:]
    if bases:
        load.basis = weakest(bases)


def _count_channels(
    estate: Estate, load: _Load, members: Mapping[str, _Load], cluster: str
) -> None:
    for (of, owner), channels in load.qmgr.repository.routes.items():
        if of != cluster or owner == load.qmgr.qmid:
            continue
        other = members.get(estate.names.get(owner, ""))
        load.sending += len(channels)
        load.to_partial += 0 if other is not None and other.is_full else len(channels)
        if other is not None and other.qmgr.qmid == owner:
            other.receiving += len(channels)
            other.from_partial += 0 if load.is_full else len(channels)


def _running(
    qmgr: QueueManager,
    cluster: str,
    at: Instant,
    arriving: Mapping[tuple[str, str], list[ChannelState]],
) -> int | None:
    """Return how many channels of a cluster are current; None if nobody saw their status."""
    if qmgr.is_only_observed and not qmgr.activity.seen.channels:
        return None
    to = {
        channel
        for (of, owner), channels in qmgr.repository.routes.items()
        if of == cluster and owner != qmgr.qmid
        for channel in channels
    }
    to |= {definition.name for definition, _ in membership.channels_of(qmgr, "CLUSSDR", cluster)}
    states = [channel_status.current_state(qmgr, channel, at) for channel in sorted(to)]
    sending = sum(state is not None and state.status not in _IDLE for state in states)
    receivers = membership.channels_of(qmgr, "CLUSRCVR", cluster)
    return sending + sum(len(arriving.get((qmgr.name, each.name), ())) for each, _ in receivers)


def _growth(loads: Iterable[_Load], number: int | None) -> _Growth | None:
    """Return what further partial repositories add; None if there is none to be like."""
    partial = [load for load in loads if not load.is_full]
    if number is None or not partial:
        return None
    return _Growth(
        number,
        len(partial),
        median_high(load.own for load in partial),
        median_high(load.to_partial for load in partial),
        median_high(load.from_partial for load in partial),
    )


def _rows(loads: Mapping[str, Mapping[str, _Load]], number: int | None) -> Iterator[BasedRow]:
    totals: dict[str, list[tuple[_Load, int, int | None]]] = defaultdict(list)
    for cluster, members in loads.items():
        growth = _growth(members.values(), number)
        for name, load in members.items():
            now = load.figures()
            then = growth.figures(load) if growth is not None else dict.fromkeys(now)
            for figure, value in now.items():
                yield _row((cluster, name, figure), value, then[figure], load)
            both = then[SENDING], then[RECEIVING]
            later = None if None in both else sum(each or 0 for each in both)
            totals[name].append((load, load.sending + load.receiving, later))
    for name, parts in sorted(totals.items()):
        load = parts[0][0]
        afterwards = [later for _, _, later in parts]
        total = None if None in afterwards else sum(each or 0 for each in afterwards)
        yield _row((ALL_CLUSTERS, name, CHANNELS), sum(now for _, now, _ in parts), total, load)


def _row(key: tuple[str, str, str], now: int | None, then: int | None, load: _Load) -> BasedRow:
    """Return a row; what it says about further members is assumed."""
    is_limited, name = key[2] == CHANNELS, load.qmgr.name
    limit = channel_limit(load.qmgr) if is_limited else None
    needed = now if then is None else then
    unset = Unknown(name, settles_limit(load.qmgr)) if is_limited else None
    row: Row = {
        "cluster": key[0],
        "qmgr": key[1],
        "figure": key[2],
        "now": Unknown(name, Source.CHANNELS) if now is None else now,
        "then": then,
        "limit": limit.limit if limit else unset,
        "limited_by": limit.name if limit else unset,
        "enough": unset if limit is None or needed is None else needed <= limit.limit,
    }
    estimated = {"then": Basis.ASSUMED, "enough": Basis.ASSUMED} if then is not None else {}
    bases = {column: basis for column, basis in estimated.items() if row[column] is not None}
    return BasedRow(row, load.evidence, {"now": load.basis, **bases})
