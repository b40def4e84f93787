"""Marks around statements: files of one instant that are decided together.

Up to `PIECE` events are one transaction. More are divided, between the beginning and the end of the
import. Whoever finds a beginning without an end derives everything from there on again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Final

from twin.app.acting import Fact
from twin.app.batch import Batch
from twin.app.deciding import Decision
from twin.app.importing.dated import DatedFacts
from twin.app.importing.marks import ReadFile, marks_of, unfinished_since
from twin.app.observing import FileText, Observed
from twin.app.open_branch import OpenBranch
from twin.app.recorded_estate import HeadEstate
from twin.events import PrimaryFact
from twin.fold.replay import apply
from twin.log import Head, NewEvent
from twin.model.instants import Instant
from twin.rules.draft import Decided

PIECE: Final = 4096
"""The most events of one transaction of an import."""


def marking(
    twin: OpenBranch, files: Sequence[FileText], observed: Sequence[Observed], *, at: Instant
) -> Callable[[Decision, Sequence[Fact], Head], Decision]:
    """Return a function that adds beginnings and ends to a decision about facts after a head.

    `observed` has what the files say when the function is called. Marks come after the facts, in
    the same transaction; a decision that is divided begins with the beginnings.
    """

    def mark(decision: Decision, facts: Sequence[Fact], head: Head) -> Decision:
        if not any(each.counts.get("commands") for each in observed):
            return decision
        marks = marks_of(_read(files, observed), twin.log, branch=twin.branch)
        counts = Counter(_path(fact) for fact in facts for _ in fact.said)
        recorded = {number: counts[file.file or ""] for number, file in enumerate(files)}
        named = [number for number in recorded if recorded[number] or number in marks.wanted]
        if marks.since is not None or not named:
            return decision
        begin: list[PrimaryFact] = [marks.begin[number] for number in named]
        end: list[PrimaryFact] = [marks.end[number](recorded[number]) for number in named]
        divided = len(decision.batch.events) + 2 * len(named) > PIECE
        divided = divided and not decision.batch.names_puts
        when = at if facts else head.occurred_at or at
        current = _with(decision, [*begin, *end]) if facts and not divided else None
        before = begin if divided else []
        after = end if divided else [*begin, *end]
        decision.batch.events[:0] = _batch(before, when)
        decision.batch.events += _batch(after, when)
        decision.batch.most = PIECE if divided else None
        return replace(decision, current=current)

    return mark


def _batch(marks: Sequence[PrimaryFact], at: Instant) -> list[NewEvent]:
    batch = Batch()
    for each in marks:
        batch.add_primary(Fact(each, "import"), Decided(at, each))
    return batch.events


def _with(decision: Decision, marks: Sequence[PrimaryFact]) -> HeadEstate | None:
    """Return the estate of a decision with marks after its events."""
    if decision.current is not None:
        estate = decision.current.estate
        for place, each in enumerate(marks, decision.first + len(decision.batch.events)):
            apply(estate, each, estate.instant, place)
    return decision.current


def finish(twin: OpenBranch, files: Sequence[FileText], observed: Sequence[Observed]) -> None:
    """Finish an import of these files that was killed, if there is one."""
    read = _read(files, observed)
    if unfinished_since(read, twin.log, branch=twin.branch) is not None:
        DatedFacts(twin, [], marks_of(read, twin.log, branch=twin.branch)).record()


def _path(fact: Fact) -> str:
    origin = getattr(fact.event, "origin", None)
    return (origin.file if origin is not None else None) or ""


def _read(files: Sequence[FileText], observed: Sequence[Observed]) -> list[ReadFile]:
    return [
        ReadFile(
            file.file or "standard input",
            each.digest or sha256(file.text.encode("utf-8", "surrogatepass")).hexdigest(),
            str(each.format),
            each.qmgrs,
            _not_understood(each),
            _passed_over(each),
        )
        for file, each in zip(files, observed, strict=True)
    ]


def _passed_over(observed: Observed) -> Counter[str]:
    """Count the commands from which no fact is taken."""
    counts: Counter[str] = Counter()
    for passed in observed.passed_over:
        counts[passed.command] += passed.number
    return counts


def _not_understood(observed: Observed) -> Counter[tuple[str, str]]:
    """Count the parts of a file that could not be used, by what is the same whenever it is read."""
    counts: Counter[tuple[str, str]] = Counter()
    for problem in observed.not_understood:
        if not problem.rests_on_known:
            counts["", problem.why] += problem.number
    return counts
