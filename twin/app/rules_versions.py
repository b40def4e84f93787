"""Say of an answer that facts in it were derived again by another version of the rules."""

from __future__ import annotations

from twin.log import Log
from twin.model.asof import AsOf
from twin.model.instants import format_instant
from twin.rules import version


def notes_of(log: Log, point: AsOf) -> tuple[str, ...]:
    """Return a line for each version of the rules that derived facts of other versions again.

    The first version is the oldest, so nothing can have been derived again by it.
    """
    if version.RULES_VERSION == 1:
        return ()
    again = log.derived_again(branch=point.branch, valid=point.valid, known=point.position)
    return tuple(
        f"what followed {format_instant(at)} was derived again by version "
        f"{version.version_of(source)} of the rules"
        for source, at in sorted(again.items())
    )
