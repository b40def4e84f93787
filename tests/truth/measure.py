"""How true the answers about a collected estate are: `python -m tests.truth.measure SEED...`.

A cluster is simulated with faults and written out as an administrator would collect it, in part. It
is imported into an empty log, every question is asked of both logs, and the rows are compared: now,
between two collections, and 40 days later on a branch. A part of the files is imported into a third
log: what was true with less must be true with more. With `--to FILE` the result of each estate is a
line of that file, and an estate that has a line there is not measured again, unless the program has
changed. The table at the end has the columns in which something is false; with `--all` it has all.
With `--figures FILE` it goes to that file, too.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any, Final

from tests.app.test_laws import fresh
from tests.truth.collected_in_part import CAPTURED, Collection, collect, take
from tests.truth.comparing import OF_COLLECTING, Cell, ahead, compared, shown
from tests.truth.faulty_clusters import Truth, cluster_of
from twin.app.twin import Twin
from twin.model.instants import SECOND, Instant
from twin.questions.answer import Answer, Row
from twin.questions.catalogue import QUESTIONS
from twin.questions.sights import LONGEST
from twin.review.plan.plan import Request, plan
from twin.review.plan.planned import PlannedScript
from twin.review.runbooks.refreshing import decide
from twin.review.runbooks.subjects import RunbookRequest, UncertainQmid

_PART: Final = 0.6
"""The share of the files that is imported into the third log."""


@dataclass
class Measured:
    """One estate, and what was found.

    Attributes:
        seed: what it was drawn from.
        faults: what is wrong in it.
        cells: what was told, and what is true.
        false: errors and warnings of doctor, and answers of runbooks, that are not true.
        missed: errors and warnings that are true, that the last files show, and that were not told.
        untold: those that the last files do not show.
        lost: cells that are true with fewer files, and false with more.
        unsettled: cells that are true with fewer files, and unknown with more.
        invented: rows that are false, and that fewer files did not give.
        named: faults of queue managers that all answered last, of which the doctor says something
            in the simulated estate; and whether it says any of that of what was collected.
        seconds: of processor time.
    """

    seed: int
    faults: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    false: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    untold: list[str] = field(default_factory=list)
    lost: list[Cell] = field(default_factory=list)
    unsettled: list[Cell] = field(default_factory=list)
    invented: list[Cell] = field(default_factory=list)
    named: list[tuple[str, bool]] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def false_sights(self) -> list[Cell]:
        """What is called observed, and is not true."""
        return [each for each in self.cells if each.is_false_sight]

    @property
    def hidden(self) -> list[Cell]:
        """What a file showed, and DISPLAY does not."""
        return [each for each in self.cells if each.basis == "shown" and not each.is_true]

    def counts(self) -> Counter[tuple[str, str, str, bool]]:
        """Count the cells by question, column and basis, and whether they are true."""
        return Counter(
            (
                each.question,
                each.column,
                "unknown" if each.is_unknown and not each.is_true else each.basis,
                each.is_true,
            )
            for each in self.cells
        )


def measure(seed: int) -> Measured:
    """Measure one estate."""
    begin, result = time.process_time(), Measured(seed)
    with fresh(3) as (simulated, imported, less):
        truth = cluster_of(simulated, seed)
        made = collect(truth)
        result.faults = truth.faults
        take(made, imported)
        at = made[-1].at
        result.cells += compared(truth, imported, at)
        _with_less(result, truth, less, made)
        result.cells += shown(simulated, imported, at, sorted(made[-1].displayed), CAPTURED)
        between = at
        if len(made) > 1:
            between = truth.random.randrange(made[-2].at, at)
            result.cells += compared(truth, imported, between, "between ")
        _judge(result, truth, imported, made)
        result.cells += ahead(truth, imported)
        result.cells = [
            _as_of_its_sight(
                each, truth, made, between if each.question.startswith("between ") else at
            )
            for each in result.cells
        ]
    result.seconds = time.process_time() - begin
    return result


def _with_less(result: Measured, truth: Truth, less: Twin, made: list[Collection]) -> None:
    """Compare with what a part of the files tells."""
    random = Random(result.seed)
    take(made, less, lambda: random.random() < _PART)
    fewer = list(compared(truth, less, made[-1].at))
    by_place = {(each.question, each.key, each.column): each for each in result.cells}
    for cell in fewer:
        row = by_place.get((cell.question, cell.key, "(row)"))
        more = by_place.get((cell.question, cell.key, cell.column), row)
        if cell.is_true and not cell.is_unknown and (more is None or not more.is_true):
            unsettled = more is not None and more.is_unknown
            lost = result.unsettled if unsettled else result.lost
            lost.append(more or cell._replace(told=None))
    known = {(each.question, each.key) for each in fewer if each.basis != "missing"}
    result.invented += (
        each
        for each in result.cells
        if each.column == "(row)" and each.true is None and (each.question, each.key) not in known
    )


def _as_of_its_sight(cell: Cell, truth: Truth, made: list[Collection], at: Instant) -> Cell:
    """Return what was seen beside what was so when it was seen last, before an instant.

    Of members that were never imported, that is the last capture of any queue manager; of a
    channel, that of its own one. What changes without a trace must be fresh.
    """
    question, key = cell.question.split()[-1], cell.key
    if question == "explain" and cell.column == "status":
        question, key = "channels", (key[0], key[3])
    if not cell.is_false_sight or question not in {"members", "channels"}:
        return cell
    traced = question == "members" and cell.column != "suspend"
    seen = [
        each.at
        for each in made
        if each.at <= at and (each.displayed if question == "members" else key[0] in each.displayed)
    ]
    sight = max(seen, default=min(each.at for each in made))
    keys = QUESTIONS[question].keys
    for row in (
        truth.twin.ask(question, as_of=sight).rows if traced or at - sight <= LONGEST else ()
    ):
        if tuple(row[each] for each in keys) == key:
            was: Any = row.get(cell.column, cell.key)
            dated = was is not None and cell.column in QUESTIONS[question].instants
            return cell._replace(true=was // SECOND if dated else was)
    return cell


def _judge(result: Measured, truth: Truth, told: Twin, made: list[Collection]) -> None:
    """Compare the errors and warnings of doctor and of a plan, and whether REFRESH is advised."""
    at, displayed = made[-1].at, made[-1].displayed
    found = _findings(told.ask("doctor", as_of=at))
    right = _findings(truth.twin.ask("doctor", as_of=at))
    statuses = {
        (f"{row['on']} CHANNEL({row['channel']})", f"channel-{str(row['status']).lower()}")
        for each in made
        for row in (
            truth.twin.ask("channels", as_of=each.at).rows if at - each.at < LONGEST else ()
        )
        if each.at == at or row["on"] in each.displayed
    }
    statuses |= {
        (f"{row['owner']} CLUSTER({row['cluster']}) {row['qmid']}", f"record-{row['state']}")
        for row in truth.twin.ask("lifetimes", as_of=at).rows
    }
    for rule, subject in sorted(found.keys() - right.keys(), key=str):
        if (subject, rule) not in statuses:
            result.false.append(f"{rule} {subject}: {found[rule, subject]['finding']}")
    for rule, subject in sorted(right.keys() - found.keys(), key=str):
        said = _words(subject, right[rule, subject])
        is_of_one = said[0] in truth.names
        concerned = {*said} & {*truth.names} if is_of_one else {*truth.names}
        shown = concerned <= displayed
        missed = result.missed if shown else result.untold
        missed.append(f"{rule} {subject}: {right[rule, subject]['finding']}")
    for fault, names in truth.faults:
        about = [each for each, row in right.items() if {*names} & {*_words(each[1], row)}]
        if about and displayed.issuperset(names):
            result.named.append((fault, any(each in found for each in about)))
    for name in truth.names:
        if told.is_known(name):
            wanted = RunbookRequest(qmgr=name, cluster=truth.cluster)
            if _advised(told, wanted, at) and not _advised(truth.twin, wanted, at):
                result.false.append(f"refresh {name}: yes")
    if displayed:
        planned = [_planned(twin, min(displayed), at) for twin in (told, truth.twin)]
        result.false += (f"plan {line}" for line in sorted(planned[0] - planned[1]))


def _words(subject: object, row: Row) -> list[str]:
    return re.split(r"\W+", f"{subject} {row['finding']}")


def _advised(twin: Twin, wanted: RunbookRequest, at: Instant) -> bool:
    """Return whether REFRESH CLUSTER is advised; not if it is unknown which queue manager it is."""
    try:
        return decide(twin, wanted, as_of=at).is_needed
    except UncertainQmid:
        return False


def _planned(twin: Twin, name: str, at: Instant) -> set[str]:
    """Return the errors and warnings that a harmless change brings."""
    change = PlannedScript(name, "DEFINE QLOCAL(HARMLESS) DESCR('new')")
    planned = plan(twin, Request(changes=lambda _: (change,)), as_of=at)
    return {
        f"{each.id} {each.object}"
        for each in planned.findings
        if each.is_worse and each.severity in _LOUD and each.id not in OF_COLLECTING
    }


_LOUD: Final = frozenset({"error", "warning"})


def _findings(answer: Answer) -> dict[tuple[object, object], Row]:
    """Return the errors and warnings of doctor."""
    return {
        (row["id"], row["object"]): row
        for row in answer.rows
        if row["severity"] in _LOUD and row["id"] not in OF_COLLECTING
    }


def table(counts: Mapping[tuple[str, str, str], Counter[bool]]) -> Iterator[str]:
    """Write how many cells are true, by question, column and basis."""
    for (question, column, basis), counter in sorted(counts.items()):
        total = counter.total()
        yield f"{question:22} {column:18} {basis:10} {counter[True]:6} of {total:6}"


def _as_json(one: Measured) -> dict[str, Any]:
    return {
        "seed": one.seed,
        "faults": one.faults,
        "counts": [[*key, count] for key, count in sorted(one.counts().items(), key=str)],
        "false sights": [str(each) for each in one.false_sights],
        "hidden": [str(each) for each in one.hidden],
        "false": one.false,
        "missed": one.missed,
        "untold": one.untold,
        "unsettled": [str(each) for each in one.unsettled],
        "lost": [str(each) for each in one.lost],
        "invented": [str(each) for each in one.invented],
        "named": one.named,
        "seconds": round(one.seconds, 2),
    }


def _seeds(words: Iterable[str]) -> Iterator[int]:
    for word in words:
        first, _, last = word.partition("-")
        yield from range(int(first), int(last or first) + 1)


def main(arguments: list[str]) -> None:
    """Measure estates, in as many processes as there are processors, and write the figures."""
    complete = "--all" in arguments
    file, figures = _file(arguments, "--to"), _file(arguments, "--figures")
    code, done = _digest(), dict[int, dict[str, Any]]()
    if file is not None and file.exists():
        lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
        done = {each["seed"]: each for each in lines if each["code"] == code}
    wanted = list(_seeds(each for each in arguments if not each.startswith("--")))
    with get_context("spawn").Pool(maxtasksperchild=_EACH) as processes:
        new = processes.imap(_measured, [seed for seed in wanted if seed not in done])
        for one in chain((done[seed] for seed in wanted if seed in done), new):
            if one["seed"] not in done and file is not None:
                with file.open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps({**one, "code": code}) + "\n")
            done[one["seed"]] = one
            _write(f"seed {one['seed']}: {one['faults']}; {one['seconds']} s")
            for kind in _KINDS:
                _write(*(f"    {kind}: {line}" for line in one[kind][:_LISTED]))
    summary = tuple(_summary([done[seed] for seed in wanted], complete=complete))
    _write(*summary)
    if figures is not None:
        figures.write_text("\n".join((f"estates {' '.join(arguments)}", *summary, "")), "utf-8")


_EACH: Final = 10
"""How many estates a process measures: what it keeps in memory grows."""


def _measured(seed: int) -> dict[str, Any]:
    """Measure an estate; one that cannot be measured does not stop the others."""
    try:
        return {**_as_json(measure(seed)), "failed": []}
    except Exception as problem:  # noqa: BLE001 - it is written down
        return {**_as_json(Measured(seed)), "failed": [repr(problem)]}


def _file(arguments: list[str], option: str) -> Path | None:
    """Take an option with a file out of the arguments."""
    if option not in arguments:
        return None
    at = arguments.index(option)
    file = Path(arguments[at + 1])
    del arguments[at : at + 2]
    return file


def _digest() -> str:
    """Return a digest of the program and of this measure: other ones measured something else."""
    root = Path(__file__).parents[2]
    files = sorted((*root.glob("twin/**/*.py"), *root.glob("tests/truth/*.py")))
    return sha256(b"".join(each.read_bytes() for each in files)).hexdigest()[:16]


_KINDS: Final = (
    *("false sights", "hidden", "false", "missed", "lost", "invented"),
    *("untold", "unsettled", "failed"),
)
_LISTED: Final = 12


def _summary(results: list[dict[str, Any]], *, complete: bool) -> Iterator[str]:
    counts: dict[tuple[str, str, str], Counter[bool]] = defaultdict(Counter)
    by_basis: dict[str, Counter[bool]] = defaultdict(Counter)
    for one in results:
        for question, column, basis, is_true, count in one["counts"]:
            counts[question, column, basis][is_true] += count
            by_basis[basis][is_true] += count
    yield from table({key: each for key, each in counts.items() if complete or each[False]})
    for basis, each in sorted(by_basis.items()):
        yield f"{basis} {each[True]} of {each.total()}"
    for kind in _KINDS:
        yield f"{kind}: {sum(len(one[kind]) for one in results)}"
    yield from _named([(str(fault), bool(told)) for one in results for fault, told in one["named"]])
    yield f"{sum(one['seconds'] for one in results) / max(len(results), 1):.1f} s an estate"


def _named(faults: list[tuple[str, bool]]) -> Iterator[str]:
    """Write how many faults were named, and of which kinds not all were."""
    counts = Counter(faults)
    yield f"faults named: {sum(told for _, told in faults)} of {len(faults)}"
    for fault in sorted({fault for fault, told in counts if not told}):
        missed, told = counts[fault, False], counts[fault, True]
        yield f"    {fault}: not {missed} of {missed + told}"


def _write(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    main(sys.argv[1:])
