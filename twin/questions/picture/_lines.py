"""The lines of a picture: one for each record, or for records that share what is drawn of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Final, NamedTuple

from twin.fold.beliefs import Name
from twin.model.instants import Instant
from twin.questions.lifetimes import Filters, ObservedRecord
from twin.questions.picture._history import Holding, RecordChange, RecordHistory
from twin.rules.repository.lifetimes import removal

MOST_SINGLE: Final = 60
"""With more lines than this, records of one owner that share a publication share a line."""

MOST: Final = 300
"""More lines than this are not drawn."""


KINDS: Final = ("qmgr", "queue", "topic")
"""The kinds of records, in the order of their lines."""


class HeldPeriod(NamedTuple):
    """A time for which a record was held as it was sent at `published`; no end while it is held."""

    start: Instant
    end: Instant | None
    published: Instant
    removed: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a picture.

    Attributes:
        observers: the names of those who hold what it shows; one, unless lines were folded.
        cluster, kind, name, owner, owner_name: of the record; kind and name are '' where several
            records share the line.
        stretches: when it was held, in the order of time.
        sent: when its owner sent it.
        removed: when it was removed; None while it is held.
        count: of the records that share it.
    """

    observers: tuple[str, ...]
    cluster: str
    kind: str
    name: str
    owner: str
    owner_name: str
    stretches: tuple[HeldPeriod, ...]
    sent: tuple[Instant, ...]
    removed: Instant | None = None
    count: int = 1

    @property
    def published(self) -> Instant:
        """When its owner sent what is held, or was held last."""
        return self.stretches[-1].published

    @property
    def gone(self) -> Instant:
        """When it was removed, or will be if nothing more is heard."""
        return removal(self.published) if self.removed is None else self.removed


def held(history: RecordHistory, records: Iterable[ObservedRecord]) -> Iterator[Line]:
    """Make a line of every record that is held."""
    for observer, name, belief in records:
        marks = history.marks.get(Holding(observer.qmid, name, belief.owner), [])
        if not marks or marks[-1].published != belief.published:
            came = RecordChange(belief.received, belief.published)
            marks = [*(mark for mark in marks if mark.at < came.at), came]
        yield _line(history, observer.name, name, belief.owner, belief.owner_name, marks)


def removed(history: RecordHistory, chosen: Filters, *, since: Instant) -> Iterator[Line]:
    """Make a line of every record that was removed since an instant and did not come again."""
    observers = {qmgr.qmid: qmgr.name for qmgr in history.estate.qmgrs.values()}
    for (observer, name, owner), marks in sorted(history.marks.items()):
        at, _, is_removed = marks[-1]
        owner_name = history.estate.names.get(owner, owner)
        shown = observers.get(observer)
        if (
            is_removed
            and at >= since
            and shown is not None
            and any(mark.published is not None for mark in marks)
            and chosen.let(shown, name, owner_name)
        ):
            yield _line(history, shown, name, owner, owner_name, marks)


def _line(
    history: RecordHistory,
    observer: str,
    name: Name,
    owner: str,
    owner_name: str,
    marks: Sequence[RecordChange],
) -> Line:
    return Line(
        observers=(observer,),
        cluster=name[0],
        kind=name[1],
        name=name[2],
        owner=owner,
        owner_name=owner_name,
        stretches=tuple(_stretches(marks)),
        sent=tuple(history.publications(name, owner)),
        removed=marks[-1].at if marks[-1].removed else None,
    )


def _stretches(marks: Sequence[RecordChange]) -> Iterator[HeldPeriod]:
    for mark, following in zip_longest(marks, marks[1:]):
        if mark.published is not None and (following is None or mark.at < following.at):
            end, removed = (following.at, following.removed) if following else (None, False)
            yield HeldPeriod(mark.at, end, mark.published, removed)


def folded(lines: Sequence[Line]) -> list[Line]:
    """Fold lines where there are many of them: of an owner's records first, then of observers."""
    for key in (_at_observer, _anywhere):
        if len(lines) <= MOST_SINGLE:
            break
        sharing: dict[object, list[Line]] = defaultdict(list)
        for line in lines:
            sharing[key(line)].append(line)
        lines = [_together(each) for each in sharing.values()]
    return sorted(lines, key=_order)


def _at_observer(line: Line) -> object:
    return line.observers, *_anywhere(line)


def _anywhere(line: Line) -> tuple[object, ...]:
    return line.cluster, line.owner, line.published, line.removed


def _together(lines: Sequence[Line]) -> Line:
    """Draw the one that was held first for all of them."""
    if len(lines) == 1:
        return lines[0]
    first = min(lines, key=lambda line: line.stretches[0].start)
    return replace(
        first,
        observers=tuple(sorted({name for line in lines for name in line.observers})),
        kind="",
        name="",
        sent=tuple(sorted({at for line in lines for at in line.sent})),
        count=sum(line.count for line in lines),
    )


def drawn(lines: Sequence[Line]) -> list[Line]:
    """Choose the lines that are drawn where there are too many: those that are gone first."""
    soonest = sorted(lines, key=lambda line: (line.gone, _order(line)))[:MOST]
    return sorted(soonest, key=_order)


def _order(line: Line) -> tuple[object, ...]:
    several = len(line.observers) > 1
    kind = (*KINDS, "").index(line.kind)
    where = ("" if several else line.observers[0], line.cluster)
    return *where, line.owner_name, line.owner, kind, line.name, line.published, line.observers
