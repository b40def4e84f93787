"""Let time pass after the last record of a branch, and keep the estate for the next process.

A question about now plays everything that fell due since the last record. If that was much, the
played estate is kept beside the log, together with the events, which stay pending: they are marked
and numbered the same whether they were just played or kept.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, overload

from pydantic_core import from_json, to_json

from twin.errors import TwinError
from twin.events.catalogue import column_of, decode_all, encode
from twin.fold.estate import Estate
from twin.fold.replay import gc_paused
from twin.fold.store.lazy_records import reading
from twin.fold.store.pages import VERSION, all_page_names, pages_of
from twin.log import Log, PlayedAhead, StoredPage
from twin.model.instants import MAIN, AsOf, Instant, format_instant
from twin.rules import due_timers
from twin.rules.version import RULES_VERSION

if TYPE_CHECKING:
    from twin.rules.draft import Decided


def is_due(estate: Estate, upto: Instant) -> bool:
    """Return whether a timed event is due in an estate up to an instant."""
    return due_timers.due(estate, upto=upto) is not None


def let_pass(estate: Estate, upto: Instant, *, position: int) -> Sequence[Decided]:
    """Let time pass in an estate up to an instant; return the timed events that were due.

    The first of them gets the position `position`. None is recorded.
    """
    if not is_due(estate, upto):
        return ()
    from twin.rules import lifecycle  # noqa: PLC0415 - it imports the other rules
    from twin.rules.draft import Draft  # noqa: PLC0415
    from twin.rules.reactions import REACTIONS  # noqa: PLC0415

    draft = Draft(estate, estate.instant, position, reactions=REACTIONS)
    with gc_paused():
        lifecycle.play(draft, upto=upto)
    return draft.events


KEPT_FROM: Final = 1000
"""How many events must be played by one question so that the estate is kept: about 0.1 s."""

_PENDING: Final = "pending"
"""The page with the events that were played."""


class Pending(Sequence["Decided"]):
    """Events that are due and not recorded: those that were kept, and those just played."""

    def __init__(
        self, kept: int = 0, load: Callable[[], list[Decided]] = list, new: Sequence[Decided] = ()
    ) -> None:
        """Load the `kept` events when they are first used."""
        self._kept = kept
        self._load = load
        self._all: Sequence[Decided] | None = None if kept else new
        self._new = new

    def and_then(self, new: Sequence[Decided]) -> Pending:
        """Return these events followed by new ones."""
        return Pending(self._kept, self._load, [*self._new, *new])

    def _whole(self) -> Sequence[Decided]:
        if self._all is None:
            self._all = [*self._load(), *self._new]
        return self._all

    def __len__(self) -> int:
        """Return the number of events."""
        return self._kept + len(self._new)

    def __iter__(self) -> Iterator[Decided]:
        """Iterate over the events in their order."""
        return iter(self._whole())

    @overload
    def __getitem__(self, index: int) -> Decided: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Decided]: ...
    def __getitem__(self, index: int | slice) -> Decided | Sequence[Decided]:
        """Return an event by its place, or several."""
        return self._whole()[index]


class PlayStart(NamedTuple):
    """An estate from which time passes on.

    Attributes:
        estate: private to the caller.
        pending: the events that were played in it already.
        pages: the pages of a snapshot that are still those of the estate, by name.
    """

    estate: Estate
    pending: Pending
    pages: Mapping[str, StoredPage]


class PlayingAhead:
    """Lets time pass in estates, and keeps those in which much happened.

    Attributes:
        clock: returns the instant of the wall clock. No estate of main is kept for a later one.
        tell: takes the line that says that much was played.
        trusts: whether estates that were kept are used.
    """

    def __init__(
        self,
        log: Log,
        load: Callable[[PlayedAhead], Estate],
        simulates: Callable[[str], bool],
    ) -> None:
        """Keep estates of this log; `load` reads one that was kept.

        `simulates` says whether observed queue managers are simulated on a branch.
        """
        self._log = log
        self._load = load
        self._simulates = simulates
        self.clock: Callable[[], Instant] | None = None
        self.tell: Callable[[str], None] | None = None
        self.trusts = True

    def saved(self, point: AsOf) -> PlayStart | None:
        """Return the kept estate from which time can pass to a point; None if there is none.

        Raises:
            UnusablePage: if it is damaged.
        """
        if not self.trusts or self._is_simulated_main(point):
            return None
        saved = self._log.find_played(
            branch=point.branch,
            position=point.position,
            valid=point.valid,
            version=VERSION,
            rules=RULES_VERSION,
        )
        if saved is None:
            return None
        estate = self._load(saved)
        if self._simulates(point.branch):
            estate.simulate()

        def events() -> list[Decided]:
            return _decoded(self._log.load_pages(saved, [_PENDING])[_PENDING])

        return PlayStart(estate, Pending(estate.position - point.position, events), saved.pages)

    def play(self, start: PlayStart, point: AsOf) -> Pending:
        """Let time pass up to a point; return all events that are pending there.

        The first of them has the position after that of the point.
        """
        position = point.position + 1 + len(start.pending)
        new = let_pass(start.estate, point.valid, position=position)
        pending = start.pending.and_then(new)
        if len(new) >= KEPT_FROM and not self._is_foretold(point):
            kept = False
            with contextlib.suppress(TwinError):
                kept = self._keep(start, pending, point)
            self._say(len(new), point, kept=kept)
        return pending

    def _is_simulated_main(self, point: AsOf) -> bool:
        """Return whether a point is of main while main is simulated: others would play less."""
        return point.branch == MAIN and self._simulates(MAIN)

    def _is_foretold(self, point: AsOf) -> bool:
        """Return whether a point lies in the future of main."""
        return point.branch == MAIN and (self.clock is None or point.valid > self.clock())

    def _say(self, events: int, point: AsOf, *, kept: bool) -> None:
        if self.tell is None:
            return
        command = "twin advance --days 0"
        if point.branch != MAIN:
            command = f"twin --branch {point.branch} advance --to {format_instant(point.valid)}"
        self.tell(
            f"played {events} events that fell due since the last record"
            f"{', and kept them for the next question' if kept else ''}; {command} records them"
        )

    def _keep(self, start: PlayStart, pending: Pending, point: AsOf) -> bool:
        """Store the played estate, if its branch has the head from which it was played.

        Return whether it was stored.
        """
        estate, head = start.estate, self._log.head(point.branch)
        latest = head.occurred_at
        if not self._log.caches.allowed or head.position != point.position:
            return False
        if self._is_simulated_main(point):
            return False
        if latest is None or latest > point.valid:
            return False
        unchanged = {
            name: start.pages[name] for name in all_page_names(estate) if name in start.pages
        }
        return self._log.save_played(
            branch=point.branch,
            position=point.position,
            valid=point.valid,
            version=VERSION,
            rules=RULES_VERSION,
            pages={
                **unchanged,
                **pages_of(estate, unchanged),
                _PENDING: to_json(
                    [(at, column_of(type(event)), encode(event)) for at, event in pending]
                ),
            },
        )


def _decoded(page: bytes) -> list[Decided]:
    from twin.rules.draft import Decided  # noqa: PLC0415 - few questions read the pending events

    with reading(_PENDING):
        instants, columns, bodies = zip(*from_json(page), strict=True)
        events = decode_all(columns, bodies)
        return [Decided(*each) for each in zip(instants, events, strict=True)]
