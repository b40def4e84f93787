"""What was imported, what of it was not understood, and what the estate names and lacks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain, combinations
from typing import Final, NamedTuple

from twin.events import (
    BeliefsObserved,
    ImportBegun,
    ImportEnded,
    ObjectsObserved,
    StatedObject,
    StatedObservation,
)
from twin.fold.estate import Estate
from twin.model.amounts import counted
from twin.model.instants import AsOf, Instant
from twin.model.names import generic
from twin.questions.answer import Answer, EvidencedRow, Facts, FoldedFact, Row, qmid_of
from twin.questions.catalogue import QUESTIONS
from twin.questions.completeness import NOT_IN_TWIN, gaps
from twin.rules.standing import instants_seen

READS: Final = frozenset({ImportBegun, ImportEnded, ObjectsObserved, BeliefsObserved})
"""The events that this question reads."""

_ROUTES: Final = ("explain", "transmission")
_ALL: Final = ("beliefs", "divergence", "explain", "lifetimes", "members", "transmission")
"""The answers that miss what a queue manager holds if nothing of it was imported."""


class _Import(NamedTuple):
    """One import of one file; `ended` is None while its end is missing."""

    begun: FoldedFact
    ended: FoldedFact | None = None

    @property
    def name(self) -> str:
        assert isinstance(self.begun.event, ImportBegun)  # noqa: S101 - see `_imports`
        return self.begun.event.name

    @property
    def end(self) -> ImportEnded | None:
        event = None if self.ended is None else self.ended.event
        return event if isinstance(event, ImportEnded) else None


def ingest(
    estate: Estate,
    as_of: AsOf,
    *,
    facts: Facts,
    on: str | None = None,
    kind: str | None = None,
) -> Answer:
    """List what was imported and what is missing: see the declaration of the question.

    Files come first, then imports without an end, then what was not understood or passed over,
    then gaps, and contradictions last.
    """
    known = list(facts)
    imports = _imports(known)
    observed = [fact for fact in known if fact.at <= as_of.valid]
    contradictions = chain(_contradictions(observed), _other_qmids(estate, observed))
    rows = chain(_of_imports(imports), _ages(estate), _of_gaps(estate, imports), contradictions)
    wanted = (
        (row, evidence)
        for row, evidence in rows
        if on in (None, row["on"]) and kind in (None, row["kind"])
    )
    return Answer.of("ingest", as_of, wanted)


def _row(kind: str, name: str, evidence: Iterable[int], **values: object) -> EvidencedRow:
    row: Row = dict.fromkeys(QUESTIONS["ingest"].names)
    row |= {"kind": kind, "name": name, "weakens": ()}
    row |= values  # type: ignore[arg-type]  # values of a row
    return row, tuple(position for position in evidence if position)


def _imports(facts: Iterable[FoldedFact]) -> list[_Import]:
    """Return the imports in the order of their beginnings, each with its end.

    An import without an end does not count if a later one of the same name ended.
    """
    begun: dict[str, list[_Import]] = defaultdict(list)
    order: list[tuple[str, int]] = []
    for fact in sorted(facts, key=lambda each: each.position):
        if isinstance(fact.event, ImportBegun):
            order.append((fact.event.digest, len(begun[fact.event.digest])))
            begun[fact.event.digest].append(_Import(fact))
        elif isinstance(fact.event, ImportEnded) and begun[fact.event.digest]:
            last = begun[fact.event.digest].pop()
            begun[fact.event.digest].append(last._replace(ended=fact))
    imports = [begun[digest][number] for digest, number in order]
    ended = {each.name: place for place, each in enumerate(imports) if each.end}
    return [
        each for place, each in enumerate(imports) if each.end or ended.get(each.name, -1) < place
    ]


def _of_imports(imports: list[_Import]) -> Iterator[EvidencedRow]:
    for each in imports:
        if each.end is not None and each.end.done:
            yield _file_row("file", each, each.end, each.end.events)
    for each in imports:
        if each.end is None or not each.end.done:
            why = "has no end: the same import finishes it"
            yield _file_row("unfinished", each, each.end, None, why=why, weakens=_ALL)
    for each in imports:
        for what, why, count in each.end.not_understood if each.end else ():
            yield _file_row("not-understood", each, each.end, count, by=what or None, why=why)
    for each in imports:
        if each.end is not None and (passed := each.end.passed_over):
            total = sum(count for _, count in passed)
            why = f"no fact is taken: {', '.join(f'{count} {what}' for what, count in passed)}"
            yield _file_row("passed-over", each, each.end, total, why=why)


def _file_row(
    kind: str, each: _Import, end: ImportEnded | None, count: int | None, **values: object
) -> EvidencedRow:
    begun = each.begun.event
    evidence = (each.begun.position, *([each.ended.position] if each.ended else ()))
    return _row(
        kind,
        each.name,
        evidence,
        on=", ".join(end.qmgrs) or None if end else None,
        at=each.begun.at,
        count=count,
        format=(end.format or None) if end else None,
        digest=begun.digest if isinstance(begun, ImportBegun) else None,
        **values,
    )


def _ages(estate: Estate) -> Iterator[EvidencedRow]:
    """Yield when each kind of fact about an imported queue manager was last seen."""
    for name, qmgr in sorted(estate.qmgrs.items()):
        for feed, instants in instants_seen(qmgr):
            if instants:
                seen = max(instants)
                yield _row("last-seen", feed, (qmgr.position,), on=name, last_seen=seen)


def _of_gaps(estate: Estate, imports: list[_Import]) -> Iterator[EvidencedRow]:
    for gap in gaps(estate):
        by = gap.by
        if gap.name in estate.undefined and gap.on == gap.name:
            by = _files_of(gap.name, imports) or by
        weakens = _ALL if gap.kind == NOT_IN_TWIN else _ROUTES
        yield _row(
            gap.kind,
            gap.name,
            (gap.position,),
            on=gap.on,
            by=by,
            why=gap.why or None,
            weakens=weakens,
        )


def _files_of(qmgr: str, imports: list[_Import]) -> str:
    """Return the first file about a queue manager, by name, and how many more there are."""
    names = sorted({each.name for each in imports if each.end and qmgr in each.end.qmgrs})
    more = f" and {counted(len(names) - 1, 'more file')}" if len(names) > 1 else ""
    return f"{names[0]}{more}" if names else ""


def _contradictions(facts: Iterable[FoldedFact]) -> Iterator[EvidencedRow]:
    """Yield a row for each object of which observations of one instant say different things."""
    at_one: dict[tuple[Instant, str, str], list[FoldedFact]] = defaultdict(list)
    for fact in facts:
        if isinstance(fact.event, ObjectsObserved):
            at_one[fact.at, fact.event.qmgr, fact.event.kind].append(fact)
    for (at, qmgr, kind), seen in at_one.items():
        found: dict[tuple[str, str], tuple[int, ...]] = {}
        for one, other in combinations(seen, 2):
            for name, why in _differences(one.event, other.event):
                found.setdefault((name, why), (one.position, other.position))
        for (name, why), evidence in found.items():
            yield _row(
                "contradiction",
                name or qmgr,
                evidence,
                on=qmgr,
                by=kind,
                why=why,
                at=at,
                weakens=_ROUTES,
            )


def _other_qmids(estate: Estate, facts: Iterable[FoldedFact]) -> Iterator[EvidencedRow]:
    """Yield a row for each QMID that files say of a queue manager and that is not the known one.

    The known one is that of the queue manager which had the name then, whatever came in first.
    """
    seen: set[tuple[str, str]] = set()
    for at, position, event in facts:
        if not isinstance(event, StatedObservation) or event.qmid is None:
            continue
        known = qmid_of(estate, event.qmgr, at)
        if known in {"", event.qmid} or (event.qmgr, event.qmid) in seen:
            continue
        seen.add((event.qmgr, event.qmid))
        yield _row(
            "contradiction",
            event.qmgr,
            (position,),
            on=event.qmgr,
            by="QMID",
            why=f"{event.qmid} differs from {known}, which is kept",
            at=at,
            weakens=_ALL,
        )


def _differences(one: object, other: object) -> Iterator[tuple[str, str]]:
    """Yield the objects of which two observations say different things, and what."""
    assert isinstance(one, ObjectsObserved)  # noqa: S101 - see `_contradictions`
    assert isinstance(other, ObjectsObserved)  # noqa: S101
    first, second = _named(one), _named(other)
    for name, said in first.items():
        if name in second:
            yield from ((name, why) for why in _unequal(said, second[name]))
    for here, there, event in ((first, second, other), (second, first, one)):
        for name, said in here.items():
            lacks = event.complete is not None and generic(event.complete, name)
            if lacks and name not in there and said.act == "define":
                yield name, "one names it, and another one, which names all, does not"


def _named(event: ObjectsObserved) -> dict[str, StatedObject]:
    """Return what an observation says of each object it names, the last of each."""
    return {said.name: said for said in event.said}


def _unequal(one: StatedObject, other: StatedObject) -> Iterator[str]:
    if "delete" in (one.act, other.act):
        if one.act != other.act:
            yield "defined and deleted"
        return
    if one.type and other.type and one.type != other.type:
        yield f"{one.type} and {other.type}"
        return
    whole = one.act == other.act == "define" and one.base == other.base
    keywords = one.values.keys() | other.values.keys()
    for keyword in sorted(keywords if whole else one.values.keys() & other.values.keys()):
        here, there = one.values.get(keyword), other.values.get(keyword)
        if here != there:
            yield f"{keyword}: {' and '.join(sorted((_shown(here), _shown(there))))}"


def _shown(value: object) -> str:
    return "the default" if value is None else repr(value)
