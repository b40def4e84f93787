"""`twin watch`: imports what arrives in a folder, once it is new and whole, until it is stopped."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple

from typer import Argument, Context, Option

from twin.cli.errors import UnreadableFile
from twin.cli.import_feeds import ImportOptions, feed_lines, line_of_ahead
from twin.cli.import_run import (
    ImportedFile,
    import_lines,
    import_refusals,
    import_sources,
    line_of_nothing,
    said_of_dates,
    said_of_missing,
    said_of_zones,
)
from twin.cli.output import DONE, FAILED, complain, emit
from twin.cli.signals import Stop, stoppable
from twin.cli.source_files import (
    SourceFile,
    beginning_of,
    files_below,
    forget_manifests,
    texts_of,
)
from twin.cli.target import length, target_of, zone_named
from twin.model.instants import SECOND, Instant

if TYPE_CHECKING:
    from twin.app.importing.feeds import FeedRead
    from twin.app.twin import Twin

_SETTLED: Final = 60.0
"""The seconds after which the last record of a log that did not grow is taken as whole."""

_PAUSE: Final = 1.0
"""The seconds between the two looks of --once."""

_COLLECTING: Final = 600.0
"""The seconds after which a collection whose manifest has no end is taken."""


class _Stat(NamedTuple):
    """What changes when a file is written."""

    size: int
    modified: Instant
    number: int


_UNKNOWN: Final = _Stat(-1, -1, -1)


@dataclass
class _Watched:
    """A file that is watched.

    Attributes:
        stat: how it was at the last look.
        taken: how it was when it was last taken as a whole.
        digest: of the text that was taken; b"" if none was.
        grows: whether it is a log.
    """

    stat: _Stat
    taken: _Stat | None = None
    digest: bytes = b""
    grows: bool = False


class Watcher:
    """Looks at a folder, and imports what is new."""

    def __init__(
        self,
        twin: Twin,
        stop: Stop,
        folder: str,
        options: ImportOptions,
    ) -> None:
        """Watch for a twin until `stop` is set."""
        self._twin = twin
        self._stop = stop
        self._folder = folder
        self._options = options
        self._files: dict[str, _Watched] = {}
        self._said: set[str] = set()
        self._understood = True

    def once(self) -> int:
        """Take what is there; return the exit code."""
        self.look()
        self._stop.wait(_PAUSE)
        self.look()
        waiting = [path for path, file in self._files.items() if not file.grows and not file.taken]
        for path in waiting:
            complain(f"{path} is still being written or collected; it was not taken")
        return DONE if self._understood and not waiting else FAILED

    def run(self, every: float) -> int:
        """Look at equal intervals until `stop` is set; return the exit code."""
        emit([f"watching {self._folder} every {every:g}s"])
        while not self._stop.is_set():
            self.look()
            self._stop.wait(every)
        emit([f"no longer watching {self._folder}"])
        return DONE

    def look(self) -> None:
        """Take what is new and was written completely."""
        changed = self._note()
        ready = [path for path, file in self._files.items() if file.taken != file.stat]
        settled = [path for path in ready if path not in changed and self._is_settled(path)]
        self._take(settled, whole=True)
        rest = [path for path in ready if path not in settled]
        self._take(
            [path for path in rest if (path in changed) == self._files[path].grows], whole=False
        )

    def _note(self) -> set[str]:
        """Look at all files; return those that changed since the last look, or are new."""
        from twin.app.observing import grows

        forget_manifests()
        found = dict(_stats(self._folder))
        changed = set()
        for path, stat in found.items():
            file = self._files.setdefault(path, _Watched(_UNKNOWN))
            if file.stat != stat:
                changed.add(path)
                file.grows = file.grows or grows(beginning_of(path))
            if stat.number != file.stat.number or stat.size < file.stat.size:
                file.digest = b""
            file.stat = stat
        for path in self._files.keys() - found.keys():
            del self._files[path]
        return changed

    def _is_settled(self, path: str) -> bool:
        """Return whether a file was not written for so long that its last record is whole."""
        return self._age(self._files[path].stat.modified) >= _SETTLED

    def _age(self, modified: Instant) -> float:
        """Return the seconds since a file was modified."""
        return (self._twin.clock() - modified) / SECOND

    def _take(self, paths: Sequence[str], *, whole: bool) -> None:
        """Import files, or what is whole of them."""
        sources = [] if self._stop.is_set() else list(texts_of(paths))
        parts = [part for source in sources if (part := self._part(source, whole=whole))]
        if self._stop.is_set() or (parts and not self._import(parts)):
            return
        waiting = {source.path for source in sources if self._is_collected(source)}
        for part in parts:
            self._files[part.path].digest = _digest(part.text)
        for source in sources:
            if not source.text and not self._is_log(source.path):
                self._say_once(f"{source.path}: nothing recorded: it is empty")
        for path in paths:
            file = self._files[path]
            if path not in waiting and (whole or not file.grows):
                file.taken = file.stat

    def _is_log(self, path: str) -> bool:
        """Return whether a file is a log, perhaps one of MQ that has no record yet."""
        return self._files[path].grows or Path(path).name.upper().startswith("AMQERR")

    def _part(self, source: SourceFile, *, whole: bool) -> SourceFile | None:
        """Return what can be taken of a file; None if there is nothing new."""
        from twin.app.observing import whole_part

        file = self._files[source.path]
        text = source.text if whole else whole_part(source.text)
        if not text or self._is_collected(source) or _digest(text) == file.digest:
            return None
        return source._replace(text=text)

    def _is_collected(self, source: SourceFile) -> bool:
        """Return whether a file is part of a collection that has not ended yet."""
        if source.manifest is None or source.manifest.ended:
            return False
        return self._age(source.modified or 0) < _COLLECTING

    def _import(self, sources: Sequence[SourceFile]) -> bool:
        """Import texts and say what was taken; return whether the log could be written."""
        from twin.app.clocks import ClockInDoubt
        from twin.log import ConcurrentAppend, LogBusy, LogUnreachable

        try:
            done = import_sources(self._twin, [], sources, self._options, always=True)
        except (ClockInDoubt, LogBusy, LogUnreachable, ConcurrentAppend) as error:
            self._say_once(f"{error}; trying again")
            return False
        read = [file for file in done.files if file.is_read]
        news = [file for file in read if file.observed.counts["recorded"]]
        lacking = said_of_missing([source.manifest for source in sources])
        emit([*said_of_dates([file.dated for file in news], done.now), *said_of_zones(done.zones)])
        emit([*lacking, *import_lines(news)])
        emit(feed_lines([feed for feed in done.feeds if feed.recorded]))
        for feed in done.feeds:
            if feed.ahead and not feed.recorded:
                self._say_once(line_of_ahead(feed.name, feed.ahead))
        self._say_of_nothing([file for file in read if file.is_useless], done.feeds)
        for line in import_refusals([file for file in done.files if not file.is_read]):
            self._say_once(line)
        self._understood &= not any(file.observed.not_understood for file in done.files)
        self._understood &= not any(feed.not_understood or feed.ahead for feed in done.feeds)
        return True

    def _say_of_nothing(self, read: Sequence[ImportedFile], feeds: Sequence[FeedRead]) -> None:
        """Name the files of which nothing was taken, and why: of a log only if it has a fault."""
        for file in read:
            self._say_once(line_of_nothing(file))
        for feed in feeds:
            if not feed.facts and (feed.not_understood or not self._files[feed.name].grows):
                for line in feed_lines([feed]):
                    self._say_once(line)

    def _say_once(self, message: str) -> None:
        if message not in self._said:
            self._said.add(message)
            complain(message)


def _digest(text: str) -> bytes:
    return sha256(text.encode(errors="surrogatepass")).digest()


def _stats(folder: str) -> Iterator[tuple[str, _Stat]]:
    """Yield the files of a folder that exist, and how they are."""
    for path in files_below(folder):
        try:
            stat = Path(path).stat()
        except OSError:
            continue
        yield path, _Stat(stat.st_size, stat.st_mtime_ns // 1000, stat.st_ino)


def watch(
    context: Context,
    folder: Annotated[str, Argument(metavar="DIR", help="Folder to watch")],
    *,
    every: Annotated[
        str, Option("--every", metavar="TIME", help="Time between two looks, such as 5s or 1m")
    ] = "5s",
    once: Annotated[bool, Option("--once", help="Import what is there, and end")] = False,
    qmgr: Annotated[
        str | None, Option(metavar="QM", help="Queue manager that the files belong to")
    ] = None,
    tz: Annotated[
        str | None,
        Option(metavar="ZONE", help="Zone of local times in files, such as Europe/Berlin [UTC]"),
    ] = None,
    dates: Annotated[
        Literal["dmy", "mdy"] | None,
        Option(metavar="dmy|mdy", help="Order of day and month in ambiguous dates of logs"),
    ] = None,
) -> int:
    """Import what arrives in a folder and in the folders in it.

    Imports a file when it did not change between two looks. Of a log that grows, imports each
    complete record at once, and the last record when the next one begins, or after a minute.
    Imports a folder of collect-script when its manifest says that the collection has ended.

    Each file is imported as by twin import, at its own date; a file without a date at the time of
    its last modification. You can stop or kill the command, and start it again, at any time. It
    then reads all files once, and records nothing twice.

    Prints what was imported.

    Exit codes: 0 stopped by Ctrl-C or SIGTERM, or --once and all was taken; 10 --once and parts
    were not understood, or are still being written; 20 bad input, or the log cannot be written.
    """
    interval = length("--every", every, "such as 5s or 1m", command="watch") / 1e6
    zone = None if tz is None else zone_named(tz, command="watch")
    if not Path(folder).is_dir():
        raise UnreadableFile(folder, "it is no folder")
    with (
        stoppable(signal.SIGINT, signal.SIGTERM) as stop,
        target_of(context).writer(create=True) as twin,
    ):
        twin.demand_clock()
        watcher = Watcher(twin, stop, folder, ImportOptions(qmgr, zone, dates, together=False))
        return watcher.once() if once else watcher.run(interval)
