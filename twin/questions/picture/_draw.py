"""Draw the lifetimes of records: choose the lines, their labels, and the span of the axis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from twin.fold.estate import Estate
from twin.model.basis import Basis
from twin.model.instants import DAY, AsOf
from twin.questions.belief import RecordFilters, records
from twin.questions.picture._axis import whole_days
from twin.questions.picture._lines import Line, drawn, folded, held
from twin.questions.picture._page import Page, draw_page


def draw(
    estate: Estate,
    as_of: AsOf,
    *,
    on: str | None = None,
    cluster: str | None = None,
    kind: str | None = None,
    name: str | None = None,
    owner: str | None = None,
    basis: str | None = None,
) -> str:
    """Draw the lifetimes of records as SVG, from their publication to their removal.

    A bar is a record at its observer. The picture shows the records that `lifetimes` lists. If
    there are more than 60 bars, records of one owner and publication share a bar; then observers
    share bars. If there are more than 300 bars, the records that live longest are left out. With
    `basis`, only records whose dates rest on that or on more are shown.

    Raises:
        NoSuchQueueManager: when there is no such observer.
    """
    chosen = RecordFilters(on, cluster, kind, name, owner)
    now = as_of.valid
    least = Basis.ASSUMED if basis is None else Basis(basis)
    every = held(estate, records(estate, chosen))
    lines = folded([line for line in every if line.basis.rank <= least.rank])
    shown = drawn(lines)
    page = Page(
        as_of=as_of,
        lines=shown,
        labels=_labels(shown),
        omitted=len(lines) - len(shown),
        narrowed=", ".join(
            f"{name} {value}"
            for name, value in (*chosen._asdict().items(), ("basis", basis))
            if value is not None
        ),
    )
    start = min([now, *(line.published for line in shown)])
    end = max([now + DAY, *(line.gone for line in shown)])
    return draw_page(page, *whole_days(start, end))


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
