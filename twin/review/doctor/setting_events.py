"""Which event last set the attribute that a finding is about: its object may have changed since."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from twin.events import (
    ObjectAltered,
    ObjectDefined,
    ObjectDeleted,
    QueueManagerAltered,
    QueueManagerCreated,
)
from twin.events.catalogue import columns_of_all, decode_all

if TYPE_CHECKING:
    from twin.log import Log
    from twin.model.instants import AsOf
    from twin.questions.doctor.finding import Finding

_WORD: Final = re.compile(r"[A-Z]{3,}")
"""A word that may be the keyword of an attribute."""

_NAME: Final = re.compile(r"[A-Za-z][\w./%]*\w")
"""A word that may be the value of an attribute."""

_BEGINS: Final = (ObjectDefined, ObjectDeleted, QueueManagerCreated)
_SETS: Final = (ObjectAltered, QueueManagerAltered)

SetsWrong: TypeAlias = Callable[[Mapping[str, object]], bool]
"""Whether values of attributes, which were set together, are what a finding is about."""

_Object: TypeAlias = tuple[str, str]
"""The kind and the name of an object; ('', '') for the queue manager itself."""


class _Change(NamedTuple):
    """An event that changed an object: its position, what it set, and whether it defined it."""

    position: int
    values: Mapping[str, object]
    begins: bool


def setting_tests(finding: Finding) -> Sequence[SetsWrong]:
    """Return the tests whether set values are what is wrong, the best one first.

    They have an attribute of the fix; or one that the finding names; or a value that it names.
    """
    fix = " ".join(command.text for command in finding.fix)
    of_fix, of_text = (
        frozenset(_WORD.findall(text)) for text in (fix, f"{finding.object} {finding.text}")
    )
    named = frozenset(_NAME.findall(finding.text))
    return (
        lambda values: not of_fix.isdisjoint(values),
        lambda values: not of_text.isdisjoint(values),
        lambda values: not named.isdisjoint(map(str, values.values())),
    )


class SettingEvents:
    """Finds the events that set attributes; remembers the changes that it has read."""

    def __init__(self, log: Log, point: AsOf) -> None:
        """Read what a log says at a point in time."""
        self._log = log
        self._point = point
        self._changes: dict[str, Mapping[_Object, Sequence[_Change]]] = {}

    def positions(self, finding: Finding) -> tuple[int, ...]:
        """Return the evidence of a finding, with the events that set what is wrong.

        An alteration that set something else is replaced by the last one before it that set an
        attribute of the fix, or else of the text, or a value that the text names, or else by the
        definition of the object.
        """
        tests = setting_tests(finding)
        return tuple(dict.fromkeys(self._setting(each, tests) for each in finding.evidence))

    def _setting(self, position: int, tests: Sequence[SetsWrong]) -> int:
        event = next(self._log.events(after=position - 1, upto=position, limit=1), None)
        if event is None or event.type not in columns_of_all(_SETS):
            return position
        for changes in self._of(event.qmgr).values():
            numbers = [each.position for each in changes]
            if position in numbers:
                return _last_setting(changes[: numbers.index(position) + 1], tests)
        return position

    def _of(self, qmgr: str) -> Mapping[_Object, Sequence[_Change]]:
        """Return the changes of the objects of a queue manager, in the order of their instants."""
        if qmgr not in self._changes:
            found: dict[_Object, list[_Change]] = defaultdict(list)
            rows = self._log.rows(
                branch=self._point.branch,
                valid=self._point.valid,
                known=self._point.position,
                types=columns_of_all((*_BEGINS, *_SETS)),
                qmgrs=(qmgr,),
            )
            events = decode_all([row[2] for row in rows], [row[3] for row in rows])
            for (_, position, _, _), event in zip(rows, events, strict=True):
                key = (getattr(event, "kind", ""), getattr(event, "name", ""))
                values = getattr(event, "values", {})
                found[key].append(_Change(position, values, isinstance(event, _BEGINS)))
            self._changes[qmgr] = found
        return self._changes[qmgr]


def _last_setting(changes: Sequence[_Change], tests: Sequence[SetsWrong]) -> int:
    """Return the position of the change that set what is wrong; the last one is that of now."""
    begins = max((place for place, each in enumerate(changes) if each.begins), default=0)
    since = changes[begins:]
    for sets_wrong in tests:
        if setting := [each.position for each in since if sets_wrong(each.values)]:
            return setting[-1]
    return since[0].position if since[0].begins else since[-1].position
