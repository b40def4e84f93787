"""The records of a repository as a page; queue records are decoded only when they are used.

A full repository holds the queues of all members, and most queries do not need them. So the queue
records stay in the page, one line for each owner, until they are used. A renewal of all records of
an owner is noted outside the page.

A page that cannot be read raises always `UnusablePage`, whatever is wrong in it (`reading`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import groupby, islice, repeat
from typing import Any, Final, TypeAlias

from pydantic_core import from_json, to_json

from twin.errors import UnusablePage
from twin.events.base import Values
from twin.fold.beliefs import (
    MANY,
    Belief,
    HeldRecords,
    PublicationKey,
    Receipt,
    RecordName,
)
from twin.fold.repository import Repository
from twin.model.instants import Instant

_WRONG: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What readers of pages raise if a page does not have the expected form."""


@contextmanager
def reading(page: str) -> Iterator[None]:
    """Read a page of this name in the block.

    Raises:
        UnusablePage: if it does not have the expected form.
    """
    try:
        yield
    except _WRONG as error:
        raise UnusablePage(page, "cannot be read") from error


_Row: TypeAlias = tuple[str, str, Values, Instant]
"""(owner's QMID, owner's name, values, since) of one record."""

HELD: Final = "held"
"""The page of the records of a repository, and the names of its own (`Repository.own_records`).

Receipts are small, and a renewal changes only them; they are in the other page of the part. Raise
`pages.VERSION` whenever the written form changes.
"""

_FEW: Final = 0
"""In the order of all records, 0 means a record that is not a queue; n the nth owner's queue."""


@dataclass(slots=True)
class _Queues:
    """The queues of one owner in one cluster, in columns; `lists` has the places of list values."""

    cluster: str
    owner: str
    owner_name: str
    names: list[str] = field(default_factory=list)
    since: list[Instant] = field(default_factory=list)
    values: list[Values] = field(default_factory=list)
    lists: list[int] = field(default_factory=list)

    def add(self, name: str, belief: Belief) -> None:
        """Add a queue."""
        if _has_lists(belief.values):
            self.lists.append(len(self.names))
        self.names.append(name)
        self.since.append(belief.since)
        self.values.append(belief.values)


def write_held(repository: Repository) -> bytes:
    """Write the records of a repository, and the names of its own, without receipts."""
    few: list[Any] = []
    many: dict[tuple[str, str], tuple[int, _Queues]] = {}
    places: list[int] = []
    for name, owners in repository.beliefs.items():
        cluster, kind, called = name
        if kind != MANY:
            rows = [
                (
                    belief.owner,
                    belief.owner_name,
                    belief.values,
                    belief.since,
                    _has_lists(belief.values),
                )
                for belief in owners.values()
            ]
            few.append([*name, rows])
            places.append(_FEW)
            continue
        for owner, belief in owners.items():
            numbered = many.get((cluster, owner))
            if numbered is None:
                queues = _Queues(cluster, owner, belief.owner_name)
                numbered = many[cluster, owner] = len(many) + 1, queues
            numbered[1].add(called, belief)
            places.append(numbered[0])
    order = [(place, sum(1 for _ in run)) for place, run in groupby(places)]
    written = [each for _, each in many.values()]
    index = [[each.cluster, each.owner, each.owner_name, each.names] for each in written]
    lines = [(each.since, each.values, each.lists) for each in written]
    own_records = runs(repository.own_records)
    return b"\n".join(map(to_json, ([few, index, own_records], order, *lines)))


def _has_lists(values: Values) -> bool:
    return any(isinstance(value, tuple) for value in values.values())


def tupled(values: dict[str, Any]) -> Values:
    """Return attributes read from JSON, with tuples in place of lists."""
    return {
        key: tuple(value) if isinstance(value, list) else value for key, value in values.items()
    }


def runs(named: Mapping[RecordName, Any]) -> list[list[Any]]:
    """Write names with their values; write the value of a run of names with equal values once."""
    grouped = groupby(named.items(), key=lambda item: (*item[0][:2], item[1]))
    return [
        [cluster, kind, [name[2] for name, _ in run], value]
        for (cluster, kind, value), run in grouped
    ]


class PageRecords:
    """The records of a repository while its queues are still in their page (`StoredRecords`)."""

    def __init__(
        self, page: bytes, at_once: Iterable[Any], apart: Iterable[Any], once: Iterable[Any]
    ) -> None:
        """Start from a page, the receipts, and the names of records that are no longer held.

        `at_once` has the receipts of owners all of whose records in a cluster share one receipt;
        `apart` has all other receipts.
        """
        index, self._order, *self._lines = page.split(b"\n")
        few, self._owners, self._mine = from_json(index)
        self._few: dict[RecordName, list[_Row]] = {
            (cluster, kind, called): [_read_row(row) for row in rows]
            for cluster, kind, called, rows in few
        }
        self._keys: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
        for name, rows in self._few.items():
            for owner, *_ in rows:
                self._keys[name[0], owner].append(name[1:])
        self._queues = {(cluster, owner): names for cluster, owner, _, names in self._owners}
        self._once = once
        self._at_once = {
            (cluster, owner): Receipt(sequence, published, source, received, position)
            for cluster, owner, sequence, published, received, position, source in at_once
        }
        self._apart: dict[tuple[RecordName, str], Receipt] = {}
        for cluster, owner, sequence, published, received, position, source, names in apart:
            receipt = Receipt(sequence, published, source, received, position)
            for kind, called in names:
                self._apart[(cluster, kind, called), owner] = receipt

    def _receipt(self, name: RecordName, owner: str) -> Receipt:
        return self._at_once.get((name[0], owner)) or self._apart[name, owner]

    def own_records(self) -> dict[RecordName, None]:
        """Return the names of its own records."""
        return {
            (cluster, kind, name): None for cluster, kind, names, _ in self._mine for name in names
        }

    def of_kind(self, kind: str, cluster: str | None) -> Iterator[tuple[RecordName, Belief]]:
        """Iterate over the records of a kind that is not MANY, of one cluster or of all."""
        for name in self._few:
            if name[1] == kind and cluster in (None, name[0]):
                for belief in self.instances(name).values():
                    yield name, belief

    def few(self) -> Iterator[tuple[RecordName, dict[str, Belief]]]:
        """Iterate over all records except queues, as (name, owner's QMID -> record)."""
        return ((name, self.instances(name)) for name in self._few)

    def instances(self, name: RecordName) -> dict[str, Belief]:
        """Return the records of a name of a kind that is not MANY, by owner's QMID."""
        return {
            owner: Belief(owner, owner_name, values, since, self._receipt(name, owner))
            for owner, owner_name, values, since in self._few.get(name, ())
        }

    def queues_called(self, called: str) -> Iterator[tuple[RecordName, Belief]]:
        """Iterate over the records of queues of one name, in any cluster."""
        for (cluster, owner, owner_name, names), line in zip(
            self._owners, self._lines, strict=True
        ):
            if called in names:
                name, place = (cluster, MANY, called), names.index(called)
                since, values = _columns(line)
                receipt = self._receipt(name, owner)
                yield name, Belief(owner, owner_name, values[place], since[place], receipt)

    def publications(self) -> Iterable[tuple[PublicationKey, Instant]]:
        """Iterate over the publications with held records, each with its instant."""
        return dict.fromkeys(
            ((owner, receipt.sequence), receipt.published) for owner, receipt in self._receipts()
        )

    def holds(self, publication: PublicationKey) -> bool:
        """Return whether any record of a publication is held."""
        return any(publication == (owner, receipt.sequence) for owner, receipt in self._receipts())

    def _receipts(self) -> Iterator[tuple[str, Receipt]]:
        """Iterate over the receipts of all records, each with the QMID of the owner."""
        at_once = self._at_once
        yield from ((owner, receipt) for (_, owner), receipt in at_once.items())
        for (name, owner), receipt in self._apart.items():
            if (name[0], owner) not in at_once:
                yield owner, receipt

    def renew(
        self,
        cluster: str,
        owner: str,
        was: int,
        keys: Collection[tuple[str, str]],
        receipt: Receipt,
    ) -> bool:
        """Renew all records of an owner, if they are exactly `keys` of publication `was`."""
        before = self._at_once.get((cluster, owner))
        if before is not None and before.sequence != was:
            return False
        queues = self._queues.get((cluster, owner), ())
        held_keys = {*self._keys.get((cluster, owner), ()), *zip(repeat(MANY), queues)}
        if held_keys != set(keys):
            return False
        if before is None and any(
            self._apart[(cluster, *key), owner].sequence != was for key in held_keys
        ):
            return False
        self._at_once[cluster, owner] = receipt
        return True

    @reading(HELD)
    def read(self) -> HeldRecords:
        """Read all records, in the order in which they were written."""
        records = HeldRecords()
        beliefs, ever_held, by_publication = (
            records.beliefs,
            records.ever_held,
            records.by_publication,
        )
        for cluster, owner, kind, called in self._once:
            ever_held.setdefault((cluster, owner), {})[kind, called] = None
        few = self.few()
        many = [
            (
                (cluster, owner, owner_name),
                self._at_once.get((cluster, owner)),
                ever_held.setdefault((cluster, owner), {}),
                zip(names, *_columns(line), strict=True),
            )
            for (cluster, owner, owner_name, names), line in zip(
                self._owners, self._lines, strict=True
            )
        ]
        for place, number in from_json(self._order):
            if place == _FEW:
                for name, owners in islice(few, number):
                    beliefs[name] = owners
                    for owner, belief in owners.items():
                        belief.receipt.record_count += 1
                        ever_held.setdefault((name[0], owner), {})[name[1:]] = None
                        by_publication.setdefault((owner, belief.sequence), {})[name] = None
                continue
            (cluster, owner, owner_name), at_once, once_held, rows = many[place - 1]
            for called, since, values in islice(rows, number):
                name = (cluster, MANY, called)
                receipt = at_once or self._apart[name, owner]
                receipt.record_count += 1
                belief = Belief(owner, owner_name, values, since, receipt)
                if name in beliefs:
                    beliefs[name][owner] = belief
                else:
                    beliefs[name] = {owner: belief}
                once_held[MANY, called] = None
                by_publication.setdefault((owner, receipt.sequence), {})[name] = None
        return records


class MemoryRecords:
    """The records of a repository of which another one is a copy (`StoredRecords`).

    The original does not change after it was copied. So the copy asks it, until it changes them.
    """

    def __init__(self, original: Repository) -> None:
        """Take the records of a repository that has read them."""
        self._original = original
        self._held = original.held
        self.of_kind = self._held.of_kind
        self.instances = self._held.instances
        self.queues_called = self._held.queues_called
        self.publications = self._held.publications
        self.holds = self._held.holds

    def own_records(self) -> dict[RecordName, None]:
        """Return the names of its own records."""
        return dict(self._original.own_records)

    def few(self) -> Iterator[tuple[RecordName, dict[str, Belief]]]:
        """Iterate over all records except queues, as (name, owner's QMID -> record)."""
        return (each for each in self._held.beliefs.items() if each[0][1] != MANY)

    def renew(self, *_: object) -> bool:
        """Leave a renewal to the copy, which reads its records for it."""
        return False

    def read(self) -> HeldRecords:
        """Copy all records, in their order; those that share a receipt share its copy."""
        receipts: dict[int, Receipt] = {}
        held = HeldRecords(
            ever_held={key: dict(names) for key, names in self._held.ever_held.items()},
            by_publication={key: dict(names) for key, names in self._held.by_publication.items()},
        )
        for name, owners in self._held.beliefs.items():
            copies = held.beliefs[name] = {}
            for owner, belief in owners.items():
                receipt = receipts.get(id(belief.receipt))
                if receipt is None:
                    receipt = receipts[id(belief.receipt)] = replace(belief.receipt)
                copies[owner] = Belief._make((*belief[:4], receipt))
        return held


def _read_row(row: Any) -> _Row:
    owner, owner_name, values, since, has_lists = row
    return owner, owner_name, tupled(values) if has_lists else values, since


def _columns(line: bytes) -> tuple[list[Instant], list[Values]]:
    with reading(HELD):
        since, values, lists = from_json(line)
        for place in lists:
            values[place] = tupled(values[place])
        return since, values
