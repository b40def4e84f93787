"""The log and the branch that a command works on, and the options that many commands share."""

from __future__ import annotations

import os
import re
import shlex
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias
from zoneinfo import ZoneInfo

from typer import Context, Option

from twin.app import DEFAULT_URL
from twin.cli.errors import BadLogOption, BadReference, BadUsage
from twin.cli.output import ProgressBar, complain
from twin.errors import BadInstant, InstantOutOfRange, TwinError, did_you_mean
from twin.model.instants import MAIN, Instant, length_of, parse_instant
from twin.model.passwords import shown_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from twin.app.exits import WorkloadExit
    from twin.app.twin import Twin

_DRIVERS: Final = {
    "postgresql://": "postgresql+psycopg://",
    "postgres://": "postgresql+psycopg://",
}
"""Short forms of a URL, and the driver that twin uses."""

_IN_MEMORY: Final = re.compile(r"\s*|:memory:|sqlite(\+\w+)?:(//)?/?\s*(:memory:)?(\?.*)?")
"""The URLs that SQLAlchemy and SQLite take as a database in memory, and the empty text."""

_NO_FILE: Final = re.compile(
    r"(?i)(?!.*://)(postgres\w*(\+\w+)?:|[^/]*:[^/]*@|.*\b(password|host)\s*=)"
)
"""Settings and misspelt URLs of a server: a file of such a name may have a password in its name."""

_SQLITE: Final = "sqlite:///"

_NAME: Final = "twin"
"""The name of a lake or a report if the log is not a file."""


class Format(StrEnum):
    """How an answer is written."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"


class PictureFormat(StrEnum):
    """How an answer is written that may be a picture as well."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"
    SVG = "svg"


class FailOn(StrEnum):
    """The mildest severity that gives exit code 10."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


_TIME = "T"

AtOption: TypeAlias = Annotated[
    str | None,
    Option(
        "--at",
        metavar=_TIME,
        help="Time of the event: ISO 8601 or -3d; on main not in the future [now]",
    ),
]

AsOfOption: TypeAlias = Annotated[
    str | None, Option("--as-of", metavar=_TIME, help="Instant to ask about: ISO 8601 or -2h [now]")
]

KnownAt: TypeAlias = Annotated[
    str | None,
    Option("--known-at", metavar=_TIME, help="Use only what the log knew at this instant [now]"),
]

FormatOption: TypeAlias = Annotated[
    Format, Option("--format", metavar="text|json|csv", help="Format of the answer")
]

PictureFormatOption: TypeAlias = Annotated[
    PictureFormat,
    Option("--format", metavar="text|json|csv|svg", help="Format of the answer; svg is a picture"),
]

ColumnsOption: TypeAlias = Annotated[
    str | None, Option("--columns", metavar="A,B", help="Show these columns, in this order")
]

WideOption: TypeAlias = Annotated[
    bool, Option("--wide", help="Show all columns and full times; lines may be long")
]

LimitOption: TypeAlias = Annotated[
    int | None, Option("--limit", min=1, metavar="N", help="Show at most N rows")
]

StrictOption: TypeAlias = Annotated[
    bool,
    Option(
        "--strict",
        help="Exit with 10 if a queue manager or its definitions are missing, or an import's end",
    ),
]


@dataclass(frozen=True, slots=True)
class Target:
    """A branch of a log that is not open yet.

    Attributes:
        url: the URL of the log.
        branch: the name of the branch.
        trust_clock: whether to record on main although the clock may be wrong.
        simulate_on_main: whether commands on main may change observed queue managers.
        words: the words that were typed, from the name of the command on.
    """

    url: str = DEFAULT_URL
    branch: str = MAIN
    trust_clock: bool = False
    simulate_on_main: bool = False
    words: tuple[str, ...] = ()

    def reader(self, *times: str | None) -> Twin:
        """Open the log for reading, after checking the form of these times.

        Raises:
            BadInstant: if a time is malformed.
            NoSuchLog: if the log does not exist.
        """
        return self._open(times, read_only=True)

    def writer(
        self,
        *times: str | None,
        create: bool = False,
        cures_clock: bool = False,
        exits: Mapping[str, WorkloadExit] | None = None,
    ) -> Twin:
        """Open the log for writing, after checking the form of these times.

        `exits` are the workload exits that CLWLEXIT may name. If the command `cures_clock`, nothing
        is said about a main that lies after the clock.

        Raises:
            BadInstant: if a time is malformed.
            NoSuchLog: if the log does not exist, unless `create`.
        """
        if not create:
            self._check_log(times)
        return self._open(times, read_only=False, cures_clock=cures_clock, exits=exits)

    def _check_log(self, times: tuple[str | None, ...]) -> None:
        """Check that the log exists. The writer upgrades an older log, or refuses it."""
        from twin.log import OlderLog

        with suppress(OlderLog):
            self._open(times, read_only=True, says=False).close()

    def beside(self, kind: str) -> Path:
        """Return a folder beside the log, or in the current folder if the log is not a file."""
        if self.url.startswith(_SQLITE):
            file = Path(self.url.removeprefix(_SQLITE).partition("?")[0])
            return file.with_name(f"{file.stem}.{kind}")
        return Path(f"{_NAME}.{kind}")

    def on_branch(self, branch: str) -> str:
        """Return the command line that makes a branch, and runs the typed command there."""
        default = log_url(os.environ.get("TWIN_LOG") or DEFAULT_URL)
        log = [] if self.url == default else ["--log", shown_url(self.url).text]
        words = list(_without_target(self.words))
        return (
            f"{shlex.join(['twin', *log, 'branch', 'create', branch])} && "
            f"{shlex.join(['twin', *log, '--branch', branch, *words])}"
        )

    def _open(
        self,
        times: tuple[str | None, ...],
        *,
        read_only: bool,
        says: bool = True,
        cures_clock: bool = False,
        exits: Mapping[str, WorkloadExit] | None = None,
    ) -> Twin:
        from twin.app.clocks import Timekeeper, system_clock
        from twin.app.twin import Twin

        now = Timekeeper(system_clock)()
        for text in times:
            if text is not None:
                parse_instant(text, now=now)
        with ProgressBar("pages") as bar:
            twin = Twin.open(
                self.url,
                branch=self.branch,
                read_only=read_only,
                trust_clock=self.trust_clock,
                simulate_on_main=self.simulate_on_main,
                instead=self.on_branch,
                exits=exits or {},
                keeps_caches=True,
                tell=complain,
                progress=bar.show,
            )
        twin.log.keeps_unused = False
        try:
            clock = "" if cures_clock or not says else twin.clock_problem()
            notices = [*twin.log.notices, clock] if says else []
        except TwinError:
            twin.close()
            raise
        for notice in filter(None, notices):
            complain(notice)
        return twin


def _without_target(words: Iterable[str]) -> Iterator[str]:
    """Return the words of a command without the options --log and --branch."""
    rest = iter(words)
    for word in rest:
        option, equals, _ = word.partition("=")
        if option not in {"--log", "--branch"}:
            yield word
        elif not equals:
            next(rest, None)


def target_of(context: Context) -> Target:
    """Return the log and branch that the global options name."""
    target = context.obj
    return target if isinstance(target, Target) else Target()


def log_url(text: str) -> str:
    """Return the URL for the value of `--log`: a URL, or else a SQLite file.

    Raises:
        BadLogOption: if the value is empty, or names a database in memory.
    """
    if _IN_MEMORY.fullmatch(text) or (_NO_FILE.match(text) and not _exists(text)):
        raise BadLogOption(shown_url(text).text)
    for short, full in _DRIVERS.items():
        if text.startswith(short):
            return full + text.removeprefix(short)
    return text if "://" in text else f"sqlite:///{text}"


def _exists(path: str) -> bool:
    """Return whether there is such a file; False for a name that no file can have."""
    return os.path.exists(path)  # noqa: PTH110 - Path.exists raises an error for such a name


def length(option: str, text: str, example: str, *, command: str, least: int = 1) -> int:
    """Read a length of time, in microseconds.

    Raises:
        BadUsage: if it is malformed, or less than the least.
    """
    microseconds = length_of(text.removeprefix("+"))
    if microseconds is None or microseconds < least:
        problem = f"malformed {option} {text}; expected a time {example}"
        raise BadUsage(command=command, problem=problem)
    return microseconds


def instant(twin: Twin, text: str | None) -> Instant | None:
    """Read a time that may be relative to the now of the branch; None stays None.

    Raises:
        BadInstant: if it is malformed.
    """
    return None if text is None else parse_instant(text, now=twin.as_of().valid)


def branch_or_instant(twin: Twin, text: str, *, as_of: Instant | None) -> Instant | str:
    """Read the name of a branch, or else a time that may be relative to `as_of`.

    Without `as_of` it is relative to the now of the branch, which is then what is asked about.

    Raises:
        BadReference: if it is neither.
        InstantOutOfRange: if it is a time that is too early or too late.
    """
    branches = [branch.name for branch in twin.log.branches()]
    if text in branches:
        return text
    try:
        return parse_instant(text, now=twin.as_of(valid=as_of).valid)
    except InstantOutOfRange:
        raise
    except BadInstant:
        raise BadReference(text, ", ".join(branches), did_you_mean(text, branches)) from None


def log_time(twin: Twin, text: str | None) -> Instant | None:
    """Read a time that may be relative to the wall clock, also on a branch; None stays None.

    Raises:
        BadInstant: if it is malformed.
    """
    return None if text is None else parse_instant(text, now=twin.clock())


def log_time_alone(text: str | None, *, now: Instant) -> Instant | None:
    """Read a time that may be relative to `now`, without a log; None stays None.

    Raises:
        BadInstant: if it is malformed.
    """
    return None if text is None else parse_instant(text, now=now)


def zone_named(name: str, *, command: str) -> ZoneInfo:
    """Return a time zone.

    Raises:
        BadUsage: if there is no zone of this name.
    """
    try:
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        problem = f"unknown time zone {name!r}; expected one such as Europe/Berlin or UTC"
        raise BadUsage(command=command, problem=problem) from None


_GLOBAL: Final = {
    "log": "--log",
    "branch": "--branch",
    "trust_clock": "--trust-clock",
    "simulate_on_main": "--simulate-on-main",
}
"""The global options, which are about a log."""


def is_typed(context: Any, key: str) -> bool:
    """Return whether an option was typed, before or after the name of the command."""
    sources = (place.get_parameter_source(key) for place in (context, context.find_root()))
    return any(source is not None and source.name == "COMMANDLINE" for source in sources)


def typed_about_log(context: Any) -> list[str]:
    """Return the options about a log that were typed."""
    return [option for key, option in _GLOBAL.items() if is_typed(context, key)]
