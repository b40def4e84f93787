"""Follow a branch: read only what was appended after a fold that somebody keeps."""

from __future__ import annotations

from operator import itemgetter
from typing import Any, Final

from sqlalchemy import bindparam, literal_column

from twin.log.errors import LogDamaged
from twin.log.lateness import HIDING
from twin.log.reading import ReadableLog
from twin.log.records import LogRow
from twin.log.references import with_references
from twin.log.schema import event
from twin.log.sound_rows import TO_FOLD, sound_rows

# Adding 0 keeps query planners from the index in fold order: few positions are needed.
_AFTER: Final = TO_FOLD.where(
    event.c.branch + literal_column("0") == bindparam("branch"),
    event.c.position > bindparam("after"),
    event.c.position <= bindparam("upto"),
)


class FollowableLog(ReadableLog):
    """A log whose later events can be folded into an estate of an earlier head."""

    def rows_after(
        self, position: int, *, instant: int, branch: str, upto: int
    ) -> list[LogRow] | None:
        """Return the events that a branch sees after a fold, in fold order, up to a position.

        The fold is that of everything that the branch saw at `position`; its last event occurred at
        `instant`. After that a branch sees only its own events. Return None if a late event is
        among them, or one that hides others: the estate must then be rebuilt.
        """
        line = self.branch(branch)
        rows = self._database.fetch(_AFTER, branch=line.id, after=position, upto=upto)
        if not all(isinstance(row[0], int) for row in rows):
            raise LogDamaged(position + 1, "an event at or after it was altered")
        if any(row[0] < instant or row[2] in HIDING for row in rows):
            return None
        ordered: list[Any] = sound_rows(sorted(rows, key=itemgetter(0, 1)), derived=False)
        return with_references(self._database, ordered)
