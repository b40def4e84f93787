"""Where a command works: which log and branch, and what its times are relative to."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from typer import Context

from twin.cli.errors import NoPlace
from twin.errors import BadInstant
from twin.model.instants import Instant, format_instant, parse_instant

if TYPE_CHECKING:
    from collections.abc import Mapping

    from twin.app.twin import Twin
    from twin.rules.workload.exits import WorkloadExit

DEFAULT_LOG: Final = "sqlite:///twin.db"
MAIN: Final = "main"

_DRIVERS: Final = {
    "postgresql://": "postgresql+psycopg://",
    "postgres://": "postgresql+psycopg://",
}
"""Short forms of a URL, and the driver that twin uses."""


_PASSING: Final = re.compile(r"\s*|:memory:|sqlite(\+\w+)?:(//)?/?\s*(:memory:)?(\?.*)?")
"""What SQLAlchemy and SQLite take as a database in memory."""


@dataclass(frozen=True, slots=True)
class Place:
    """A branch of a log, not yet opened."""

    url: str = DEFAULT_LOG
    branch: str = MAIN

    def reader(self, *times: str | None) -> Twin:
        """Open the log for reading only; malformed times are refused before that.

        Raises:
            BadInstant: for a time that cannot be read.
            NoSuchLog: when nobody has written the log yet.
        """
        return self._open(times, read_only=True)

    def writer(
        self,
        *times: str | None,
        create: bool = False,
        exits: Mapping[str, WorkloadExit] | None = None,
    ) -> Twin:
        """Open the log for writing; where it does not exist only `create` makes it.

        `exits` are the workload exits that CLWLEXIT may name.

        Raises:
            BadInstant: for a time that cannot be read.
            NoSuchLog: when nobody has written the log yet and `create` is not asked for.
        """
        if not create:
            self._demand_log(times)
        return self._open(times, read_only=False, exits=exits)

    def _demand_log(self, times: tuple[str | None, ...]) -> None:
        """Check that there is a log; one of an older version will be migrated by the writer."""
        from twin.log import OlderLog

        with suppress(OlderLog):
            self._open(times, read_only=True).close()

    def _open(
        self,
        times: tuple[str | None, ...],
        *,
        read_only: bool,
        exits: Mapping[str, WorkloadExit] | None = None,
    ) -> Twin:
        for text in times:
            if text is not None:
                _parsed(text, now=time.time_ns() // 1000)
        from twin.app.twin import Twin

        return Twin.open(self.url, branch=self.branch, read_only=read_only, exits=exits or {})


def place_of(context: Context) -> Place:
    """Return the place that the global options name."""
    place = context.obj
    return place if isinstance(place, Place) else Place()


def log_url(text: str) -> str:
    """Make a URL of what `--log` says: a URL as it is, anything else a SQLite file.

    Raises:
        NoPlace: for what names nothing, or the memory of this process.
    """
    if _PASSING.fullmatch(text):
        raise NoPlace(text)
    for short, full in _DRIVERS.items():
        if text.startswith(short):
            return full + text.removeprefix(short)
    return text if "://" in text else f"sqlite:///{text}"


def instant(twin: Twin, text: str | None) -> Instant | None:
    """Read a time relative to the branch's now; None stays None.

    Raises:
        BadInstant: for a time that cannot be read.
    """
    return None if text is None else _parsed(text, now=twin.as_of().valid)


def log_time(twin: Twin, text: str | None) -> Instant | None:
    """Read a time of the log's own clock, which is the machine's also on a branch.

    Raises:
        BadInstant: for a time that cannot be read.
    """
    return None if text is None else _parsed(text, now=twin.clock())


def log_time_alone(text: str | None, *, now: Instant) -> Instant | None:
    """Read a time without a log at hand; None stays None.

    Raises:
        BadInstant: for a time that cannot be read.
    """
    return None if text is None else _parsed(text, now=now)


def _parsed(text: str, *, now: Instant) -> Instant:
    """Read a time that can also be written again: of the years 1 to 9999."""
    parsed = parse_instant(text, now=now)
    try:
        format_instant(parsed)
    except OverflowError:
        raise BadInstant(text) from None
    return parsed
