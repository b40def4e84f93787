"""Expectations against what a step came to: what differs, with expected beside actual."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from twin.model.amounts import counted
from twin.questions.errorlog import CHANNEL_ENDED
from twin.stories.matching import Miss, Table, match_absent, match_rows, same_id
from twin.stories.moments import shown_duration
from twin.stories.outcome import StepOutcome
from twin.stories.showing import shown_row
from twin.stories.story import Expectation

_MOST: Final = 6
"""Rows that are shown beside one that failed."""

_EXPLAINING: Final = frozenset({"messages", "says", "reason", "waited", "count"})
"""What may be expected of a step that was not done; without any of them it must be done."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that was expected, beside what was there; either may take several lines."""

    expected: tuple[str, ...]
    actual: tuple[str, ...]


def check(expect: Expectation, outcome: StepOutcome) -> list[Difference]:
    """Return how an outcome differs from what is expected of it, [] where it holds."""
    found = []
    if not outcome.done and not expect.values.keys() & _EXPLAINING:
        found.append(Difference(("it is done",), (outcome.problem or "it is not",)))
    for key, value in expect.values.items():
        if key in CHECKS:
            found += CHECKS[key](value, expect.values, outcome)
    return found


def _messages(
    wanted: Sequence[str], _: Mapping[str, Any], outcome: StepOutcome
) -> Iterator[Difference]:
    said = iter(outcome.messages)
    if all(any(same_id(each, id_) for id_ in said) for each in wanted):
        return
    actual = ", ".join(outcome.messages) or "no messages"
    yield _difference(f"messages {', '.join(wanted)}", actual)


def _rows(wanted: Any, beside: Mapping[str, Any], outcome: StepOutcome) -> Iterator[Difference]:
    table = outcome.table or Table(())
    yield from _missed(match_rows(wanted, table, exact=beside.get("exact", False)), table)


def _absent(wanted: Any, _: Mapping[str, Any], outcome: StepOutcome) -> Iterator[Difference]:
    table = outcome.table or Table(())
    for miss in match_absent(wanted, table):
        expected = f"no row {_partial(miss)}"
        yield Difference((expected,), tuple(_found(miss, table)) or (miss.problem,))


def _errors(wanted: Any, beside: Mapping[str, Any], outcome: StepOutcome) -> Iterator[Difference]:
    """Compare what was written to error logs.

    That a channel ended is looked at where it is expected; else it is no other error.
    """
    table = outcome.errors or Table(())
    named = [str(row.get("id", "")) for row in wanted]
    looked_at = [
        row
        for row in table.rows
        if row["id"] not in CHANNEL_ENDED or any(same_id(str(row["id"]), id_) for id_ in named)
    ]
    table = replace(table, rows=looked_at)
    misses = match_rows(wanted, table, exact=beside.get("exact", False))
    yield from _missed(misses, table, what="error")


def _missed(misses: Sequence[Miss], table: Table, what: str = "row") -> Iterator[Difference]:
    for miss in misses:
        if miss.expected is None:
            yield Difference((f"no other {what}",), tuple(_found(miss, table)))
        else:
            shown = tuple(_found(miss, table))
            yield Difference((f"{what} {_partial(miss)}",), (miss.problem, *shown))


def _partial(miss: Miss) -> str:
    return shown_row(miss.expected or {})


def _found(miss: Miss, table: Table) -> Iterator[str]:
    """Write the rows beside a miss: of each the keys that were named, or all it has."""
    keys = set(miss.expected) if miss.expected else set()
    shown: dict[str, None] = {}
    for row in miss.found:
        part = {key: value for key, value in row.items() if not keys or key in keys}
        shown[shown_row(part, table.instants, table.start)] = None
    yield from list(shown)[:_MOST]
    if len(shown) > _MOST:
        yield f"and {len(shown) - _MOST} more like these"


def _count(wanted: int, _: Mapping[str, Any], outcome: StepOutcome) -> Iterator[Difference]:
    if outcome.count is not None:
        if outcome.count != wanted:
            yield _difference(counted(wanted), counted(outcome.count))
        return
    found = len(outcome.table.rows) if outcome.table else 0
    if found != wanted:
        yield _difference(counted(wanted, "row"), counted(found, "row"))


def _says(
    wanted: Sequence[str], _: Mapping[str, Any], outcome: StepOutcome
) -> Iterator[Difference]:
    text = " ".join(" ".join(outcome.lines).split())
    missing = [words for words in wanted if " ".join(words.split()) not in text]
    if missing:
        lines = tuple(line for line in outcome.lines if line.strip())
        more = (f"and {len(lines) - _MOST} more lines",) if len(lines) > _MOST else ()
        said = (*lines[:_MOST], *more) or ("nothing is said",)
        yield Difference((f"says {', '.join(map(repr, missing))}",), said)


def _reason(
    wanted: Sequence[int], _: Mapping[str, Any], outcome: StepOutcome
) -> Iterator[Difference]:
    if outcome.reason not in wanted:
        either = " or ".join(map(str, wanted))
        yield _difference(f"reason {either}", f"reason {outcome.reason}")


def _bound_to(wanted: str, _: Mapping[str, Any], outcome: StepOutcome) -> Iterator[Difference]:
    if outcome.bound_to != (wanted,):
        actual = " or ".join(outcome.bound_to)
        yield _difference(f"bound to {wanted}", f"bound to {actual}" if actual else "bound to none")


def _at(wanted: str, _: Mapping[str, Any], outcome: StepOutcome) -> Iterator[Difference]:
    if outcome.at != wanted:
        actual = f"from the {outcome.at}" if outcome.at else "from no call"
        yield _difference(f"from the {wanted}", actual)


def _to(
    wanted: Mapping[str, int], _: Mapping[str, Any], outcome: StepOutcome
) -> Iterator[Difference]:
    yield from _counts("to", wanted, outcome.to)


def _via(
    wanted: Mapping[str, int], _: Mapping[str, Any], outcome: StepOutcome
) -> Iterator[Difference]:
    yield from _counts("via", wanted, outcome.via)


def _counts(what: str, wanted: Mapping[str, int], found: Mapping[str, int]) -> Iterator[Difference]:
    """Hold counts against each other; what is not named is none."""
    names = {*wanted, *found}
    if any(wanted.get(name, 0) != found.get(name, 0) for name in names):
        yield _difference(f"{what} {shown_row(wanted)}", f"{what} {shown_row(found) or 'none'}")


def _order(
    wanted: Sequence[str] | int, _: Mapping[str, Any], outcome: StepOutcome
) -> Iterator[Difference]:
    found = tuple(outcome.order)
    if isinstance(wanted, int):
        if not _is_rotation(found, wanted):
            yield _difference(f"a rotation of {wanted}", _listed(found))
    elif found != tuple(wanted):
        yield _difference(_listed(wanted), _listed(found))


def _is_rotation(order: Sequence[str], length: int) -> bool:
    """Say whether so many come one after the other, again and again."""
    begin = order[:length]
    again = all(each == begin[number % length] for number, each in enumerate(order))
    return bool(begin) and len(set(begin)) == len(begin) and again


def _listed(order: Sequence[str]) -> str:
    return f"order {', '.join(order) or 'of none'}"


def _waited(wanted: int, _: Mapping[str, Any], outcome: StepOutcome) -> Iterator[Difference]:
    if outcome.waited != wanted:
        yield _difference(
            f"waited {shown_duration(wanted)}", f"waited {shown_duration(outcome.waited)}"
        )


def _difference(expected: str, actual: str) -> Difference:
    return Difference((expected,), (actual,))


CHECKS: Final[Mapping[str, Callable[..., Iterator[Difference]]]] = {
    "messages": _messages,
    "rows": _rows,
    "count": _count,
    "absent": _absent,
    "says": _says,
    "reason": _reason,
    "at": _at,
    "to": _to,
    "via": _via,
    "order": _order,
    "bound_to": _bound_to,
    "waited": _waited,
    "errors": _errors,
}
"""How each key of an expectation is held against an outcome; `exact` belongs to `rows`."""
