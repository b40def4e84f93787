"""The closed loop: an estate, written out whole by twin and imported again, and how they differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from tests.truth.broken import LOOP, Broken
from tests.truth.collected_in_part import logged
from tests.truth.comparing import Cell, cells, explained
from tests.truth.faulty_clusters import Truth
from twin.app.importing.feeds import FeedFile
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.model.basis import Source
from twin.model.instants import DAY, Instant
from twin.questions.verdicts import AGREES
from twin.review.plan.plan import Request, plan
from twin.review.plan.planned import PlannedScript

DISPLAYED: Final = tuple(source.value for source in Source if source.is_mqsc)
"""What `twin collect-script` asks of each queue manager."""

ASKED: Final = ("members", "beliefs", "lifetimes", "subscriptions", "channels")
"""The questions whose rows are compared."""

_CHANGES: Final = (
    "DEFINE QLOCAL(HARMLESS) DESCR('new')",
    "DEFINE QLOCAL(SHARED.NEW) CLUSTER({cluster})",
    "ALTER QMGR DEADQ(' ')",
)
"""The changes that are planned."""

_OF_COLLECTING: Final = frozenset({"collection-stale", "queue-manager-not-in-twin"})
"""The rules about what was imported: a simulated estate was not."""


def written(truth: Truth) -> tuple[list[FileText], list[FeedFile]]:
    """Write an estate out: the dump, the answers and the error log of each queue manager."""
    at, files = truth.now, list[FileText]()
    for name in truth.names:
        files.append(FileText("\n".join([*truth.twin.dmpmqcfg(name, as_of=at), ""])))
        lines = truth.twin.runmqsc(name, "\n".join(DISPLAYED), as_of=at).lines
        files.append(FileText("\n".join([*lines, ""])))
    return files, logged(truth, truth.names)


def loop(truth: Truth, twin: Twin) -> None:
    """Import an estate that was written out."""
    files, logs = written(truth)
    twin.ingest_files(files, at=truth.now)
    twin.ingest_feeds(logs)


def compared(truth: Truth, told: Twin, at: Instant, when: str = "") -> Iterator[Cell]:
    """Compare the rows of all questions."""
    for question in ASKED:
        found, right = told.ask(question, as_of=at), truth.twin.ask(question, as_of=at)
        for cell in cells(question, found, right):
            yield cell._replace(question=f"{when}{question}")
    for cell in explained(truth, told, at):
        yield cell._replace(question=f"{when}{cell.question}")


def ahead(truth: Truth, told: Twin) -> Iterator[Cell]:
    """Compare what a branch says of 40 days later."""
    later = truth.now + 40 * DAY
    for twin in (truth.twin, told):
        twin.create_branch("ahead", at=truth.now)
    branches = [twin.on_branch("ahead") for twin in (truth.twin, told)]
    for twin in branches:
        twin.pass_time(later)
    yield from compared(replace(truth, twin=branches[0]), branches[1], later, "ahead ")


def differing(cell: Cell) -> Iterator[Broken]:
    """Yield the difference that a cell is, if it is one; what nobody knows is one, too.

    DISPLAY CHSTATUS shows the partners of a CLUSRCVR. `channels` lists only those that were seen.
    """
    if cell.is_true or (cell.column == "instances" and cell.true is None):
        return
    basis = "unknown" if cell.is_unknown else cell.basis
    text = f"{cell.question} {cell.key}: {cell.column} ({basis}) {cell.told!r}, not {cell.true!r}"
    yield Broken(LOOP, cell.question.split()[-1], cell.column, basis, text)


def judged(truth: Truth, told: Twin) -> Iterator[Broken]:
    """Yield what reconcile does not agree with, and where doctor and plans are not the same."""
    for row in told.ask("reconcile", as_of=truth.now).rows:
        if row["verdict"] != AGREES:
            yield Broken(LOOP, "reconcile", str(row["field"]), "", str(dict(row)))
    for name, found, right in (
        ("doctor", _found(told, truth.now), _found(truth.twin, truth.now)),
        *(
            (f"plan {change}", _planned(told, truth, change), _planned(truth.twin, truth, change))
            for change in _CHANGES
        ),
    ):
        for each in sorted(found ^ right):
            text = f"{name}: {'more' if each in found else 'less'}: {each}"
            yield Broken(LOOP, name.partition(" ")[0], each[0], "", text)


def _found(twin: Twin, at: Instant) -> set[tuple[str, ...]]:
    """Return the ids, subjects and severities of all findings."""
    rows = twin.ask("doctor", as_of=at).rows
    columns = ("id", "object", "severity")
    found = {tuple(str(row[each]) for each in columns) for row in rows}
    return {each for each in found if each[0] not in _OF_COLLECTING}


def _planned(twin: Twin, truth: Truth, change: str) -> set[tuple[str, ...]]:
    """Return what changes with a change at the last queue manager: findings, and the answer."""
    script = PlannedScript(truth.names[-1], change.format(cluster=truth.cluster))
    planned = plan(twin, Request(changes=lambda _: (script,)), as_of=truth.now)
    return {
        (each.id, each.object, each.severity, str(each.is_worse))
        for each in planned.findings
        if each.id not in _OF_COLLECTING
    }
