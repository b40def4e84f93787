"""Rows that are tampered with behind the log's back, in every table, and what notices it."""

# ruff: noqa: S608 - tampering is done in SQL

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import psycopg
from sqlalchemy import make_url

from tests.log.database import behind_the_back
from tests.soak.bench import Bench, Lost, expect
from tests.soak.questions import Survey, verified
from tests.soak.victims import MEMBERS, build
from twin.app.twin import Twin
from twin.model.instants import DAY, HOUR, Instant
from twin.model.versions import VERSION

CACHES: Final = frozenset({"snapshot", "page", "played"})
"""Tables that may be emptied at any time: what matters is that no answer changes."""

_NOTES: Final = "log_info"
"""The version that reads the log, which follows from its events, and notes, which do not."""

TAMPERINGS: Final = {"SQLite": 40, "PostgreSQL": 12}
"""How many are in one trial."""

ASKED: Final = (
    *("members", "beliefs", "divergence", "changes", "lifetimes"),
    "DISPLAY QM1",
)

_LARGE: Final = 2**40

Value: TypeAlias = Any


def build_rich(url: str, start: Instant) -> None:
    """Make a log with rows in every table: late facts, branches of branches, and snapshots."""
    build(url, start)
    with Twin.open(url, synchronous="NORMAL") as twin:
        twin.ingest("DEFINE QLOCAL(SEEN) CLUSTER(CA)", qmgr="QM2", at=start + 2 * HOUR + 1)
        for day, name in enumerate(MEMBERS, start=2):
            twin.open_queue(name, "QQM1.1", at=start + day * DAY)
            twin.put(name, "QQM2.2", count=3, at=start + day * DAY + HOUR)
        twin.ingest("DEFINE QLOCAL(LATE)", qmgr="QM3", at=start + 3 * DAY)
        twin.create_branch("what-if")
        branch = twin.on_branch("what-if")
        branch.endmqm("QM4", at=start + 7 * DAY)
        branch.create_branch("what-if-not")
        branch.on_branch("what-if-not").strmqm("QM4", at=start + 8 * DAY)
        twin.snapshot(every=150)
        twin.tick(start + 40 * DAY)
        branch.snapshot(every=300)


def instants_of(start: Instant) -> tuple[Instant, ...]:
    """Return the instants that questions about a rich log are asked of."""
    return (start + 4 * DAY, start + 39 * DAY)


@dataclass(frozen=True)
class Tampering:
    """One change: statements, the kind that the table counts, and the table that it changes."""

    table: str
    kind: str
    statements: tuple[tuple[str, tuple[Value, ...]], ...]


class Tables:
    """The tables of a log, as a tamperer sees them."""

    def __init__(self, connection: Any, url: str) -> None:
        """Read which tables and columns there are."""
        self.connection = connection
        self._sqlite = make_url(url).drivername.startswith("sqlite")
        self.row = "rowid" if self._sqlite else "ctid"
        self.mark = "?" if self._sqlite else "%s"
        self.columns: Mapping[str, list[str]] = {
            name: self._columns(name) for name in self._names()
        }

    def _names(self) -> list[str]:
        if self._sqlite:
            found = (
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            )
        else:
            found = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        return sorted(name for (name,) in self.connection.execute(found).fetchall())

    def _columns(self, table: str) -> list[str]:
        shown = self.connection.execute(f"SELECT * FROM {table} LIMIT 0")
        return [column[0] for column in shown.description]

    def some_row(self, table: str, chance: random.Random) -> tuple[Value, list[Value]] | None:
        """Return the number and the values of a random row; None in an empty table."""
        count = self.connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        if not count:
            return None
        place = chance.randrange(count)
        number, *values = self.connection.execute(
            f"SELECT {self.row}, {table}.* FROM {table} ORDER BY 1 LIMIT 1 OFFSET {place}"
        ).fetchone()
        return number, values


def _changed(value: Value, other: Value, chance: random.Random) -> Value:
    """Return another value of the same type."""
    choices: list[Value] = [other]
    if isinstance(value, bool):
        choices += [not value]
    elif isinstance(value, int):
        choices += [value + 1, value - 1, 0, 1, -1, value * 2, value + _LARGE, None]
    elif isinstance(value, str):
        place = chance.randrange(max(1, len(value)))
        choices += [value[:place] + "x" + value[place + 1 :], value[:place], value + " ", "", None]
    elif isinstance(value, bytes):
        place = chance.randrange(max(1, len(value)))
        flipped = bytes([value[place] ^ (1 << chance.randrange(8))]) if value else b"x"
        choices += [value[:place] + flipped + value[place + 1 :], value[:place], b"", None]
    else:
        choices += [0, 1]
    return chance.choice([each for each in choices if each != value] or [None])


def _plan(tables: Tables, chance: random.Random) -> Tampering | None:
    """Choose a tampering; None if the chosen table has no row for it."""
    table = chance.choice(sorted(tables.columns))
    kind = chance.choice(("update", "update", "update", "delete", "insert", "swap", "empty"))
    one, other = tables.some_row(table, chance), tables.some_row(table, chance)
    if one is None or other is None:
        return None
    where, mark = f"WHERE {tables.row} = {tables.mark}", tables.mark
    columns = tables.columns[table]
    place = chance.randrange(len(columns))
    column = columns[place]
    statements: list[tuple[str, tuple[Value, ...]]]
    if kind == "update":
        value = _changed(one[1][place], other[1][place], chance)
        kind = f"{kind} of {column}"
        if value == one[1][place]:
            return None
        statements = [(f"UPDATE {table} SET {column} = {mark} {where}", (value, one[0]))]
    elif kind == "delete":
        statements = [(f"DELETE FROM {table} {where}", (one[0],))]
    elif kind == "empty":
        statements = [(f"DELETE FROM {table}", ())]
    elif kind == "insert":
        values = list(one[1])
        values[place] = _changed(values[place], other[1][place], chance)
        marks = ", ".join([mark] * len(values))
        statements = [(f"INSERT INTO {table} VALUES ({marks})", tuple(values))]
    else:
        if one[1][place] == other[1][place]:
            return None
        change = f"UPDATE {table} SET {column} = {mark} {where}"
        kind = f"swap of {column}"
        statements = [
            (change, (other[1][place], one[0])),
            (change, (one[1][place], other[0])),
        ]
    return Tampering(table, kind, tuple(statements))


@contextmanager
def _refusals() -> Iterator[list[str]]:
    """Take note of an error of the database: it refused what cannot be."""
    refused: list[str] = []
    try:
        yield refused
    except (sqlite3.Error, psycopg.Error, OverflowError) as error:
        refused.append(str(error))


def tamper(url: str, chance: random.Random) -> Tampering | None:
    """Tamper with a log; return None if the database refused it, or nothing changed."""
    with behind_the_back(url, guarded=False) as connection:
        tables = Tables(connection, url)
        planned = None
        while planned is None:
            planned = _plan(tables, chance)
        with _refusals() as refused:
            connection.execute("BEGIN")
            for statement, values in planned.statements:
                connection.execute(statement, values)
            connection.execute("COMMIT")
    return None if refused else planned


def by_tampering(bench: Bench, database: str) -> None:
    """Tamper with copies of a log; `log verify` must notice it, or no answer may change."""
    instants = instants_of(bench.prepared.start)
    base = bench.prepared.url("rich", database)
    sound, head = Survey(base, instants, ASKED), verified(base)
    expect(head[0] == "", f"the untouched log: {head[1]}")
    expect(not sound.refused and not sound.tracebacks, "the untouched log answers nothing")
    for _ in range(round(TAMPERINGS[database] * bench.share)):
        with bench.copy("rich", database) as url:
            tampering = tamper(url, bench.chance)
            if tampering is None:
                continue
            try:
                outcome = _noticed(url, tampering, sound, head)
            except Lost as problem:
                expect(False, f"{tampering}: {problem}")  # noqa: FBT003
            bench.tally.add("tampering", f"{tampering.table}, {database}", outcome)


def _noticed(url: str, tampering: Tampering, sound: Survey, head: tuple[str, str]) -> str:
    """Return what noticed a tampering.

    Raises:
        Lost: if nothing did although it matters, or there was a traceback.
    """
    found, why = verified(url)
    expect(found != "traceback", why)
    cache = tampering.table in CACHES
    asked = Survey(url, sound_instants(sound), ASKED if cache else ASKED[:2])
    expect(not asked.tracebacks, f"a traceback: {''.join(asked.tracebacks)}")
    wrong = list(asked.differences(sound))
    if cache:
        expect(not wrong, f"other answers to {wrong}")
    if found:
        return f"log verify {'says so' if found == 'damaged' else 'refuses'}"
    if tampering.table == _NOTES and _reader(url) == VERSION:
        return "only a note is changed"
    expect(cache, "nothing noticed it")
    expect((found, why) == head, "verify found another head")
    return "every answer as before"


def _reader(url: str) -> str:
    """Return the version that reads a log, as its table of notes says."""
    with behind_the_back(url, guarded=True) as connection:
        rows = connection.execute("SELECT value FROM log_info WHERE name = 'reader'").fetchall()
    return "".join(value for (value,) in rows)


def sound_instants(survey: Survey) -> tuple[Instant, ...]:
    """Return the instants of a survey."""
    return tuple(sorted({instant for _, instant in survey.answers}))
