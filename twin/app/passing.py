"""Let time pass in an estate. The rules are imported only if something is due: most are not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from twin.fold.estate import Estate
from twin.fold.replay import gc_paused
from twin.model.instants import Instant
from twin.rules import due_timers

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
