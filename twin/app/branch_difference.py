"""Compare two branches at the same instant."""

from __future__ import annotations

from dataclasses import replace

from twin.app.notes import notes_of
from twin.app.twin import Twin
from twin.model.instants import Instant
from twin.questions.answer import Answer
from twin.questions.changes import changes


def branch_difference(
    twin: Twin, base: str, *, as_of: Instant | None = None, known_at: Instant | None = None
) -> Answer:
    """Return how a branch differs from another one, as `changes`, both at the same instant.

    Raises:
        NoSuchBranch: if the other one does not exist.
    """

    def once() -> Answer:
        after, point = twin.view(as_of=as_of, known_at=known_at)
        before, _ = twin.on_branch(base).view(as_of=point.valid, known_at=known_at)
        return replace(changes(before, after, point, all="yes"), notes=notes_of(twin.log, point))

    return twin.soundly(once)
