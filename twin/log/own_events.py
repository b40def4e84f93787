"""The log's own events, and the tables that index them: retired branches, imports, the reader.

The reader is the lowest version of twin that understands the log. The tables follow from the
events: they are written in the same transaction, and `verify` computes them again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from sqlalchemy import Select, bindparam, column, insert, select, table, text, update

from twin.log.database import Database
from twin.log.errors import LogDamaged, MainStays
from twin.log.records import NewEvent
from twin.log.schema import MAIN, VERSION_TABLE, branch_retired, import_state, log_info
from twin.model import instants
from twin.model.versions import FIRST, version_key

RETIREMENT: Final = "BranchRetired"
IMPORT_BEGUN: Final = "ImportBegun"
IMPORT_ENDED: Final = "ImportEnded"
_INDEXED: Final = frozenset({RETIREMENT, IMPORT_BEGUN, IMPORT_ENDED})

READER: Final = "reader"
"""The name in `log_info` of the lowest version that understands every event type in the log."""

_EDITION: Final = "0.2.0"
"""The version that the second edition needs, whatever events it holds."""

EDITIONS: Final[Select[Any]] = select(column("version_num")).select_from(table(VERSION_TABLE))
"""The editions that a log states: one row, if nobody altered it."""

INFO: Final = select(log_info.c.value).where(log_info.c.name == bindparam("name"))
SET_INFO: Final = text(
    "INSERT INTO log_info (name, value) VALUES (:name, :value) "
    "ON CONFLICT (name) DO UPDATE SET value = excluded.value"
)
_RETIRE: Final = insert(branch_retired).values(
    {column.name: bindparam(column.name) for column in branch_retired.c}
)
_BEGIN: Final = text(
    "INSERT INTO import_state (digest, name, begun) VALUES (:digest, :name, :begun) "
    "ON CONFLICT (digest) DO UPDATE SET name = excluded.name, begun = excluded.begun, "
    "events = NULL, done = NULL, ended = NULL"
)
_END: Final = (
    update(import_state)
    .where(import_state.c.digest == bindparam("of"))
    .values(events=bindparam("new_events"), done=bindparam("new_done"), ended=bindparam("new_end"))
)


def index(database: Database, events: Sequence[NewEvent], rows: Sequence[tuple[Any, ...]]) -> None:
    """Index the log's own events of a batch, in the transaction that appends it.

    Args:
        database: the log, within `writing`.
        events: the batch.
        rows: its complete rows of `event`, in the same order.

    Raises:
        MainStays: if a batch retires branch main.
    """
    types = {new.type for new in events}
    _raise_reader(database, types)
    if _INDEXED.isdisjoint(types):
        return
    for position, branch, _, _, type_, *_, body, digest in rows:
        if type_ == RETIREMENT:
            if branch == MAIN:
                raise MainStays(instants.MAIN)
            database.run(_RETIRE, branch=branch, position=position, digest=digest)
        elif type_ == IMPORT_BEGUN:
            fields = json.loads(body)
            content = bytes.fromhex(fields["digest"])
            database.run(_BEGIN, digest=content, name=fields["name"], begun=position)
        elif type_ == IMPORT_ENDED:
            fields = json.loads(body)
            database.run(
                _END,
                of=bytes.fromhex(fields["digest"]),
                new_events=fields["events"],
                new_done=fields["done"],
                new_end=position,
            )


def _raise_reader(database: Database, types: set[str]) -> None:
    """Raise the version that the log needs, if one of these event types needs a newer one."""
    from twin.events.catalogue import newer_columns  # noqa: PLC0415 - readers do not need it

    if newer_columns().keys().isdisjoint(types):
        return
    needed = _needed_by(types)
    if version_key(needed) > version_key(reader_of(database)):
        database.run(SET_INFO, name=READER, value=needed)


def _needed_by(types: set[str]) -> str:
    """Return the lowest version of twin that understands these event types."""
    from twin.events.catalogue import newer_columns  # noqa: PLC0415 - readers do not need it

    newer = newer_columns()
    return max([_EDITION, *(newer[type_] for type_ in types & newer.keys())], key=version_key)


def reader_of(database: Database) -> str:
    """Return the lowest version of twin that understands every event type in the log."""
    row = database.one(INFO, name=READER)
    return FIRST if row is None else str(row[0])


class OwnEventsCheck:
    """A check that follows the events, and finally compares the tables that index them."""

    def __init__(self, database: Database) -> None:
        """Begin before the first event."""
        self._database = database
        self._retired: dict[int, tuple[Any, ...]] = {}
        self._imports: dict[bytes, list[Any]] = {}
        self._types: set[str] = set()

    def follow(self, row: tuple[Any, ...]) -> None:
        """Follow the next event, given as its complete row.

        Raises:
            LogDamaged: if its branch was retired before.
        """
        position, branch, _, _, type_, *_, body, digest = row
        self._types.add(type_)
        if branch in self._retired:
            raise LogDamaged(position, "its branch was retired before")
        if type_ == RETIREMENT:
            self._retired[branch] = (branch, position, bytes(digest))
        elif type_ == IMPORT_BEGUN:
            fields = json.loads(body)
            content = bytes.fromhex(fields["digest"])
            self._imports[content] = [content, fields["name"], None, position, None, None]
        elif type_ == IMPORT_ENDED:
            fields = json.loads(body)
            state = self._imports.get(bytes.fromhex(fields["digest"]))
            if state is not None:
                state[2], state[4], state[5] = fields["events"], fields["done"], position

    def finish(self) -> None:
        """Compare the tables.

        Raises:
            LogDamaged: if one differs.
        """
        _compare(self._database, branch_retired, self._retired, position=1)
        imports = {key: tuple(state) for key, state in self._imports.items()}
        _compare(self._database, import_state, imports, position=3)
        self._check_versions()

    def _check_versions(self) -> None:
        """Compare what says which edition and which reader the log needs."""
        editions = self._database.fetch(EDITIONS)
        if len(editions) != 1:
            raise LogDamaged(0, f"{VERSION_TABLE} has {len(editions)} rows, not one")
        if self._database.one(INFO, name=READER) != (_needed_by(self._types),):
            raise LogDamaged(0, f"{log_info.name} does not state the version that reads the log")


def _compare(
    database: Database, table: Any, wanted: dict[Any, tuple[Any, ...]], *, position: int
) -> None:
    """Compare a table with the rows that it must have, by the value of their first column.

    `position` is the index of the column with the position that an error names.
    """
    rows: Iterator[tuple[Any, ...]] = (  # psycopg gives views of bytes
        tuple(bytes(value) if isinstance(value, memoryview) else value for value in row)
        for row in database.fetch(_ROWS[table.name])
    )
    stored = {row[0]: row for row in rows}
    for key in wanted.keys() | stored.keys():
        if wanted.get(key) != stored.get(key):
            row = wanted.get(key) or stored[key]
            raise LogDamaged(row[position], f"the row of {table.name} for this position differs")


_ROWS: Final = {table.name: select(*table.c) for table in (branch_retired, import_state)}
