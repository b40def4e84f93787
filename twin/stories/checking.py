"""The keys of `expect`: how each is written, and how it is compared with an outcome."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import eq
from typing import Any, Final, NamedTuple, TypeAlias

from twin.model.amounts import counted
from twin.model.commands import Command
from twin.model.instants import SECOND, Instant, format_instant
from twin.questions.errorlog import ABOUT_CHANNELS
from twin.stories import fields
from twin.stories.document import YamlNode, scalar
from twin.stories.fields import shown_duration, shown_moment
from twin.stories.matching import Miss, Table, match_absent, match_rows, same_id
from twin.stories.story import StepOutcome

_MOST_LINES: Final = 6
"""The most rows or lines that are shown for one difference."""


def shown_row(
    row: Mapping[str, Any], instants: Collection[str] = (), start: Instant | None = None
) -> str:
    """Return a row on one line; with a `start`, instants are also shown relative to it."""
    if not row:
        return "none"
    pairs = (f"{key}: {_shown(value, key in instants, start)}" for key, value in row.items())
    return "{" + ", ".join(pairs) + "}"


def _shown(value: Any, instant: bool, start: Instant | None) -> str:  # noqa: FBT001 - a map's item
    if isinstance(value, Command):
        value = (value.on, value.text)
    if isinstance(value, tuple | list):
        return f"[{', '.join(_shown(item, False, None) for item in value)}]"  # noqa: FBT003
    if instant and isinstance(value, int):
        relative = "" if start is None else f" ({shown_moment(value, start)})"
        return format_instant(value) + relative
    return _scalar(value)


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        plain = isinstance(scalar(value), str) and value == value.strip()
        return value if plain else f"'{value}'"
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    return str(value)


@dataclass(frozen=True, slots=True)
class Difference:
    """An expected value and the actual one; either may take several lines."""

    expected: tuple[str, ...]
    actual: tuple[str, ...]


Check: TypeAlias = Callable[[Any, Mapping[str, Any], StepOutcome], Iterator[Difference]]
"""Compares an expected value with an outcome; the second argument holds all expected values."""


class ExpectationKind(NamedTuple):
    """A key of `expect`.

    Attributes:
        read: reads its value.
        check: compares the value with an outcome.
        explains_failure: whether a step with this expectation may fail.
        only_beside: the key has a meaning only if one of these is expected, too.
    """

    read: Callable[[YamlNode], Any]
    check: Check
    explains_failure: bool = False
    only_beside: tuple[str, ...] = ()


def check(expected: Mapping[str, Any], outcome: StepOutcome) -> list[Difference]:
    """Return how an outcome differs from the expected values; [] if it does not."""
    differences = []
    if not outcome.done and not any(EXPECTATIONS[key].explains_failure for key in expected):
        differences.append(_difference("the step succeeds", outcome.problem or "it failed"))
    for key, value in expected.items():
        differences += EXPECTATIONS[key].check(value, expected, outcome)
    return differences


def _difference(expected: str, actual: str) -> Difference:
    return Difference((expected,), (actual,))


def _same(
    actual_of: Callable[[StepOutcome], Any],
    shown: Callable[[Any], str],
    equal: Callable[[Any, Any], bool] = eq,
) -> Check:
    """Make the check of a single value of an outcome, shown on one line."""

    def compare(expected: Any, _: Mapping[str, Any], outcome: StepOutcome) -> Iterator[Difference]:
        actual = actual_of(outcome)
        if not equal(expected, actual):
            yield _difference(shown(expected), shown(actual))

    return compare


def _same_counts(expected: Mapping[str, int], actual: Mapping[str, int]) -> bool:
    """Compare counts by name; a missing name counts 0."""
    return all(expected.get(name, 0) == actual.get(name, 0) for name in {*expected, *actual})


def _messages(
    expected: Sequence[str], _: Mapping[str, Any], outcome: StepOutcome
) -> Iterator[Difference]:
    rest = iter(outcome.messages)
    if not all(any(same_id(wanted, id_) for id_ in rest) for wanted in expected):
        actual = ", ".join(outcome.messages) or "no messages"
        yield _difference(f"messages {', '.join(expected)}", actual)


def _rows(expected: Any, beside: Mapping[str, Any], outcome: StepOutcome) -> Iterator[Difference]:
    table = outcome.table or Table(())
    yield from _missed(match_rows(expected, table, exact=beside.get("exact", False)), table)


def _absent(expected: Any, _: Mapping[str, Any], outcome: StepOutcome) -> Iterator[Difference]:
    table = outcome.table or Table(())
    for miss in match_absent(expected, table):
        rows = tuple(_rows_beside(miss, table)) or (miss.problem,)
        yield Difference((f"no row {shown_row(miss.expected or {})}",), rows)


def _errors(expected: Any, beside: Mapping[str, Any], outcome: StepOutcome) -> Iterator[Difference]:
    """Compare error log entries; entries that a channel ended count only if one is expected."""
    table = outcome.errors or Table(())
    ids = [str(row.get("id", "")) for row in expected]
    counting = [
        row
        for row in table.rows
        if row["id"] not in ABOUT_CHANNELS or any(same_id(str(row["id"]), id_) for id_ in ids)
    ]
    table = replace(table, rows=counting)
    misses = match_rows(expected, table, exact=beside.get("exact", False))
    yield from _missed(misses, table, what="error")


def _missed(misses: Sequence[Miss], table: Table, what: str = "row") -> Iterator[Difference]:
    for miss in misses:
        rows = tuple(_rows_beside(miss, table))
        if miss.expected is None:
            yield Difference((f"no other {what}",), rows)
        else:
            yield Difference((f"{what} {shown_row(miss.expected)}",), (miss.problem, *rows))


def _rows_beside(miss: Miss, table: Table) -> Iterator[str]:
    """Return the rows that explain a miss, with the expected keys, or with all keys."""
    keys = set(miss.expected) if miss.expected else set()
    shown: dict[str, None] = {}
    for row in miss.rows:
        part = {key: value for key, value in row.items() if not keys or key in keys}
        shown[shown_row(part, table.instants, table.start)] = None
    yield from list(shown)[:_MOST_LINES]
    if len(shown) > _MOST_LINES:
        yield f"and {len(shown) - _MOST_LINES} more like these"


def _count(expected: int, _: Mapping[str, Any], outcome: StepOutcome) -> Iterator[Difference]:
    rows = len(outcome.table.rows) if outcome.table else 0
    noun, actual = ("row", rows) if outcome.count is None else ("message", outcome.count)
    if actual != expected:
        yield _difference(counted(expected, noun), counted(actual, noun))


def _says(
    expected: Sequence[str], _: Mapping[str, Any], outcome: StepOutcome
) -> Iterator[Difference]:
    text = " ".join(" ".join(outcome.lines).split())
    missing = [words for words in expected if " ".join(words.split()) not in text]
    if missing:
        lines = tuple(line for line in outcome.lines if line.strip())
        hidden = len(lines) - _MOST_LINES
        more = (f"and {hidden} more lines",) if hidden > 0 else ()
        actual = (*lines[:_MOST_LINES], *more) or ("no text",)
        yield Difference((f"says {', '.join(map(repr, missing))}",), actual)


def _same_order(expected: Sequence[str] | int, actual: Sequence[str]) -> bool:
    """Compare an order of queue managers; a number is the length of their rotation."""
    if not isinstance(expected, int):
        return tuple(expected) == tuple(actual)
    first = actual[:expected]
    repeats = all(name == first[turn % expected] for turn, name in enumerate(actual))
    return bool(first) and len(set(first)) == len(first) and repeats


def _shown_order(order: Sequence[str] | int) -> str:
    if isinstance(order, int):
        return f"a rotation of {order}"
    return f"order {', '.join(order)}" if order else "no order"


def _texts(node: YamlNode) -> tuple[str, ...]:
    return fields.each(fields.text)(node) if isinstance(node.value, tuple) else (fields.text(node),)


def _seconds(node: YamlNode) -> int:
    """Read a duration; a number counts seconds."""
    if isinstance(node.value, int) and not isinstance(node.value, bool):
        return fields.number(node) * SECOND
    return fields.duration(node)


def _order(node: YamlNode) -> tuple[str, ...] | int:
    """Read an order of queue managers, or the length of their rotation."""
    if isinstance(node.value, Mapping):
        return fields.positive(fields.entries(node, ("cycle",), required=("cycle",))["cycle"])
    return fields.each(fields.name)(node)


EXPECTATIONS: Final[Mapping[str, ExpectationKind]] = {
    "messages": ExpectationKind(_texts, _messages, explains_failure=True),
    "rows": ExpectationKind(fields.each(fields.row), _rows),
    "exact": ExpectationKind(fields.flag, lambda *_: iter(()), only_beside=("rows", "errors")),
    "count": ExpectationKind(fields.number, _count, explains_failure=True),
    "absent": ExpectationKind(fields.each(fields.row), _absent),
    "says": ExpectationKind(_texts, _says, explains_failure=True),
    "reason": ExpectationKind(
        fields.one_or_more(fields.number),
        _same(
            lambda outcome: (outcome.reason,),
            lambda reasons: f"reason {' or '.join(map(str, reasons))}",
            lambda expected, actual: actual[0] in expected,
        ),
        explains_failure=True,
    ),
    "at": ExpectationKind(
        fields.choice("open", "put"),
        _same(
            lambda outcome: outcome.at, lambda call: f"from the {call}" if call else "from no call"
        ),
        only_beside=("reason",),
    ),
    "to": ExpectationKind(
        fields.counts,
        _same(lambda outcome: outcome.to, lambda to: f"to {shown_row(to)}", _same_counts),
    ),
    "via": ExpectationKind(
        fields.counts,
        _same(lambda outcome: outcome.via, lambda via: f"via {shown_row(via)}", _same_counts),
    ),
    "order": ExpectationKind(
        _order, _same(lambda outcome: outcome.order, _shown_order, _same_order)
    ),
    "bound_to": ExpectationKind(
        fields.name,
        _same(
            lambda outcome: " or ".join(outcome.bound_to), lambda qmgr: f"bound to {qmgr or 'none'}"
        ),
    ),
    "waited": ExpectationKind(
        _seconds,
        _same(lambda outcome: outcome.waited, lambda time: f"waited {shown_duration(time)}"),
        explains_failure=True,
    ),
    "errors": ExpectationKind(fields.each(fields.row), _errors),
}
"""Every key of `expect`."""


def as_json(value: Any) -> Any:
    """Return a value with lists instead of tuples and commands, at any depth."""
    if isinstance(value, Command):
        value = (value.on, value.text)
    if isinstance(value, Mapping):
        return {key: as_json(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [as_json(item) for item in value]
    return value


def json_rows(rows: Iterable[Mapping[str, Any]], instants: Collection[str]) -> list[dict[str, Any]]:
    """Return rows with JSON's types, and instants in ISO 8601."""
    return [
        {
            key: format_instant(value)
            if key in instants and isinstance(value, int)
            else as_json(value)
            for key, value in row.items()
        }
        for row in rows
    ]
