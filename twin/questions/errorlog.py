"""What queue managers wrote to their error logs, as imported, or would write by the rules.

The lines of an error log about the runs of a sending channel: it starts, ends, is stopped.

They follow from the changes of its status (no event records them): AMQ9002 at each start that is
recorded, also if it fails (of a BINDING channel before it fails); AMQ9545 and AMQ9001 when it
disconnects; AMQ9528 and AMQ9001 when it is stopped. If a channel that messages waited for fails
after its disconnect interval, the twin takes it for disconnected.

Sources: captures of error logs (AMQ9001, AMQ9002, AMQ9528, AMQ9545); a channel program writes
AMQ9002 before it negotiates [memory].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias, cast

from twin import events
from twin.errors import SubjectError
from twin.fold.estate import DISCINT, Estate, NoSuchQueueManager
from twin.model.amounts import counted
from twin.model.basis import Basis
from twin.model.instants import AsOf, Instant, format_instant
from twin.model.messages import (
    CATALOGUE,
    CLOSED,
    ENDED_ABNORMALLY,
    HOST_NOT_AVAILABLE,
    NOT_AVAILABLE,
    NOT_PUT,
    RESET,
    TIMED_OUT,
    Message,
    form_on_zos,
)
from twin.model.names import without_ports
from twin.model.platforms import ZOS
from twin.questions.answer import Answer, Facts, Row, bearer
from twin.questions.imported_records import (
    READS as RECORDS_READ,
)
from twin.questions.imported_records import (
    FindExtents,
    imported_records,
    is_covered,
)
from twin.questions.remote_hosts import READS as HOSTS_READ
from twin.questions.remote_hosts import RemoteHosts
from twin.rules.channels import channel_status
from twin.rules.written import WRITTEN_FOR, messages_of

ENDED: Final = "AMQ9001"
STARTING: Final = "AMQ9002"
STOPPED_BY_USER: Final = "AMQ9528"
DISCONNECTED: Final = "AMQ9545"

CHANNEL_RUNS: Final = frozenset({ENDED, STARTING, STOPPED_BY_USER, DISCONNECTED})
"""The messages that only say that a channel starts and ends."""

CHANNEL_READS: Final = frozenset(
    {
        events.ChannelStatusChanged,
        events.MessagesSent,
        events.QueueManagerEnded,
        events.QueueManagerRestored,
    }
)
"""The events from which the runs of channels follow."""


class LogLine(NamedTuple):
    """One line of an error log, with its evidence."""

    at: Instant
    position: int
    qmgr: str
    message: Message


class _Run(NamedTuple):
    """A channel that runs: its disconnect interval, when it was last used, and the evidence."""

    discint: Instant
    used: Instant
    position: int

    def has_disconnected(self, at: Instant) -> bool:
        return bool(self.discint) and at >= self.used + self.discint


_Key: TypeAlias = tuple[str, str]


class ChannelRuns:
    """The runs of channels, by the events that are read in fold order.

    `before` is the estate just before the first event; None if that is the first of the log.
    """

    def __init__(self, before: Estate | None, begin: Instant | None) -> None:
        """Begin with the channels that ran before the first event."""
        self._runs: dict[_Key, _Run] = {}
        self._binding: set[_Key] = set()
        if before is None or begin is None:
            return
        for qmgr in before.qmgrs.values():
            for channel in qmgr.activity.channels:
                state = channel_status.current_state(qmgr, channel, begin - 1)
                if state is not None and state.status == "RUNNING":
                    used = state.since if state.used is None else state.used
                    self._runs[qmgr.name, channel] = _Run(state.discint, used, state.position)
                elif state is not None and state.status == "BINDING":
                    self._binding.add((qmgr.name, channel))

    def lines_after(self, at: Instant, position: int, event: events.Event) -> Iterator[LogLine]:
        """Yield the lines that follow from an event, in the order of time."""
        match event:
            case events.ChannelStatusChanged():
                yield from self._changed(at, position, event)
            case events.MessagesSent():
                key = (event.qmgr, event.over or event.channel)
                if (run := self._runs.get(key)) is not None:
                    self._runs[key] = run._replace(used=at, position=position)
            case events.QueueManagerEnded() | events.QueueManagerRestored():
                self._binding = {key for key in self._binding if key[0] != event.qmgr}
                for key in [key for key in self._runs if key[0] == event.qmgr]:
                    run = self._runs.pop(key)
                    yield from self._ended(key, run, at)
                    if not run.has_disconnected(at):
                        yield LogLine(at, position, event.qmgr, Message(ENDED, key[1]))

    def _changed(
        self, at: Instant, position: int, event: events.ChannelStatusChanged
    ) -> Iterator[LogLine]:
        key = (event.qmgr, event.channel)
        run = self._runs.pop(key, None)
        ran = (run is not None and not run.has_disconnected(at)) or key in self._binding
        self._binding.discard(key)
        if run is not None:
            yield from self._ended(key, run, at)
        ids: tuple[str, ...] = ()
        if event.status == "RUNNING":
            discint = DISCINT if event.discint is None else event.discint
            self._runs[key] = _Run(discint, at, position)
            ids = () if ran else (STARTING,)
        elif event.status == "BINDING":
            self._binding.add(key)
            ids = (STARTING,)
        elif event.reason:
            ids = () if ran else (STARTING,)
        elif ran:
            asked = event.status == "STOPPED" or event.requested
            ids = (STOPPED_BY_USER, ENDED) if asked else (ENDED,)
        yield from (LogLine(at, position, event.qmgr, Message(id_, event.channel)) for id_ in ids)

    def _ended(self, key: _Key, run: _Run, at: Instant) -> Iterator[LogLine]:
        """Yield the lines of a run that has ended by the disconnect interval, if it has."""
        if run.has_disconnected(at):
            yield from _disconnected(key, run.used + run.discint, run.position)

    def disconnected(self, estate: Estate, at: Instant) -> Iterator[LogLine]:
        """Yield the lines of the channels that have disconnected since they were last used."""
        for (name, channel), run in self._runs.items():
            qmgr = estate.qmgrs.get(name)
            if qmgr is None:
                continue
            end = channel_status.disconnected_at(qmgr, channel, at)
            if end is not None:
                yield from _disconnected((name, channel), end, run.position)


def _disconnected(key: _Key, at: Instant, position: int) -> Iterator[LogLine]:
    for id_ in (DISCONNECTED, ENDED):
        yield LogLine(at, position, key[0], Message(id_, key[1]))


ABOUT_CHANNELS: Final = (
    CHANNEL_RUNS
    | {HOST_NOT_AVAILABLE, CLOSED, RESET, TIMED_OUT, NOT_AVAILABLE, NOT_PUT, ENDED_ABNORMALLY}
    | {"AMQ9519", "AMQ9520", "AMQ9524"}
)
"""Messages about channels that start and end, fail, or could not put to the target queue.

There are many, above all while a queue manager is down.
"""

SEVERITIES: Final = "IWEST"
"""The severity letters of messages, least first."""


class NoSuchMessage(
    SubjectError,
    LookupError,
    message="unknown message id {!r}; expected one such as AMQ9469, 9469 or CSQX469",
):
    """A message id that is not known."""


def errorlog(  # noqa: PLR0913 - each is a filter, or what the answer is made of
    estate: Estate,
    as_of: AsOf,
    *,
    facts: Facts,
    before: Estate | None = None,
    since: Instant | None = None,
    on: str | None = None,
    id: str | None = None,  # noqa: A002 - MQ's word
    severity: str | None = None,
    text_of: Callable[[str], str | None] | None = None,
    extents: FindExtents = dict,
) -> Answer:
    """List what queue managers wrote to their error logs, or would have, in the order of time.

    Imported records are observed. Beside them are, of simulated queue managers, the messages about
    clusters that they write, and of imported ones, as assumed, those that they would write by the
    rules, but not where an imported log reaches: what that lacks was not written. Notes say what
    the logs cover, and of whom none was imported. `text_of` finds the text of a record by its
    digest, and `extents` what the imported logs cover.

    Ids are AMQ9nnn. The text has the severity letter too, from 9.1 on. On z/OS the id is CSQX4nn
    with its letter and the same last three digits (domain facts, from APAR PH34265). The filter
    `id` takes either form, with or without the letter; `severity` is the least severity. A channel
    that failed, or could not start, is one row for the reason and one row for its end. Failed
    retries are not listed, because there are too many; only the first one that the partner refuses
    is (AMQ9558). `before` is the estate before the facts, if they do not begin with the log;
    `since` is when they begin.

    Raises:
        NoSuchQueueManager: when no queue manager ever had the name `on`.
        NoSuchMessage: when no message has this `id`.
    """
    if on is not None and on not in estate.names.values() and on not in estate.undefined:
        raise NoSuchQueueManager(on)
    wanted = None if id is None else _digits(id)
    facts = list(facts)
    written = list(imported_records(facts))
    known = {_digits(each) for each, row in CATALOGUE.items() if row.text}
    if id is not None and wanted not in known | {_digits(each.id) for each in written}:
        raise NoSuchMessage(id)
    least = SEVERITIES.index(severity or SEVERITIES[0])
    runs, hosts = ChannelRuns(before, since), RemoteHosts(estate, before)
    lines = [
        line
        for line in (*_lines(hosts, runs, facts), *runs.disconnected(estate, as_of.valid))
        if on in (None, line.qmgr)
        and wanted in (None, _digits(line.message.id))
        and SEVERITIES.index(line.message.row.letter) >= least
    ]
    rows = [(_row(estate, line), (line.position,)) for line in lines]
    rows += [
        (record.row(text_of), (record.position,))
        for record in written
        if on in (None, record.qmgr)
        and wanted in (None, _digits(record.id))
        and (record.letter == "" or SEVERITIES.index(record.letter) >= least)
    ]
    rows.sort(key=lambda row: cast("Instant", row[0]["at"]))
    asked = sorted({on} if on is not None else {str(row["on"]) for row, _ in rows})
    imported = [name for name in asked if _is_imported(estate, name)]
    reach = extents() if imported or not rows else {}
    rows = [
        (row, evidence)
        for row, evidence in rows
        if row["basis"] == Basis.OBSERVED.value
        or row["on"] not in imported
        or not is_covered(reach, str(row["on"]), cast("Instant", row["at"]))
    ]
    seen = {record.qmgr for record in written}
    without = [name for name in imported if name not in reach and name not in seen]
    names = ", ".join(without) if len(without) <= _FEW else counted(len(without), "queue manager")
    notes = [f"no log of {names} was imported; this is what it would write"]
    silent = [on] if on is not None else sorted(reach) if not rows else []
    span = f"up to {format_instant(as_of.valid)}"
    if since is not None:
        span = f"between {format_instant(since)} and {format_instant(as_of.valid)}"
    which = "no line" if wanted is None and severity is None else "no such line"
    notes = notes if without else []
    notes += [
        f"{which} of {name} {span}; the imported log covers {', '.join(map(str, reach[name]))}"
        for name in silent[:_FEW]
        if name in reach
        and not any(row["on"] == name and row["basis"] == Basis.OBSERVED.value for row, _ in rows)
    ]
    return replace(Answer.of("errorlog", as_of, rows), notes=tuple(notes))


_FEW: Final = 5
"""How many queue managers are named."""


def _is_imported(estate: Estate, name: str) -> bool:
    """Return whether a queue manager is real: observed, or known from states or logs alone."""
    qmgr = estate.qmgrs.get(name)
    return name in estate.undefined if qmgr is None else qmgr.observed


def _basis(estate: Estate, on: str) -> Basis:
    """Return what a message rests on that follows by the rules."""
    qmgr = estate.qmgrs.get(on)
    return Basis.ASSUMED if qmgr is not None and qmgr.is_only_observed else Basis.DERIVED


def _lines(hosts: RemoteHosts, runs: ChannelRuns, facts: Facts) -> Iterator[LogLine]:
    """Yield what follows from facts; that a channel starts comes before what its start does."""
    held: list[LogLine] = []
    for at, position, event in facts:
        lines = list(runs.lines_after(at, position, event))
        if held and (lines or held[0][:3:2] != (at, event.qmgr)):
            starts = bool(lines) and lines[-1].message.id == STARTING
            after = starts and held[0][:3:2] == (at, event.qmgr)
            lines = [*lines, *held] if after else [*held, *lines]
            held = []
        lines += [
            LogLine(at, position, event.qmgr, message)
            for message in named_messages(hosts, at, event)
        ]
        if lines and lines[0].message.id in _AT_A_START:
            held += lines
        else:
            yield from lines
    yield from held


_AT_A_START: Final = frozenset({"AMQ7341", "AMQ9509", "TWN0006", "TWN0007", "TWN0008", "TWN0009"})
"""What the start of a channel may write about its transmission queue."""


def named_messages(hosts: RemoteHosts, at: Instant, event: events.Event) -> Iterator[Message]:
    """Yield what an event makes its queue manager write, but not that a channel runs or ended.

    Events come in fold order, as they say where channels led.
    """
    hosts.note(event)
    for message in messages_of(event):
        if "host" in message.row.roles and isinstance(event, events.ChannelStatusChanged):
            yield Message(message.id, _host_in(message.id, hosts.host(at, event)), event.channel)
        else:
            yield message


def _host_in(id_: str, conname: str) -> str:
    """Return the host as a message names it: AMQ9209 has no port.

    Source: IBM technote 21110505 and public error logs, where AMQ9209 has 'host (address)', and
    the AMQ9208 of a sending end 'host (address)(port)'. Twin does not know the address, and leaves
    it out. Of a CONNAME with several hosts, all are named, as twin does not know which one it was.
    """
    return without_ports(conname) if id_ == CLOSED else conname


def _digits(id_: str) -> str:
    """Return the number that all forms of a message share: AMQ9469W and CSQX469E are 9469."""
    text = id_.upper().rstrip("IWEST")
    return f"9{text.removeprefix('CSQX')}" if text.startswith("CSQX") else text.removeprefix("AMQ")


def _row(estate: Estate, line: LogLine) -> Row:
    id_, text = shown(estate, line.qmgr, line.message, line.at)
    return {
        "on": line.qmgr,
        "id": id_,
        "at": line.at,
        "inserts": line.message.inserts,
        "text": text,
        "basis": _basis(estate, line.qmgr),
    }


def shown(estate: Estate, on: str, message: Message, at: Instant) -> tuple[str, str]:
    """Return the id and the line of a message as a queue manager writes them at an instant."""
    qmgr = bearer(estate, on, at)
    if qmgr is None:
        return message.id, message.render()
    if qmgr.platform == ZOS and message.id.startswith("AMQ9"):
        form = Message(form_on_zos(message.id))
        id_ = form.id + (form.row.id[len(form.id) :] or message.row.letter)
        return id_, f"{id_}: {message.text}"
    return message.id, message.render(qmgr.cmdlevel)


READS: Final = frozenset(WRITTEN_FOR) | CHANNEL_READS | HOSTS_READ | RECORDS_READ
"""The events that make queue managers write to their error logs, or say what they write."""
