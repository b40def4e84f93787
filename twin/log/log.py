"""`Log`: one append-only log in one database, with all its operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from heapq import merge
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from sqlalchemy import bindparam, literal_column, select

from twin.log import selecting
from twin.log.chain import TO_FOLD, sound_rows
from twin.log.database import Mode, StepProgress, Synchronous
from twin.log.errors import LogDamaged, OlderLog
from twin.log.evidence import EvidencedLog
from twin.log.opening import demand_reader, open_database
from twin.log.own_events import INFO, SET_INFO
from twin.log.portable import ExportableLog, ImportableLog
from twin.log.reading import ReadableLog
from twin.log.records import ALWAYS, HIDING, Branch, LogRow
from twin.log.references import with_references
from twin.log.schema import event
from twin.log.verifying import CheckedLog, VerifiableLog
from twin.model.instants import MAIN

# Adding 0 keeps query planners from the index in fold order: few positions are needed.
_AFTER: Final = TO_FOLD.where(
    event.c.branch + literal_column("0") == bindparam("branch"),
    event.c.position > bindparam("after"),
    event.c.position <= bindparam("upto"),
)

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


class FollowableLog(ReadableLog):
    """A log whose later events can be folded into an estate of an earlier head."""

    def rows_after(
        self, position: int, *, instant: int, branch: str, upto: int
    ) -> list[LogRow] | None:
        """Return the events that a branch sees after a fold, in fold order, up to a position.

        The fold is that of everything that the branch saw at `position`; its last event occurred at
        `instant`. After that a branch sees only its own events. Return None if a late event is
        among them, or one that hides others: the estate must then be rebuilt.
        """
        line = self.branch(branch)
        rows = self._database.fetch(_AFTER, branch=line.id, after=position, upto=upto)
        if not all(isinstance(row[0], int) for row in rows):
            raise LogDamaged(position + 1, "an event at or after it was altered")
        if any(row[0] < instant or row[2] in HIDING for row in rows):
            return None
        ordered: list[Any] = sound_rows(sorted(rows, key=itemgetter(0, 1)), derived=False)
        return with_references(self._database, ordered)


class Log(
    ImportableLog,
    ExportableLog,
    FollowableLog,
    CheckedLog,
    VerifiableLog,
    EvidencedLog,
    FactLog,
):
    """An append-only log of events with branches, two clocks and snapshots.

    Positions have no gaps over the whole log, with all branches together. Instants are microseconds
    since 1970 UTC. Threads may share a log; each process opens its own.
    """

    keeps_unused = True
    """Whether `close` keeps the file that `open` made if nothing was recorded in it."""

    @classmethod
    def open(
        cls,
        url: str,
        *,
        mode: Mode = "write",
        synchronous: Synchronous = "FULL",
        create: bool = True,
        keeps_caches: bool | None = None,
        progress: StepProgress | None = None,
    ) -> Self:
        """Open a log by its SQLAlchemy URL; mode "write" creates and migrates it if necessary.

        Without `create` there must be a log. With `synchronous` NORMAL, a power failure may lose
        the last batches, but nothing else.
        `keeps_caches` says whether caches are written; by default, they are in mode "write".
        `progress` is called while an older log is copied and migrated.

        Raises:
            BadLogUrl, NoSuchLog, NotALog, NewerLog, OlderLog, OtherCopy, LogUnreachable, LogBusy:
                if it cannot be opened.
        """
        database = open_database(
            url, mode=mode, synchronous=synchronous, create=create, progress=progress
        )
        return cls(database, keeps_caches=keeps_caches)

    @classmethod
    def upgrade(cls, url: str, *, progress: StepProgress | None = None) -> Self:
        """Open a log for writing, and bring it to the newest edition even if others may share it.

        `progress` is called meanwhile.

        Raises:
            NoSuchLog: if there is no log.
            BadLogUrl, NotALog, NewerLog, OtherCopy, LogUnreachable, LogBusy:
                if it cannot be opened or upgraded.
        """
        with suppress(OlderLog):
            open_database(url, mode="read", synchronous="FULL").close()
        return cls(
            open_database(url, mode="write", synchronous="FULL", upgrade=True, progress=progress)
        )

    @property
    def notices(self) -> tuple[str, ...]:
        """What opening the log did or found that its user should know, one line each."""
        return tuple(self._database.notices)

    def back_up(self, copy: Path, *, progress: Callable[[int, int], None] | None = None) -> str:
        """Copy the log to a new file; or return the command that does so, which is run elsewhere.

        The copy is the log of one moment; others may go on writing.

        Raises:
            BackupExists: if the file exists.
            LogUnreachable: if it cannot be written.
        """
        return self._database.back_up(copy, progress=progress)

    def info(self, name: str) -> str | None:
        """Return a value that is kept with the log under a name; None if there is none."""
        row = self._database.one(INFO, name=name)
        return None if row is None else str(row[0])

    def set_info(self, name: str, value: str) -> None:
        """Keep a value with the log under a name; it is no event, and is not exported."""
        with self._database.writing():
            self._database.run(SET_INFO, name=name, value=value)

    def demand_reader(self) -> None:
        """Check again that this version understands every event type in the log.

        Raises:
            NewerLog: if a newer version added one since the log was opened.
        """
        demand_reader(self._database)

    def demand_place(self) -> None:
        """Check that the log is still the file that was opened; one on a server always passes.

        Raises:
            LogMoved: if it is not.
        """
        if self._database.place is not None:
            self._database.place.demand()

    def close(self) -> None:
        """Close the connections to the database."""
        self.caches.close()
        if not self.keeps_unused:
            self._database.remove_unused()
        self._database.close()

    def server_clock(self) -> Callable[[], int] | None:
        """Return the clock of the server that holds the log; None if the log is a file.

        All that use a log on a server share its clock, whatever their own clocks show.
        """
        return self._database.server_clock()

    def create_branch(
        self,
        name: str,
        *,
        parent: str = MAIN,
        at_position: int | None = None,
        at_occurred: int | None = None,
    ) -> Branch:
        """Fork a branch at its parent's head, or at an earlier position, instant, or both.

        Raises:
            BadBranchName, BranchExists, NoSuchBranch, BadFork: if the branch cannot be created.
        """
        with self._database.writing():
            return self._branches.create(
                name, parent=parent, at_position=at_position, at_occurred=at_occurred
            )
