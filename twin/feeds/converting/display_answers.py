"""Saved answers to DISPLAY CHSTATUS, QSTATUS, LSSTATUS and others: states of an instant.

An answer has no instant of its own, so all answers of a queue manager in one file are of one
instant. CHSTATUS shows the instances of channels, without those that are INACTIVE: a complete
answer says that the others are. CLUSQMGR shows the status of the channel to each member; of the
queue manager itself, that of some instance of its CLUSRCVR, and whether it is suspended. LSSTATUS
shows the listeners that were started. The dates of QMSTATUS and LSSTATUS are local ones.

An answer to DISPLAY whose records come one after another: what of it is kept until its end.

Sources: IBM MQ 9.4, DISPLAY CHSTATUS, DISPLAY QSTATUS, DISPLAY QMSTATUS, DISPLAY CLUSQMGR, DISPLAY
LSSTATUS; dspmq.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, tzinfo
from types import MappingProxyType
from typing import Final, TypeAlias

from twin.feeds.captures.beliefs import shows_beliefs
from twin.feeds.captures.records import Capture, CapturedRow, RowValues
from twin.feeds.converting.measured_states import MeasuredStates, SeenChannel, is_status
from twin.feeds.converting.shown_definitions import shows_all, shows_definitions
from twin.feeds.reading.local_time import in_utc, instant_shown
from twin.feeds.reading.not_understood import NotUnderstood, not_understood
from twin.model.instants import Instant
from twin.model.names import CHANNEL_NAME_LENGTH, legal_name
from twin.model.words import CHANNEL_CELLS, LISTENER_CELLS, OWN_CELLS, QUEUE_CELLS
from twin.mqsc.masking import masked_text

_READ_WHOLE: Final = frozenset({"DSPMQ", "QMGR"})
"""The object words of answers that are read as a whole, beside beliefs and definitions."""


class OpenAnswer:
    """An answer while its records are read.

    Attributes:
        first: its first record, with one row at most.
        parts: its records, if it is read as a whole; of others none is kept.
        rows: how many objects it has shown.
        has_beliefs: whether it shows records of clusters.
        has_definitions: whether it shows definitions with all their attributes.
        without_all: whether it shows definitions, but not all of their attributes.
        says_states: at its end, whether it says states.
    """

    def __init__(self, first: Capture, states: AnswerStates | None) -> None:
        """Begin with the first record; `states` takes what it says of states, if it may say any."""
        defines = shows_definitions(first)
        self.first = first._replace(rows=first.rows[:1])
        self.parts: list[Capture] = []
        self.rows = 0
        self.has_beliefs = shows_beliefs(first)
        self.has_definitions = defines and shows_all(first)
        self.without_all = defines and not self.has_definitions and not self.has_beliefs
        self.says_states = False
        self._keeps = self.has_beliefs or self.has_definitions or first.object in _READ_WHOLE
        self._answer_states = states
        self.take(first)

    def take(self, part: Capture) -> None:
        """Take a record."""
        self.rows += len(part.rows)
        if self._keeps:
            self.parts.append(part)
        if self._answer_states is not None:
            self._answer_states.take(part)
            if not part.more:
                self.says_states = self._answer_states.end(part)

    def left_out(self) -> list[NotUnderstood]:
        """Return what of its states is not understood, once each."""
        if self._answer_states is None:
            return []
        found, self._answer_states.left_out = self._answer_states.left_out, []
        return found

    @property
    def columns(self) -> Mapping[str, int]:
        """The columns of states that are read and not kept, with the number of their rows."""
        return {} if self._answer_states is None else self._answer_states.columns

    @property
    def states(self) -> MeasuredStates | None:
        """The states of its queue manager, with those that it says; None if it may say none."""
        return None if self._answer_states is None else self._answer_states.states


_NO_CHANNELS: Final = frozenset({"AMQ8420", "CSQM297"})
"""The messages that no channel has a status."""

_STARTED: Final = ("STARTDA", "STARTTI")
_OWN_FIELDS: Final = frozenset("CHANNEL CHLTYPE CONNAME CURRENT RQMNAME SAVED STATUS".split())
_PROCESSES: Final = ("IPPROCS", "OPPROCS")
_LISTENER_FIELDS: Final = frozenset({"LISTENER", "STATUS"})
_STATUS_FIELDS: Final = frozenset({"QMNAME", "STATUS", "TYPE"})
_QUEUE_FIELDS: Final = frozenset("CURDEPTH QUEUE TYPE".split())
_DIGITS: Final = 15
_LONGEST: Final = 256


def says_states(capture: Capture) -> bool:
    """Return whether an answer may say a state; it says none if it has no such rows."""
    return capture.verb in {"DISPLAY", "GET", ""} and capture.object in _READERS


def take_states(
    states: MeasuredStates, parts: Sequence[Capture], *, qmgr: str, zone: tzinfo | None = None
) -> bool:
    """Add what an answer for which `says_states` holds says; return whether it says anything.

    Args:
        states: takes the states.
        parts: all records of the answer.
        qmgr: the queue manager that answered.
        zone: its zone; without one, local times are taken as UTC.
    """
    reading = AnswerStates(states, parts[0], qmgr=qmgr, zone=zone)
    for part in parts:
        reading.take(part)
    return reading.end(parts[-1])


class AnswerStates:
    """An answer for which `says_states` holds, while its records are read one after another.

    Attributes:
        states: takes the states.
        first: the first record of the answer.
        qmgr: the queue manager that answered.
        zone: its zone; None if it is unknown.
        left_out: what is no status and no depth; the caller takes it.
        columns: the columns that are read and not kept, with the number of their rows.
    """

    __slots__ = (
        *("_any", "_names", "_rows", "_says", "columns", "first", "left_out", "qmgr", "states"),
        "zone",
    )

    def __init__(
        self, states: MeasuredStates, first: Capture, *, qmgr: str, zone: tzinfo | None = None
    ) -> None:
        """Begin before the first record; without a zone, local times are taken as UTC."""
        self.states = states
        self.first = first._replace(rows=())
        self.qmgr = qmgr
        self.zone = zone
        self.columns: Counter[str] = Counter()
        self._says = _READERS[first.object]
        self.left_out: list[NotUnderstood] = []
        self._names: set[str] = set()
        self._any = self._rows = False

    def take(self, part: Capture) -> None:
        """Add what a record says."""
        says, name_in = self._says, _LISTED.get(self.first.object)
        for row in part.rows:
            self._any |= says(self, row)
            if name_in is not None and not _is_saved(row.values):
                self._names.add(name_in(row.values))
        self._rows |= bool(part.rows)

    def kept(
        self, values: RowValues, known: AbstractSet[str], *, besides: AbstractSet[str]
    ) -> Mapping[str, str]:
        """Return the columns of a row that are kept as shown, and count those that are not.

        Dates and times are kept in UTC.
        """
        self.columns.update(values.keys() - known)
        return {
            keyword: masked_text(text)[:_LONGEST]
            for keyword, text in in_utc(values, self.zone or UTC).items()
            if keyword in known and keyword not in besides
        }

    def instant(self, values: RowValues, keywords: tuple[str, str]) -> Instant | None:
        """Return the instant of a local date and time; None if the zone is not known."""
        return None if self.zone is None else instant_shown(values, *keywords, self.zone)

    def is_status(self, row: CapturedRow) -> bool:
        """Return whether a row shows the status of a message channel; report one that does not."""
        status = row.values.get("STATUS", "")
        if status and not is_status(status):
            why = "is no status of a channel"
            self.left_out.append(not_understood(row.line, f"STATUS({status})", why))
        return is_status(status)

    def end(self, last: Capture) -> bool:
        """Take what the whole answer says, given its last record; return whether it says any."""
        if self.first.object == "CHSTATUS":
            return self._end_of_channels(last) or self._any
        return self._end_of_listeners(last) if self.first.object == "LSSTATUS" else self._any

    def _end_of_channels(self, last: Capture) -> bool:
        """Note which channels a complete answer to CHSTATUS shows."""
        first, complete = self.first, last.complete_for
        nothing = not self._rows and first.name and not first.selected
        if nothing and not first.where and not _NO_CHANNELS.isdisjoint(last.messages):
            complete = first.name
        if not complete or not {"SAVED", "SHORT"}.isdisjoint(first.asked):
            return False
        self.states.listed[complete] = tuple(sorted(self._names - {""}))
        return True

    def _end_of_listeners(self, last: Capture) -> bool:
        """Note which listeners an answer to LSSTATUS shows to run."""
        running = {name for name in self._names if name and legal_name(name)}
        says = bool(running or last.complete_for is not None)
        if says:
            self.states.listeners.setdefault(last.complete_for, set()).update(running)
        return says


def _lsstatus(answer: AnswerStates, row: CapturedRow) -> bool:
    """Keep the columns of a listener that runs; which ones run, all rows together say."""
    name = _LISTED["LSSTATUS"](row.values)
    if name and legal_name(name):
        cells = answer.kept(row.values, LISTENER_CELLS, besides=_LISTENER_FIELDS)
        answer.states.listener_cells[name] = cells
    return False


def _chstatus(answer: AnswerStates, row: CapturedRow) -> bool:
    """Take a row of CHSTATUS; a SAVED one has no status, whatever it shows."""
    values = row.values
    name, channel_type = values.get("CHANNEL", ""), values.get("CHLTYPE", "")
    status, saved = values.get("STATUS", ""), _is_saved(values)
    if channel_type in {"SVRCONN", "CLNTCONN", "AMQP", "MQTT"} or not _is_channel(name):
        return False
    if status and not saved and not answer.is_status(row):
        return False
    status = "" if saved else status
    indoubt = {"YES": True, "NO": False}.get(values.get("INDOUBT", ""))
    if not status and indoubt is None and not saved:
        return False
    if (queue := values.get("XMITQ", "")) and channel_type == "CLUSSDR" and legal_name(queue):
        answer.states.transmission_queues[name] = queue
    curmsgs = _number(values, "CURMSGS") if indoubt is not None else None
    # A retrying channel was started when it was first tried, which does not say when it failed.
    began = answer.instant(values, ("CHSTADA", "CHSTATI")) if status == "RUNNING" else None
    seen = SeenChannel(
        status,
        values.get("CONNAME", ""),
        row.line,
        indoubt,
        curmsgs,
        _number(values, "SHORTRTS") if status == "RETRYING" else None,
        _number(values, "LONGRTS") if status == "RETRYING" else None,
        qmgr=values.get("RQMNAME", ""),
        job=values.get("JOBNAME", ""),
        began=began,
        saved=saved,
        cells=answer.kept(values, CHANNEL_CELLS, besides=_OWN_FIELDS),
    )
    answer.states.add_channel(name, channel_type, seen)
    return True


def _is_saved(values: RowValues) -> bool:
    return "SAVED" in values and "CURRENT" not in values


def _clusqmgr(answer: AnswerStates, row: CapturedRow) -> bool:
    values = row.values
    name, cluster = values.get("CHANNEL", ""), values.get("CLUSTER", "")
    if values.get("DEFTYPE") == "CLUSRCVR" or values.get("CLUSQMGR") == answer.qmgr:
        suspended = {"YES": True, "NO": False}.get(values.get("SUSPEND", ""))
        if suspended is not None and cluster and legal_name(cluster):
            answer.states.suspended[cluster] = suspended
        if is_seen := _is_channel(name) and answer.is_status(row):
            own_status = SeenChannel(values["STATUS"], "", row.line, repeated=True)
            answer.states.add_channel(name, "CLUSRCVR", own_status)
        return is_seen or suspended is not None
    status = values.get("STATUS", "")
    if not _is_channel(name) or not answer.is_status(row):
        return False
    to = values.get("CLUSQMGR", "")
    answer.states.add_channel(
        name,
        "CLUSSDR",
        SeenChannel(
            status,
            values.get("CONNAME", ""),
            row.line,
            qmgr="" if to.startswith("SYSTEM.TEMPQMGR") else to,
            repeated=True,
        ),
    )
    return True


def _queue(answer: AnswerStates, row: CapturedRow) -> bool:
    values, asked = row.values, answer.first
    exact = asked.name if legal_name(asked.name) else ""
    queue = values.get("QUEUE", "") or exact
    depth, oldest = _number(values, "CURDEPTH"), _number(values, "MSGAGE")
    if depth is None and values.get("CURDEPTH"):
        text = f"CURDEPTH({values['CURDEPTH']})"
        answer.left_out.append(not_understood(row.line, text, "is no number of messages"))
    cells: Mapping[str, str] = {each: values[each] for each in _PROCESSES if each in values}
    if asked.object == "QSTATUS" and values.get("TYPE") != "HANDLE":
        cells = answer.kept(values, QUEUE_CELLS, besides=_QUEUE_FIELDS)
    elif depth is None:
        return False
    if (depth is None and not cells) or not queue or not legal_name(queue):
        return False
    answer.states.add_depth(queue, depth=depth, oldest=oldest, cells=cells)
    return True


def _qmstatus(answer: AnswerStates, row: CapturedRow) -> bool:
    status = row.values.get("STATUS", row.values.get("state", "")).upper()
    name = row.values.get("QMNAME", "") or answer.qmgr
    if not status or name != answer.qmgr or not status.isascii():
        return False
    if status.startswith("ENDED"):
        status = "ENDED"
    if " " in status:
        return False  # such as `Running as standby`: it runs elsewhere
    answer.states.status = status
    if answer.first.object == "QMSTATUS":
        answer.states.cells = answer.kept(row.values, OWN_CELLS, besides=_STATUS_FIELDS)
    started = instant_shown(row.values, *_STARTED, answer.zone or UTC)
    answer.states.started = started if status == "RUNNING" else None
    return True


def _is_channel(name: str) -> bool:
    return bool(name) and legal_name(name, limit=CHANNEL_NAME_LENGTH)


def _number(values: RowValues, keyword: str) -> int | None:
    text = values.get(keyword, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS else None


_LISTED: Final[Mapping[str, Callable[[RowValues], str]]] = MappingProxyType(
    {
        "CHSTATUS": lambda values: values.get("CHANNEL", ""),
        "LSSTATUS": lambda values: (
            values.get("LISTENER", "") if values.get("STATUS") == "RUNNING" else ""
        ),
    }
)
"""The object word of a command -> the name in a row of what all rows together list; '' for none."""

_Reader: TypeAlias = Callable[[AnswerStates, CapturedRow], bool]
_READERS: Final[Mapping[str, _Reader]] = {
    "CHSTATUS": _chstatus,
    "CLUSQMGR": _clusqmgr,
    "LSSTATUS": _lsstatus,
    "QSTATUS": _queue,
    "QUEUE": _queue,
    "QLOCAL": _queue,
    "QMSTATUS": _qmstatus,
    "DSPMQ": _qmstatus,
    "QMGR": _qmstatus,
}
"""The object word of a command -> the reader of a row of its answer."""
