"""The lines of a picture: one for each record, or for several that look the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from twin.fold.estate import Estate
from twin.model.basis import Basis, weakest
from twin.model.instants import Instant
from twin.questions.belief import ObservedRecord
from twin.questions.catalogue import KINDS
from twin.rules.repository.lifetimes import removal

MOST_SINGLE: Final = 60
"""With more lines than this, records of one owner that share a publication share a line."""

MOST: Final = 300
"""More lines than this are not drawn."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a picture.

    Attributes:
        observers: the names of those who hold its records; one, unless lines were merged.
        cluster, kind, name, owner, owner_name: of the record; kind and name are '' if several
            records share the line.
        published: when its owner sent it.
        count: of the records that share it.
        basis: what its dates rest on, the weakest of the records that share it.
    """

    observers: tuple[str, ...]
    cluster: str
    kind: str
    name: str
    owner: str
    owner_name: str
    published: Instant
    count: int = 1
    basis: Basis = Basis.DERIVED

    @property
    def gone(self) -> Instant:
        """When it will be removed if it is not renewed."""
        return removal(self.published)


def held(estate: Estate, records: Iterable[ObservedRecord]) -> Iterator[Line]:
    """Go through a line for every record that is held."""
    for record in records:
        observer, name, belief = record
        yield Line(
            observers=(observer.name,),
            cluster=name[0],
            kind=name[1],
            name=name[2],
            owner=belief.owner,
            owner_name=belief.owner_name,
            published=belief.published,
            basis=record.basis(estate).dates,
        )


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
    return line.cluster, line.owner, line.published


def _together(lines: Sequence[Line]) -> Line:
    """Return one line for several."""
    if len(lines) == 1:
        return lines[0]
    return replace(
        lines[0],
        observers=tuple(sorted({name for line in lines for name in line.observers})),
        kind="",
        name="",
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
