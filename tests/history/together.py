"""The cases of many tests in one frame: Spark plans a metric once for them, and not once for each.

A test of this kind yields what it asks, and gets its rows back:

    @together
    def test_nothing_was_lost() -> Asking:
        found = yield ask(outages, window("+0h", "+1d"), [event(...), ...])
        assert found == []

All tests of a file that ask for the same metric and window are answered from one frame, in which
the names of each are numbered, so that none has anything in common with another.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import pytest
from pyspark.sql import DataFrame, SparkSession

from tests.history.scene import plain, told
from twin.history.history import Window

Event: TypeAlias = dict[str, Any]
Rows: TypeAlias = list[dict[str, Any]]
Compute: TypeAlias = Callable[[DataFrame, Window], DataFrame]


class Asked(NamedTuple):
    """What a test asks.

    Attributes:
        compute: the metric.
        window: its window.
        events: the events of the log, in its order.
        order: the columns by which the rows are sorted; all of them if it is empty.
    """

    compute: Compute
    window: Window
    events: tuple[Event, ...]
    order: tuple[str, ...]


Asking: TypeAlias = Generator[Asked, Rows, None]
"""A test that asks, and then checks the answer."""

_NAME: Final = re.compile(r"(?<![A-Za-z0-9])(?:QM\d+|FR\d+|LOST|ID|C[A-Z]|[A-Z])(?![A-Za-z0-9])")
"""The names of queue managers, clusters and queues in tests; channels are made of them."""

_NUMBER: Final = re.compile(r"/(\d+)")
_POSITION: Final = re.compile(r'("put": )(\d+)')
"""The fields of bodies that refer to the position of another event."""


def ask(compute: Compute, span: Window, events: Iterable[Event], *order: str) -> Asked:
    """Ask for the rows of a metric in a window, given the events of a log."""
    return Asked(compute, span, tuple(events), order)


def together(test: Callable[..., Asking]) -> Callable[..., None]:
    """Make a test of a function that asks: its first question is answered with those of others."""

    @functools.wraps(test)
    def checked(answers: Answers, **given: Any) -> None:
        asking = test(**given)
        asked = next(asking)
        while True:
            try:
                asked = asking.send(answers.of(asked))
            except StopIteration:
                return

    shape = inspect.signature(test)
    named = inspect.Parameter("answers", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    checked.__signature__ = shape.replace(  # type: ignore[attr-defined]
        parameters=[named, *shape.parameters.values()], return_annotation=None
    )
    checked.asks = test  # type: ignore[attr-defined]
    return checked


class Answers:
    """Answers what the tests of a file ask, and computes each metric and window once for all."""

    def __init__(self, spark: SparkSession, items: Iterable[pytest.Item]) -> None:
        """Note what is asked first by each test that was chosen."""
        self._spark = spark
        self._asked: dict[tuple[Compute, Window], list[tuple[Event, ...]]] = defaultdict(list)
        self._found: dict[tuple[Compute, Window], list[list[dict[str, Any]]]] = {}
        for asked in _first_questions(items):
            self._note(asked)

    def of(self, asked: Asked) -> Rows:
        """Return the rows that a test asks for, with dates and instants as text."""
        key = asked.compute, asked.window
        if asked.events not in self._asked[key]:
            self._found.pop(key, None)
            self._note(asked)
        if key not in self._found:
            self._found[key] = _computed(self._spark, *key, self._asked[key])
        found = self._found[key][self._asked[key].index(asked.events)]
        named = [{name: _without_number(value) for name, value in row.items()} for row in found]
        named.sort(key=functools.partial(_sortable, order=asked.order))
        return [{name: plain(value) for name, value in row.items()} for row in named]

    def _note(self, asked: Asked) -> None:
        self._asked[asked.compute, asked.window].append(asked.events)


def _first_questions(items: Iterable[pytest.Item]) -> Iterator[Asked]:
    for item in items:
        test = getattr(getattr(item, "function", None), "asks", None)
        if test is not None:
            called = getattr(item, "callspec", None)
            asking = test(**(called.params if called else {}))
            yield next(asking)
            asking.close()


def _computed(
    spark: SparkSession, compute: Compute, span: Window, cases: Sequence[tuple[Event, ...]]
) -> list[list[dict[str, Any]]]:
    """Compute a metric for all cases at once; return the rows of each.

    Raises:
        AssertionError: if a row is of no case, or of several.
    """
    events: list[Event] = []
    for number, case in enumerate(cases):
        events += [_numbered(each, number, len(events)) for each in case]
    found: list[list[dict[str, Any]]] = [[] for _ in cases]
    for row in compute(told(spark, *events), span).collect():
        fields = row.asDict(recursive=True)
        numbers = set(_NUMBER.findall(str(fields)))
        assert len(numbers) == 1, f"a row of {numbers or 'no case'}: {fields}"
        found[int(numbers.pop())].append(fields)
    return found


def _numbered(event: Event, number: int, before: int) -> Event:
    """Return an event with the number of its case behind each name, and its references moved."""
    named = {each: _NAME.sub(rf"\g<0>/{number}", event[each]) for each in ("qmgr", "body")}
    named["body"] = _POSITION.sub(lambda of: f"{of[1]}{int(of[2]) + before}", named["body"])
    return {**event, **named}


def _without_number(value: Any) -> Any:
    return _NUMBER.sub("", value) if isinstance(value, str) else value


def _sortable(row: dict[str, Any], order: Sequence[str]) -> list[tuple[bool, Any]]:
    """Return what a row is sorted by: as in Spark, None comes first."""
    return [(row[name] is not None, row[name]) for name in order or row]
