"""The records that a repository holds: what can be asked of them, and the ones in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeAlias

from twin.fold.beliefs import Belief, Name, Receipt
from twin.model.instants import Instant

MANY: Final = "queue"
"""The kind of record of which there may be very many; a store reads these only when asked."""

PublicationKey: TypeAlias = tuple[str, int]
"""(owner's QMID, sequence)."""


class Records(Protocol):
    """Records that can be queried: those in memory, or those still in their page."""

    def of_kind(self, kind: str, cluster: str | None) -> Iterator[tuple[Name, Belief]]:
        """Go through the records of a kind, of one cluster or of all."""

    def instances(self, name: Name) -> dict[str, Belief]:
        """Return the records of a name, by owner's QMID."""

    def queues_called(self, called: str) -> Iterator[tuple[Name, Belief]]:
        """Go through the records of queues of one name, in any cluster and any order."""

    def publications(self) -> Iterable[tuple[PublicationKey, Instant]]:
        """Go through the publications of which something is held, each with its instant."""

    def holds(self, publication: PublicationKey) -> bool:
        """Say whether anything of a publication is held."""


class StoredRecords(Records, Protocol):
    """Records still in their page, as a repository needs them from its store.

    `of_kind` and `instances` are asked of all kinds but MANY.
    """

    def renew(
        self,
        cluster: str,
        owner: str,
        was: int,
        keys: Collection[tuple[str, str]],
        receipt: Receipt,
    ) -> bool:
        """Renew all that is held of an owner, if it is just these keys, all of publication `was`.

        Return whether that was so; if not, nothing changes.
        """

    def read(self) -> HeldRecords:
        """Read all records, in the order in which they were written."""


@dataclass(slots=True)
class HeldRecords:
    """Records in memory, with their indexes; the attributes are described at `Repository`."""

    beliefs: dict[Name, dict[str, Belief]] = field(default_factory=dict)
    ever_held: dict[tuple[str, str], dict[tuple[str, str], None]] = field(default_factory=dict)
    by_publication: dict[PublicationKey, dict[Name, None]] = field(default_factory=dict)

    def of_kind(self, kind: str, cluster: str | None) -> Iterator[tuple[Name, Belief]]:
        """Go through the records of a kind, of one cluster or of all."""
        for name, owners in self.beliefs.items():
            if name[1] == kind and cluster in (None, name[0]):
                for belief in owners.values():
                    yield name, belief

    def instances(self, name: Name) -> dict[str, Belief]:
        """Return the records of a name, by owner's QMID."""
        return self.beliefs.get(name, {})

    def queues_called(self, called: str) -> Iterator[tuple[Name, Belief]]:
        """Go through the records of queues of one name, in any cluster."""
        for name, owners in self.beliefs.items():
            if name[2] == called and name[1] == MANY:
                for belief in owners.values():
                    yield name, belief

    def publications(self) -> Iterator[tuple[PublicationKey, Instant]]:
        """Go through the publications of which something is held, each with its instant."""
        for key, names in self.by_publication.items():
            yield key, self.beliefs[next(iter(names))][key[0]].receipt.published

    def holds(self, publication: PublicationKey) -> bool:
        """Say whether anything of a publication is held."""
        return publication in self.by_publication
