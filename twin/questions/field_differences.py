"""The differences between two versions of an object or record, field by field, with defaults."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Final, NamedTuple, TypeAlias

from twin.events.base import Values
from twin.fold.estate import QueueManager
from twin.model.attributes import Value
from twin.model.cluster_records import is_copied, unshown_in
from twin.model.objects import IMPLIED, Definition, ObjectKey, value_in
from twin.model.platforms import versions_agree
from twin.model.system_objects import initial_values
from twin.questions.two_sides import KeyDifference, differences

_MEMBER: Final[Mapping[str, Value]] = {"QMTYPE": "NORMAL", "SUSPEND": "NO"}
"""Defaults of a queue manager's record, besides those of its channel (IBM MQ 9.4, DISPLAY
CLUSQMGR).
"""

_NOTHING: Final[Mapping[str, Value]] = {}


class FieldDifference(NamedTuple):
    """A field whose value differs; None if the whole object or record is absent."""

    field: str
    before: str | None
    after: str | None


_Default: TypeAlias = Callable[[str], Value]


def of_attributes(qmgr: QueueManager, before: Values, after: Values) -> list[FieldDifference]:
    """Compare two states of a queue manager's own attributes."""
    if before == after:
        return []
    default = partial(value_in, "QMGR", initial_values(qmgr.name, level=qmgr.cmdlevel))
    return _differing(before, after, default, default)


def of_definitions(before: Definition | None, after: Definition | None) -> list[FieldDifference]:
    """Compare two definitions; one that is missing, or of another type, is one difference."""
    if before is after:
        return []
    if before is None or after is None or before.type != after.type:
        return [FieldDifference("definition", before and before.type, after and after.type)]
    default = partial(default_of, before.type)
    return _differing(before.values, after.values, default, default)


def of_objects(
    before: Mapping[ObjectKey, Definition], after: Mapping[ObjectKey, Definition]
) -> Iterator[tuple[KeyDifference[ObjectKey, Definition], FieldDifference]]:
    """Compare the objects of a queue manager; yield each field that differs, with its object."""
    for each in differences(before, after):
        yield from ((each, field) for field in of_definitions(each.before, each.after))


def of_records(kind: str, before: Values | None, after: Values | None) -> list[FieldDifference]:
    """Compare two records of a kind (qmgr, queue, topic); one that is missing is one difference.

    Only attributes that records copy are compared, and of a record that was seen only those that
    were shown: what nobody saw differs from nothing.
    """
    if before == after:
        return []
    if before is None or after is None:
        return [FieldDifference("record", _presence(before), _presence(after))]
    earlier_default = _of_record(kind, str(before.get("CLUSQT", "")))
    later_default = _of_record(kind, str(after.get("CLUSQT", "")))
    differing = _differing(before, after, earlier_default, later_default)
    apart = {"CLUSQT", *unshown_in(before), *unshown_in(after)}
    return [
        each
        for each in differing
        if is_copied(kind, each.field) and each.field not in apart and not _may_agree(each)
    ]


def _may_agree(difference: FieldDifference) -> bool:
    """Return whether a VERSION differs only because one of the two is not known whole."""
    return difference.field == "VERSION" and versions_agree(
        difference.before or "", difference.after or ""
    )


def default_of(type_name: str, field: str) -> Value:
    """Return the value of an attribute of an object if its definition does not have it."""
    return value_in(type_name, IMPLIED.get(type_name, _NOTHING), field)


@cache
def _of_record(kind: str, queue_type: str) -> _Default:
    match kind, queue_type:
        case "qmgr", _:
            return partial(value_in, "CLUSRCVR", _MEMBER)
        case "topic", _:
            return partial(value_in, "TOPIC", _NOTHING)
        case _, "QMGR":
            return partial(value_in, "QREMOTE", _NOTHING)
        case _:
            return partial(value_in, queue_type or "QLOCAL", _NOTHING)


def _presence(values: Values | None) -> str | None:
    return None if values is None else "present"


def _differing(
    before: Mapping[str, Value], after: Mapping[str, Value], was: _Default, now: _Default
) -> list[FieldDifference]:
    differing = []
    for field in sorted({field for field, _ in before.items() ^ after.items()}):
        earlier = before[field] if field in before else was(field)
        later = after[field] if field in after else now(field)
        if earlier != later:
            differing.append(FieldDifference(field, _text(earlier), _text(later)))
    return differing


def _text(value: Value) -> str:
    return ",".join(value) if isinstance(value, tuple) else str(value)
