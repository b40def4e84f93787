"""The closed loop: an estate, written out whole by twin and imported again, and how they differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

from tests.truth.broken import LOOP, Broken
from tests.truth.collected_in_part import logged
from tests.truth.comparing import OF_COLLECTING, Cell
from tests.truth.faulty_clusters import Truth
from twin.app.importing.feeds import FeedFile
from twin.app.observing import FileText
from twin.app.twin import Twin
from twin.feeds.detect import FileFormat
from twin.model.basis import Source
from twin.model.instants import Instant
from twin.questions.verdicts import AGREES, BEHIND
from twin.review.plan.plan import Request, plan
from twin.review.plan.planned import PlannedScript

DISPLAYED: Final = tuple(source.value for source in Source if source.is_mqsc)
"""What `twin collect-script` asks of each queue manager."""

_Findings = dict[tuple[str, str], tuple[str, ...]]
"""Id and subject -> what is said of a finding."""

_CHANGES: Final = (
    "DEFINE QLOCAL(HARMLESS) DESCR('new')",
    "DEFINE QLOCAL(SHARED.NEW) CLUSTER({cluster})",
    "ALTER QMGR DEADQ(' ')",
)
"""The changes that are planned."""


def written(truth: Truth) -> tuple[list[FileText], list[FeedFile]]:
    """Write an estate out: dumps and answers of whatever can be asked, logs and qm.ini."""
    at, files = truth.now, list[FileText]()
    for name in truth.names:
        if name in truth.unreached:
            continue
        files.append(FileText("\n".join([*truth.twin.dmpmqcfg(name, as_of=at), ""])))
        lines = truth.twin.runmqsc(name, "\n".join(DISPLAYED), as_of=at).lines
        files.append(FileText("\n".join([*lines, ""])))
    inis = [_ini(name, truth.inis[name]) for name in truth.names if name in truth.inis]
    return files, [*logged(truth, truth.names), *inis]


def _ini(name: str, ini: str) -> FeedFile:
    lines = ini.splitlines(keepends=True)
    return FeedFile(f"{name}.qm.ini", lambda: iter(lines), FileFormat.INI, name)


def loop(truth: Truth, twin: Twin) -> None:
    """Import an estate that was written out."""
    files, logs = written(truth)
    twin.ingest_files(files, at=truth.now)
    twin.ingest_feeds(logs)


def differing(truth: Truth, cell: Cell) -> Iterator[Broken]:
    """Yield the difference that a cell is, if it is one; what nobody knows is one, too."""
    if cell.is_true:
        return
    basis = "unknown" if cell.is_unknown else cell.basis
    text = f"{cell.question} {cell.key}: {cell.column} ({basis}) {cell.told!r}, not {cell.true!r}"
    *later, question = cell.question.split()
    marks = frozenset({*(["later"] if later else []), *_marks(truth, question, cell)})
    yield Broken(LOOP, question, cell.column, basis, text, marks)


def _marks(truth: Truth, question: str, cell: Cell) -> Iterator[str]:
    """Yield whether a cell is about somebody who was not asked, or whose link is cut."""
    about = set(cell.key[3:5] if question == "divergence" else cell.key[:1])
    if question == "members" and cell.column == "known_by":
        about = set(cast("tuple[str, ...]", cell.told)) ^ set(cast("tuple[str, ...]", cell.true))
    if about & truth.unreached:
        yield "unasked"
    ends = {end for fault, concerned in truth.faults if "cut" in fault for end in concerned}
    if about & ends:
        yield "cut"


def judged(truth: Truth, told: Twin) -> Iterator[Broken]:
    """Yield what reconcile does not agree with, and where doctor and plans are not the same.

    A record that is behind its owner's definition in the estate, too, is `behind`.
    """
    diverging = {
        (row["observer"], row["kind"], row["name"], row["qmid"])
        for row in truth.twin.ask("divergence", as_of=truth.now).rows
    }
    for row in told.ask("reconcile", as_of=truth.now).rows:
        record = (row["observer"], row["kind"], row["name"], row["qmid"])
        if row["verdict"] != AGREES and not (row["verdict"] == BEHIND and record in diverging):
            field, verdict = str(row["field"]), str(row["verdict"])
            marks = frozenset(["unasked"] if row["owner"] in truth.unreached else [])
            yield Broken(LOOP, "reconcile", field, verdict, str(dict(row)), marks)
    at = truth.now
    yield from _differences("doctor", _found(told, at), _found(truth.twin, at))
    for change in _CHANGES:
        planned = [_planned(twin, truth, change) for twin in (told, truth.twin)]
        yield from _differences(f"plan {change}", *planned)


def _differences(name: str, found: _Findings, right: _Findings) -> Iterator[Broken]:
    """Yield which findings are more or less, and which have another severity."""
    for key in sorted(found.keys() | right.keys()):
        if found.get(key) != right.get(key):
            how = "less" if key not in found else "more" if key not in right else "otherwise"
            how = "info" if "info" in found.get(key, ()) else how
            text = f"{name}: {how}: {key} {found.get(key)}, not {right.get(key)}"
            yield Broken(LOOP, name.partition(" ")[0], key[0], how, text)


def _found(twin: Twin, at: Instant) -> _Findings:
    """Return all findings: the id and the subject of each, and its severity."""
    rows = twin.ask("doctor", as_of=at).rows
    return {
        (str(row["id"]), str(row["object"])): (str(row["severity"]),)
        for row in rows
        if row["id"] not in OF_COLLECTING
    }


def _planned(twin: Twin, truth: Truth, change: str) -> _Findings:
    """Return the findings of a plan of a change at the last queue manager."""
    name = next(each for each in reversed(truth.names) if each not in truth.unreached)
    script = PlannedScript(name, change.format(cluster=truth.cluster))
    planned = plan(twin, Request(changes=lambda _: (script,)), as_of=truth.now)
    return {
        (each.id, each.object): (each.severity, str(each.is_worse))
        for each in planned.findings
        if each.id not in OF_COLLECTING
    }
