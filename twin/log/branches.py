"""Branches: where each branch was forked from its parent, and which events it sees."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from sqlalchemy import bindparam, insert, literal_column, select

from twin.log.chain import GENESIS, HeadRow, branch_digest_of, read_heads
from twin.log.database import Database
from twin.log.errors import (
    BadBranchName,
    BadFork,
    BranchExists,
    LogDamaged,
    NoSuchBranch,
    RetiredBranch,
)
from twin.log.records import ALWAYS, EARLIEST_LATE, Branch, Head, VisiblePart
from twin.log.schema import MAIN as FIRST_BRANCH
from twin.log.schema import branch, branch_retired, event, head
from twin.log.visibility import LATEST, Visibilities
from twin.model.instants import MAIN

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)

_ALL: Final = (
    select(
        branch.c.id,
        branch.c.name,
        branch.c.parent,
        branch.c.fork_position,
        branch.c.fork_occurred_at,
        branch_retired.c.position,
    )
    .select_from(branch.outerjoin(branch_retired, branch_retired.c.branch == branch.c.id))
    .order_by(branch.c.id)
)
_own: Final = event.c.branch == bindparam("branch")
_in_reach: Final = (event.c.position <= bindparam("position")) & (
    event.c.occurred_at <= bindparam("occurred")
)
# Adding 0 keeps query planners from using the index in fold order; the last positions are needed.
_LAST: Final = (
    select(event.c.position)
    .where(event.c.branch + literal_column("0") == bindparam("branch"), _in_reach)
    .order_by(event.c.position.desc())
    .limit(1)
)
_AT: Final = select(event.c.occurred_at, event.c.recorded_at, event.c.digest).where(
    event.c.position == bindparam("position")
)
_RETIRED: Final = select(branch_retired.c.position).where(
    branch_retired.c.branch == bindparam("branch")
)
_LAST_BRANCH: Final = select(branch.c.id, branch.c.digest).order_by(branch.c.id.desc()).limit(1)
_ADD: Final = insert(branch).values(
    {column.name: bindparam(f"new_{column.name}") for column in branch.c}
)
_ADD_HEAD: Final = insert(head).values(
    {column.name: bindparam(f"new_{column.name}") for column in head.c}
)


def lineage_of(line: Branch, numbered: Callable[[int], Branch | None]) -> tuple[VisiblePart, ...]:
    """Return the parts of itself and of each ancestor that a branch sees, nearest first.

    `numbered` returns a branch by its number, None if there is none. It goes by number because the
    name of a retired branch may be used again.

    Raises:
        LogDamaged: if a parent is no earlier branch.
    """
    reaches = [VisiblePart(line.id, ALWAYS, ALWAYS)]
    position, occurred_at = ALWAYS, ALWAYS
    while line.parent_id is not None:
        position = min(position, line.fork_position)
        occurred_at = min(occurred_at, line.fork_occurred_at)
        parent = numbered(line.parent_id) if line.parent_id < line.id else None
        if parent is None:
            raise LogDamaged(line.fork_position, f"the parent of branch {line.name} is altered")
        line = parent
        reaches.append(VisiblePart(line.id, position, occurred_at))
    return tuple(reaches)


class Branches:
    """The branches of one log. Their rows never change, so each is read once, until it retires.

    Any process may retire a branch, and its name may be used again: each use of a name looks for
    that.

    Attributes:
        visibilities: which events each branch sees.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.visibilities = Visibilities(database)
        self._by_name: dict[str, Branch] = {}
        self._retired: dict[str, Branch] = {}
        self._by_id: dict[int, Branch] = {}
        self._lineages: dict[int, tuple[VisiblePart, ...]] = {}

    def all(self, *, retired: bool = False) -> list[Branch]:
        """Return all branches in the order of their creation, with the retired ones if wanted."""
        self._load()
        return list((self._by_id if retired else self._by_name).values())

    def named(self, name: str) -> Branch:
        """Return a branch by its name.

        Raises:
            NoSuchBranch: if no branch has this name.
            RetiredBranch: if the branch that had it is retired.
        """
        cached = self._by_name.get(name)
        if cached is None or self._is_retired(cached):
            self._load()
        try:
            return self._by_name[name]
        except KeyError:
            if name == MAIN:
                raise LogDamaged(0, f"the row of branch {MAIN} is missing") from None
            raise (RetiredBranch if name in self._retired else NoSuchBranch)(name) from None

    def demand_live(self, line: Branch) -> None:
        """Check within a transaction that a branch was not retired meanwhile.

        Raises:
            RetiredBranch: if it was.
        """
        if self._is_retired(line):
            self._load()
            raise RetiredBranch(line.name)

    def _is_retired(self, line: Branch) -> bool:
        """Return whether a branch is retired by now; main never is."""
        if line.id == FIRST_BRANCH:
            return False
        return self._database.one(_RETIRED, branch=line.id) is not None

    def numbered(self, number: int) -> Branch | None:
        """Return a branch by its number; None if there is none."""
        if number not in self._by_id:
            self._load()
        return self._by_id.get(number)

    def name_of(self, number: int) -> str:
        """Return a branch's name by its number."""
        if number not in self._by_id:
            self._load()
        return self._by_id[number].name

    def lineage(self, line: Branch) -> tuple[VisiblePart, ...]:
        """Return the parts of itself and of each ancestor that a branch sees, nearest first."""
        cached = self._lineages.get(line.id)
        if cached is not None:
            return cached
        return self._lineages.setdefault(line.id, lineage_of(line, self._by_id.get))

    def heads(self, line: Branch) -> tuple[Head, int]:
        """Return the head of a branch and the last position of the whole log, read together."""
        whole, own = read_heads(self._database, line.id, name=line.name)
        return Head(own.position, own.occurred_at, own.recorded_at), whole.position

    def last_seen(self, line: Branch, *, position: int, occurred_at: int = ALWAYS) -> int:
        """Return the last position that a branch sees within bounds; 0 if there is none."""
        return self._last_in(
            reach.within(position=position, occurred_at=occurred_at) for reach in self.lineage(line)
        )

    def inherited(self, line: Branch) -> tuple[Head, bytes]:
        """Return the head of a branch when it was forked, and the digest of that event."""
        inherited = self._head_in(self.lineage(line)[1:])
        return inherited, self.event_at(inherited.position)[2]

    def create(
        self, name: str, *, parent: str, at_position: int | None, at_occurred: int | None
    ) -> Branch:
        """Fork a branch, within the caller's transaction.

        Raises:
            BadBranchName, BranchExists, NoSuchBranch, BadFork: if the branch cannot be created.
        """
        if not _NAME.fullmatch(name):
            raise BadBranchName(name)
        self._load()
        if name in self._by_name:
            raise BranchExists(name)
        above = self.named(parent)
        newest, _ = self.heads(above)
        position = newest.position if at_position is None else at_position
        if not 0 <= position <= newest.position:
            raise BadFork(parent, position, newest.position)
        inherited = self._head_within(above, newest, position, at_occurred)
        occurred_at = at_occurred if at_occurred is not None else inherited.occurred_at or 0
        reaches = [
            part.within(position=position, occurred_at=occurred_at) for part in self.lineage(above)
        ]
        if self.visibilities.is_retracted(self.lineage(above)):
            inherited = self._head_in(reaches)  # hidden facts and retractions may lie after it
        last, before = self._database.one(_LAST_BRANCH) or (0, GENESIS)
        columns = (last + 1, name, above.id, position, occurred_at)
        self._add(columns, branch_digest_of(bytes(before), columns))
        self._add_head(last + 1, inherited, self.event_at(inherited.position)[2])
        return Branch(last + 1, name, parent, position, occurred_at, above.id)

    def restore(self, columns: Sequence[Any], digest: bytes) -> None:
        """Add a branch with these columns, within the caller's transaction.

        Its ancestors and all events that it inherits are in the log already. Main is there, too.

        Raises:
            ValueError: if it is not the next branch, or does not have this digest.
        """
        number, name, parent, *_ = columns
        if number == FIRST_BRANCH:
            if digest != branch_digest_of(GENESIS, (FIRST_BRANCH, MAIN, None, 0, 0)):
                raise ValueError
            return
        last, before = self._database.one(_LAST_BRANCH) or (0, GENESIS)
        if number != last + 1 or not 0 < parent <= last or not _NAME.fullmatch(name):
            raise ValueError
        if digest != branch_digest_of(bytes(before), columns):
            raise ValueError
        self._add(columns, digest)
        line = self.numbered(number)
        assert line is not None  # noqa: S101 - it was added
        self._add_head(number, *self.inherited(line))

    def forget(self) -> None:
        """Forget the branches that were read: a transaction that added some was rolled back."""
        for known in (self._by_name, self._retired, self._by_id, self._lineages):
            known.clear()

    def _add(self, columns: Sequence[Any], digest: bytes) -> None:
        names = (f"new_{column.name}" for column in branch.c)
        self._database.run(_ADD, **dict(zip(names, [*columns, digest], strict=True)))

    def _add_head(self, number: int, inherited: Head, digest: bytes) -> None:
        row = HeadRow(number, *inherited, digest, GENESIS, b"").sealed()._asdict()
        self._database.run(_ADD_HEAD, **{f"new_{column}": value for column, value in row.items()})

    def event_at(self, position: int) -> tuple[int, int, bytes]:
        """Return when the event at a position occurred and was recorded, and its digest.

        If there is no event, the instants are 0, and the digest is the one before the first event.
        """
        occurred, recorded, digest = self._database.one(_AT, position=position) or (0, 0, GENESIS)
        return occurred, recorded, bytes(digest)

    def _head_within(self, line: Branch, newest: Head, position: int, occurred: int | None) -> Head:
        """Return the last event that a branch saw within bounds."""
        bound = ALWAYS if occurred is None else occurred
        latest = newest.occurred_at
        if latest is None or (position == newest.position and bound >= latest):
            return newest
        lineage = self.lineage(line)
        return self._head_in(
            [reach.within(position=position, occurred_at=bound) for reach in lineage]
        )

    def _head_in(self, reaches: Sequence[VisiblePart]) -> Head:
        """Return the last event in these parts of branches, nearest first."""
        last = self._last_in(reaches)
        if not last:
            return Head(0, None, None)
        return Head(last, self.visibilities.latest(reaches), self.event_at(last)[1])

    def _last_in(self, reaches: Iterable[VisiblePart]) -> int:
        """Return the last position of the nearest part that has events; 0 if none has."""
        return next(filter(None, map(self._last_own, reaches)), 0)

    def _last_own(self, reach: VisiblePart) -> int:
        """Return a branch's own last position within bounds; 0 if there is none.

        The search starts at the bound that excludes more. If that is the instant, and no event was
        late, the latest event also has the last position.
        """
        values = reach.values()
        if self.event_at(reach.position)[0] > reach.occurred_at:
            latest = self._database.one(LATEST, **values)
            if latest is None:
                return 0
            if self._database.one(EARLIEST_LATE, after=latest[1], **values) is None:
                return int(latest[1])
        (last,) = self._database.one(_LAST, **values) or (0,)
        return int(last)

    def _load(self) -> None:
        rows = self._database.fetch(_ALL)
        names = {number: name for number, name, *_ in rows}
        self._by_name.clear()
        for number, name, above, position, occurred_at, retired in rows:
            made = Branch(number, name, names.get(above), position, occurred_at, above, retired)
            self._by_id[number] = made
            (self._by_name if retired is None else self._retired)[name] = made
