"""A database with a log: one connection, one lock, and statements for SQLite and PostgreSQL.

Statements of SQLAlchemy in the SQL of one database, and the values that they take.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, Self, TypeAlias

from sqlalchemy import (
    URL,
    ColumnElement,
    Connection,
    Dialect,
    Engine,
    Executable,
    Select,
    bindparam,
)
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.elements import CompilerElement

from twin.log.errors import LogBusy, LogUnreachable, ReadOnlyLog
from twin.log.place import LogPlace
from twin.model.passwords import shown_url

_LENGTHS: Final = (1, 20, 500)
"""The lengths of value lists in statements; only a few, so that compiled statements are reused."""


class Statements:
    """The statements of one process for one kind of database; each is compiled once."""

    def __init__(self, dialect: Dialect) -> None:
        """Compile for this dialect of SQL."""
        self._dialect = dialect
        self._texts: dict[Executable, tuple[str, dict[str, Any]]] = {}

    def compiled(self, statement: Executable) -> tuple[str, dict[str, Any]]:
        """Return a statement in this database's SQL, with the values that are part of it."""
        try:
            return self._texts[statement]
        except KeyError:
            if not isinstance(statement, CompilerElement):
                raise TypeError(statement) from None
            compiled = statement.compile(dialect=self._dialect)
            fixed = {name: value for name, value in compiled.params.items() if value is not None}
            return self._texts.setdefault(statement, (str(compiled), fixed))


def among(
    query: Select[Any], column: ColumnElement[Any], values: Sequence[Any]
) -> Iterator[tuple[Select[Any], dict[str, Any]]]:
    """Yield statements for the rows whose column has one of these values, with their parameters."""
    for start in range(0, len(values), _LENGTHS[-1]):
        part = values[start : start + _LENGTHS[-1]]
        length = next(length for length in _LENGTHS if length >= len(part))
        padded = [*part, *[part[-1]] * (length - len(part))]
        yield (
            _among(query, column, length),
            {f"listed_{number}": value for number, value in enumerate(padded)},
        )


@lru_cache
def _among(query: Select[Any], column: ColumnElement[Any], length: int) -> Select[Any]:
    return query.where(column.in_([bindparam(f"listed_{number}") for number in range(length)]))


def within_64_bits(values: dict[str, Any]) -> dict[str, Any]:
    """Return values in which no number is beyond the numbers of a column."""
    return {
        name: max(-(2**63), min(value, 2**63 - 1)) if isinstance(value, int) else value
        for name, value in values.items()
    }


Mode: TypeAlias = Literal["read", "write"]
Synchronous: TypeAlias = Literal["FULL", "NORMAL"]

StepProgress: TypeAlias = Callable[[int, int, str], None]
"""Takes how much is done of a total, which is 0 if it is unknown, and the step under way."""

BUSY_TIMEOUT: Final = 60.0
"""Seconds to wait for another process that writes."""


class Database(ABC):
    """One connection to a database, shared by the threads of a process under a lock.

    Attributes:
        patience: the seconds to wait for another process that writes.
        is_writing: whether a transaction that writes is open.
        is_new: whether this process made the log.
        creates: whether connecting may make the log.
        place: the file that was opened; None before that, and if the log is no file.
        row_texts: what was read lately of the events that others name; see `twin.log.references`.

    Statements are written in SQLAlchemy Core, compiled once, and given to the driver directly:
    they run for every append and every view, and SQLAlchemy's own execution would be too slow.
    """

    driver_error: ClassVar[type[Exception]]
    """The base of the driver's errors."""
    integrity_error: ClassVar[type[Exception]]
    """The driver's error when a constraint or a trigger refuses a change."""
    begin_reading: ClassVar[str]
    """The statement that begins a read transaction with a consistent view of the log."""

    is_shared: ClassVar[bool]
    """Whether processes of other versions may use the database, on other machines."""

    def __init__(
        self, url: URL, *, mode: Mode, synchronous: Synchronous, patience: float | None = None
    ) -> None:
        is_file = url.drivername.startswith("sqlite")
        plain = f"{url.drivername}:///{url.database or ''}"
        self.shown = shown_url(plain if is_file else url.render_as_string(hide_password=False))
        self.name = self.shown.text
        self.mode = mode
        self.synchronous = synchronous
        self.url = url
        self.patience = BUSY_TIMEOUT if patience is None else patience
        self.is_writing = False
        self.is_new = False
        self.creates = False
        self.place: LogPlace | None = None
        self.row_texts: dict[int, Any] = {}
        self.notices: list[str] = []
        """What opening the log did or found that its user should know, one line each."""
        self._lock = threading.RLock()
        self._turns = threading.RLock()
        self._has_turn = False
        self._engine = self._make_engine()
        self._compiled = Statements(self._engine.dialect).compiled
        self._connection: Connection | None = None
        self._driver: Any = None

    def beside(self, *, patience: float) -> Self:
        """Return another connection to the same log, which writes caches and waits less long."""
        made = type(self)(self.url, mode="write", synchronous="NORMAL", patience=patience)
        made.place = self.place
        return made

    @abstractmethod
    def _make_engine(self) -> Engine:
        """Make the engine, without a connection."""

    @abstractmethod
    def exists(self) -> bool:
        """Return whether there is a log here."""

    @abstractmethod
    def is_foreign(self) -> bool:
        """Return whether the database holds foreign tables, so that no log may be created in it."""

    @abstractmethod
    def prepare(self) -> None:
        """Prepare the database for a new log, outside any transaction."""

    def keep_copy(self, edition: str, progress: StepProgress) -> str | None:
        """Copy the log before it is upgraded, within `writing`; return the copy's name, if any."""
        del edition, progress
        return None

    def was_removed(self) -> bool:
        """Return whether another process removed this log while it was opened here."""
        return False

    def remove_unused(self) -> None:  # noqa: B027 - a server keeps its tables
        """Remove the file that this process made for a log in which nothing was recorded.

        It stays if another process has it open.
        """

    def greet(self) -> None:  # noqa: B027 - most databases need nothing
        """Do what a database needs once its log is open, such as adding to `notices`."""

    @abstractmethod
    def back_up(self, copy: Path, *, progress: Callable[[int, int], None] | None = None) -> str:
        """Copy the log to a file; or return the command that does so, which is run elsewhere."""

    def committed(self) -> None:  # noqa: B027 - most databases need nothing
        """Do what a database needs after a commit."""

    @abstractmethod
    def begin(self) -> None:
        """Begin a transaction; only one writer at a time can have one."""

    @abstractmethod
    def take_turn(self) -> bool:
        """Wait in the queue of the processes that want to write; return whether it was granted."""

    @abstractmethod
    def end_turn(self) -> None:
        """Let the next process in the queue write."""

    @abstractmethod
    def insert_events(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Insert complete rows into `event`, by the fastest way of the driver."""

    @abstractmethod
    def is_busy(self, error: BaseException) -> bool:
        """Return whether the driver gave up waiting for another process."""

    def server_clock(self) -> Callable[[], int] | None:
        """Return a clock with the server's microseconds since 1970; None for a file."""
        return None

    @property
    @abstractmethod
    def is_private(self) -> bool:
        """Whether no other connection can see this database."""

    def damage(self) -> list[str]:
        """Return what the database says about damage to its file, one text for each place."""
        return []

    @property
    def connection(self) -> Connection:
        """The connection; outside `writing`, it commits every statement by itself."""
        if self._connection is None:
            self._connection = self._engine.connect()
        return self._connection

    @property
    def driver(self) -> Any:
        """The driver's own connection."""
        if self._driver is None:
            self._driver = self.connection.connection.driver_connection
        return self._driver

    def fetch(self, statement: Executable, /, **values: Any) -> list[tuple[Any, ...]]:
        """Run a query and return its rows as plain tuples."""
        text, fixed = self._compiled(statement)
        with self._lock:
            try:
                try:
                    cursor = self.driver.execute(text, fixed | values)
                except OverflowError:  # SQLite compares with 64 bits; nothing lies beyond them
                    cursor = self.driver.execute(text, fixed | within_64_bits(values))
                rows: list[tuple[Any, ...]] = cursor.fetchall()
            except self.driver_error as error:
                raise self.translated(error) from error
            except UnicodeEncodeError:  # a lone surrogate, which no event has: no row matches
                return []
            return rows

    def one(self, statement: Executable, /, **values: Any) -> tuple[Any, ...] | None:
        """Run a query and return its first row; None if there is none."""
        rows = self.fetch(statement, **values)
        return rows[0] if rows else None

    def fetch_among(
        self, query: Select[Any], column: ColumnElement[Any], values: Sequence[Any]
    ) -> list[tuple[Any, ...]]:
        """Run a query for the rows whose column has one of these values."""
        return [
            row
            for statement, listed in among(query, column, values)
            for row in self.fetch(statement, **listed)
        ]

    def run(self, statement: Executable, /, **values: Any) -> None:
        """Run a statement that changes something, within `writing`."""
        text, fixed = self._compiled(statement)
        self.driver.execute(text, fixed | values)

    def run_many(self, statement: Executable, rows: Sequence[dict[str, Any]], /) -> None:
        """Run a statement once for each row of values, within `writing`."""
        text, fixed = self._compiled(statement)
        self.driver.cursor().executemany(text, [fixed | row for row in rows])

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Lock the log for a transaction: all changes in the block are stored, or none.

        Raises:
            ReadOnlyLog: if the log was opened for reading.
            LogBusy: if another process does not release its lock.
        """
        if self.mode == "read":
            raise ReadOnlyLog(self.name)
        with self._lock:
            try:
                self.begin()
                self.is_writing = True
                try:
                    yield
                except BaseException:
                    self._roll_back()
                    raise
                finally:
                    self.is_writing = False
                self.driver.commit()
                self.committed()
            except self.integrity_error:
                raise
            except self.driver_error as error:
                raise self.translated(error) from error
            except DBAPIError as error:  # of SQLAlchemy, which runs the migrations
                raise self.translated(error.orig or error) from error

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait until it is the turn of this process to write; the block is its turn.

        Turns are advisory: a process without one may write too, and `writing` keeps the log
        right. A wait that takes too long ends without a turn. A turn inside a turn is the same one.
        """
        with self._turns:
            if self._has_turn:
                yield
                return
            granted = self.take_turn()
            self._has_turn = True
            try:
                yield
            finally:
                self._has_turn = False
                if granted:
                    self.end_turn()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Let all queries in the block see the same state of the log; other threads wait."""
        with self._lock:
            try:
                self.driver.execute(self.begin_reading)
            except self.driver_error as error:
                raise self.translated(error) from error
            try:
                yield
            finally:
                self._roll_back()

    def _roll_back(self) -> None:
        try:
            self.driver.rollback()
        except self.driver_error:
            self.close()

    def unreachable(self, reason: object) -> LogUnreachable:
        """Return the error that says why this database cannot be used, without its password."""
        return LogUnreachable(self.name, self.shown.scrubbed(str(reason)))

    def translated(self, error: BaseException) -> LogBusy | LogUnreachable:
        """Return the error of the log for an error of the driver."""
        if self.is_busy(error):
            return LogBusy(self.name)
        if self._driver is not None and getattr(self._driver, "closed", False):
            self.close()
        return self.unreachable(error)

    def close(self) -> None:
        """Close the connection; the next use makes a new one."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = self._driver = None
            self._engine.dispose()
