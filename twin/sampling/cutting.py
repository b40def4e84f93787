"""Cutting: the log of a simulated cell is read, and becomes blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Final

from twin.app.batch import TICK, WITHDRAWAL
from twin.events.catalogue import decode
from twin.log import Log, StoredEvent
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
from twin.sampling.plan import Plan

_PUT: Final = "MessagesPut"
_CREATED: Final = "QueueManagerCreated"
_INSTANT: Final = re.compile(r"(?<=[:\[,])(1[0-9]{15})(?=[,\]}])", re.ASCII)
_OF_PUT: Final = re.compile(r'(?<="put":)([0-9]+)', re.ASCII)
_OF_CREATION: Final = re.compile(r"_[0-9]{4}-[0-9]{2}-[0-9]{2}_[0-9.]{8}", re.ASCII)


class StrangePut(AssertionError):
    """A body names a position at which no messages were put."""


def cut(plan: Plan, file: Path, folder: Path) -> Cut:
    """Cut the log of a cell that lived through a plan into blocks in a folder."""
    log = Log.open(f"sqlite:///{file}", mode="read")
    try:
        return _Cutter(plan, folder).cut(log.events())
    finally:
        log.close()


class _Table(dict[str, int]):
    """The place of each text, in the order in which they came."""

    def __missing__(self, key: str) -> int:
        return self.setdefault(key, len(self))


class _Cutter:
    def __init__(self, plan: Plan, folder: Path) -> None:
        self._plan = plan
        self._folder = folder
        self._types, self._qmgrs, self._sources = _Table(), _Table(), _Table()
        self._numbers = _Table()
        self._puts: dict[int, int] = {}
        self._marks: dict[str, str] = {}
        self._created: list[Instant] = []
        self._feeds: list[Feed] = []
        self._latest = plan.since

    def cut(self, stored: Iterable[StoredEvent]) -> Cut:
        """Write a block for each day of the plan."""
        plan = self._plan
        days = (plan.until - plan.since) // DAY
        done = count = 0
        for day, today in groupby(self._on_time(stored), key=lambda each: each.occurred_at // DAY):
            number = day - plan.since // DAY
            for empty in range(done, number):
                self._keep(empty, [])
            found = list(today)
            self._keep(number, found)
            count += len(found)
            done = number + 1
        for empty in range(done, days):
            self._keep(empty, [])
        qmgrs = tuple(name.replace(TAG, TAG_MARK) for name in self._qmgrs)
        return Cut(
            self._folder,
            plan.since,
            days,
            tuple(self._types),
            qmgrs,
            tuple(self._sources),
            tuple(self._created),
            len(self._puts),
            count,
            tuple(self._feeds),
        )

    def _on_time(self, stored: Iterable[StoredEvent]) -> Iterator[StoredEvent]:
        """Yield what was on time; the rest is taken as feeds."""
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

    def _keep(self, number: int, stored: list[StoredEvent]) -> None:
        named: dict[Root, int] = {}
        roots, suffixes, puts = [], [], []
        for each in stored:
            root = self._root(each.cause or each.event_id)
            roots.append(named.setdefault(root, len(named)))
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
            BETWEEN.join(self._marked(each) for each in stored),
        )
        keep(self._folder, number, columns)

    def _feed(self, late: list[StoredEvent]) -> Feed:
        withdrawal = next(place for place, each in enumerate(late) if each.type == WITHDRAWAL)
        rows = []
        for place, each in enumerate(late):
            rows.append(
                LateRow(
                    each.occurred_at,
                    each.type,
                    each.qmgr.replace(TAG, TAG_MARK),
                    self._root(each.cause or each.event_id),
                    each.source,
                    self._put(each),
                    self._marked(each),
                    _suffix(each),
                    place > withdrawal,
                )
            )
        return Feed(late[0].recorded_at, late[0].occurred_at, rows)

    def _root(self, text: str) -> Root:
        begin = TICK if text.startswith(TICK) else ""
        token = text[len(begin) :]
        return begin, int(token[:16], 16), self._numbers[token]

    def _put(self, each: StoredEvent) -> int:
        if each.type != _PUT:
            return -1
        return self._puts.setdefault(each.position, len(self._puts))

    def _marked(self, each: StoredEvent) -> str:
        body = each.body
        if each.type == _CREATED:
            self._note_creation(each)
        body = _OF_CREATION.sub(lambda found: self._marks[found[0]], body)
        body = _INSTANT.sub(rf"{INSTANT_MARK}\1{INSTANT_MARK}", body)
        if '"put":' in body:
            body = _OF_PUT.sub(self._mark_put, body)
        return body.replace(TAG, TAG_MARK).replace(TAG.lower(), TAG_MARK)

    def _note_creation(self, each: StoredEvent) -> None:
        qmid: str = decode(each.type, each.body).qmid  # type: ignore[attr-defined]
        self._marks[qmid[len(each.qmgr) :]] = QMID_MARKS[len(self._created)]
        self._created.append(each.occurred_at)

    def _mark_put(self, found: re.Match[str]) -> str:
        number = self._puts.get(int(found[1]))
        if number is None:
            raise StrangePut(found[1])
        return f"{PUT_MARK}{number}{PUT_MARK}"


def _suffix(each: StoredEvent) -> str:
    """Return how the id of a derived event goes on behind that of another; '' of a primary one."""
    return "" if each.cause is None else "." + each.event_id.rpartition(".")[2]
