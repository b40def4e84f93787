"""A database that holds a log: one connection, one lock, and statements in either SQL."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Literal, TypeAlias

from sqlalchemy import URL, Connection, Engine, Executable
from sqlalchemy.sql.elements import CompilerElement

from twin.log.errors import LogBusy, LogUnreachable, ReadOnlyLog

Mode: TypeAlias = Literal["read", "write"]
Synchronous: TypeAlias = Literal["FULL", "NORMAL"]


class Database(ABC):
    """One connection to a database, shared by the threads of a process under a lock.

    Statements are written in SQLAlchemy Core, compiled once, and handed to the driver: what runs
    for every append and every view cannot afford more.
    """

    driver_error: ClassVar[type[Exception]]
    """What the driver raises for anything."""
    integrity_error: ClassVar[type[Exception]]
    """What the driver raises when a constraint or trigger refuses."""
    begin_reading: ClassVar[str]
    """What begins a transaction that sees the log at one instant."""

    def __init__(self, url: URL, *, mode: Mode, synchronous: Synchronous) -> None:
        self.name = url.render_as_string(hide_password=True)
        self.mode = mode
        self.synchronous = synchronous
        self.url = url
        self._lock = threading.RLock()
        self._texts: dict[Executable, tuple[str, dict[str, Any]]] = {}
        self._engine = self._make_engine()
        self._connection: Connection | None = None
        self._driver: Any = None

    @abstractmethod
    def _make_engine(self) -> Engine:
        """Make the engine; it opens no connection yet."""

    @abstractmethod
    def exists(self) -> bool:
        """Tell whether there is a log here."""

    @abstractmethod
    def is_foreign(self) -> bool:
        """Tell whether something else lives here that a log must not mix with."""

    @abstractmethod
    def prepare(self) -> None:
        """Do what must be done before a log is made here, outside of any transaction."""

    @abstractmethod
    def begin(self) -> None:
        """Begin a transaction that only one writer at a time can be in."""

    @abstractmethod
    def insert_events(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Insert whole rows of `event`, as fast as the driver can."""

    @abstractmethod
    def is_busy(self, error: Exception) -> bool:
        """Tell whether the driver gave up waiting for another process."""

    @property
    def connection(self) -> Connection:
        """The one connection; it commits every statement by itself outside of `writing`."""
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
                cursor = self.driver.execute(text, fixed | values)
                rows: list[tuple[Any, ...]] = cursor.fetchall()
            except self.driver_error as error:
                raise self.translated(error) from error
            return rows

    def one(self, statement: Executable, /, **values: Any) -> tuple[Any, ...] | None:
        """Run a query and return its first row, or None."""
        rows = self.fetch(statement, **values)
        return rows[0] if rows else None

    def run(self, statement: Executable, /, **values: Any) -> None:
        """Run a statement that changes something, within `writing`."""
        text, fixed = self._compiled(statement)
        self.driver.execute(text, fixed | values)

    def run_many(self, statement: Executable, rows: Sequence[dict[str, Any]], /) -> None:
        """Run a statement once for each row of values, within `writing`."""
        text, fixed = self._compiled(statement)
        self.driver.cursor().executemany(text, [fixed | row for row in rows])

    def _compiled(self, statement: Executable) -> tuple[str, dict[str, Any]]:
        """Return a statement in this database's SQL, and the values that it fixes itself."""
        try:
            return self._texts[statement]
        except KeyError:
            if not isinstance(statement, CompilerElement):
                raise TypeError(statement) from None
            compiled = statement.compile(dialect=self._engine.dialect)
            fixed = {name: value for name, value in compiled.params.items() if value is not None}
            return self._texts.setdefault(statement, (str(compiled), fixed))

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the log for oneself: all that is done within is kept, or nothing.

        Raises:
            ReadOnlyLog: when it was opened for reading.
            LogBusy: when another process does not let go of it.
        """
        if self.mode == "read":
            raise ReadOnlyLog(self.name)
        with self._lock:
            try:
                self.begin()
                try:
                    yield
                except BaseException:
                    self._roll_back()
                    raise
                self.driver.commit()
            except self.integrity_error:
                raise
            except self.driver_error as error:
                raise self.translated(error) from error

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Let all queries within see the log as it is now, and other threads wait meanwhile."""
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

    def translated(self, error: Exception) -> LogBusy | LogUnreachable:
        """Say in the log's words why the driver failed."""
        if self.is_busy(error):
            return LogBusy(self.name)
        if self._driver is not None and getattr(self._driver, "closed", False):
            self.close()
        return LogUnreachable(self.name, error)

    def close(self) -> None:
        """Let go of the connection; the next use makes a new one."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = self._driver = None
            self._engine.dispose()
