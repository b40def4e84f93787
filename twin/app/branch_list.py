"""The branches of a log, as rows."""

from __future__ import annotations

from typing import Final

from twin.app.twin import Twin
from twin.questions.answer import Answer, Row

_COLUMNS: Final = ("branch", "parent", "forked_at", "fork_position", "latest", "position")


def list_branches(twin: Twin) -> Answer:
    """Return the branches and where they fork.

    `fork_position` is the last position of the whole log when the branch was created. `position` is
    that of the last event that the branch sees, and `latest` its latest instant.
    """
    point = twin.as_of()
    rows: list[Row] = []
    for branch in twin.log.branches():
        head = twin.log.head(branch.name)
        rows.append(
            {
                "branch": branch.name,
                "parent": branch.parent,
                "forked_at": branch.fork_occurred_at if branch.parent else None,
                "fork_position": branch.fork_position if branch.parent else None,
                "latest": max(head.occurred_at or 0, branch.fork_occurred_at) or None,
                "position": head.position,
            }
        )
    return Answer("branches", point, _COLUMNS, tuple(rows), frozenset({"forked_at", "latest"}))
