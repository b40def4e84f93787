"""The first schema of the log: events, head, branches, late events, snapshots.

Events are only added to a log, so no revision can be undone.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_BIG: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

_NOTHING: Final = bytes(32)
"""The digest that precedes the digest of the first event."""
_MAIN: Final = sha256(_NOTHING + b"1\0main\0-\x000\x000").digest()
"""The digest of branch main: of the digest before it and the branch's columns, framed."""

IMMUTABLE: Final = {"event": "position", "branch": "id", "late_event": "position"}
"""The tables whose rows never change, with their keys."""


def upgrade() -> None:
    """Create the tables and their guards, the branch main, and an empty head."""
    _make_tables()
    if op.get_context().dialect.name == "postgresql":
        _guard_on_postgresql()
    else:
        _guard_on_sqlite()
    op.execute(f"INSERT INTO branch VALUES (1, 'main', NULL, 0, 0, {_bytes(_MAIN)})")
    for branch in (0, 1):
        op.execute(f"INSERT INTO head VALUES ({branch}, 0, NULL, NULL, {_bytes(_NOTHING)})")


def _bytes(value: bytes) -> str:
    if op.get_context().dialect.name == "postgresql":
        return f"'\\x{value.hex()}'"
    return f"x'{value.hex()}'"


def _make_tables() -> None:
    op.create_table(
        "event",
        sa.Column("position", _BIG, primary_key=True, autoincrement=False),
        sa.Column("branch", sa.Integer, nullable=False),
        sa.Column("occurred_at", _BIG, nullable=False),
        sa.Column("recorded_at", _BIG, nullable=False),
        sa.Column("type", sa.Text, nullable=False),
        sa.Column("qmgr", sa.Text, nullable=False),
        sa.Column("cause", sa.Text),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("event_id", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("event_id", name="event_by_id"),
    )
    op.create_index("event_in_fold_order", "event", ["branch", "occurred_at", "position"])
    op.create_table(
        "head",
        sa.Column("branch", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("position", _BIG, nullable=False),
        sa.Column("occurred_at", _BIG),
        sa.Column("recorded_at", _BIG),
        sa.Column("digest", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "branch",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("parent", sa.Integer),
        sa.Column("fork_position", _BIG, nullable=False),
        sa.Column("fork_occurred_at", _BIG, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "late_event",
        sa.Column("position", _BIG, primary_key=True, autoincrement=False),
        sa.Column("branch", sa.Integer, nullable=False),
        sa.Column("occurred_at", _BIG, nullable=False),
        sa.Column("withdraws", sa.Boolean, nullable=False),
        sa.Column("upto", _BIG, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
    )
    op.create_index("late_event_by_batch", "late_event", ["branch", "upto"])
    op.create_table(
        "snapshot",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("branch", sa.Integer, nullable=False),
        sa.Column("valid", _BIG, nullable=False),
        sa.Column("position", _BIG, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("directory", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("branch", "version", "valid", "position", name="snapshot_by_valid"),
    )
    op.create_table(
        "page",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("hash", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sqlite_autoincrement=True,
    )


def _guard_on_sqlite() -> None:
    """Refuse every change of recorded rows.

    INSERT OR REPLACE deletes conflicting rows without firing DELETE triggers. So inserts that
    conflict are refused first. A refused event rolls back its whole transaction: the appender would
    do so too, and SQLite then needs no journal for each statement.
    """
    for table, key in IMMUTABLE.items():
        for change in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, 'rows of {table} never change'); END"
            )
        if table != "event":
            op.execute(
                f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} "
                f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {key} = NEW.{key}) "
                f"BEGIN SELECT RAISE(ABORT, 'rows of {table} never change'); END"
            )
    op.execute(
        "CREATE TRIGGER branch_no_namesake BEFORE INSERT ON branch "
        "WHEN EXISTS (SELECT 1 FROM branch WHERE name = NEW.name) "
        "BEGIN SELECT RAISE(ABORT, 'rows of branch never change'); END"
    )
    op.execute(
        "CREATE TRIGGER event_is_next BEFORE INSERT ON event "
        "WHEN NEW.position IS NOT (SELECT coalesce(max(position), 0) + 1 FROM event) "
        "OR EXISTS (SELECT 1 FROM event WHERE event_id = NEW.event_id) "
        "BEGIN SELECT RAISE(ROLLBACK, 'an event must follow the last one, once'); END"
    )


def _guard_on_postgresql() -> None:
    """Refuse every change of recorded rows.

    The positions of an INSERT or COPY are checked once, at its end: a trigger for each row would
    make COPY several times slower. A refused statement leaves nothing behind in either case.
    """
    op.execute(
        """
        CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION 'rows of % never change', TG_TABLE_NAME
                USING ERRCODE = 'integrity_constraint_violation';
        END $$
        """
    )
    op.execute(
        """
        CREATE FUNCTION demand_next_position() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE
            lowest bigint;
            highest bigint;
            added bigint;
        BEGIN
            SELECT min(position), max(position), count(*) INTO lowest, highest, added
                FROM added_event;
            IF added > 0 AND (
                highest - lowest + 1 <> added
                OR highest <> (SELECT max(position) FROM event)
                OR lowest <> 1 + coalesce(
                    (SELECT max(position) FROM event WHERE position < lowest), 0)
            ) THEN
                RAISE EXCEPTION 'events must follow the last one'
                    USING ERRCODE = 'integrity_constraint_violation';
            END IF;
            RETURN NULL;
        END $$
        """
    )
    op.execute(
        """
        CREATE TRIGGER event_is_next AFTER INSERT ON event
            REFERENCING NEW TABLE AS added_event
            FOR EACH STATEMENT EXECUTE FUNCTION demand_next_position()
        """
    )
    for table in IMMUTABLE:
        op.execute(
            f"CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
        )
