"""Read the events that a branch sees in fold order, and all events in the order of the log."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from heapq import merge
from typing import Any, Final

from sqlalchemy import Select

from twin.log import selecting
from twin.log.branches import Branches
from twin.log.chain import LateRows, demand_complete, read_heads, sound_events, sound_rows
from twin.log.database import Database
from twin.log.records import (
    ALWAYS,
    LONG_AGO,
    Branch,
    ChainEnd,
    DerivedAgain,
    Head,
    LogRow,
    StoredEvent,
    VisiblePart,
)
from twin.log.references import (
    SEEN_AGAIN,
    RowText,
    facts_said,
    is_shortened,
    positions_of,
    resolved,
    texts_of,
    with_references,
)
from twin.log.visibility import OWN, Retraction, Visibility
from twin.model.instants import MAIN

PAGE: Final = 2_000
"""The number of events that are read at once if all columns are read."""


class ReadableLog:
    """A log to read from: its branches, and its events in two orders."""

    def __init__(self, database: Database) -> None:
        """Use a database that contains a log; most callers use `Log.open` instead."""
        self._database = database
        self._branches = Branches(database)
        self._late_rows = LateRows(database)
        self._sources: tuple[int, dict[str, int]] = (0, {})
        self._derived_by: dict[tuple[str, int], tuple[int, int, list[str]]] = {}

    def branch(self, name: str) -> Branch:
        """Return a branch by its name.

        Raises:
            NoSuchBranch: if no branch has this name.
            RetiredBranch: if the branch that had it is retired.
        """
        return self._branches.named(name)

    def branches(self, *, retired: bool = False) -> list[Branch]:
        """Return all branches in the order of their creation; main is the first.

        With `retired`, the retired ones are among them.
        """
        return self._branches.all(retired=retired)

    def head(self, branch: str = MAIN) -> Head:
        """Return the last event that a branch sees; position 0 and no instants if it sees none."""
        return self.heads(branch)[0]

    def heads(self, branch: str = MAIN) -> tuple[Head, int]:
        """Return the head of a branch and the last position of the whole log, read together.

        The next event gets the position after that, unless another process appends first.
        """
        return self._branches.heads(self.branch(branch))

    def last(self) -> ChainEnd:
        """Return the last position of the whole log, and its digest in hexadecimal."""
        whole, _ = read_heads(self._database)
        return ChainEnd(whole.position, whole.digest.hex())

    def begins_at(self, *, branch: str = MAIN, known: int) -> int | None:
        """Return the instant of the first event that a branch sees; None if it sees none.

        `known` is the last position that counts. A hidden event counts as well.
        """
        parts = self._branches.lineage(self.branch(branch))
        firsts = [
            row[0]
            for part in parts
            for row in self._database.fetch(
                selecting.FIRST,
                branch=part.branch,
                since=LONG_AGO,
                occurred=part.occurred_at,
                position=min(part.position, known),
            )
        ]
        return min(firsts, default=None)

    def position_at(self, known: int, *, branch: str = MAIN) -> int:
        """Return the last position that a branch saw at an instant of recording; 0 for none.

        Positions have no gaps and are in the order of recording, so this is a binary search.
        """
        newest = self.head(branch)
        if newest.recorded_at is None or newest.recorded_at <= known:
            return newest.position
        low, high = 0, newest.position
        while high - low > 1:
            middle = (low + high) // 2
            if self._branches.event_at(middle)[1] <= known:
                low = middle
            else:
                high = middle
        return self._branches.last_seen(self.branch(branch), position=low) if low else 0

    def rows(
        self,
        *,
        branch: str = MAIN,
        valid: int | None = None,
        known: int | None = None,
        since_valid: int | None = None,
        types: Sequence[str] = (),
        qmgrs: Sequence[str] = (),
        either: bool = False,
    ) -> list[LogRow]:
        """Return the events that a branch sees, in fold order: (occurred_at, position).

        Rows that a file said again are rows like others, with the position that they share.

        Args:
            branch: the name of the branch.
            valid: the last instant of occurrence.
            known: the last position.
            since_valid: only events after this instant.
            types: only these types.
            qmgrs: only these queue managers.
            either: if both `types` and `qmgrs` are given, events need to match only one of them.
        """
        lineage = self._branches.lineage(self.branch(branch))
        until = ALWAYS if valid is None else valid
        since = LONG_AGO if since_valid is None else since_valid
        upto = self._upto(known)
        visibility = self._branches.visibilities.of(lineage, upto=upto)
        filtered = visibility.since < until
        columns = [*types, SEEN_AGAIN] if any(map(is_shortened, types)) else types
        statement = selecting.in_fold_order(len(columns), len(qmgrs), either=either)
        names = selecting.parameters(columns, qmgrs)
        chosen = {"types": types, "qmgrs": qmgrs if either else ()}
        parts = []
        for reach in reversed(lineage):
            bounded = reach.within(position=upto, occurred_at=until)
            if since < bounded.occurred_at:
                values = {**bounded.values(), **names}
                found = self._database.fetch(statement, since=since, **values)
                sound = sound_rows(found, derived=filtered)
                parts.append(with_references(self._database, sound, **chosen))
                if not names:
                    demand_complete(self._database, found, bounded, since=since)
        merged = _merged([part for part in parts if part])
        return visibility.apply(merged) if filtered else merged

    def visibility(self, *, branch: str = MAIN, known: int | None = None) -> Visibility:
        """Return which events are hidden from a branch, up to a position."""
        lineage = self._branches.lineage(self.branch(branch))
        return self._branches.visibilities.of(lineage, upto=self._upto(known))

    def primary_after(
        self,
        instant: int,
        *,
        branch: str = MAIN,
        known: int | None = None,
        besides: Sequence[Retraction] = (),
    ) -> list[StoredEvent]:
        """Return the primary facts that a branch sees after an instant, in fold order.

        After a late fact or a retraction, everything is derived again from them. Events about the
        log itself are left out. `besides` are retractions that are not recorded yet. Rows that a
        file said again are facts like others, with the position and the id that they share.
        """
        upto, parts = self._upto(known), []
        lineage = self._branches.lineage(self.branch(branch))
        hides = self._branches.visibilities.of(lineage, upto=upto, besides=besides).hides
        for reach in lineage:
            bounded = reach.within(position=upto, occurred_at=ALWAYS)
            rows = self._database.fetch(selecting.PRIMARY, since=instant, **bounded.values())
            parts.append(list(sound_events(rows)))
        merged = map(self._stored, merge(*parts, key=lambda row: (row[2], row[0])))
        visible = [
            each
            for each in merged
            if each.type not in OWN
            and not hides(each.position, each.occurred_at, each.type, derived=False)
        ]
        return facts_said(self._database, visible)

    def latest_fact(
        self, *, branch: str = MAIN, before: int, known: int | None = None
    ) -> int | None:
        """Return the instant of the latest primary fact that a branch sees before an instant."""
        parts = [
            part.within(position=ALWAYS, occurred_at=before - 1)
            for part in self._branches.lineage(self.branch(branch))
        ]
        return self._branches.visibilities.latest_primary(parts, upto=self._upto(known))

    def find(self, event_id: str) -> StoredEvent | None:
        """Return the event with an id as it is stored; None if there is none."""
        row = self._database.one(selecting.BY_ID, event_id=event_id)
        return None if row is None else self._stored(next(sound_events([row])))

    def whole(self, stored: StoredEvent) -> StoredEvent:
        """Return an event with what it says, if it is stored as a reference to an earlier one."""
        return stored._replace(body=resolved(self._database, [stored.body])[0])

    def sources_of_derived(self, upto: int) -> dict[str, int]:
        """Return the sources of derived events up to a position, each with its last position.

        The events of one source follow each other: later programs have later rules. What was found
        last is kept, because nothing changes in a log up to a position that it has.
        """
        if self._sources[0] == upto:
            return self._sources[1]
        spans: dict[str, int] = {}
        last = self._database.one(selecting.LAST_DERIVED, after=0, upto=upto)
        after = 0
        while last and after < last[0]:
            low, source = self._database.one(selecting.NEXT_DERIVED, after=after, upto=upto) or last
            high = low if source == last[1] else last[0]
            while low < high:  # the last one of this source lies between
                middle = (low + high) // 2
                other = self._database.one(selecting.NEXT_DERIVED, after=middle, upto=upto)
                low, high = (other[0], high) if other and other[1] == source else (low, middle)
            spans[source] = after = last[0] if source == last[1] else low
        self._sources = (upto, spans)
        return spans

    def derived_by(self, *, branch: str, valid: int, known: int) -> list[str]:
        """Return the sources of the derived facts that a branch sees up to a point, in order.

        What was found last is kept: nothing is added after the latest instant up to `known`.
        """
        kept = self._derived_by.get((branch, known))
        if kept is None or (valid != kept[0] and min(valid, kept[0]) < kept[1]):
            latest, found = (
                self.head(branch).occurred_at,
                self._derived_within(branch, valid, known),
            )
            kept = (valid, ALWAYS if latest is None else latest, found)
            self._derived_by = {(branch, known): kept}
        return kept[2]

    def _derived_within(self, branch: str, valid: int, known: int) -> list[str]:
        lineage = self._branches.lineage(self.branch(branch))
        begin, visibility = self.begins_at(branch=branch, known=known), None
        found, after = [], 0
        for source, last in self.sources_of_derived(known).items():
            visibility = visibility or self.visibility(branch=branch, known=known)
            until = min(valid, visibility.withdrawn.after(last))
            if (LONG_AGO if begin is None else begin) <= until and any(
                self._database.one(selecting.DERIVED_WITHIN, after=after, **part.values())
                for part in (each.within(position=last, occurred_at=until) for each in lineage)
            ):
                found.append(source)
            after = last
        return found

    def rows_of(self, stored: StoredEvent) -> Iterator[tuple[int, RowText]]:
        """Yield what each row says that a `SeenAgain` stands for, and the position of the text."""
        fields = json.loads(stored.body)
        texts = texts_of(self._database, stored.position, fields)
        yield from zip(positions_of(fields["again"]), texts, strict=True)

    def derived_again(self, *, branch: str, valid: int, known: int) -> list[DerivedAgain]:
        """Return where a source derived again what another source had derived before.

        Each source is there once, with its earliest withdrawal. They are in the order of instants.
        """
        again: dict[str, DerivedAgain] = {}
        if len(self.sources_of_derived(known)) < 2:  # noqa: PLR2004 - one derives nothing again
            return []
        lineage = self._branches.lineage(self.branch(branch))
        parts = [part.within(position=known, occurred_at=valid) for part in lineage]
        found = [
            row for part in parts for row in self._database.fetch(selecting.AGAIN, **part.values())
        ]
        for occurred_at, position, source in sorted(found):
            if source in again:
                continue
            others = (
                self._database.one(
                    selecting.OTHERS,
                    since=occurred_at,
                    before=position,
                    source=source,
                    branch=part.branch,
                )
                for part in lineage
            )
            if other := next(filter(None, others), None):
                again[source] = DerivedAgain(occurred_at, position, source, other[0])
        return list(again.values())

    def events(
        self,
        *,
        after: int = 0,
        upto: int | None = None,
        limit: int | None = None,
        branch: str | None = None,
        types: Sequence[str] = (),
        qmgr: str | None = None,
        since: int | None = None,
        until: int | None = None,
    ) -> Iterator[StoredEvent]:
        """Yield events in the order of the log as they are stored, including hidden ones.

        Args:
            after: only positions after this one.
            upto: the last position.
            limit: the maximum number of events to yield.
            branch: only events that this branch sees.
            types: only these types.
            qmgr: only this queue manager.
            since: the first instant of occurrence.
            until: the last instant of occurrence.
        """
        reaches = () if branch is None else self._branches.lineage(self.branch(branch))
        qmgrs = () if qmgr is None else (qmgr,)
        values: dict[str, Any] = {
            **selecting.parameters(types, qmgrs),
            "since": LONG_AGO if since is None else since,
            "until": ALWAYS if until is None else until,
            "upto": self._upto(upto),
        }
        statement = selecting.in_log_order(len(types), len(qmgrs), len(reaches))
        limit = ALWAYS if limit is None else limit
        return self._pages(statement, values | _numbered(reaches), after, limit)

    def derived_from(
        self, fact: StoredEvent, *, branch: str, upto: int, limit: int
    ) -> list[StoredEvent]:
        """Return the first events that were derived from a fact, in the order of the log.

        Those that are hidden are among them. All events from the fact up to position `upto` are
        searched.
        """
        reaches = self._branches.lineage(self.branch(branch))
        values = {
            "since": LONG_AGO,
            "until": ALWAYS,
            "upto": self._upto(upto),
            "cause": fact.event_id,
            **_numbered(reaches),
        }
        statement = selecting.in_log_order(0, 0, len(reaches), caused=True)
        return list(self._pages(statement, values, fact.position, limit))

    def _pages(
        self, statement: Select[Any], values: dict[str, Any], after: int, limit: int
    ) -> Iterator[StoredEvent]:
        """Yield at most `limit` events after a position, and read them in pages."""
        while limit > 0:
            page = self._database.fetch(statement, after=after, limit=min(limit, PAGE), **values)
            for row in sound_events(page):
                yield self._stored(row)
            if len(page) < min(limit, PAGE):
                return
            limit -= len(page)
            after = page[-1][0]

    def _stored(self, row: tuple[Any, ...]) -> StoredEvent:
        branch, digest = self._branches.name_of(row[1]), bytes(row[-1]).hex()
        return StoredEvent._make((row[0], branch, *row[2:-1], digest))

    def _upto(self, known: int | None) -> int:
        """Limit a read to the current end of the log, so that several queries agree.

        The rows of `late_event` up to there, which decide what is visible, are checked.
        """
        whole, _ = read_heads(self._database)
        self._late_rows.check(whole)
        return whole.position if known is None else min(known, whole.position)


def _numbered(reaches: Sequence[VisiblePart]) -> dict[str, int]:
    """Return the bounds of parts as parameters, each with the number of its part."""
    return {
        f"{name}_{number}": value
        for number, reach in enumerate(reaches)
        for name, value in reach.values().items()
    }


def _merged(parts: list[list[tuple[Any, ...]]]) -> list[Any]:
    """Merge lists that are in fold order into one."""
    if len(parts) == 1:
        return parts[0]
    rows = [row for part in parts for row in part]
    rows.sort(key=lambda row: row[:2])
    return rows
