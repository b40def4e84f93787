"""Samples: long logs that look like years of real ones, made quickly from two simulated clusters.

A sample consists of *cells*; each cell is one cluster. Two cells are simulated: the first contains
all planted faults, the second is ordinary. Every other cell is a copy of the second, with its own
names, instants, ids and positions. A queue manager makes about 28,000 events in a year: 12 queue
managers make a third of a million in a year, and 120 of them make ten million in three years.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from math import isfinite
from multiprocessing import get_context
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from twin.app.reading import Views
from twin.log import Log, NoSuchLog
from twin.model.instants import DAY, MAIN, MINUTE, Instant, parse_instant
from twin.output_files import write_whole
from twin.sampling.blocks import Cut
from twin.sampling.cell import BadSize, Cell, LogExists, NoSuchSample, TooLong, TooShort, sizes
from twin.sampling.cutting import cut
from twin.sampling.plan import CellPlan, planned
from twin.sampling.planting import Planted, PlantedFault, in_order, planted_beside
from twin.sampling.simulating import simulate
from twin.sampling.writing import Copy, SampleWriter

__all__ = [
    "UNTIL",
    "BadSize",
    "LogExists",
    "NoSuchSample",
    "Planted",
    "PlantedFault",
    "Progress",
    "TooShort",
    "make",
    "planted_beside",
]

_EVERY: Final = 30 * DAY

_AT_ONCE: Final = 2**62
"""A number of events that no month reaches."""


class MonthlySnapshots:
    """Takes snapshots of a log while it is written, in a second process if there is one."""

    def __init__(self, url: str, since: Instant, second: Executor | None) -> None:
        """Start at an instant before the first event."""
        self._url = url
        self._since = since
        self._second = second
        self._pending: list[Future[None]] = []

    def reached(self, end: Instant) -> None:
        """Take a snapshot if a month has passed since the last one."""
        if end - self._since >= _EVERY:
            self._take()
            self._since = end

    def finish(self) -> None:
        """Take the last snapshot, and wait for all of them."""
        self._take()
        for snapshot in self._pending:
            snapshot.result()

    def _take(self) -> None:
        if self._second is None:
            take(self._url, self._since)
        else:
            self._pending.append(self._second.submit(take, self._url, self._since))


UNTIL: Final = parse_instant("2026-01-01T00:00:00Z", now=0)
"""When a sample ends by default; it is fixed, so that the same arguments make the same events."""

PER_QMGR_AND_YEAR: Final = 28_000
"""The approximate number of events of a queue manager in a year."""

LEAST_DAYS: Final = 28

MOST_YEARS: Final = 100
"""The shortest and the longest time that a sample covers."""

_YEAR: Final = 365

_WEEK: Final = 7 * DAY


class Progress(NamedTuple):
    """The progress of a sample: the current step, the number of days done, and the total."""

    step: str
    done: int
    of: int


OnProgress: TypeAlias = Callable[[Progress], None]


class _Job(NamedTuple):
    """A cell to be simulated, with everything that another process needs for it."""

    folder: Path
    size: int
    since: Instant
    until: Instant
    a_day: float
    seed: int
    first: bool

    def plan(self) -> CellPlan:
        """Plan the cell."""
        return planned(Cell(self.size), self.since, self.until, seed=self.seed, first=self.first)


def take(url: str, since: Instant) -> None:
    """Take a snapshot of a log as it is now, starting from the last snapshot up to an instant."""
    log = Log.open(url, synchronous="NORMAL")
    try:
        Views(log).snapshot(branch=MAIN, every=_AT_ONCE, since=since)
    finally:
        log.close()


def make(
    url: str,
    *,
    qmgrs: int,
    years: float,
    seed: int,
    events: int | None = None,
    until: Instant = UNTIL,
    progress: OnProgress | None = None,
) -> Planted:
    """Write a sample into a new log, and its planted faults into a file beside the log.

    The same arguments make the same events, with the same ids and recording instants.

    Args:
        url: the SQLAlchemy URL of the new log.
        qmgrs: the number of queue managers, at least 6.
        years: the number of years of 365 days, at least 28 days. In a sample of at least 140 days,
            a queue manager is lost for 100 days.
        seed: the seed of the randomness.
        events: the approximate number of events; by default 28,000 for each queue manager and year.
            A smaller number means less traffic; the planted faults stay.
        until: the instant of the end; the sample ends at the midnight before it.
        progress: called from time to time.

    Raises:
        LogExists: when a log exists there already.
        BadSize, TooShort, TooLong: for a size that is not possible.
        BadLogUrl, LogUnreachable, NotALog: when no log can be written there.
    """
    on_progress = progress or _ignore
    if not isfinite(years) or years > MOST_YEARS:
        raise TooLong(years, most=MOST_YEARS)
    days = round(years * _YEAR)
    if days < LEAST_DAYS:
        raise TooShort(days, least=LEAST_DAYS)
    cells = sizes(qmgrs)
    until = until // DAY * DAY
    since = until - days * DAY
    shifts = [_shift(number, days) for number in range(len(cells))]
    wanted = qmgrs * years * PER_QMGR_AND_YEAR if events is None else events
    lived = sum(size * (until - since - shift) for size, shift in zip(cells, shifts, strict=True))
    with (
        _new(url) as log,
        tempfile.TemporaryDirectory(prefix="twin-sample-") as folder,
        _second(len(cells)) as second,
    ):
        jobs = [
            _Job(Path(folder, f"{n}"), size, since, until, wanted * size * DAY / lived, seed, not n)
            for n, size in enumerate(cells[:2])
        ]
        cuts = _simulated(jobs, second, on_progress)
        copies = [Copy(cuts[min(n, 1)], n, shift) for n, shift in enumerate(shifts)]
        _write(log, copies, until, MonthlySnapshots(url, since, second), on_progress)
        planted = Planted(
            qmgrs=qmgrs,
            years=years,
            seed=seed,
            clusters=len(cells),
            events=log.last().position,
            since=since,
            until=until,
            faults=in_order(_renamed(fault, copies[0]) for fault in jobs[0].plan().faults),
        )
        if (beside := planted_beside(url)) is not None:
            write_whole(beside, planted.json())
    return planted


def _ignore(_: Progress) -> None:
    """Ignore progress."""


def _shift(number: int, days: int) -> int:
    """Return how much later a cell begins than the first: whole weeks, and some minutes."""
    weeks = max(1, days // 56)
    return number and number * 5 % weeks * _WEEK + (number * 37 % 89 + 3) * MINUTE


def _renamed(fault: PlantedFault, copy: Copy) -> PlantedFault:
    """Return a fault of a simulated cell with the names that it has in the log."""
    where = {kind: copy.renamed(name) for kind, name in fault.where.items()}
    return replace(fault, where=where)


@contextmanager
def _new(url: str) -> Iterator[Log]:
    """Open a new log; if writing it fails, remove its file."""
    try:
        Log.open(url, mode="read").close()
    except NoSuchLog:
        pass
    else:
        raise LogExists(url)
    log = Log.open(url, synchronous="NORMAL")
    try:
        yield log
    except BaseException:
        log.close()
        beside = planted_beside(url)
        if beside is not None:
            file = beside.with_name(beside.name.removesuffix(".planted.json"))
            for path in (file, *(file.with_name(file.name + end) for end in ("-wal", "-shm"))):
                path.unlink(missing_ok=True)
        raise
    log.close()


@contextmanager
def _second(cells: int) -> Iterator[Executor | None]:
    """Start a second process if there is more than one cell."""
    if cells == 1:
        yield None
        return
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as second:
        try:
            yield second
        except BaseException:
            second.shutdown(wait=True, cancel_futures=True)
            raise


def _simulated(jobs: Sequence[_Job], second: Executor | None, on_progress: OnProgress) -> list[Cut]:
    """Simulate cells: the first in this process, the other in the second process."""
    if second is None:
        return [_simulate(jobs[0], on_progress)]
    other: Future[Cut] = second.submit(_simulate, jobs[1], _ignore)
    return [_simulate(jobs[0], on_progress), other.result()]


def _simulate(job: _Job, on_progress: OnProgress) -> Cut:
    plan = job.plan()
    file, folder = job.folder / "cell.db", job.folder / "blocks"
    folder.mkdir(parents=True)
    days = (job.until - job.since) // DAY
    simulate(
        plan,
        file,
        a_day=job.a_day,
        seed=job.seed,
        progress=lambda done: on_progress(Progress("simulated", done, days)),
    )
    cell = cut(plan, file, folder)
    file.unlink()
    return cell


def _write(
    log: Log,
    copies: Sequence[Copy],
    until: Instant,
    snapshots: MonthlySnapshots,
    on_progress: OnProgress,
) -> None:
    """Write all cells, and take snapshots meanwhile."""
    since = copies[0].cut.since
    days = (until - since) // DAY

    def done(end: Instant) -> None:
        snapshots.reached(end)
        on_progress(Progress("written", (end - since) // DAY, days))

    SampleWriter(log, copies, until).write(done)
    snapshots.finish()
