"""The tables, as queries need them; migrations/ creates them and protects them with triggers.

Columns of instants (`occurred_at`, `recorded_at`, `valid`, `since`, `first_seen`) are microseconds
since 1970 UTC. `qmgr` is '' for events about the log itself.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

VERSION_TABLE: Final = "log_version"
REVISIONS: Final = ("0001", "0002")
"""The editions of the log that this version knows, in order; it works with the last one."""

WHOLE_LOG: Final = 0
"""The `branch` of the row of `head` for the log as a whole."""
MAIN: Final = 1

_BIG: Final = BigInteger().with_variant(Integer(), "sqlite")

metadata: Final = MetaData()

event: Final = Table(
    "event",
    metadata,
    Column("position", _BIG, primary_key=True, autoincrement=False),
    Column("branch", Integer, nullable=False),
    Column("occurred_at", _BIG, nullable=False),
    Column("recorded_at", _BIG, nullable=False),
    Column("type", Text, nullable=False),
    Column("qmgr", Text, nullable=False),
    Column("cause", Text),
    Column("source", Text, nullable=False),
    Column("event_id", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    UniqueConstraint("event_id", name="event_by_id"),
    Index("event_in_fold_order", "branch", "occurred_at", "position"),
)
"""The events, by position without gaps; `digest` covers all columns and the previous digest."""

head: Final = Table(
    "head",
    metadata,
    Column("branch", Integer, primary_key=True, autoincrement=False),
    Column("position", _BIG, nullable=False),
    Column("occurred_at", _BIG),
    Column("recorded_at", _BIG),
    Column("digest", LargeBinary, nullable=False),
    Column("late", LargeBinary, nullable=False),
    Column("seal", LargeBinary, nullable=False),
)
"""The last event that each branch sees, including inherited events; branch 0 is the whole log.

`late` of branch 0 is the running digest of `late_event` and `retraction`. `seal` is the digest of
the other columns of its row.
"""

branch: Final = Table(
    "branch",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("parent", Integer),
    Column("fork_position", _BIG, nullable=False),
    Column("fork_occurred_at", _BIG, nullable=False),
    Column("digest", LargeBinary, nullable=False),
)
"""The branches, by id without gaps; `digest` covers all columns and the previous digest.

Branches that are not retired have different names.
"""

branch_retired: Final = Table(
    "branch_retired",
    metadata,
    Column("branch", Integer, primary_key=True, autoincrement=False),
    Column("position", _BIG, nullable=False),
    Column("digest", LargeBinary, nullable=False),
)
"""The retired branches, with the position and digest of the event that retired each."""

late_event: Final = Table(
    "late_event",
    metadata,
    Column("position", _BIG, primary_key=True, autoincrement=False),
    Column("branch", Integer, nullable=False),
    Column("occurred_at", _BIG, nullable=False),
    Column("withdraws", Boolean, nullable=False),
    Column("upto", _BIG, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Index("late_event_by_batch", "branch", "upto"),
)
"""Withdrawals, retractions, undoings, and each late event that occurred before all late events that
precede it in its batch. See `twin.log.records`.

`withdraws` is true for a withdrawal only. The batch ends at position `upto`, with an event of this
`digest`.
"""

retraction: Final = Table(
    "retraction",
    metadata,
    Column("position", _BIG, primary_key=True, autoincrement=False),
    Column("branch", Integer, nullable=False),
    Column("occurred_at", _BIG, nullable=False),
    Column("first", _BIG, primary_key=True, autoincrement=False),
    Column("last", _BIG, nullable=False),
    Column("since", _BIG, nullable=False),
    Column("undoes", _BIG),
)
"""The ranges of positions that retractions hide, and which retractions were undone.

The row of an undo has the position of its retraction in `undoes`, and hides nothing.
"""

evidence: Final = Table(
    "evidence",
    metadata,
    Column("digest", LargeBinary, primary_key=True),
    Column("text", Text),
    Column("bytes", _BIG, nullable=False),
    Column("first_seen", _BIG, nullable=False),
)
"""Raw texts by their digest, outside the chain; the text of a purged one is NULL."""

import_state: Final = Table(
    "import_state",
    metadata,
    Column("digest", LargeBinary, primary_key=True),
    Column("name", Text, nullable=False),
    Column("events", _BIG),
    Column("begun", _BIG, nullable=False),
    Column("done", Boolean),
    Column("ended", _BIG),
)
"""The last import of each content, by the SHA-256 of the content.

`begun` and `ended` are the positions of the events that say so. `events` is how many events it
recorded, and `done` whether that was all of the content; both are NULL until it has ended.
"""

log_info: Final = Table(
    "log_info",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)
"""Values by name, which are no events.

- `reader`: the lowest version of twin that understands every event type in the log.
- `written_by_file`: the mark of a process that writes to a SQLite file (`twin.log.sqlite_files`).
- `trusted_recorded_at`: the latest `recorded_at` ahead of the clock that somebody accepted.
"""

snapshot: Final = Table(
    "snapshot",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("branch", Integer, nullable=False),
    Column("valid", _BIG, nullable=False),
    Column("position", _BIG, nullable=False),
    Column("version", Integer, nullable=False),
    Column("directory", LargeBinary, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    UniqueConstraint("branch", "version", "valid", "position", name="snapshot_by_valid"),
)
"""The snapshots: each is the fold of the events of its branch up to instant `valid` and `position`.

`version` is that of the pages. `directory` is compressed JSON: number and hash of each page by its
name.
"""

played: Final = Table(
    "played",
    metadata,
    Column("branch", Integer, primary_key=True, autoincrement=False),
    Column("position", _BIG, nullable=False),
    Column("valid", _BIG, nullable=False),
    Column("version", Integer, nullable=False),
    Column("rules", Integer, nullable=False),
    Column("directory", LargeBinary, nullable=False),
    Column("digest", LargeBinary, nullable=False),
)
"""Estates played ahead of the last record of their branch, up to the instant `valid`.

Each is of use only while the head of its branch is at `position`. `version` is that of the pages,
`rules` that of the rules. `twin.log.verifying` describes `directory`.
"""

page: Final = Table(
    "page",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("hash", LargeBinary, nullable=False, unique=True),
    Column("content", LargeBinary, nullable=False),
    sqlite_autoincrement=True,
)
"""The contents of pages. The number of a dropped page is never used again."""
