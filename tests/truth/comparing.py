"""Compare answers about an estate that was collected with those about the estate itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from tests.truth.faulty_clusters import Truth
from twin.app.twin import Twin
from twin.errors import TwinError
from twin.model.basis import Basis
from twin.model.instants import DAY, SECOND, Instant
from twin.mqsc.statement import Statement, parse
from twin.questions.answer import Answer, Row
from twin.questions.belief import days_to_removal, republish_due, state_of
from twin.questions.catalogue import QUESTIONS
from twin.questions.display import display
from twin.rules.repository.lifetimes import expires, removal

ASKED: Final = (
    *("members", "beliefs", "lifetimes", "divergence"),
    *("subscriptions", "channels", "transmission"),
)
"""The questions whose rows are compared by their keys."""

OF_COLLECTING: Final = frozenset({"collection-stale", "queue-manager-not-in-twin"})
"""The rules of the doctor about what was imported: a simulated estate was not."""

_BOUNDS: Final = {
    ("channels", "since"): 1,
    ("channels", "since_earliest"): -1,
    ("channels", "next_retry"): 1,
    ("explain", "next_retry"): 1,
    ("subscriptions", "made"): 1,
    ("transmission", "put_at"): 1,
    ("transmission", "next_start"): 1,
}
"""Question and column whose values are bounds if not observed: 1 at the latest, -1 the earliest."""

_NOT_COMPARED: Final = frozenset({"basis", "last_seen", "or_published", "or_removal", "instances"})
"""Columns about the collection: a simulated estate was never collected, and its dates are sure.

The instances of receivers are compared as DISPLAY CHSTATUS shows them.
"""


_DATES: Final = frozenset({("subscriptions", "made"), ("transmission", "put_at")})
"""Instants among the keys of a question: when something began that is seen later."""


class Cell(NamedTuple):
    """A value of an answer, and what is true."""

    question: str
    column: str
    basis: str
    told: object
    true: object
    key: tuple[object, ...] = ()
    or_told: object = None

    @property
    def is_unknown(self) -> bool:
        """Whether the answer leaves open what is so."""
        return self.told is None and (self.column != "(row)" or self.basis == Basis.UNKNOWN)

    @property
    def is_true(self) -> bool:
        """Whether the answer is right; instants to the second, as MQ shows them.

        Of a status that was only seen, an answer tells when it began at the latest. Of two readings
        one must be right.
        """
        bound = _BOUNDS.get((self.question.split()[-1], self.column))
        if bound and self.basis != Basis.OBSERVED and self.told is not None:
            return self.true is None or bound * int(str(self.told)) >= bound * int(str(self.true))
        return self.true in (self.told, self.or_told) if self.or_told else self.told == self.true

    @property
    def is_false_sight(self) -> bool:
        """Whether it is called observed, and is not true."""
        return self.basis == Basis.OBSERVED and not self.is_true and not self.is_unknown


def compared(truth: Truth, told: Twin, at: Instant, when: str = "") -> Iterator[Cell]:
    """Compare the rows of all questions, and where puts go; `when` says of which instant."""
    with told.sharing(), truth.twin.sharing():
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


def cells(question: str, answer: Answer, truth: Answer) -> Iterator[Cell]:
    """Compare the rows of two answers by their keys."""
    declared = QUESTIONS[question]
    keys = tuple(each for each in declared.keys if (question, each) not in _DATES)
    right = dict(_keyed(truth.rows, keys))
    found = set()
    told = list(_keyed(answer.rows, keys))
    exact = {place for place, _ in told}  # a row with a made QMID beside these says no more
    for (place, row), basis_of in zip(
        told, answer.basis_of or ({},) * len(answer.rows), strict=True
    ):
        is_made = basis_of.get("qmid") is Basis.MADE
        key = _by_its_name(place, row, right) if is_made else place
        if question == "transmission" and row["queue"] is None:
            yield _at_least(row, truth)
            continue
        basis = str(row.get("basis") or "unmarked")
        first = str(Basis.MADE if is_made else next(iter(basis_of.values()), basis))
        found.add(key)
        true = right.get(key)
        yield Cell(question, "(row)", first, key, key if true is not None else None, key)
        if true is None or (key != place and key in exact):
            continue
        other = _other_reading(row, answer.as_of.valid) if question == "lifetimes" else {}
        for column in declared.columns:
            if column.name in keys or column.name in _NOT_COMPARED:
                continue
            cell = str(basis_of.get(column.name, basis))
            yield Cell(
                question,
                column.name,
                cell,
                _shown(row[column.name], column.type),
                _shown(true[column.name], column.type),
                key,
                _shown(other.get(column.name), column.type),
            )
    seen = {(row["on"], row["xmitq"]) for _, row in told if row.get("queue", "") is None}
    for key in right.keys() - found:
        place = (right[key].get("on"), right[key].get("xmitq"))
        yield Cell(question, "(row)", "unknown" if place in seen else "missing", None, key, key)


def _keyed(rows: Iterable[Row], keys: Iterable[str]) -> Iterator[tuple[tuple[object, ...], Row]]:
    """Yield rows with their keys; of rows with the same, as of two QMIDs of a name, by number."""
    alike: Counter[tuple[object, ...]] = Counter()
    for row in rows:
        key = tuple(row[each] for each in keys)
        alike[key] += 1
        yield (key if alike[key] == 1 else (*key, alike[key])), row


def _by_its_name(
    key: tuple[object, ...], told: Row, right: Mapping[tuple[object, ...], Row]
) -> tuple[object, ...]:
    """Return the key of the row that one with a made QMID is about: any QMID of its name there."""
    named = [each for each in ("qmgr", "owner") if each in told]
    for each, true in right.items():
        alike = zip(key, each, strict=False)
        if (
            len(each) == len(key)
            and all(true[one] == told[one] for one in named)
            and all(here in (there, told["qmid"]) for here, there in alike)
        ):
            return each
    return key


def _other_reading(row: Row, at: Instant) -> Mapping[str, object]:
    """Return the dates of a record if a renewal moved them, where that is not known."""
    published = row["or_published"]
    if not isinstance(published, int):
        return {}
    return {
        "published": published,
        "republish_due": republish_due(published),
        "expires": expires(published),
        "removal": removal(published),
        "state": state_of(published, at=at),
        "days_to_removal": days_to_removal(published, at=at),
    }


def _at_least(row: Row, truth: Answer) -> Cell:
    """Compare how many messages were seen for a channel with those that are on its queue."""
    alike = [
        int(str(each["count"]))
        for each in truth.rows
        if (each["on"], each["xmitq"]) == (row["on"], row["xmitq"])
        and row["channel"] in (None, each["channel"])
    ]
    least, true = int(str(row["count"])), sum(alike)
    told = max(true, least)
    return Cell("transmission", "at least", "unmarked", told, true, (row["on"], row["channel"]))


def _shown(value: Any, kind: str) -> object:
    return value // SECOND if kind == "instant" and isinstance(value, int) else value


def shown(
    truth: Twin, told: Twin, at: Instant, names: Iterable[str], commands: Iterable[str]
) -> Iterator[Cell]:
    """Compare what each queue manager displays with what was displayed there when collected."""
    for name in names:
        for command in commands:
            statement = parse(command)
            assert isinstance(statement, Statement)
            with truth.sharing(), told.sharing():
                right = _displayed(truth, at, name, statement)
                found = _displayed(told, at, name, statement)
            kind = f"DISPLAY {statement.object}"
            for key in right.keys() | found.keys():
                if key not in right or key not in found:
                    both = (found.get(key) and key, right.get(key) and key)
                    basis = "missing" if key in right else "observed"
                    yield Cell(kind, "(row)", basis, *both, (name, *key))
                    continue
                for column, value in right[key].items():
                    yield Cell(kind, column, "shown", found[key].get(column), value, (name, *key))


_ROW_KEYS: Final = (
    *("clusqmgr", "qmid", "channel", "cluster", "queue", "topic", "rqmname", "qmname"),
)


def _displayed(
    twin: Twin, at: Instant, name: str, statement: Statement
) -> dict[tuple[object, ...], Mapping[str, object]]:
    answer = twin.look(
        lambda estate: display(estate, twin.as_of(valid=at), name, statement), as_of=at
    )
    return {
        tuple(record.values.get(key) for key in _ROW_KEYS): record.values
        for record in answer.records
    }


def explained(truth: Truth, told: Twin, at: Instant) -> Iterator[Cell]:
    """Compare where puts to shared queues go."""
    queues = sorted({queue for _, queue in truth.shared()})
    displayed: dict[tuple[object, object], object] = {
        (row["on"], row["channel"]): row["status"]
        for row in truth.twin.ask("channels", as_of=at).rows
    }
    for name in truth.names:
        if not told.is_known(name):
            continue
        for queue in queues:
            asked = {"on": name, "queue": queue}
            try:
                right = truth.twin.ask("explain", asked, as_of=at)
                found = told.ask("explain", asked, as_of=at)
            except TwinError as problem:
                kind = f"error {type(problem).__name__}"
                yield Cell("explain", kind, "error", str(problem), None)
                continue
            for cell in cells("explain", found, right):
                seen = cell.column == "status" and cell.basis == Basis.OBSERVED
                true = displayed.get((name, cell.key[1]), "INACTIVE") if seen else cell.true
                yield cell._replace(key=(name, queue, *cell.key), true=true)
