"""Views: rebuild the estate as of an instant from the nearest snapshot and the rows after it.

Estates that several questions share: those of one page, and of the pages after it.

An estate of a past instant is kept as it is. An estate at the head of a branch is kept, too: for a
later instant only the time since then passes in it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from twin.app.played_ahead import Pending, PlayingAhead, PlayStart
from twin.errors import TwinError, UnusablePage
from twin.events import Event
from twin.events.catalogue import columns_of_all, decode
from twin.fold.estate import Estate
from twin.fold.replay import replay
from twin.fold.replay.single_qmgr import ELSEWHERE, replay_one
from twin.fold.store.pages import (
    ESTATE,
    VERSION,
    all_page_names,
    estate_from,
    forget_changes,
    pages_of,
)
from twin.log import Log, PlayedAhead, Snapshot, StoredPage
from twin.model.instants import MAIN, AsOf, Instant

if TYPE_CHECKING:
    from twin.rules.draft import Decided

SNAPSHOT_EVERY: Final = 1000
"""The number of events between two snapshots, if snapshots are small."""

_REMEMBERED: Final = 7
"""How many saved estates are remembered, besides the one used last."""


class View(NamedTuple):
    """A rebuilt estate, the number of folded rows, and the stored pages of its snapshot."""

    estate: Estate
    replayed: int
    pages: Mapping[str, StoredPage]


class Pages(NamedTuple):
    """An encoded estate: its changed pages, and the pages stored before."""

    valid: Instant
    changed: dict[str, bytes]
    saved: dict[str, StoredPage]

    @classmethod
    def of(cls, estate: Estate, before: Mapping[str, StoredPage]) -> Self:
        """Encode an estate; the pages in `before` are saved already."""
        saved = {name: before[name] for name in all_page_names(estate) if name in before}
        return cls(estate.instant, pages_of(estate, saved), saved)


class Views:
    """A source of estates, rebuilt from one log with the help of its snapshots.

    An estate that `at` returns is private to the caller, who may fold more events into it.

    Attributes:
        ahead: lets time pass after the last record.
    """

    def __init__(self, log: Log, *, simulates_main: bool = False) -> None:
        """Read from this log; on main, observed queue managers may be simulated, too."""
        self._log = log
        self._simulates_main = simulates_main
        self._loaded: list[Snapshot | PlayedAhead] = []
        self._trusts = True
        self._shares = False
        self.played_ahead = PlayingAhead(log, self.load, self.simulates)
        self._shared = SharedEstates(log, self.played_ahead, self._start)

    def simulates(self, branch: str) -> bool:
        """Return whether the rules decide what happens to observed queue managers on a branch."""
        return branch != MAIN or self._simulates_main

    def resolve(self, *, valid: Instant, known: Instant, branch: str) -> AsOf:
        """Resolve a point: find the last position that a branch had at the instant `known`."""
        position = self._log.position_at(known, branch=branch)
        return AsOf(valid=valid, known=known, branch=branch, position=position)

    def at(self, as_of: AsOf) -> Estate:
        """Rebuild the estate of a point, including all timed events that were due by then.

        Timed events that are due but not recorded get positions after `as_of.position`.
        """
        return self.played(as_of)[0]

    def played(self, as_of: AsOf) -> tuple[Estate, Sequence[Decided]]:
        """Rebuild the estate of a point; return it with the events due but not recorded."""
        start = self._start(as_of)
        return start.estate, self.played_ahead.play(start, as_of)

    def _start(self, as_of: AsOf) -> PlayStart:
        """Return an estate from which time can pass to a point."""
        if (start := self.played_ahead.saved(as_of)) is not None:
            return start
        estate, _, pages = self.rebuild(
            branch=as_of.branch, valid=as_of.valid, position=as_of.position
        )
        return PlayStart(estate, Pending(), pages)

    @contextlib.contextmanager
    def sharing(self) -> Iterator[None]:
        """Share estates among the questions in a block, and with those of earlier blocks."""
        self._shares = True
        try:
            yield
        finally:
            self._shares = False

    def shared(self, as_of: AsOf) -> tuple[Estate, Sequence[Decided]]:
        """Do the same as `played`, for a caller that changes neither of the two."""
        return self._shared.at(as_of) if self._shares else self.played(as_of)

    def of_one(self, as_of: AsOf, qmgr: str) -> Estate:
        """Rebuild the estate of a point as far as one queue manager depends on it.

        The whole estate is rebuilt if a timed event may be due that is not recorded, or if another
        queue manager has messages that keep a channel from disconnecting; and where estates are
        shared. The caller must not change it.
        """
        if self._shares:
            return self.shared(as_of)[0]
        head = self._log.head(as_of.branch)
        recorded = head.occurred_at is not None and as_of.valid < head.occurred_at
        if not recorded or as_of.position < head.position:
            return self.at(as_of)
        estate, seed = self._seed(branch=as_of.branch, valid=as_of.valid, position=as_of.position)
        rows = self._log.rows(
            branch=as_of.branch,
            valid=as_of.valid,
            known=as_of.position,
            since_valid=seed.valid if seed else None,
            types=ELSEWHERE,
            qmgrs=[qmgr],
            either=True,
        )
        of_qmgr = replay_one(estate, rows, qmgr)
        return of_qmgr if of_qmgr.qmgrs_holding_channels.keys() <= {qmgr} else self.at(as_of)

    def fact(
        self, *, branch: str, position: int, types: Collection[type[Event]]
    ) -> tuple[Instant, Event] | None:
        """Return the fact at a position if the branch sees it and it has one of these types."""
        for at, row_position, column, body in self._log.rows(
            branch=branch, known=position, types=columns_of_all(types)
        ):
            if row_position == position:
                return at, decode(column, body)
        return None

    def upto(self, *, branch: str, valid: Instant, position: int) -> Estate:
        """Rebuild the estate from events up to `valid`, with positions up to `position`."""
        return self.rebuild(branch=branch, valid=valid, position=position).estate

    def rebuild(self, *, branch: str, valid: Instant, position: int) -> View:
        """Rebuild an estate; return it with the number of rows folded after its snapshot."""
        estate, seed = self._seed(branch=branch, valid=valid, position=position)
        rows = self._log.rows(
            branch=branch, valid=valid, known=position, since_valid=seed.valid if seed else None
        )
        return View(replay(estate, rows), len(rows), seed.pages if seed else {})

    def _seed(
        self, *, branch: str, valid: Instant, position: int
    ) -> tuple[Estate, Snapshot | None]:
        snapshot = None
        if self._trusts:
            snapshot = self._log.find_snapshot(
                branch=branch, valid=valid, known=position, version=VERSION
            )
        estate = Estate() if snapshot is None else self.load(snapshot)
        if self.simulates(branch):
            estate.simulate()
        return estate, snapshot

    def load(self, saved: Snapshot | PlayedAhead) -> Estate:
        """Return a saved estate; its pages are loaded at their first use.

        Raises:
            UnusablePage: if the first page cannot be used. The estate raises it for other pages.
        """
        self._loaded = [saved, *self._loaded[:_REMEMBERED]]

        def load(name: str) -> bytes:
            return self._log.load_pages(saved, [name])[name]

        return estate_from(load(ESTATE), load)

    def replace(self, bad: UnusablePage) -> None:
        """Discard the saved estate of an unusable page, and save it anew where that is allowed.

        If it is unknown which one that is, those that were used last are discarded.
        """
        suspects = self._loaded if bad.saved is None else [bad.saved]
        self._loaded = []
        self._shared.forget()
        for saved in suspects:
            if isinstance(saved, Snapshot | PlayedAhead):
                self._log.discard(saved)
            if isinstance(saved, Snapshot) and self._log.caches.allowed:
                with contextlib.suppress(TwinError):
                    estate = self.upto(
                        branch=saved.branch, valid=saved.valid, position=saved.position
                    )
                    pages = Pages.of(estate, {})._replace(valid=saved.valid)
                    self.keep(pages, branch=saved.branch, position=saved.position)

    def demand_reader(self) -> None:
        """Check that this version of twin understands every event type in the log.

        Raises:
            NewerLog: if it does not.
        """
        self._log.demand_reader()

    def trust_nothing(self) -> None:
        """Rebuild every estate from all its events from now on."""
        self._trusts = self.played_ahead.trusts = False

    def snapshot(
        self,
        *,
        branch: str,
        every: int = SNAPSHOT_EVERY,
        since: Instant | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> int:
        """Replay a branch and save a snapshot every `every` rows; return how many.

        With `since`, start at the latest usable snapshot at or before that instant instead of at
        the beginning. The latest instant of a branch gets no snapshot, because more events may
        follow at the same instant.
        """
        head = self._log.head(branch)
        if head.occurred_at is None:
            return 0
        estate, seed = (Estate(), None)
        if since is not None:
            estate, seed = self._seed(branch=branch, valid=since, position=head.position)
        rows = self._log.rows(
            branch=branch,
            valid=head.occurred_at - 1,
            known=head.position,
            since_valid=seed.valid if seed else None,
        )
        pages = dict(seed.pages) if seed else {}
        taken = begin = 0
        while begin < len(rows):
            end = _whole_instants(rows, begin + every)
            replay(estate, rows[begin:end])
            pages = self._save(estate, pages, branch=branch, position=head.position)
            begin = end
            taken += 1
            if progress is not None:
                progress(end, len(rows))
        return taken

    def _save(
        self, estate: Estate, before: Mapping[str, StoredPage], *, branch: str, position: int
    ) -> dict[str, StoredPage]:
        """Save an estate; write only the pages that changed since `before`."""
        try:
            pages = self.keep(Pages.of(estate, before), branch=branch, position=position)
        except UnusablePage:  # another process dropped the snapshots meanwhile
            pages = self.keep(Pages.of(estate, {}), branch=branch, position=position)
        forget_changes(estate)
        return pages

    def keep(self, pages: Pages, *, branch: str, position: int) -> dict[str, StoredPage]:
        """Save the pages of an estate as a snapshot; return where each page is, by name."""
        stored = self._log.save_snapshot(
            pages={**pages.saved, **pages.changed},
            branch=branch,
            valid=pages.valid,
            position=position,
            version=VERSION,
        )
        return dict(stored)


def _whole_instants(rows: list[tuple[Instant, int, str, str]], end: int) -> int:
    """Return the end of a slice, moved after the last row of the same instant."""
    end = min(end, len(rows))
    while end < len(rows) and rows[end][0] == rows[end - 1][0]:
        end += 1
    return end


_MOST: Final = 3
"""How many estates are kept: that of a page, that of its reference, and one of another page."""


class _SharedEstate(NamedTuple):
    """An estate with its point; `branch` is a number, as a name may be used again."""

    branch: int
    position: int
    valid: Instant
    start: PlayStart


class SharedEstates:
    """The estates that were used last; whoever gets one must not change it."""

    def __init__(self, log: Log, ahead: PlayingAhead, begin: Callable[[AsOf], PlayStart]) -> None:
        """Keep estates of a log; `begin` rebuilds the one of a point, before time passes in it."""
        self._log = log
        self._ahead = ahead
        self._begin = begin
        self._kept: list[_SharedEstate] = []

    def forget(self) -> None:
        """Forget all estates."""
        self._kept.clear()

    def at(self, point: AsOf) -> tuple[Estate, Pending]:
        """Return the estate of a point, with the events that are due but not recorded."""
        kept = self._exact(point) or self._played_on(point) or self._rebuilt(point)
        self._kept = [kept, *(each for each in self._kept if each is not kept)][:_MOST]
        return kept.start.estate, kept.start.pending

    def _exact(self, point: AsOf) -> _SharedEstate | None:
        asked = (self._number(point), point.position, point.valid)
        return next((each for each in self._kept if each[:3] == asked), None)

    def _played_on(self, point: AsOf) -> _SharedEstate | None:
        """Let time pass in an estate to which nothing was recorded since."""
        head = self._log.head(point.branch)
        if head.occurred_at is None or head.position != point.position:
            return None
        for each in self._kept:
            same = (each.branch, each.position) == (self._number(point), point.position)
            if same and head.occurred_at <= each.valid <= point.valid:
                self._kept.remove(each)
                pending = self._ahead.play(each.start, point)
                return each._replace(valid=point.valid, start=each.start._replace(pending=pending))
        return None

    def _rebuilt(self, point: AsOf) -> _SharedEstate:
        start = self._begin(point)
        pending = self._ahead.play(start, point)
        played = start._replace(pending=pending)
        return _SharedEstate(self._number(point), point.position, point.valid, played)

    def _number(self, point: AsOf) -> int:
        return self._log.branch(point.branch).id
