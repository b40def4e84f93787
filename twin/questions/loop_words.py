"""What becomes of messages in a loop of definitions, in words, for each way to bind them."""

from __future__ import annotations

from collections.abc import Iterator

from twin.fold.estate import NEVER_CONFIRMED, Estate
from twin.model.reasons import UNKNOWN_ALIAS_BASE
from twin.rules.path.graph import BoundEnd, Loop


def loop_sentences(estate: Estate, loop: Loop) -> Iterator[str]:
    """Yield what becomes of messages; what DEFBIND of the shared aliases says comes first."""
    if loop.is_in_one_place:
        yield f"The definition leads back to itself, so MQOPEN fails: {loop}."
        return
    default = ", the DEFBIND of " + ", ".join(
        dict.fromkeys(end.place.name for end in loop.ends if end.by_default is loop.is_bound)
    )
    bound, free = (default, "") if loop.is_bound else ("", default if loop.ends else "")
    ends = "; ".join(_end(estate, end) for end in loop.ends)
    lines = [f"With bind notfixed{free}, messages go round for ever: {loop}."]
    if loop.ends:
        lines.insert(0 if loop.is_bound else 1, f"With bind open{bound}, {ends}.")
    yield from lines


def _end(estate: Estate, end: BoundEnd) -> str:
    """Return where bound messages end, and what they hold up there.

    Without DEADQ in what is known of an imported queue manager, it may have one.
    """
    on, qmgr = end.place.on, estate.qmgrs[end.place.on]
    ends = f"messages for {end.place.name} end at {on} with {UNKNOWN_ALIAS_BASE}"
    if qmgr.values.get("DEADQ"):
        return f"{ends}, on its dead-letter queue"
    whole = not qmgr.observed or qmgr.confirmed.get("QMGR", NEVER_CONFIRMED).complete
    held = " and ".join(end.channels) or "their channel"
    return f"{ends} and hold up {held}, as {on} has no dead-letter queue" + (
        "" if whole else " that is known"
    )


def loses_nothing_else(estate: Estate, loop: Loop) -> bool:
    """Return whether messages end on dead-letter queues, unless an application does not bind them.

    Then they neither go round nor hold up others.
    """
    return loop.is_bound and all(
        estate.qmgrs[end.place.on].values.get("DEADQ") for end in loop.ends
    )
