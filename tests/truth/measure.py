"""How true the answers about a collected estate are: `python -m tests.truth.measure SEED...`.

A cluster is simulated with faults and written out as an administrator would collect it, in part. It
is imported into an empty log, every question is asked of both logs, and the rows are compared.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from tests.app.test_laws import fresh
from tests.round_trip.written import COMMANDS
from tests.truth.collected_in_part import collect
from tests.truth.faulty_clusters import Truth, cluster_of
from twin.app.twin import Twin
from twin.errors import TwinError
from twin.model.basis import Basis
from twin.model.instants import DAY, SECOND, Instant
from twin.mqsc.statement import Statement, parse
from twin.questions.answer import Answer, Row
from twin.questions.catalogue import QUESTIONS
from twin.questions.display import display

ASKED: Final = (
    "members",
    "beliefs",
    "lifetimes",
    "divergence",
    "subscriptions",
    "channels",
    "transmission",
)
"""The questions whose rows are compared by their keys."""


class Cell(NamedTuple):
    """A value of an answer, and what is true."""

    question: str
    column: str
    basis: str
    told: object
    true: object

    @property
    def is_unknown(self) -> bool:
        """Whether the answer leaves open what is so."""
        return self.told is None and self.column != "(row)"

    @property
    def is_true(self) -> bool:
        """Whether the answer is right; instants to the second, as MQ shows them."""
        return self.told == self.true

    @property
    def is_false_sight(self) -> bool:
        """Whether it is called observed, and is not true."""
        return self.basis == Basis.OBSERVED and not self.is_true and not self.is_unknown


def cells(question: str, answer: Answer, truth: Answer) -> Iterator[Cell]:
    """Compare the rows of two answers by their keys."""
    declared = QUESTIONS[question]
    keys = declared.keys
    right = {tuple(row[key] for key in keys): row for row in truth.rows}
    found = set()
    for row, basis_of in zip(answer.rows, answer.basis_of or ({},) * len(answer.rows), strict=True):
        key = tuple(row[each] for each in keys)
        found.add(key)
        true = right.get(key)
        basis = str(row.get("basis") or "unmarked")
        first = str(next(iter(basis_of.values()), basis))
        yield Cell(question, "(row)", first, key, key if true is not None else None)
        if true is None:
            continue
        for column in declared.columns:
            if column.name in keys or column.name == "basis":
                continue
            cell = str(basis_of.get(column.name, basis))
            yield Cell(
                question,
                column.name,
                cell,
                _shown(row[column.name], column.type),
                _shown(true[column.name], column.type),
            )
    for key in right.keys() - found:
        yield Cell(question, "(row)", "missing", None, key)


def _shown(value: Any, kind: str) -> object:
    return value // SECOND if kind == "instant" and isinstance(value, int) else value


def shown(truth: Twin, told: Twin, at: Instant, names: Iterable[str]) -> Iterator[Cell]:
    """Compare what each queue manager displays with what was displayed there when collected."""
    for name in names:
        for command in COMMANDS:
            statement = parse(command)
            assert isinstance(statement, Statement)
            right = _displayed(truth, at, name, statement)
            found = _displayed(told, at, name, statement)
            kind = f"DISPLAY {statement.object}"
            for key in right.keys() | found.keys():
                if key not in right or key not in found:
                    both = (found.get(key) and key, right.get(key) and key)
                    yield Cell(kind, "(row)", "missing" if key in right else "observed", *both)
                    continue
                for column, value in right[key].items():
                    yield Cell(kind, column, "shown", found[key].get(column), value)


_ROW_KEYS: Final = ("CLUSQMGR", "CHANNEL", "CLUSTER", "QUEUE", "TOPIC", "RQMNAME", "QMNAME")


def _displayed(
    twin: Twin, at: Instant, name: str, statement: Statement
) -> dict[tuple[object, ...], Mapping[str, object]]:
    estate, as_of = twin.view(as_of=at)
    return {
        tuple(record.values.get(key) for key in _ROW_KEYS): record.values
        for record in display(estate, as_of, name, statement).records
    }


def explained(truth: Truth, told: Twin, at: Instant) -> Iterator[Cell]:
    """Compare where puts to shared queues go."""
    queues = sorted({queue for _, queue in truth.shared()})
    for name in truth.names:
        if not told.is_known(name):
            continue
        for queue in queues:
            asked = {"on": name, "queue": queue}
            try:
                right = truth.twin.ask("explain", asked, as_of=at)
                found = told.ask("explain", asked, as_of=at)
            except TwinError as problem:
                yield Cell(
                    "explain", f"error {type(problem).__name__}", "error", str(problem), None
                )
                continue
            yield from cells("explain", found, right)


def findings(answer: Answer) -> dict[tuple[object, object], Row]:
    """Return the errors and warnings of doctor."""
    return {
        (row["id"], row["object"]): row
        for row in answer.rows
        if row["severity"] in {"error", "warning"}
    }


def measure(seed: int) -> tuple[list[Cell], list[str], Truth]:
    """Measure one estate: its cells, the false findings, and the truth."""
    with fresh(2) as (simulated, imported):
        truth = cluster_of(simulated, seed)
        made = collect(truth, imported)
        at = made[-1].at
        result = [*_asked(truth, imported, at, "")]
        result += shown(simulated, imported, at, sorted(made[-1].displayed))
        if len(made) > 1:
            between = truth.random.randrange(made[-2].at, at)
            result += _asked(truth, imported, between, "between ")
        false = _false(simulated, imported, at)
        ahead = truth.now + 40 * DAY
        for twin in (simulated, imported):
            twin.create_branch("ahead", at=truth.now)
        branches = [twin.on_branch("ahead") for twin in (simulated, imported)]
        for twin in branches:
            twin.pass_time(ahead)
        later = replace(truth, twin=branches[0])
        result += _asked(later, branches[1], ahead, "ahead ")
        return result, false, truth


def _asked(truth: Truth, told: Twin, at: Instant, when: str) -> Iterator[Cell]:
    for question in ASKED:
        found, right = told.ask(question, as_of=at), truth.twin.ask(question, as_of=at)
        for cell in cells(question, found, right):
            yield cell._replace(question=f"{when}{question}")
    for cell in explained(truth, told, at):
        yield cell._replace(question=f"{when}{cell.question}")


def _false(truth: Twin, told: Twin, at: Instant) -> list[str]:
    """List the errors and warnings of doctor that are not true."""
    found, right = findings(told.ask("doctor", as_of=at)), findings(truth.ask("doctor", as_of=at))
    return [
        f"{rule} {subject}: {found[rule, subject]['finding']}"
        for rule, subject in sorted(found.keys() - right.keys(), key=str)
    ]


def table(counts: Mapping[tuple[str, str, str], Counter[bool]]) -> Iterator[str]:
    """Write how many cells are true, by question, column and basis."""
    for (question, column, basis), counter in sorted(counts.items()):
        total = counter[True] + counter[False]
        yield f"{question:14} {column:18} {basis:10} {counter[True]:6} of {total:6}"


def main(arguments: list[str]) -> None:
    """Measure estates and write the figures."""
    counts: dict[tuple[str, str, str], Counter[bool]] = defaultdict(Counter)
    by_basis: dict[str, Counter[bool]] = defaultdict(Counter)
    for word in arguments:
        first, _, last = word.partition("-")
        for seed in range(int(first), int(last or first) + 1):
            result, false, truth = measure(seed)
            wrong = [each for each in result if each.is_false_sight]
            _write(f"seed {seed}: {truth.faults}; {len(wrong)} observed and false")
            _write(*(f"    {each}" for each in wrong[:_LISTED]))
            _write(*(f"    false finding: {line}" for line in false))
            for each in result:
                basis = "unknown" if each.is_unknown and not each.is_true else each.basis
                counts[each.question, each.column, basis][each.is_true] += 1
                by_basis[basis][each.is_true] += 1
    _write(*table(counts))
    _write(*(f"{basis} {each[True]} of {each.total()}" for basis, each in sorted(by_basis.items())))


_LISTED: Final = 12


def _write(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    main(sys.argv[1:])
