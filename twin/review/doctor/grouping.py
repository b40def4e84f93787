"""Put findings together that say the same: the one way in which reports and pages do it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

FindingRow: TypeAlias = Mapping[str, Any]
"""A finding as `report.row_of` writes it."""

Item = TypeVar("Item")
_Name: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class FindingGroup(Generic[Item]):
    """Findings that say the same of several objects.

    Attributes:
        members: the findings, in their order; at least one.
        following: the findings that follow from one of them.
    """

    members: Sequence[Item]
    following: Sequence[FindingGroup[Item]]

    @property
    def first(self) -> Item:
        """The first of the findings."""
        return self.members[0]


def grouped(
    found: Sequence[Item], row_of: Callable[[Item], FindingRow]
) -> list[FindingGroup[Item]]:
    """Return findings in their order; those that say the same together, what follows below.

    A finding stands below the one that it follows from if that one is in `found`. A finding that
    others follow from stands alone.
    """
    rows = [(row_of(each), each) for each in found]
    named = {_name(row) for row, _ in rows}
    following: dict[_Name, list[Item]] = {}
    for row, each in rows:
        if (root := _root(row)) in named and root is not None:
            following.setdefault(root, []).append(each)
    roots: dict[tuple[object, ...], list[Item]] = {}
    for row, each in rows:
        if _root(row) not in named:
            same = _name(row) if _name(row) in following else _sameness(row)
            roots.setdefault(same, []).append(each)

    def group(members: Sequence[Item]) -> FindingGroup[Item]:
        below = following.get(_name(row_of(members[0])), ())
        return FindingGroup(members, [group([each]) for each in below])

    return [group(members) for members in roots.values()]


def of_one_kind(found: Iterable[FindingRow]) -> list[list[FindingRow]]:
    """Return findings of one rule together, in the order of the first of each.

    Those of another severity are another kind, and so are those that an earlier run had.
    """
    kinds: dict[tuple[object, ...], list[FindingRow]] = {}
    for row in found:
        kinds.setdefault((row["severity"], row["id"], row["known"]), []).append(row)
    return list(kinds.values())


def _sameness(row: FindingRow) -> tuple[object, ...]:
    """Return what findings have in common that stand together."""
    verdict = row["proof"] and row["proof"]["verdict"]
    return (row["id"], row["severity"], row["finding"], row["known"], row["note"], verdict)


def _name(row: FindingRow) -> _Name:
    return row["id"], row["object"]


def _root(row: FindingRow) -> _Name | None:
    return row["root"] and (row["root"]["id"], row["root"]["object"])
