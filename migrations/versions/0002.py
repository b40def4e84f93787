"""The second edition of the log: branches that retire, retractions, evidence, checked caches.

Digests of events and branches do not change. Snapshots and pages are a cache, and are dropped.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any, Final

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_BIG: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_READER: Final = "0.2.0"
"""The lowest version of twin that can read this edition."""

_NOTHING: Final = bytes(32)
"""The digest that precedes the digest of the first row of a chain."""

IMMUTABLE: Final = {"branch_retired": ("branch",), "retraction": ("position", "first")}
"""The new tables whose rows never change, with their keys."""

_NAME_IS_TAKEN: Final = (
    "EXISTS (SELECT 1 FROM branch WHERE name = NEW.name AND NOT EXISTS "
    "(SELECT 1 FROM branch_retired WHERE branch_retired.branch = branch.id))"
)


def upgrade() -> None:
    """Add the tables, columns and guards of the second edition; compute the digests of heads."""
    on_postgresql = op.get_context().dialect.name == "postgresql"
    _make_tables()
    _make_cache()
    if on_postgresql:
        op.drop_constraint("branch_name_key", "branch")
        _guard_on_postgresql()
    else:
        _free_names_on_sqlite()
        _guard_on_sqlite()
    _extend_head("'\\x'" if on_postgresql else "x''")
    (_refuse_first_edition_on_postgresql if on_postgresql else _refuse_first_edition_on_sqlite)()
    op.execute(VISIBLE.replace("LEAST", "least" if on_postgresql else "min"))
    op.execute(f"INSERT INTO log_info VALUES ('reader', '{_READER}')")


def _make_tables() -> None:
    op.create_table(
        "log_info",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
    op.create_table(
        "branch_retired",
        sa.Column("branch", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("position", _BIG, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "retraction",
        sa.Column("position", _BIG, primary_key=True, autoincrement=False),
        sa.Column("branch", sa.Integer, nullable=False),
        sa.Column("occurred_at", _BIG, nullable=False),
        sa.Column("first", _BIG, primary_key=True, autoincrement=False),
        sa.Column("last", _BIG, nullable=False),
        sa.Column("since", _BIG, nullable=False),
        sa.Column("undoes", _BIG),
    )
    op.create_table(
        "evidence",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        sa.Column("text", sa.Text),
        sa.Column("bytes", _BIG, nullable=False),
        sa.Column("first_seen", _BIG, nullable=False),
    )
    op.create_table(
        "import_state",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("events", _BIG),
        sa.Column("begun", _BIG, nullable=False),
        sa.Column("done", sa.Boolean),
        sa.Column("ended", _BIG),
    )


def _make_cache() -> None:
    """Make the tables of snapshots anew. Numbers of pages are not used again, so `page` stays."""
    op.drop_table("snapshot")
    op.execute("DELETE FROM page")
    op.create_table(
        "snapshot",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("branch", sa.Integer, nullable=False),
        sa.Column("valid", _BIG, nullable=False),
        sa.Column("position", _BIG, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("directory", sa.LargeBinary, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("branch", "version", "valid", "position", name="snapshot_by_valid"),
    )
    op.create_table(
        "played",
        sa.Column("branch", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("position", _BIG, nullable=False),
        sa.Column("valid", _BIG, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("rules", sa.Integer, nullable=False),
        sa.Column("directory", sa.LargeBinary, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
    )


def _extend_head(no_bytes: str) -> None:
    """Add columns to `head`, and compute the digests of its rows and of the late rows."""
    none = sa.text(no_bytes)
    op.add_column("head", sa.Column("late", sa.LargeBinary, nullable=False, server_default=none))
    op.add_column("head", sa.Column("seal", sa.LargeBinary, nullable=False, server_default=none))
    if op.get_context().as_sql:
        return
    connection = op.get_bind()
    late = _NOTHING
    late_rows = connection.execute(
        sa.text(
            "SELECT position, branch, occurred_at, withdraws, upto, digest FROM late_event "
            "ORDER BY position"
        )
    )
    for *columns, withdraws, upto, digest in late_rows:
        late = _hashed(late, *columns, int(withdraws), upto, bytes(digest).hex())
    heads = connection.execute(
        sa.text("SELECT branch, position, occurred_at, recorded_at, digest FROM head")
    )
    for branch, *columns, digest in heads.all():
        own = _NOTHING if branch else late
        seal = _hashed(b"", branch, *columns, bytes(digest).hex(), own.hex())
        connection.execute(
            sa.text("UPDATE head SET late = :late, seal = :seal WHERE branch = :branch"),
            {"late": own, "seal": seal, "branch": branch},
        )


_UPGRADED: Final = "a newer version of twin upgraded this log; use that version"


def _refuse_first_edition_on_sqlite() -> None:
    """Refuse the writes of programs that had the log open before; they write no seal."""
    for name, condition in {
        "is_moved BEFORE UPDATE": "NEW.seal IS OLD.seal",
        "is_made BEFORE INSERT": "length(NEW.seal) = 0",
    }.items():
        op.execute(
            f"CREATE TRIGGER head_{name} ON head WHEN {condition} "
            f"BEGIN SELECT RAISE(ABORT, '{_UPGRADED}'); END"
        )


def _refuse_first_edition_on_postgresql() -> None:
    """Refuse the writes of programs that had the log open before; they write no seal."""
    op.execute(
        f"""
        CREATE FUNCTION refuse_first_edition() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION '{_UPGRADED}' USING ERRCODE = 'integrity_constraint_violation';
        END $$
        """
    )
    for name, condition in {
        "is_moved BEFORE UPDATE": "NEW.seal = OLD.seal",
        "is_made BEFORE INSERT": "length(NEW.seal) = 0",
    }.items():
        op.execute(
            f"CREATE TRIGGER head_{name} ON head FOR EACH ROW "
            f"WHEN ({condition}) EXECUTE FUNCTION refuse_first_edition()"
        )


def _hashed(before: bytes, *columns: Any) -> bytes:
    texts = ("-" if column is None else str(column) for column in columns)
    return sha256(before + "\0".join(texts).encode()).digest()


def _free_names_on_sqlite() -> None:
    """Make `branch` anew without the constraint that a name occurs once."""
    op.execute("ALTER TABLE branch RENAME TO branch_1")
    op.create_table(
        "branch",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("parent", sa.Integer),
        sa.Column("fork_position", _BIG, nullable=False),
        sa.Column("fork_occurred_at", _BIG, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
    )
    op.execute("INSERT INTO branch SELECT * FROM branch_1 ORDER BY id")
    op.execute("DROP TABLE branch_1")


def _guard_on_sqlite() -> None:
    """Refuse every change of recorded rows, and the name of a branch that is not retired.

    INSERT OR REPLACE deletes conflicting rows without firing DELETE triggers. So inserts that
    conflict are refused first.
    """
    for table, keys in {"branch": ("id",), **IMMUTABLE}.items():
        never = f"BEGIN SELECT RAISE(ABORT, 'rows of {table} never change'); END"
        for change in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} {never}"
            )
        same = " AND ".join(f"{key} = NEW.{key}" for key in keys)
        op.execute(
            f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} "
            f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {same}) {never}"
        )
    op.execute(
        f"CREATE TRIGGER branch_no_namesake BEFORE INSERT ON branch WHEN {_NAME_IS_TAKEN} "
        "BEGIN SELECT RAISE(ABORT, 'a branch that is not retired has this name'); END"
    )
    for name, condition in {
        "no_delete BEFORE DELETE": "",
        "no_replace BEFORE INSERT": "WHEN EXISTS "
        "(SELECT 1 FROM evidence WHERE digest = NEW.digest)",
        "is_purged BEFORE UPDATE": f"WHEN {_NOT_A_PURGE}",
    }.items():
        op.execute(
            f"CREATE TRIGGER evidence_{name} ON evidence {condition} "
            "BEGIN SELECT RAISE(ABORT, 'evidence is only purged'); END"
        )


_NOT_A_PURGE: Final = (
    "(NEW.text IS NOT NULL OR NEW.digest <> OLD.digest OR NEW.bytes <> OLD.bytes "
    "OR NEW.first_seen <> OLD.first_seen)"
)


def _guard_on_postgresql() -> None:
    """Refuse every change of recorded rows, and the name of a branch that is not retired."""
    for table in IMMUTABLE:
        op.execute(
            f"CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
        )
    op.execute(
        "CREATE TRIGGER evidence_no_delete BEFORE DELETE OR TRUNCATE ON evidence "
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
    )
    op.execute(
        "CREATE TRIGGER evidence_is_purged BEFORE UPDATE ON evidence FOR EACH ROW "
        f"WHEN {_NOT_A_PURGE} EXECUTE FUNCTION refuse_change()"
    )
    op.execute(
        f"""
        CREATE FUNCTION demand_free_name() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF {_NAME_IS_TAKEN} THEN
                RAISE EXCEPTION 'a branch that is not retired has the name %', NEW.name
                    USING ERRCODE = 'integrity_constraint_violation';
            END IF;
            RETURN NEW;
        END $$
        """
    )
    op.execute(
        "CREATE TRIGGER branch_no_namesake BEFORE INSERT ON branch "
        "FOR EACH ROW EXECUTE FUNCTION demand_free_name()"
    )


VISIBLE: Final = """
CREATE VIEW visible_event AS
WITH RECURSIVE reach(viewer, branch, position, occurred_at) AS (
    SELECT id, id, 9223372036854775807, 9223372036854775807 FROM branch
    UNION ALL
    SELECT reach.viewer, line.parent, LEAST(reach.position, line.fork_position),
           LEAST(reach.occurred_at, line.fork_occurred_at)
    FROM reach JOIN branch AS line ON line.id = reach.branch WHERE line.parent IS NOT NULL
)
SELECT viewer.name AS seen_by, event.*
FROM branch AS viewer
JOIN reach ON reach.viewer = viewer.id
JOIN event ON event.branch = reach.branch
    AND event.position <= reach.position AND event.occurred_at <= reach.occurred_at
WHERE NOT EXISTS (SELECT 1 FROM branch_retired WHERE branch_retired.branch = viewer.id)
AND NOT (event.cause IS NOT NULL AND EXISTS (
    SELECT 1 FROM late_event AS withdrawal JOIN reach AS part
        ON part.viewer = viewer.id AND withdrawal.branch = part.branch
        AND withdrawal.position <= part.position AND withdrawal.occurred_at <= part.occurred_at
    WHERE withdrawal.withdraws AND withdrawal.position > event.position
        AND withdrawal.occurred_at < event.occurred_at))
AND NOT (event.cause IS NULL
    AND event.type NOT IN ('DerivedFactsWithdrawn', 'FactsRetracted', 'RetractionUndone',
                           'BranchRetired', 'ImportBegun', 'ImportEnded')
    AND EXISTS (
    SELECT 1 FROM retraction JOIN reach AS part
        ON part.viewer = viewer.id AND retraction.branch = part.branch
        AND retraction.position <= part.position AND retraction.occurred_at <= part.occurred_at
    WHERE retraction.position > event.position
        AND event.position BETWEEN retraction.first AND retraction.last
        AND event.occurred_at >= retraction.since
        AND NOT EXISTS (
            SELECT 1 FROM retraction AS undo JOIN reach AS above
                ON above.viewer = viewer.id AND undo.branch = above.branch
                AND undo.position <= above.position AND undo.occurred_at <= above.occurred_at
            WHERE undo.undoes = retraction.position
                AND undo.occurred_at <= retraction.occurred_at)))
"""
"""What each branch that is not retired sees: the definition of `twin/log/visibility.py` in SQL."""
