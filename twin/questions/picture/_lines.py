"""The lines of a picture: one for each record, or for several that look the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Final, NamedTuple

from twin.fold.beliefs import RecordName
from twin.model.basis import Basis, weakest
from twin.model.instants import Instant
from twin.questions.belief import ObservedRecord, RecordFilters
from twin.questions.catalogue import KINDS
from twin.questions.picture._history import Holding, RecordChange, RecordHistory
from twin.rules.repository.lifetimes import removal

MOST_SINGLE: Final = 60
"""With more lines than this, records of one owner that share a publication share a line."""

MOST: Final = 300
"""More lines than this are not drawn."""


class HeldPeriod(NamedTuple):
    """A time in which a record was held as sent at `published`; `end` is None while it is held."""

    start: Instant
    end: Instant | None
    published: Instant
    removed: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a picture.

    Attributes:
        observers: the names of those who hold its records; one, unless lines were merged.
        cluster, kind, name, owner, owner_name: of the record; kind and name are '' if several
            records share the line.
        periods: when it was held, in the order of time.
        sent: when its owner sent it.
        removed: when it was removed; None while it is held.
        count: of the records that share it.
        basis: what its dates rest on, the weakest of the records that share it.
    """

    observers: tuple[str, ...]
    cluster: str
    kind: str
    name: str
    owner: str
    owner_name: str
    periods: tuple[HeldPeriod, ...]
    sent: tuple[Instant, ...]
    removed: Instant | None = None
    count: int = 1
    basis: Basis = Basis.DERIVED

    @property
    def published(self) -> Instant:
        """When the held record, or the one held last, was sent by its owner."""
        return self.periods[-1].published

    @property
    def gone(self) -> Instant:
        """When it was removed, or will be removed if it is not renewed."""
        return removal(self.published) if self.removed is None else self.removed


def held(history: RecordHistory, records: Iterable[ObservedRecord]) -> Iterator[Line]:
    """Go through a line for every record that is held."""
    for record in records:
        observer, name, belief = record
        changes = history.changes.get(Holding(observer.qmid, name, belief.owner), [])
        if not changes or changes[-1].published != belief.published:
            came = RecordChange(belief.received, belief.published)
            changes = [*(change for change in changes if change.at < came.at), came]
        line = _line(history, observer.name, name, belief.owner, belief.owner_name, changes)
        yield replace(line, basis=record.basis(history.estate).dates)


def removed(history: RecordHistory, chosen: RecordFilters, *, since: Instant) -> Iterator[Line]:
    """Go through a line for every record that was removed since an instant and is still gone."""
    observers = {qmgr.qmid: qmgr.name for qmgr in history.estate.qmgrs.values()}
    for (observer, name, owner), changes in sorted(history.changes.items()):
        at, _, is_removed = changes[-1]
        owner_name = history.estate.names.get(owner, owner)
        shown = observers.get(observer)
        if (
            is_removed
            and at >= since
            and shown is not None
            and any(change.published is not None for change in changes)
            and chosen.let(shown, name, owner_name)
        ):
            yield _line(history, shown, name, owner, owner_name, changes)


def _line(
    history: RecordHistory,
    observer: str,
    name: RecordName,
    owner: str,
    owner_name: str,
    changes: Sequence[RecordChange],
) -> Line:
    return Line(
        observers=(observer,),
        cluster=name[0],
        kind=name[1],
        name=name[2],
        owner=owner,
        owner_name=owner_name,
        periods=tuple(_periods(changes)),
        sent=tuple(history.publications(name, owner)),
        removed=changes[-1].at if changes[-1].removed else None,
    )


def _periods(changes: Sequence[RecordChange]) -> Iterator[HeldPeriod]:
    for change, following in zip_longest(changes, changes[1:]):
        if change.published is not None and (following is None or change.at < following.at):
            end, removed = (following.at, following.removed) if following else (None, False)
            yield HeldPeriod(change.at, end, change.published, removed)


def folded(lines: Sequence[Line]) -> list[Line]:
    """Merge lines if there are too many: first records of one owner, then observers."""
    for key in (lambda line: (line.observers, *_anywhere(line)), _anywhere):
        if len(lines) <= MOST_SINGLE:
            break
        sharing: dict[object, list[Line]] = defaultdict(list)
        for line in lines:
            sharing[key(line)].append(line)
        lines = [_together(each) for each in sharing.values()]
    return sorted(lines, key=_order)


def _anywhere(line: Line) -> tuple[object, ...]:
    return line.cluster, line.owner, line.published, line.removed


def _together(lines: Sequence[Line]) -> Line:
    """Return one line for several: that of the record held first."""
    if len(lines) == 1:
        return lines[0]
    first = min(lines, key=lambda line: line.periods[0].start)
    return replace(
        first,
        observers=tuple(sorted({name for line in lines for name in line.observers})),
        kind="",
        name="",
        sent=tuple(sorted({at for line in lines for at in line.sent})),
        count=sum(line.count for line in lines),
        basis=weakest(line.basis for line in lines),
    )


def drawn(lines: Sequence[Line]) -> list[Line]:
    """Choose the lines to draw if there are too many: those whose records are removed first."""
    soonest = sorted(lines, key=lambda line: (line.gone, _order(line)))[:MOST]
    return sorted(soonest, key=_order)


def _order(line: Line) -> tuple[object, ...]:
    several = len(line.observers) > 1
    kind = (*KINDS, "").index(line.kind)
    where = ("" if several else line.observers[0], line.cluster)
    return *where, line.owner_name, line.owner, kind, line.name, line.published, line.observers
