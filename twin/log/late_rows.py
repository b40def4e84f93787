"""The rows of `late_event` and `retraction`, checked as a whole: none altered, added or missing."""

from __future__ import annotations

import threading
from typing import Final

from sqlalchemy import bindparam, select

from twin.log.chain import GENESIS, HeadRow, late_digest_after
from twin.log.database import Database
from twin.log.errors import LogDamaged
from twin.log.schema import late_event
from twin.log.visibilities import RETRACTIONS

_NEW: Final = (
    select(*late_event.c)
    .where(late_event.c.position > bindparam("after"), late_event.c.position <= bindparam("upto"))
    .order_by(late_event.c.position)
)
_BEFORE_ALL: Final = -(2**63)


class LateRows:
    """The late rows of one log that were checked; new ones are checked when the log grows."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._upto = _BEFORE_ALL
        self._digest = GENESIS

    def check(self, head: HeadRow) -> None:
        """Compare the rows up to the head of the log with its running digest.

        Raises:
            LogDamaged: if one was altered, added or deleted.
        """
        with self._lock:
            if head.position > self._upto:  # another thread may have read a later head
                self._check(head)

    def _check(self, head: HeadRow) -> None:
        bounds = {"after": self._upto, "upto": head.position}
        rows = self._database.fetch(_NEW, **bounds)
        retractions = self._database.fetch(RETRACTIONS, **bounds)
        try:
            digest = late_digest_after(self._digest, rows, retractions)
        except (TypeError, ValueError):
            digest = b""
        if digest != head.late:
            raise LogDamaged(
                rows[0][0] if rows and isinstance(rows[0][0], int) else head.position,
                "a row of late_event or retraction at or after this position is altered, missing "
                "or unexpected",
            )
        self._upto, self._digest = head.position, digest
