"""Cuts the log of a simulated cell into blocks, one for each day."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from itertools import groupby
from json.encoder import encode_basestring as quoted
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias, get_args, get_origin, get_type_hints

from twin.app.batch import TICK
from twin.events import MessagesPut, QueueManagerCreated
from twin.events.base import Position
from twin.events.catalogue import column_of, decode_all
from twin.events.repository import INSTANT_KEYWORDS
from twin.log import Log, StoredEvent
from twin.log.records import WITHDRAWAL
from twin.model.instants import DAY, Instant
from twin.sampling.blocks import (
    BETWEEN,
    INSTANT_MARK,
    PUT_MARK,
    QMID_MARKS,
    TAG_MARK,
    Cut,
    Feed,
    LateRow,
    Root,
    keep,
)
from twin.sampling.cell import TAG
from twin.sampling.plan import CellPlan

_PUT: Final = column_of(MessagesPut)

FieldWriter: TypeAlias = Callable[[Any], str]
"""Writes the value of one field as JSON text."""

MARKED: Final = (Instant, Position)
"""The annotations of fields that become placeholders."""


@dataclass(slots=True)
class Templates:
    """Writes event bodies as the log does, with placeholders for names, instants and positions.

    Attributes:
        name: returns a JSON string with placeholders in its names.
        instant: returns the placeholder of an instant.
        position: returns the placeholder of the position of a put.
    """

    name: Callable[[str], str]
    instant: Callable[[Instant], str]
    position: Callable[[Position], str]
    _texts: dict[str, str] = field(default_factory=dict)
    _classes: dict[type[Any], list[tuple[str, str, FieldWriter]]] = field(default_factory=dict)

    def body(self, value: Any) -> str:
        """Write an event, or a part of one; a field that is None is left out."""
        cls = type(value)
        writers = self._classes.get(cls) or self._classes.setdefault(cls, self._writers(cls))
        parts = []
        for attribute, key, write in writers:
            content = getattr(value, attribute)
            if content is not None:
                parts.append(key + write(content))
        return "{" + ",".join(parts) + "}"

    def _writers(self, cls: type[Any]) -> list[tuple[str, str, FieldWriter]]:
        hints = get_type_hints(cls, include_extras=True)
        special = {Instant: self._instant, Position: self._positions}
        writers: list[tuple[str, str, FieldWriter]] = []
        for each in fields(cls):
            mark = mark_of(hints[each.name])
            writer = self._plain if mark is None else special[mark]
            writers.append((each.name, f"{quoted(each.name)}:", writer))
        return writers

    def _positions(self, value: Position | tuple[Position, ...]) -> str:
        """Write the position of a put, or several."""
        if isinstance(value, tuple):
            return "[" + ",".join(map(self.position, value)) + "]"
        return self.position(value)

    def _instant(self, value: Instant) -> str:
        """Write an instant; 0 and negative numbers are not instants and stay unchanged."""
        return self.instant(value) if value > 0 else str(value)

    def _item(self, key: str, value: Any) -> str:
        return self._instant(value) if key in INSTANT_KEYWORDS else self._plain(value)

    def _plain(self, value: Any) -> str:
        if isinstance(value, str):
            text = self._texts.get(value)
            return text or self._texts.setdefault(value, self.name(quoted(value)))
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int):
            return str(value)
        if isinstance(value, dict):
            items = (f"{self._plain(key)}:{self._item(key, item)}" for key, item in value.items())
            return "{" + ",".join(items) + "}"
        if is_dataclass(value):
            return self.body(value)
        return "[" + ",".join(map(self._plain, value)) + "]"


class UnknownPut(AssertionError):
    """A body names a position at which no messages were put."""


def cut(plan: CellPlan, file: Path, folder: Path) -> Cut:
    """Cut the log of a cell that was simulated by a plan into blocks in a folder."""
    log = Log.open(f"sqlite:///{file}", mode="read")
    try:
        return _Cutter(plan, folder).cut(log.events())
    finally:
        log.close()


class _Table(dict[str, int]):
    """The number of each text, in the order in which they were first looked up."""

    def __missing__(self, key: str) -> int:
        return self.setdefault(key, len(self))


class _Cutter:
    def __init__(self, plan: CellPlan, folder: Path) -> None:
        self._plan = plan
        self._folder = folder
        self._types, self._qmgrs, self._sources = _Table(), _Table(), _Table()
        self._numbers = _Table()
        self._puts: dict[int, int] = {}
        self._stamps: dict[str, str] = {}
        self._created: list[Instant] = []
        self._feeds: list[Feed] = []
        self._latest = plan.since
        self._templates = Templates(self._name_marks, _instant_mark, self._put_mark)

    def cut(self, stored: Iterable[StoredEvent]) -> Cut:
        """Write a block for each day of the plan."""
        plan = self._plan
        first, days = plan.since // DAY, (plan.until - plan.since) // DAY
        written = count = 0
        for day, events in groupby(self._on_time(stored), key=lambda each: each.occurred_at // DAY):
            for empty in range(written, day - first):
                self._keep(empty, [])
            of_day = list(events)
            self._keep(day - first, of_day)
            count += len(of_day)
            written = day - first + 1
        for empty in range(written, days):
            self._keep(empty, [])
        return Cut(
            folder=self._folder,
            since=plan.since,
            days=days,
            types=tuple(self._types),
            qmgrs=tuple(name.replace(TAG, TAG_MARK) for name in self._qmgrs),
            sources=tuple(self._sources),
            created=tuple(self._created),
            puts=len(self._puts),
            events=count,
            feeds=tuple(self._feeds),
        )

    def _on_time(self, stored: Iterable[StoredEvent]) -> Iterator[StoredEvent]:
        """Yield the events that were recorded on time; make feeds of the others."""
        late: list[StoredEvent] = []
        for each in stored:
            if late and each.recorded_at == late[0].recorded_at:
                late.append(each)
                continue
            if late:
                self._feeds.append(self._feed(late))
                late = []
            if each.occurred_at < self._latest:
                late.append(each)
                continue
            self._latest = each.occurred_at
            yield each
        if late:
            self._feeds.append(self._feed(late))

    def _keep(self, number: int, stored: Sequence[StoredEvent]) -> None:
        """Write the block of a day."""
        named: dict[Root, int] = {}
        roots, suffixes, puts = [], [], []
        for each in stored:
            roots.append(named.setdefault(self._root(each.cause or each.event_id), len(named)))
            suffixes.append(_suffix(each))
            puts.append(self._put(each))
        columns = (
            [each.occurred_at for each in stored],
            [self._types[each.type] for each in stored],
            [self._qmgrs[each.qmgr] for each in stored],
            [self._sources[each.source] for each in stored],
            roots,
            list(named),
            suffixes,
            puts,
            BETWEEN.join(self._bodies(stored)),
        )
        keep(self._folder, number, columns)

    def _feed(self, late: Sequence[StoredEvent]) -> Feed:
        withdrawal = next(index for index, each in enumerate(late) if each.type == WITHDRAWAL)
        puts = [self._put(each) for each in late]
        rows = [
            LateRow(
                instant=each.occurred_at,
                type=each.type,
                qmgr=each.qmgr.replace(TAG, TAG_MARK),
                root=self._root(each.cause or each.event_id),
                source=each.source,
                put=put,
                body=body,
                suffix=_suffix(each),
                again=index > withdrawal,
            )
            for index, (each, put, body) in enumerate(
                zip(late, puts, self._bodies(late), strict=True)
            )
        ]
        return Feed(late[0].recorded_at, late[0].occurred_at, rows)

    def _root(self, text: str) -> Root:
        begin = TICK if text.startswith(TICK) else ""
        token = text[len(begin) :]
        return begin, int(token[:16], 16), self._numbers[token]

    def _put(self, each: StoredEvent) -> int:
        """Return the number of a put among the puts of the cell; -1 for other events."""
        if each.type != _PUT:
            return -1
        return self._puts.setdefault(each.position, len(self._puts))

    def _bodies(self, stored: Sequence[StoredEvent]) -> Iterator[str]:
        """Write the bodies of events as templates."""
        decoded = decode_all([each.type for each in stored], [each.body for each in stored])
        for each, event in zip(stored, decoded, strict=True):
            if isinstance(event, QueueManagerCreated):
                self._stamps[event.qmid[len(each.qmgr) :]] = QMID_MARKS[len(self._created)]
                self._created.append(each.occurred_at)
            yield self._templates.body(event)

    def _name_marks(self, text: str) -> str:
        """Return a text with marks for the tag of the cell, and for the instants in QMIDs."""
        for stamp, mark in self._stamps.items():
            text = text.replace(stamp, mark)
        return text.replace(TAG, TAG_MARK).replace(TAG.lower(), TAG_MARK)

    def _put_mark(self, position: int) -> str:
        if position not in self._puts:
            raise UnknownPut(position)
        return f"{PUT_MARK}{self._puts[position]}{PUT_MARK}"


def _instant_mark(instant: Instant) -> str:
    return f"{INSTANT_MARK}{instant}{INSTANT_MARK}"


def _suffix(each: StoredEvent) -> str:
    """Return the part of a derived event's id after the id of its root; '' for a primary fact."""
    return "" if each.cause is None else "." + each.event_id.rpartition(".")[2]


def mark_of(hint: Any) -> Any:
    """Return which of `MARKED` a field is annotated as, alone or beside None; None if neither."""
    if get_origin(hint) is Annotated:
        return next((mark for mark in MARKED if mark == hint), None)
    return next((hit for each in get_args(hint) if (hit := mark_of(each)) is not None), None)
