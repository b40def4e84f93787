"""What feeds last said of a queue manager, its channels and its queues."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeVar

from twin.model.instants import Instant
from twin.model.names import generic
from twin.model.objects import SENDING

_COLLECTIONS: Final = 9
"""How many of the last collections are remembered: enough to tell how often they come."""


class SeenStatus(NamedTuple):
    """A status as it was last observed.

    Attributes:
        at: the instant of the observation.
        status: the word of MQSC.
        position: the position of the observation.
        repeated: whether only CLUSQMGR said it, which may lag behind CHSTATUS.
        kind: of a channel: its CHLTYPE, as far as it was shown.
        partner: of a channel: the queue manager at its other end, as far as it was shown.
        first: of a channel: when this status was first seen; it may have begun before.
        other: of a channel: when another status was last seen before that.
        began: of a channel: when this status began, if it was shown.
        listed: whether a complete answer lacked the channel, so that no instance of it is active.
    """

    at: Instant
    status: str
    position: int
    repeated: bool = False
    kind: str = ""
    partner: str = ""
    first: Instant | None = None
    other: Instant | None = None
    began: Instant | None = None
    listed: bool = False

    @property
    def rank(self) -> tuple[Instant, bool, str]:
        """Its sort key: of two of one instant, CHSTATUS counts, and then the greater word."""
        return self.at, not self.repeated, self.status


class SeenRow(NamedTuple):
    """A row of CHSTATUS as it was last observed: one instance of a channel.

    Attributes:
        at: the instant of the observation.
        status: its status; '' of a SAVED row.
        cells: the other columns as they were shown.
        position: the position of the observation.
        kind: its CHLTYPE.
        address: its CONNAME.
        partner: its RQMNAME.
        saved: whether it is a SAVED row.
    """

    at: Instant
    status: str
    cells: Mapping[str, str]
    position: int
    kind: str = ""
    address: str = ""
    partner: str = ""
    saved: bool = False


class SeenCells(NamedTuple):
    """The columns of a status as they were last observed, and where."""

    at: Instant
    cells: Mapping[str, str]
    position: int


class SeenDepth(NamedTuple):
    """The depth of a queue as it was last observed.

    Attributes:
        at: the instant of the observation.
        depth: the messages on the queue.
        position: the position of the observation.
        filled: since when it was seen with messages each time; None if it has none.
    """

    at: Instant
    depth: int
    position: int
    filled: Instant | None = None


class SeenBatch(NamedTuple):
    """Whether a channel had a batch in doubt, as it was last observed.

    Attributes:
        at: the instant of the observation.
        in_doubt: whether it had one.
        messages: the messages in it; 0 if nothing said how many.
        position: the position of the observation.
    """

    at: Instant
    in_doubt: bool
    messages: int
    position: int


class SeenRetries(NamedTuple):
    """The retries that a channel had left, as they were last observed.

    Attributes:
        at: the instant of the observation.
        short: the short retries.
        long: the long retries.
    """

    at: Instant
    short: int
    long: int


class SeenStart(NamedTuple):
    """When a queue manager had started, as it was last observed.

    Attributes:
        at: the instant of the observation.
        started: the instant of the start.
    """

    at: Instant
    started: Instant


class SeenList(NamedTuple):
    """A complete list of channels with a status, as it was last observed.

    Attributes:
        at: the instant of the observation.
        shown: the channels in it.
        position: the position of the observation.
    """

    at: Instant
    shown: tuple[str, ...]
    position: int


class SeenRecord(NamedTuple):
    """A record of an error log that explains something, as it was last observed.

    Attributes:
        at: when it was written.
        id: the id of its message.
        channel: the channel that it names; '' if that is not known.
        inserts: its inserts.
        position: the position of the observation.
    """

    at: Instant
    id: str
    channel: str
    inserts: tuple[str, ...]
    position: int


class SeenFailing(NamedTuple):
    """That a repository manager fails, as error logs have said it since it last worked.

    Attributes:
        since: when it was said first.
        at: when it was said last.
        ends: when the queue manager ends by that; None if nothing said it.
        position: the position of the last observation.
    """

    since: Instant
    at: Instant
    ends: Instant | None
    position: int


class SeenWarning(NamedTuple):
    """The last warning of an error log that records of an owner were not renewed.

    Attributes:
        at: the instant of the warning.
        published: when the owner sent them last, to a day, as the days in the warning say.
        position: the position of the warning.
        whole: whether it is about a member, and so about all its records.
        cluster, owner, name: what it names: cluster, QMID and object; '' for what it does not name.
    """

    at: Instant
    published: Instant
    position: int
    whole: bool
    cluster: str
    owner: str
    name: str


class SeenConfiguration(NamedTuple):
    """The file qm.ini as it was last observed.

    Attributes:
        at: the instant of the observation.
        values: its (stanza, attribute, value), in order, with names in upper case.
        position: the position of the observation.
    """

    at: Instant
    values: tuple[tuple[str, str, str], ...]
    position: int

    def stanza(self, name: str) -> dict[str, str]:
        """Return the attributes of a stanza by name in upper case; {} if the file has none."""
        return {key: value for stanza, key, value in self.values if stanza == name.upper()}


_Seen = TypeVar("_Seen", SeenStatus, SeenStart, SeenDepth, SeenList, SeenRecord, SeenConfiguration)


@dataclass(slots=True)
class SeenStates:
    """The last observations at a queue manager, whether or not anything followed from them.

    Attributes:
        qmgr: the status of the queue manager itself, by its name; empty if it was never observed.
        channels: the status of channels by name. A channel with several instances has that of the
            instance that was observed last.
        depths: the depths of queues by name.
        listeners: the listeners that ran, by name, and the generic names of complete answers.
        lists: the complete lists of channels from before the queue manager was known, by the
            generic name that they are complete for.
        starts: when the queue manager itself had started, by its name; empty if nothing said it.
        batches: whether channels had a batch in doubt, by name; those that were seen to run since
            are left out, because that resolved it.
        retries: the retries that channels had left, by name.
        rows: the rows of CHSTATUS by channel, then by instance.
        queues: the columns of QSTATUS by queue.
        records: the records of error logs that explain something: the last of each message and
            channel, by both.
        failing: that the repository manager fails, by the name of the queue manager; empty if
            nothing said it since it worked.
        servers: the columns of LSSTATUS by listener, and under '' those of QMSTATUS.
        logs: until when anything of its error log is known, by the name of the queue manager.
        own_rows: the status of each CLUSRCVR in the row of DISPLAY CLUSQMGR about the queue manager
            itself: that of some instance.
        configuration: the file qm.ini, by the name of the queue manager; empty if it was never
            observed.
        collected: the last instants at which definitions or records were observed, in order.
        overdue: the last warning about each owner and object that was not renewed, by these.
    """

    qmgr: dict[str, SeenStatus] = field(default_factory=dict)
    channels: dict[str, SeenStatus] = field(default_factory=dict)
    depths: dict[str, SeenDepth] = field(default_factory=dict)
    listeners: dict[str, SeenStatus] = field(default_factory=dict)
    lists: dict[str, SeenList] = field(default_factory=dict)
    starts: dict[str, SeenStart] = field(default_factory=dict)
    batches: dict[str, SeenBatch] = field(default_factory=dict)
    retries: dict[str, SeenRetries] = field(default_factory=dict)
    rows: dict[str, dict[str, SeenRow]] = field(default_factory=dict)
    queues: dict[str, SeenCells] = field(default_factory=dict)
    records: dict[str, SeenRecord] = field(default_factory=dict)
    failing: dict[str, SeenFailing] = field(default_factory=dict)
    logs: dict[str, Instant] = field(default_factory=dict)
    servers: dict[str, SeenCells] = field(default_factory=dict)
    own_rows: dict[str, SeenStatus] = field(default_factory=dict)
    configuration: dict[str, SeenConfiguration] = field(default_factory=dict)
    collected: list[Instant] = field(default_factory=list)
    overdue: dict[str, SeenWarning] = field(default_factory=dict)

    def note_collection(self, at: Instant) -> None:
        """Note that definitions or records were observed at an instant."""
        self.collected = sorted({*self.collected, at})[-_COLLECTIONS:]

    def of_channel(self, name: str) -> SeenStatus | None:
        """Return the last status of a channel: it is INACTIVE if a complete list lacks it."""
        found = [self.channels[name]] if name in self.channels else []
        found += [
            SeenStatus(each.at, "INACTIVE", each.position, listed=True)
            for pattern, each in self.lists.items()
            if name not in each.shown and generic(pattern, name)
        ]
        return max(found, default=None, key=lambda each: each[:3])

    def positions(self) -> set[int]:
        """Return the positions of the observations of which something is kept."""
        found = {each.position for each in (*self.qmgr.values(), *self.channels.values())}
        found |= {each.position for each in self.depths.values()}
        found |= {each.position for each in self.own_rows.values()}
        found |= {each.position for each in self.lists.values()}
        found |= {row.position for rows in self.rows.values() for row in rows.values()}
        return found | {each.position for each in self.queues.values()}

    def note_status(self, name: str, seen: SeenStatus) -> None:
        """Note the status of a channel, and since when it has been seen with it."""
        before = self.channels.get(name)
        if before is None:
            self.channels[name] = seen._replace(first=seen.at)
        elif before.rank < seen.rank:
            goes_on = before.status == seen.status
            earlier = before.at if before.at < seen.at else before.other
            self.channels[name] = seen._replace(
                kind=seen.kind or before.kind,
                partner=seen.partner or before.partner,
                first=before.first if goes_on else seen.at,
                other=before.other if goes_on else earlier,
                began=seen.began or (before.began if goes_on else None),
            )
        else:  # of one instant, each says what the other one does not
            kind, partner = before.kind or seen.kind, before.partner or seen.partner
            self.channels[name] = before._replace(kind=kind, partner=partner)

    def note_row(self, name: str, seen: SeenRow) -> None:
        """Note a row of CHSTATUS; of two different ones of one instance the later counts.

        A channel that sends has one instance. One that receives has an instance for each queue
        manager, address and job. A SAVED row is known by its address and transmission queue.
        """
        key = "" if seen.kind in SENDING else f"{seen.address} {seen.partner}"
        key = key and f"{key} {seen.cells.get('JOBNAME', '')}"
        if seen.saved:
            key = f"SAVED {seen.address} {seen.cells.get('XMITQ', '')}"
        rows = self.rows.setdefault(name, {})
        before = rows.get(key)
        if before is None or _row_order(before) < _row_order(seen):
            rows[key] = seen

    def drop_rows(self, name: str, *, before: Instant) -> None:
        """Drop the rows that a complete answer would have shown again; SAVED ones stay."""
        rows = self.rows.get(name, {})
        for key in [key for key, row in rows.items() if row.at < before and not row.saved]:
            del rows[key]


def _row_order(row: SeenRow) -> tuple[Instant, str, list[tuple[str, str]]]:
    return row.at, row.status, sorted(row.cells.items())


def note_cells(known: MutableMapping[str, SeenCells], name: str, seen: SeenCells) -> None:
    """Note columns; those of one instant are joined, and of two values the greater counts."""
    before = known.get(name)
    if before is None or before.at < seen.at:
        known[name] = seen
    elif before.at == seen.at:
        joined = {**before.cells}
        for keyword, text in seen.cells.items():
            joined[keyword] = max(text, joined.get(keyword, ""))
        known[name] = SeenCells(seen.at, joined, max(before.position, seen.position))


def note_batch(known: MutableMapping[str, SeenBatch], name: str, seen: SeenBatch) -> None:
    """Note whether a batch was in doubt; of two observations of one instant the greater counts."""
    before = known.get(name)
    if before is None or before[:3] < seen[:3]:
        known[name] = seen


def note(known: MutableMapping[str, _Seen], name: str, seen: _Seen) -> None:
    """Note an observation.

    Of two different ones of one instant the greater counts, so that their order decides nothing.
    """
    before = known.get(name)
    if before is None or before[:2] < seen[:2]:
        known[name] = seen
