"""Replay: rows of the log, in fold order, into an estate.

Fold order is (occurred_at, position). Replaying the same rows gives the same estate, whatever
today's rules are.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Final, TypeAlias

from twin.events import Event
from twin.events.catalogue import decode_all
from twin.fold.estate import Estate
from twin.fold.replay.table import HANDLERS
from twin.model.instants import Instant

Row: TypeAlias = tuple[Instant, int, str, str]
"""(occurred_at, position, type column, body)."""

Decoded: TypeAlias = tuple[Instant, int, Event]
"""(occurred_at, position, event): a row that was decoded."""

Filter: TypeAlias = Callable[[Iterable[Decoded]], Iterable[Decoded]]
"""Passes on what is to be folded; it takes each event only after all before it were folded."""

CHUNK: Final = 4096
"""How many rows are decoded at a time: more gains nothing and takes memory."""


def apply(estate: Estate, event: Event, at: Instant, position: int) -> None:
    """Fold one event into the estate."""
    HANDLERS[type(event)](estate, event, at, position)
    estate.instant = at
    estate.position = max(position, estate.position)


def fold(estate: Estate, decoded: Iterable[Decoded]) -> None:
    """Fold decoded rows into the estate; its instant and position stay as they are."""
    handlers = HANDLERS
    for at, position, event in decoded:
        handlers[type(event)](estate, event, at, position)


def replay(estate: Estate, rows: Sequence[Row], *, only: Filter = iter) -> Estate:
    """Fold rows, which must come in fold order, into the estate, and return it.

    With `only`, the estate becomes that of the last row too, but only what it passes on is folded.
    """
    with gc_paused():
        fold(estate, only(decode(rows)))
    if rows:
        estate.instant = rows[-1][0]
        estate.position = max(estate.position, *(row[1] for row in rows))
    return estate


def decode(rows: Sequence[Row]) -> Iterator[Decoded]:
    """Go through decoded rows; they are decoded `CHUNK` at a time, which is faster than singly."""
    starts = range(0, len(rows), CHUNK)
    return chain.from_iterable(_decode_all(rows[start : start + CHUNK]) for start in starts)


def _decode_all(rows: Sequence[Row]) -> Iterable[Decoded]:
    instants, positions, columns, bodies = zip(*rows, strict=True)
    return zip(instants, positions, decode_all(columns, bodies), strict=True)


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause the garbage collector: a replay makes many objects and no cycles.

    At the end all new objects are moved to the oldest generation (freezing and thawing does that at
    no cost). Otherwise the first collection would look at every one of them.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.freeze()
            gc.unfreeze()
            gc.enable()
