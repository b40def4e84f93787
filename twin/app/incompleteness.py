"""What an answer may lack, because something was not imported."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from twin.log import Log
from twin.model.instants import AsOf

if TYPE_CHECKING:
    from twin.fold.estate import Estate

_SHOWN: Final = 5
"""How many names are shown."""

_MORE: Final = "twin ask ingest"


def incompleteness_of(log: Log, point: AsOf, estate: Callable[[], Estate]) -> tuple[str, ...]:
    """Return lines about what is missing at a point; none if nothing was ever imported.

    They name queue managers that something leads to and that are not in the twin, those of which
    only states or logs are, queues of queue-sharing groups, and imports that have not ended.
    `estate` returns the estate of the point.
    """
    if not log.has_imports():
        return ()
    from twin.questions.completeness import missing_names  # noqa: PLC0415 - few logs need it
    from twin.questions.not_modelled import notes_of_shared_queues  # noqa: PLC0415 - same

    lines = [*undefined_of(estate()), *notes_of_shared_queues(estate())]
    if names := missing_names(estate()):
        lines.append(f"not in the twin: {_shown(names)} ({_MORE})")
    unfinished = log.unfinished_imports(branch=point.branch, known=point.position)
    lines += [
        f"the import of {state.name} has not ended; the same import finishes it"
        for state, _ in unfinished[:_SHOWN]
    ]
    if len(unfinished) > _SHOWN:
        lines.append(f"{len(unfinished) - _SHOWN} more imports have not ended ({_MORE})")
    return tuple(lines)


def undefined_of(estate: Estate) -> tuple[str, ...]:
    """Return a line about the queue managers of which only states or logs are known, if any."""
    if not estate.undefined:
        return ()
    names = _shown(sorted(estate.undefined))
    return (f"not in the twin: {names}, of which only states or logs are known ({_MORE})",)


def _shown(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}"
