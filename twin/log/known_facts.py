"""Which facts a branch has, by their ids, and what was derived after an instant."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import merge
from typing import Final, NamedTuple

from sqlalchemy import select

from twin.log import selecting
from twin.log.parts import ALWAYS
from twin.log.reading import ReadableLog
from twin.log.schema import event
from twin.log.sound_rows import sound_rows

_BY_IDS: Final = select(
    event.c.event_id, event.c.position, event.c.branch, event.c.occurred_at, event.c.type
)


class KnownFact(NamedTuple):
    """A primary fact with an id in the log; `seen` says whether the branch sees it."""

    position: int
    occurred_at: int
    seen: bool


class FactLog(ReadableLog):
    """A log that tells which facts it has."""

    def known_facts(
        self, ids: Sequence[str], *, branch: str, known: int | None = None
    ) -> dict[str, KnownFact]:
        """Return the primary facts that have these ids, by id; those of other branches too."""
        lineage = self._branches.lineage(self.branch(branch))
        upto = self._upto(known)
        hides = self._branches.visibilities.of(lineage, upto=upto).hides
        rows = self._database.fetch_among(_BY_IDS, event.c.event_id, ids)
        found = {}
        for id_, position, of, occurred_at, type_ in rows:
            included = position <= upto and any(
                part.branch == of and part.includes(position, occurred_at) for part in lineage
            )
            seen = included and not hides(position, occurred_at, type_, derived=False)
            found[id_] = KnownFact(position, occurred_at, seen)
        return found

    def derived_after(
        self, instant: int, *, branch: str, known: int | None = None
    ) -> list[tuple[int, int, str, str]]:
        """Return the derived facts that a branch sees after an instant, in fold order.

        They are (occurred_at, position, type, body); a body may refer to an earlier event.
        """
        lineage, upto = self._branches.lineage(self.branch(branch)), self._upto(known)
        hides = self._branches.visibilities.of(lineage, upto=upto).hides
        statement = selecting.in_fold_order(0, 0, either=False)
        parts = []
        for reach in lineage:
            bounded = reach.within(position=upto, occurred_at=ALWAYS)
            found = self._database.fetch(statement, since=instant, **bounded.values())
            parts.append(sound_rows(found, derived=True))
        return [
            row[:4]
            for row in merge(*parts)
            if row[4] and not hides(row[1], row[0], row[2], derived=True)
        ]
