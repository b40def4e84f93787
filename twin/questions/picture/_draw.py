"""Draw the lifetimes of records: choose the lines, their labels, and the span of the axis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from twin.fold.estate import Estate
from twin.model.basis import Basis
from twin.model.instants import DAY, AsOf, Instant, format_instant
from twin.questions.answer import Facts
from twin.questions.belief import RecordFilters, records
from twin.questions.picture import _history
from twin.questions.picture._axis import whole_days
from twin.questions.picture._history import LONG_AGO, OutagePeriod, Outages, pair
from twin.questions.picture._lines import Line, drawn, folded, held, removed
from twin.questions.picture._page import Hatch, Page, draw_page
from twin.rules.repository.lifetimes import EXPIRE_AFTER

READS: Final = _history.READS
"""The events that are drawn."""

BACK: Final = 210 * DAY
"""How far back facts matter, in microseconds: a record removed in the last 30 days was sent up to
120 days ago. The picture begins there, with records that arrived up to 90 days before."""

_LOOK_BACK: Final = EXPIRE_AFTER
"""How far back the picture goes at least, in microseconds."""


def draw(  # noqa: PLR0913 - each is a filter of its own
    estate: Estate,
    as_of: AsOf,
    *,
    facts: Facts,
    since: Instant | None = None,
    on: str | None = None,
    cluster: str | None = None,
    kind: str | None = None,
    name: str | None = None,
    owner: str | None = None,
    basis: str | None = None,
) -> str:
    """Draw the lifetimes of records as SVG: past, present and expected.

    A bar is a record at its observer. The picture shows the records that `lifetimes` lists, and
    those that were removed after its start. It starts at `since`; by default 30 days ago, or
    earlier if a record was sent earlier. If there are more than 60 bars, records of one owner and
    publication share a bar; then observers share bars. If there are more than 300 bars, the records
    that live longest are left out. With `basis`, only records whose dates rest on that or on more
    are shown.

    Raises:
        NoSuchQueueManager: when there is no such observer.
    """
    all_facts = tuple(facts)
    chosen = RecordFilters(on, cluster, kind, name, owner)
    past = _history.history(estate, all_facts)
    now = as_of.valid
    recent = now - _LOOK_BACK if since is None else since
    least = Basis.ASSUMED if basis is None else Basis(basis)
    every = chain(held(past, records(estate, chosen)), removed(past, chosen, since=recent))
    lines = folded([line for line in every if line.basis.rank <= least.rank])
    shown = drawn(lines)
    hatches = _Hatches(estate, _history.outages(estate, all_facts, until=now))
    page = Page(
        as_of=as_of,
        lines=shown,
        labels=_labels(shown),
        hatches=[tuple(hatches.of(line)) for line in shown],
        omitted=len(lines) - len(shown),
        narrowed=", ".join(
            f"{name} {value}"
            for name, value in (*chosen._asdict().items(), ("basis", basis))
            if value is not None
        ),
    )
    return draw_page(page, *_span(estate, shown, now, since))


def _span(
    estate: Estate, lines: Sequence[Line], now: Instant, since: Instant | None
) -> tuple[Instant, Instant]:
    """Choose the span of the axis; it begins no earlier than the first queue manager."""
    every = (*estate.qmgrs.values(), *estate.departed.values())
    first = min((qmgr.created for qmgr in every), default=now)
    earliest = min([now - _LOOK_BACK, *(line.published for line in lines)])
    start = min(max(first, earliest if since is None else since), now)
    return whole_days(start, max([now + DAY, *(line.gone for line in lines)]))


def _labels(lines: Sequence[Line]) -> list[str]:
    """Return labels of lines; no two under one heading are equal."""
    owners = {(line.cluster, line.owner_name, line.owner) for line in lines}
    sharing = Counter((cluster, name) for cluster, name, _ in owners)
    members = Counter(
        (line.observers, line.cluster, line.owner) for line in lines if line.kind == "qmgr"
    )
    labels = []
    for line in lines:
        alone = sharing[line.cluster, line.owner_name] == 1
        owner = line.owner_name if alone else line.owner
        if line.count > 1:
            at = f" at {len(line.observers)}" if len(line.observers) > 1 else ""
            labels.append(f"{owner}: {line.count} records{at}")
        elif line.kind != "qmgr":
            labels.append(f"{line.name}@{owner}")
        elif members[line.observers, line.cluster, line.owner] > 1:
            labels.append(f"{owner} by {line.name}")
        else:
            labels.append(owner)
    return labels


class _Hatches:
    """The outages that kept updates of owners from observers, line by line."""

    def __init__(self, estate: Estate, outages: Outages) -> None:
        self._estate = estate
        self._outages = outages
        self._full = _full_repositories(estate)

    def of(self, line: Line) -> Iterator[Hatch]:
        """Go through the times when owner or observer was down, or a link between them was cut.

        These links are those of the owner, and those from the observer to full repositories. The
        own records of an observer use no link.
        """
        for qmid, name in self._ends(line).items():
            for span in self._outages.down.get(qmid, ()):
                yield Hatch(span, f"{name} was down {_from_to(span)}", is_cut=False)
        for ends, spans in self._outages.cut.items():
            if self._is_on_the_way(ends, line):
                for span in spans:
                    says = f"the link of {ends[0]} and {ends[1]} was cut {_from_to(span)}"
                    yield Hatch(span, says, is_cut=True)

    def _ends(self, line: Line) -> dict[str, str]:
        """Return the names of owner and observer by QMID; several observers are left out."""
        ends = {line.owner: line.owner_name}
        if len(line.observers) == 1:
            observer = self._estate.qmgrs[line.observers[0]]
            ends[observer.qmid] = observer.name
        return ends

    def _is_on_the_way(self, ends: tuple[str, str], line: Line) -> bool:
        if line.observers == (line.owner_name,):
            return False
        if line.owner_name in ends or len(line.observers) > 1:
            return line.owner_name in ends
        full = self._full.get(line.cluster, set())
        return any(ends == pair(line.observers[0], repository) for repository in full)


def _full_repositories(estate: Estate) -> dict[str, set[str]]:
    """Return by cluster the names of full repositories that any queue manager knows."""
    found: dict[str, set[str]] = {}
    for qmgr in estate.qmgrs.values():
        for name, belief in qmgr.repository.of_kind("qmgr"):
            if belief.values.get("QMTYPE") == "REPOS":
                found.setdefault(name[0], set()).add(belief.owner_name)
    return found


def _from_to(span: OutagePeriod) -> str:
    begun = f"from {format_instant(span.start)} " if span.start > LONG_AGO else ""
    return f"{begun}to {format_instant(span.end)}"
